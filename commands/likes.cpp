#include "commands/likes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "commands/expand.h"
#include "model/json_write.h"

namespace tessera::commands {
namespace {

using io::Node;

constexpr std::size_t most_compared = 8;  ///< commands; each comparison takes time

void add_json(std::string& out, const Node& node) {
  if (node.is_scalar()) {
    out += node.kind == Node::Kind::text   ? json_string(node.text)
           : node.kind == Node::Kind::null ? std::string("null")
                                           : node.text;
    return;
  }
  const bool map = node.kind == Node::Kind::map;
  out += map ? '{' : '[';
  for (const Node& child : node.children) {
    if (&child != &node.children.front()) out += ',';
    if (map) out += json_string(child.key) + ":";
    add_json(out, child);
  }
  out += map ? '}' : ']';
}

/// Entries of `set`: values at JSON pointers.
class Difference {
 public:
  explicit Difference(std::size_t longest) : longest_(longest) {}

  /// Returns whether there is one that is short enough.
  bool find(const Node& from, const Node& to, const std::string& pointer) {
    if (text.size() > longest_) return false;
    if (from.kind != to.kind) return add(to, pointer);
    if (to.is_scalar()) return from.text == to.text || add(to, pointer);
    if (to.kind == Node::Kind::map) return find_in_map(from, to, pointer);
    if (from.children.size() != to.children.size()) return add(to, pointer);
    for (std::size_t k = 0; k < to.children.size(); ++k)
      if (!find(from.children[k], to.children[k], pointer + "/" + std::to_string(k))) return false;
    return true;
  }
  std::string text;

 private:
  bool find_in_map(const Node& from, const Node& to, const std::string& pointer) {
    const auto has = [&](const Node& child) { return to.find(child.key) != nullptr; };
    if (!std::ranges::all_of(from.children, has)) return false;
    for (const Node& child : to.children) {
      if (pointer.empty() && child.key == "id") continue;
      const std::string inner = pointer + "/" + child.key;
      const Node* before = from.find(child.key);
      if (before == nullptr ? !add(child, inner) : !find(*before, child, inner)) return false;
    }
    return true;
  }
  bool add(const Node& value, const std::string& pointer) {
    text += (text.empty() ? "\"" : ",\"") + pointer + "\":";
    add_json(text, value);
    return text.size() <= longest_;
  }

  std::size_t longest_;
};

bool same(const Node& one, const Node& other, std::string_view key) {
  const Node* first = one.find(key);
  const Node* second = other.find(key);
  return first == nullptr || second == nullptr ? first == second : first->text == second->text;
}

}  // namespace

std::string Likes::written(std::string_view command) {
  Node node = io::parse_json(command, sources_);
  std::string shortest(command);
  std::size_t compared = 0;
  for (auto other = known_.rbegin(); other != known_.rend() && compared < most_compared; ++other) {
    if (!same(*other, node, "kind") || !same(*other, node, "tensor") || !same(*other, node, "op"))
      continue;
    ++compared;
    Difference difference(shortest.size());
    if (!difference.find(*other, node, "")) continue;
    const std::string text = "{\"id\":" + node.find("id")->text +
                             ",\"like\":" + other->find("id")->text + ",\"set\":{" +
                             difference.text + "}}";
    if (text.size() < shortest.size()) shortest = text;
  }
  known_.push_back(std::move(node));
  if (known_.size() > known_commands) known_.pop_front();
  return shortest;
}

}  // namespace tessera::commands
