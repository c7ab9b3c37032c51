// A YAML or JSON file as one tree with line numbers, and strict reading of it.
//
//   Sources sources("toy.yaml");
//   Node root = parse_yaml(text, sources);                        // or parse_json
//   Fields fields(sources, root, "the problem");
//   const Node& name = fields.need("name");
//   if (const Node* capacity = fields.find("capacity"))
//     use(as_size(sources, *capacity, "capacity"));
//   fields.finish();                                              // rejects all other keys
//
// Private to io/. YAML scalars stay text (`Kind::text`, or `null`): the reader of each value
// determines its type. JSON keeps its types. The parsers reject repeated keys, nesting deeper than
// 64, and (YAML) anchors, aliases, tags and further documents. Neither recursion nor expansion
// therefore depends on the input.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/error.h"
#include "tessera/units.h"

namespace tessera::io {

struct Node {
  enum class Kind : std::uint8_t { null, boolean, whole, real, text, list, map };
  Kind kind = Kind::null;
  bool plain = false;          ///< YAML: a scalar without quotes
  std::uint32_t file = 0;      ///< index in Sources
  std::size_t line = 0;        ///< of the value
  std::string key;             ///< if this is an entry of a map
  std::size_t key_line = 0;    ///< of the key, otherwise == line
  std::string text;            ///< scalars: as written, JSON strings unescaped
  std::vector<Node> children;  ///< of lists and maps, in order

  [[nodiscard]] bool is_scalar() const { return kind != Kind::list && kind != Kind::map; }
  /// The entry of a map, or nullptr.
  [[nodiscard]] const Node* find(std::string_view name) const;
};

/// The files of a tree (several if profiles inherit), and errors that name them.
class Sources {
 public:
  explicit Sources(std::string file) : files_{std::move(file)} {}
  [[nodiscard]] const std::string& file(const Node& node) const { return files_[node.file]; }
  [[nodiscard]] const std::string& newest() const { return files_.back(); }
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  [[nodiscard]] std::uint32_t newest_index() const {
    return static_cast<std::uint32_t>(files_.size() - 1);
  }
  void add(std::string file) { files_.push_back(std::move(file)); }
  [[nodiscard]] InputError error(const Node& node, std::string message,
                                 std::string hint = {}) const {
    return {file(node), node.line, std::move(message), std::move(hint)};
  }
  [[nodiscard]] InputError error_at_key(const Node& node, std::string message,
                                        std::string hint = {}) const {
    return {file(node), node.key_line, std::move(message), std::move(hint)};
  }

 private:
  std::vector<std::string> files_;
};

inline constexpr std::size_t max_nesting = 64;

/// Parse the newest source; throw InputError.
[[nodiscard]] Node parse_yaml(std::string_view text, const Sources& sources);
[[nodiscard]] Node parse_json(std::string_view text, const Sources& sources);

/// The entries of one map, each read by name.
class Fields {
 public:
  /// Throws if the node is not a map. `what` names it in messages: "buffer `b1`".
  Fields(const Sources& sources, const Node& node, std::string what);
  [[nodiscard]] const Node* find(std::string_view key);
  [[nodiscard]] const Node& need(std::string_view key);
  /// Stores the value of an entry in `to`; a missing entry leaves it unchanged.
  void take(std::string_view key, std::string& to);
  void take(std::string_view key, bool& to);
  void take(std::string_view key, double& to);
  void take(std::string_view key, std::int64_t& to);
  /// Throws at the first entry that was not read.
  void finish() const;
  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  [[nodiscard]] InputError unknown_key(const Node& child, std::string hint) const;

  const Sources& sources_;
  const Node& node_;
  std::string what_;
  std::vector<std::string> known_;  ///< copies: a key may be a temporary
  std::vector<bool> asked_;
};

/// Each throws with `what` as the subject of its message.
[[nodiscard]] const std::string& as_text(const Sources& sources, const Node& node,
                                         std::string_view what);
[[nodiscard]] bool as_bool(const Sources& sources, const Node& node, std::string_view what);
[[nodiscard]] std::int64_t as_whole(const Sources& sources, const Node& node, std::string_view what,
                                    std::int64_t least = 0, std::int64_t most = max_address);
[[nodiscard]] double as_real(const Sources& sources, const Node& node, std::string_view what);
/// Unsigned 64 bits: values above 2^63 exceed the range of as_whole().
[[nodiscard]] std::uint64_t as_seed(const Sources& sources, const Node& node);
/// An address: bytes, or a hexadecimal number such as 0x20000000.
[[nodiscard]] Offset as_address(const Sources& sources, const Node& node, std::string_view what);
[[nodiscard]] Size as_size(const Sources& sources, const Node& node, std::string_view what,
                           Size least = 0);
[[nodiscard]] const std::vector<Node>& as_list(const Sources& sources, const Node& node,
                                               std::string_view what);
/// A list of exactly two.
[[nodiscard]] std::pair<const Node*, const Node*> as_pair(const Sources& sources, const Node& node,
                                                          std::string_view what);
/// Index of the text among the words; otherwise throws with the list of words.
[[nodiscard]] std::size_t as_one_of(const Sources& sources, const Node& node, std::string_view what,
                                    std::initializer_list<std::string_view> words);
/// With a parser of io/units.h: `as_quantity(sources, node, "clock", parse_frequency)`.
template <typename Parser>
[[nodiscard]] auto as_quantity(const Sources& sources, const Node& node, std::string_view what,
                               Parser parser) {
  auto parsed = parser(as_text(sources, node, what));
  if (!parsed) {
    throw sources.error(
        node, "`" + std::string(what) + "` is " + shown(node.text) + ", which " + parsed.error);
  }
  return *parsed;
}

/// `tessera: <kind>` at the top: throws with a hint if it is missing or another kind.
void require_kind(const Sources& sources, Fields& fields, std::string_view kind);

/// Description of the node for messages: "a map", "a list", "nothing", "`abc`".
[[nodiscard]] std::string described(const Node& node);

}  // namespace tessera::io
