#include "model/op_labels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera {

namespace {

constexpr std::string_view range_mark = " .. ";  ///< between the first and the last op of a group

/// Length of the common folders of two names.
std::size_t common_folders(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t folders = 0;
  for (std::size_t k = 0; k < most && a[k] == b[k]; ++k)
    if (a[k] == '/') folders = k + 1;
  return folders;
}

constexpr std::string_view ellipsis = "...";

/// The next position at which a UTF-8 character begins.
std::size_t whole_character(std::string_view text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

/// The text around a position, with more of what follows it.
std::string around(const std::string& text, std::size_t place, std::size_t width) {
  constexpr std::size_t longest_character = 4;
  const std::size_t tail = text.size() - std::min(text.size(), width - ellipsis.size());
  const std::size_t room = width - 2 * ellipsis.size() - (longest_character - 1);
  const std::size_t from = place - std::min(place, room / 3);
  if (from >= tail) return std::string(ellipsis) + text.substr(whole_character(text, tail));
  const std::size_t begin = whole_character(text, from);
  const std::size_t end = whole_character(text, from + room);
  return std::string(from > 0 ? ellipsis : "") + text.substr(begin, end - begin) +
         std::string(ellipsis);
}

std::size_t common_beginning(const std::set<std::string>& texts) {
  // The common prefix of a sorted list is that of its first and last element.
  const std::string& first = *texts.begin();
  const std::string& last = *texts.rbegin();
  return static_cast<std::size_t>(
      std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
}

}  // namespace

std::vector<std::string> shortened_apart(const std::vector<std::string>& texts, std::size_t width) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(shortened(text, width));
  if (width < 4 * ellipsis.size()) return out;
  constexpr int most_rounds = 20;  // each round shows a position further right
  for (int round = 0; round < most_rounds; ++round) {
    std::map<std::string, std::set<std::string>> alike;
    for (std::size_t k = 0; k < texts.size(); ++k) alike[out[k]].insert(texts[k]);
    bool changed = false;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const std::set<std::string>& group = alike[out[k]];
      if (group.size() < 2) continue;
      std::string other = around(texts[k], common_beginning(group), width);
      changed = changed || other != out[k];
      out[k] = std::move(other);
    }
    if (!changed) break;
  }
  return out;
}

std::vector<std::string> without_common_folders(std::vector<std::string> names) {
  if (names.size() < 2) return names;
  std::size_t common = names.front().rfind('/') + 1;  // npos + 1 is 0
  for (const std::string& name : names)
    common = std::min(common, common_folders(names.front(), name));
  for (std::string& name : names) name.erase(0, common);
  return names;
}

std::vector<std::string> readable_names(std::vector<std::string> names) {
  constexpr std::size_t longest = 60;
  if (std::ranges::none_of(names, [](const std::string& name) { return name.size() > longest; }))
    return names;
  return shortened_apart(without_common_folders(std::move(names)), longest);
}

std::string without_repeats(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    const std::string_view rest = slash == name.npos ? "" : name.substr(slash + 1);
    const bool repeated =
        rest.starts_with(part) && rest.size() > part.size() && rest.find('/') != rest.npos;
    if (!part.empty() && !repeated) {
      out += part;
      if (!rest.empty()) out += '/';
    }
    name = rest;
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  // Both ends of a range are shown, the shorter one in full if it is short.
  if (const std::size_t at = text.find(range_mark);
      at != text.npos && width >= range_mark.size() + 4 * ellipsis.size()) {
    const std::string first = text.substr(0, at);
    const std::string last = text.substr(at + range_mark.size());
    const std::size_t room = width - range_mark.size();
    const std::size_t of_last = std::min(last.size(), room - std::min(first.size(), room / 2));
    return shortened(first, room - of_last) + std::string(range_mark) + shortened(last, of_last);
  }
  if (width <= ellipsis.size()) return text.substr(text.size() - width);
  const std::size_t kept = width - ellipsis.size();
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t head = kept / 3;
  std::size_t tail = text.size() - (kept - head);
  while (head > 0 && inside(head)) --head;  // do not split a character
  while (inside(tail)) ++tail;
  return text.substr(0, head) + std::string(ellipsis) + text.substr(tail);
}

OpLabels::OpLabels(const NetworkPlan& plan) {
  std::optional<std::string> first;
  std::size_t ops = 0;
  for (const PlannedSubgraph& s : plan.subgraphs) {
    for (const std::string& name : s.names) {
      ++ops;
      const std::string own = without_repeats(name);
      if (!first) {
        first = own;
        common_ = own.rfind('/') == own.npos ? 0 : own.rfind('/') + 1;
      }
      common_ = std::min(common_, common_folders(*first, own));
    }
  }
  if (ops < 2) common_ = 0;
}

std::string OpLabels::of(const PlannedSubgraph& subgraph) const {
  std::string first = without_repeats(subgraph.names.front()).substr(common_);
  if (subgraph.names.size() == 1) return first;
  const std::string last = without_repeats(subgraph.names.back()).substr(common_);
  return first + std::string(range_mark) + last.substr(common_folders(first, last));
}

std::string OpLabels::of(const std::string& name) const {
  return without_repeats(name).substr(common_);
}

}  // namespace tessera
