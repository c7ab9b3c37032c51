// Builds a tree of Nodes from a parser's events; shared by the YAML and the JSON parser.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/tree.h"

namespace tessera::io {

class TreeBuilder {
 public:
  explicit TreeBuilder(const Sources& sources) : sources_(sources) {}

  [[nodiscard]] bool wants_key() const {
    return !open_.empty() && open_.back()->kind == Node::Kind::map && !has_key_;
  }

  void key(std::string text, std::size_t line) {
    key_ = std::move(text);
    key_line_ = line;
    has_key_ = true;
  }
  [[nodiscard]] std::size_t key_line() const { return has_key_ ? key_line_ : 0; }

  void scalar(Node::Kind kind, std::string text, std::size_t line, bool plain) {
    Node& node = append(kind, line);
    node.text = std::move(text);
    node.plain = plain;
  }

  void begin(Node::Kind kind, std::size_t line) {
    if (open_.size() == max_nesting) {
      throw InputError(sources_.newest(), line,
                       "is nested more than " + std::to_string(max_nesting) + " levels deep");
    }
    open_.push_back(&append(kind, line));
  }

  void end() {
    Node& node = *open_.back();
    if (node.kind == Node::Kind::map) refuse_repeated_keys(node);
    open_.pop_back();
  }

  [[nodiscard]] Node take() { return std::move(root_); }

 private:
  // Only the last child of each open node is open, so adding a child moves no open node.
  Node& append(Node::Kind kind, std::size_t line) {
    Node& node = open_.empty() ? root_ : open_.back()->children.emplace_back();
    node.kind = kind;
    node.file = sources_.newest_index();
    node.line = node.key_line = line;
    if (has_key_) {
      node.key = std::move(key_);
      node.key_line = key_line_;
      has_key_ = false;
    }
    return node;
  }

  void refuse_repeated_keys(const Node& map) const {
    std::vector<const Node*> sorted;
    sorted.reserve(map.children.size());
    for (const Node& child : map.children) sorted.push_back(&child);
    // Ties by position: file order.
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Node* a, const Node* b) { return a->key < b->key; });
    const auto twice =
        std::adjacent_find(sorted.begin(), sorted.end(),
                           [](const Node* a, const Node* b) { return a->key == b->key; });
    if (twice == sorted.end()) return;
    const Node& second = **(twice + 1);
    throw sources_.error_at_key(second, "the key " + shown(second.key) + " is given twice",
                                "it is first on line " + std::to_string((*twice)->key_line));
  }

  const Sources& sources_;
  Node root_;
  std::vector<Node*> open_;
  std::string key_;
  std::size_t key_line_ = 0;
  bool has_key_ = false;
};

}  // namespace tessera::io
