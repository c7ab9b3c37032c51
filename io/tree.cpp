#include "io/tree.h"

#include <algorithm>
#include <charconv>

#include "io/text.h"
#include "io/units.h"

namespace tessera::io {
namespace {

std::string subject(std::string_view what) {
  return "`" + std::string(what) + "`";
}

std::string lead(std::string_view what, std::string_view wanted, const Node& node) {
  return subject(what) + " must be " + std::string(wanted) + ", not " + described(node);
}

/// The number in a scalar.
std::string_view digits(const Sources& sources, const Node& node, std::string_view what,
                        std::string_view wanted) {
  if (node.kind != Node::Kind::text && node.kind != Node::Kind::whole &&
      node.kind != Node::Kind::real) {
    throw sources.error(node, lead(what, wanted, node));
  }
  // `010` is ten or eight, depending on the YAML version (YAML 1.2, section 10.3.2; 1.1 int).
  const std::string_view text = node.text;
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
    throw sources.error(node, subject(what) + " is " + shown(text) + ", which begins with a zero",
                        "remove the zero: other readers take the number as octal");
  }
  return text;
}

}  // namespace

const Node* Node::find(std::string_view name) const {
  if (kind != Kind::map) return nullptr;
  for (const Node& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

std::string described(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    default:
      return shown(node.text);
  }
}

Fields::Fields(const Sources& sources, const Node& node, std::string what)
    : sources_(sources), node_(node), what_(std::move(what)), asked_(node.children.size()) {
  if (node.kind != Node::Kind::map) {
    throw sources.error(node, what_ + " must be a map of keys and values, not " + described(node));
  }
}

const Node* Fields::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  for (std::size_t k = 0; k < node_.children.size(); ++k) {
    if (node_.children[k].key == key) {
      asked_[k] = true;
      return &node_.children[k];
    }
  }
  return nullptr;
}

const Node& Fields::need(std::string_view key) {
  const Node* node = find(key);
  if (node == nullptr) {
    // A misspelt entry that probably means this key is the better location to report.
    for (const Node& child : node_.children) {
      if (std::find(known_.begin(), known_.end(), child.key) == known_.end() &&
          edit_distance(child.key.substr(0, 40), key) <= key.size() / 4) {
        throw unknown_key(child, "did you mean `" + std::string(key) + "`?");
      }
    }
    throw sources_.error(node_, what_ + " has no `" + std::string(key) + "`");
  }
  return *node;
}

void Fields::take(std::string_view key, std::string& to) {
  if (const Node* node = find(key)) to = as_text(sources_, *node, key);
}
void Fields::take(std::string_view key, bool& to) {
  if (const Node* node = find(key)) to = as_bool(sources_, *node, key);
}
void Fields::take(std::string_view key, double& to) {
  if (const Node* node = find(key)) to = as_real(sources_, *node, key);
}
void Fields::take(std::string_view key, std::int64_t& to) {
  if (const Node* node = find(key)) to = as_whole(sources_, *node, key);
}

InputError Fields::unknown_key(const Node& child, std::string hint) const {
  InputError error = sources_.error_at_key(
      child, what_ + " has the unknown key " + shown(child.key), std::move(hint));
  error.unknown_key = true;
  return error;
}

void Fields::finish() const {
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    if (asked_[k]) continue;
    const Node& child = node_.children[k];
    std::string hint;
    if (const std::string_view close = closest_word(child.key, known_); !close.empty()) {
      hint = "did you mean `" + std::string(close) + "`?";
    } else {
      for (const std::string_view key : known_) {
        hint += hint.empty() ? "known keys are " : ", ";
        hint += key;
      }
    }
    throw unknown_key(child, std::move(hint));
  }
}

const std::string& as_text(const Sources& sources, const Node& node, std::string_view what) {
  // JSON numbers and booleans are not text; YAML scalars have no type yet.
  if (node.kind != Node::Kind::text) throw sources.error(node, lead(what, "text", node));
  return node.text;
}

bool as_bool(const Sources& sources, const Node& node, std::string_view what) {
  const bool may =
      node.kind == Node::Kind::boolean || (node.kind == Node::Kind::text && node.plain);
  if (may && node.text == "true") return true;
  if (may && node.text == "false") return false;
  throw sources.error(node, lead(what, "true or false", node));
}

std::int64_t as_whole(const Sources& sources, const Node& node, std::string_view what,
                      std::int64_t least, std::int64_t most) {
  constexpr std::string_view wanted = "a whole number";
  const std::string_view text = digits(sources, node, what, wanted);
  const bool is_number = node.kind != Node::Kind::text || node.plain;
  const Parsed<std::int64_t> value = parse_whole(text);
  // A number with an exponent may be out of range, too.
  const Parsed<double> real = parse_real(text);
  const bool far =
      !value && real && (*real > static_cast<double>(most) || *real < static_cast<double>(least));
  if (!value && value.error != "is too large" && !far)
    throw sources.error(node, lead(what, wanted, node));
  if (!is_number) throw sources.error(node, lead(what, wanted, node), "remove the quotes");
  if (!value || *value < least || *value > most) {
    throw sources.error(node, subject(what) + " is " + shown(text) + ", but it must be between " +
                                  std::to_string(least) + " and " + std::to_string(most));
  }
  return *value;
}

double as_real(const Sources& sources, const Node& node, std::string_view what) {
  const Parsed<double> value = parse_real(digits(sources, node, what, "a number"));
  if (!value || (node.kind == Node::Kind::text && !node.plain)) {
    throw sources.error(node, lead(what, "a number", node));
  }
  return *value;
}

std::uint64_t as_seed(const Sources& sources, const Node& node) {
  std::uint64_t value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, code] = std::from_chars(node.text.data(), end, value);
  if (node.kind != Node::Kind::whole || stop != end || code != std::errc{}) {
    throw sources.error(node,
                        "`seed` must be a whole number from 0 to 2^64 - 1, not " + described(node));
  }
  return value;
}

Offset as_address(const Sources& sources, const Node& node, std::string_view what) {
  std::string_view text = node.text;
  if (node.kind != Node::Kind::text || (!text.starts_with("0x") && !text.starts_with("0X")))
    return as_size(sources, node, what, 0);
  text.remove_prefix(2);
  Offset value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value, 16);
  if (text.empty() || text.front() == '-' || stop != end || code == std::errc::invalid_argument)
    throw sources.error(node,
                        subject(what) + " is " + shown(node.text) + ", which is not an address",
                        "write 0x and hexadecimal digits, or bytes");
  if (code != std::errc{} || value > max_address)
    throw sources.error(node, subject(what) + " is " + shown(node.text) +
                                  ", which is above the largest address, 2^60");
  return value;
}

Size as_size(const Sources& sources, const Node& node, std::string_view what, Size least) {
  const std::string_view text = digits(sources, node, what, "a size");
  const Parsed<Size> size = parse_size(text);
  if (!size) {
    throw sources.error(node, subject(what) + " is " + shown(text) + ", which " + size.error);
  }
  if (*size < least) {
    throw sources.error(node, subject(what) + " is " + shown(text) + ", but it must be at least " +
                                  std::to_string(least));
  }
  return *size;
}

const std::vector<Node>& as_list(const Sources& sources, const Node& node, std::string_view what) {
  // A YAML key without a value is an empty list; `null` of JSON is not.
  const bool empty = node.kind == Node::Kind::null && node.plain;
  if (node.kind != Node::Kind::list && !empty)
    throw sources.error(node, lead(what, "a list", node));
  return node.children;
}

std::pair<const Node*, const Node*> as_pair(const Sources& sources, const Node& node,
                                            std::string_view what) {
  const std::vector<Node>& list = as_list(sources, node, what);
  if (list.size() != 2) {
    throw sources.error(node, subject(what) + " must be a pair such as [0, 8], not a list of " +
                                  std::to_string(list.size()));
  }
  return {&list[0], &list[1]};
}

std::size_t as_one_of(const Sources& sources, const Node& node, std::string_view what,
                      std::initializer_list<std::string_view> words) {
  std::string all;
  std::size_t k = 0;
  for (const std::string_view word : words) {
    if (node.kind == Node::Kind::text && node.text == word) return k;
    if (k > 0) all += k + 1 == words.size() ? " or " : ", ";
    all += word;
    ++k;
  }
  throw sources.error(node, lead(what, all, node));
}

void require_kind(const Sources& sources, Fields& fields, std::string_view kind) {
  const Node* node = fields.find("tessera");
  if (node == nullptr) {
    throw sources.error(
        fields.node(), fields.what() + " does not begin with `tessera: " + std::string(kind) + "`");
  }
  const std::string& found = as_text(sources, *node, "tessera");
  if (found == kind) return;
  const std::string_view family = kind.substr(0, kind.find('/'));
  const bool version =
      found.starts_with(family) && found.size() > family.size() && found[family.size()] == '/';
  throw sources.error(*node, "this is " + shown(found) + ", but `" + std::string(kind) +
                                 "` is expected" +
                                 (version ? "; only that version is supported" : ""));
}

}  // namespace tessera::io
