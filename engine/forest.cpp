#include "engine/forest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "tessera/errors.h"

namespace tessera::engine {
namespace {

constexpr std::size_t deepest_tree = 64;

/// The non-empty lines of a text, split into words.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The words of the next line, valid until the next call; empty at the end of the text.
  [[nodiscard]] std::span<const std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (line.empty() || line.front() == '#') continue;
      words_.clear();
      for (std::size_t at = 0; at < line.size();) {
        const std::size_t from = line.find_first_not_of(' ', at);
        if (from == std::string_view::npos) break;
        at = std::min(line.find(' ', from), line.size());
        words_.push_back(line.substr(from, at - from));
      }
      if (!words_.empty()) return words_;
    }
    return {};
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw BadInput("line " + std::to_string(number_) + " of a forest: " + std::string(why));
  }

  [[nodiscard]] double number(std::string_view word) const {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      refuse("'" + std::string(word) + "' is not a number");
    return value;
  }

 private:
  std::string_view rest_;
  std::vector<std::string_view> words_;  // of one line; kept to avoid allocations
  std::int64_t number_ = 0;
};

}  // namespace

Forest Forest::read(std::string_view text, std::span<const std::string_view> features) {
  Lines lines(text);
  Forest forest;
  std::vector<std::int32_t> named;  // per feature of the text: its index among the user's features
  std::vector<std::uint32_t> waiting;  // nodes of this tree whose second child is to come
  bool open = false;                   // the current tree is incomplete
  for (auto words = lines.next(); !words.empty(); words = lines.next()) {
    const std::string_view first = words.front();
    if (!open && first == "features") {
      for (std::size_t k = 1; k < words.size(); ++k) {
        const auto at = std::find(features.begin(), features.end(), words[k]);
        if (at == features.end())
          lines.refuse("'" + std::string(words[k]) + "' is not a known feature");
        named.push_back(static_cast<std::int32_t>(at - features.begin()));
      }
      continue;
    }
    if (!open && first == "tree" && words.size() == 1) {
      forest.roots_.push_back(forest.nodes_.size());
      waiting.clear();
      open = true;
      continue;
    }
    if (words.size() != 2) lines.refuse("a line of two words is expected");
    const double value = lines.number(words[1]);
    if (!open) {
      if (first == "base")
        forest.base_ = value;
      else if (first == "threshold")
        forest.threshold_ = value;
      else
        lines.refuse("'" + std::string(first) + "' is not one of features, base, threshold, tree");
      continue;
    }
    Node node{.value = static_cast<float>(value)};
    const auto here = static_cast<std::uint32_t>(forest.nodes_.size());
    if (first != "=") {
      const double feature = lines.number(first);
      if (feature < 0 || feature >= static_cast<double>(named.size()) ||
          feature != std::floor(feature))
        lines.refuse("unknown feature " + std::string(first));
      node.feature = named[static_cast<std::size_t>(feature)];
      if (waiting.size() == deepest_tree) lines.refuse("a tree is too deep");
    }
    forest.nodes_.push_back(node);
    if (first != "=") {
      waiting.push_back(here);
      continue;
    }
    // A leaf completes all subtrees of which it is the last node.
    while (!waiting.empty() && forest.nodes_[waiting.back()].other != 0) waiting.pop_back();
    if (waiting.empty())
      open = false;
    else
      forest.nodes_[waiting.back()].other = here + 1;
  }
  if (open) lines.refuse("the last tree has no end");
  if (forest.roots_.empty()) lines.refuse("the forest has no tree");
  return forest;
}

}  // namespace tessera::engine
