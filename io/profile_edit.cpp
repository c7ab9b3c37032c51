#include "io/profile_edit.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "io/hardware_merge.h"
#include "io/hardware_yaml.h"
#include "io/silicon_yaml.h"
#include "io/text.h"
#include "io/units.h"
#include "model/joint_modes.h"

namespace tessera::io {
namespace {

constexpr std::string_view decimal_digits = "0123456789";

/// The first name of a path. Names may contain dots: the longest match in `map` counts.
std::string_view first_name(const Node& map, std::string_view path) {
  std::string_view longest;
  for (const Node& child : map.children)
    if (map.kind == Node::Kind::map && child.key.size() > longest.size() &&
        path.starts_with(child.key) &&
        (path.size() == child.key.size() || path[child.key.size()] == '.'))
      longest = child.key;
  return longest.empty() ? path.substr(0, path.find('.')) : longest;
}

std::string_view after(std::string_view path, std::string_view name) {
  path.remove_prefix(name.size());
  if (!path.empty()) path.remove_prefix(1);
  return path;
}

/// Index of the entry with this name or number.
std::optional<std::size_t> entry_at(const Node& around, std::string_view name) {
  if (around.is_scalar()) return std::nullopt;
  if (around.kind == Node::Kind::map)
    for (std::size_t k = 0; k < around.children.size(); ++k)
      if (around.children[k].key == name) return k;
  std::size_t number = 0;
  if (name.empty() || name.find_first_not_of(decimal_digits) != name.npos) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || number >= around.children.size()) return std::nullopt;
  return number;
}

const Node* node_at(const Node& root, std::string_view path) {
  const Node* at = &root;
  while (!path.empty()) {
    const std::string_view name = first_name(*at, path);
    const std::optional<std::size_t> entry = entry_at(*at, name);
    if (!entry) return nullptr;
    at = &at->children[*entry];
    path = after(path, name);
  }
  return at;
}

std::string entries_hint(const Node& around, std::string_view wrong,
                         std::string_view begin = "known names are ") {
  if (around.is_scalar() || around.children.empty()) return {};
  if (around.kind == Node::Kind::list)
    return "the entries are 0 to " + std::to_string(around.children.size() - 1);
  std::vector<std::string_view> names;
  for (const Node& child : around.children) names.push_back(child.key);
  if (const std::string_view close = closest_word(wrong, names); !close.empty())
    return "did you mean `" + std::string(close) + "`?";
  std::string hint;
  for (const std::string_view name : names) {
    hint += hint.empty() ? begin : ", ";
    hint += name;
  }
  return hint;
}

/// Name of a change in messages, in place of file and line.
std::string name_of(const KeyChange& change) {
  return shown(change.key + '=' + change.value);
}

/// The value is not from a line of a file.
void say_where(Node& node, std::uint32_t file) {
  node.file = file;
  node.line = node.key_line = 0;
  for (Node& child : node.children) say_where(child, file);
}

bool takes_away(const KeyChange& change) {
  const std::string_view value = trimmed(change.value);
  return value == "null" || value == "~";
}

/// Applies one change to a tree.
class Edit {
 public:
  Edit(const KeyChange& change, Sources& sources) : change_(change), sources_(sources) {
    sources.add(name_of(change));
  }

  /// Returns the path with numbers replaced by names.
  std::string apply(Node& root) {
    if (change_.key.empty() || change_.key.front() == '.' || change_.key.back() == '.' ||
        change_.key.find("..") != change_.key.npos)
      throw error("is not a path of keys", "write it as in `memories.sram.capacity`");
    Node* around = &root;
    std::string_view path = change_.key;
    std::string names;
    for (;;) {
      const std::string_view name = first_name(*around, path);
      path = after(path, name);
      const std::optional<std::size_t> entry = entry_at(*around, name);
      const std::string before = names;
      if (!names.empty()) names += '.';
      names += entry && around->kind == Node::Kind::map ? around->children[*entry].key
                                                        : std::string(name);
      if (!path.empty()) {
        around = entry ? &around->children[*entry] : &added(*around, before, name);
        continue;
      }
      if (!entry && takes_away(change_)) take_nothing(root, *around, before, name);
      put(*around, before, name, entry);
      forget_sources(root, names);
      return names;
    }
  }

 private:
  [[nodiscard]] InputError error(std::string message, std::string hint = {}) const {
    return {sources_.newest(), 0, std::move(message), std::move(hint)};
  }

  [[nodiscard]] static std::string place(const std::string& names) {
    return names.empty() ? "the profile" : shown(names);
  }

  void require_map(const Node& around, const std::string& names, std::string_view name) const {
    if (around.kind == Node::Kind::list)
      throw error(place(names) + " has no entry " + shown(name), entries_hint(around, name));
    if (around.kind != Node::Kind::map)
      throw error(place(names) + " is " + described(around) + ", so it has no key " + shown(name),
                  "change " + place(names) + " as a whole");
  }

  /// Maps with user-defined names: a misspelt key must not create an entry.
  [[nodiscard]] static bool named_things(const std::string& names) {
    return names == "memories" || names == "engines";
  }

  /// Adds a missing map; the reader decides whether it is valid.
  Node& added(Node& around, const std::string& names, std::string_view name) const {
    require_map(around, names, name);
    if (named_things(names))
      throw error(place(names) + " has no entry " + shown(name), entries_hint(around, name));
    Node& node = around.children.emplace_back();
    node.kind = Node::Kind::map;
    node.key = name;
    say_where(node, sources_.newest_index());
    return node;
  }

  /// The present keys do not tell which other keys are known: ask the reader.
  [[noreturn]] void take_nothing(Node& root, Node& around, const std::string& names,
                                 std::string_view name) const {
    require_map(around, names, name);
    if (named_things(names))
      throw error(place(names) + " has no entry " + shown(name), entries_hint(around, name));
    const std::string hint = entries_hint(around, name, "its keys are ");
    Node& asked = around.children.emplace_back();
    asked.key = name;
    say_where(asked, sources_.newest_index());
    try {
      static_cast<void>(read_hardware_tree(root, sources_));
    } catch (const InputError& said) {  // a known key rejects this value
      if (said.unknown_key) throw;
    }
    throw error(place(names) + " has no key " + shown(name) + " to remove", hint);
  }

  void put(Node& around, const std::string& names, std::string_view name,
           std::optional<std::size_t> entry) const {
    if (!entry) require_map(around, names, name);
    if (takes_away(change_)) {
      around.children.erase(around.children.begin() + static_cast<std::ptrdiff_t>(*entry));
      return;
    }
    Node value = parsed();
    if (!entry && named_things(names) && value.kind != Node::Kind::map)
      throw error(place(names) + " has no entry " + shown(name), entries_hint(around, name));
    value.key = entry ? around.children[*entry].key : std::string(name);
    say_where(value, sources_.newest_index());
    if (entry)
      around.children[*entry] = std::move(value);
    else
      around.children.push_back(std::move(value));
  }

  [[nodiscard]] Node parsed() const {
    try {
      return parse_yaml(change_.value, sources_);
    } catch (const InputError& wrong) {
      throw error("the value " + wrong.message, wrong.hint);
    }
  }

  /// The replaced figure had a source; the new one has none.
  void forget_sources(Node& root, const std::string& names) const {
    for (Node& section : root.children)
      if (section.key == "provenance" && names != "provenance" && !names.starts_with("provenance."))
        std::erase_if(section.children, [&](const Node& source) {
          return source.key == names || source.key.starts_with(names + '.');
        });
  }

  const KeyChange& change_;
  Sources& sources_;
};

/// A size of a memory in its text form.
struct SizeKey {
  std::string path;
  const Node& size;
  [[nodiscard]] bool is_binary() const { return size.text.find("iB") != std::string::npos; }
  /// require: not is_binary()
  [[nodiscard]] std::string note() const {
    const Parsed<Size> bytes = parse_size(size.text);
    const bool plain = size.text.find('B') == std::string::npos;
    return path + " is " + shown(size.text) + ", which is " + std::to_string(*bytes) + " bytes" +
           (plain ? "; other capacities use KiB or MiB" : "; KiB, MiB and GiB are powers of two");
  }
};

void list_keys(const Node& node, const std::string& path, std::vector<std::string>& keys) {
  for (const Node& child : node.children) {
    if (path.empty() && (child.key == "provenance" || child.key == "inherit")) continue;
    const std::string here = path.empty() ? child.key : path + '.' + child.key;
    if (child.kind == Node::Kind::map)
      list_keys(child, here, keys);
    else
      keys.push_back(here);
  }
}

/// Text for a YAML scalar, quoted if necessary.
void write_text(std::string_view text, bool plain, std::string& out) {
  const bool simple =
      plain && !text.empty() && text.find_first_of(":#,[]{}&*!|>'\"%@`\n\t\\") == text.npos &&
      text.front() != ' ' && text.back() != ' ' && text.front() != '-' && text.front() != '?';
  if (simple) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  out += '"';
}

void write_flow(const Node& node, std::string& out) {
  switch (node.kind) {
    case Node::Kind::null:
      out += "null";
      return;
    case Node::Kind::list:
    case Node::Kind::map:
      break;
    default:
      write_text(node.text, node.plain || node.kind != Node::Kind::text, out);
      return;
  }
  const bool map = node.kind == Node::Kind::map;
  out += map ? '{' : '[';
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    if (k > 0) out += ", ";
    if (map) {
      write_text(node.children[k].key, true, out);
      out += ": ";
    }
    write_flow(node.children[k], out);
  }
  out += map ? '}' : ']';
}

std::string flow(const Node& node) {
  std::string out;
  write_flow(node, out);
  return out;
}

}  // namespace

std::string profile_text(const Node& value) {
  return value.is_scalar() && value.kind != Node::Kind::null ? value.text : flow(value);
}

EditableProfile::EditableProfile(std::string_view text, const std::string& file,
                                 std::span<const std::filesystem::path> folders)
    : sources_(file),
      base_(parse_inherited(text, sources_, folders)),
      tree_(base_),
      folders_(folders.begin(), folders.end()) {
  hardware_ = read_hardware_tree(tree_, sources_);
  reference_ = hardware_.reference = read_reference(tree_, sources_, folders_);
  if (!reference_) reference_ = std::make_shared<const Hardware>(hardware_);
}

void EditableProfile::change(std::span<const KeyChange> changes) {
  std::vector<KeyChange> wanted = changes_;
  for (const KeyChange& each : changes) {
    // Replacing a map as a whole drops earlier changes inside it.
    const std::size_t gone = std::erase_if(wanted, [&](const KeyChange& older) {
      return older.key == each.key || older.key.starts_with(each.key + '.');
    });
    // A key that only a change had added is gone completely.
    if (gone > 0 && takes_away(each) && node_at(base_, each.key) == nullptr) continue;
    wanted.push_back(each);
  }
  Sources sources = sources_;
  Node tree = base_;
  for (KeyChange& each : wanted) each.key = Edit(each, sources).apply(tree);
  const auto names_reference = [](const KeyChange& each) { return each.key == "reference"; };
  try {
    Hardware changed = read_hardware_tree(tree, sources);
    changed.reference = std::ranges::any_of(wanted, names_reference)
                            ? read_reference(tree, sources, folders_)
                            : reference_;
    hardware_ = std::move(changed);
  } catch (const InputError& wrong) {
    if (wrong.line == 0) throw;
    // The value is from a file, and conflicts with a change elsewhere.
    std::string all;
    for (const KeyChange& each : wanted) all += (all.empty() ? "" : ", ") + name_of(each);
    throw InputError(wrong.file, wrong.line, wrong.message,
                     (wrong.hint.empty() ? "" : wrong.hint + "; ") + "changed is " + all);
  }
  tree_ = std::move(tree);
  changes_ = std::move(wanted);
}

std::vector<SiliconPart> EditableProfile::silicon() const {
  return read_silicon(tree_, hardware_, sources_);
}

std::vector<std::string> EditableProfile::notes() const {
  std::vector<std::string> notes;
  for (const HardwareMemory& memory : hardware_.memories)
    if (!may_be_written(memory.space))
      notes.push_back("memory '" + memory.space.name +
                      "' has no mode with a writable bank, so no plan can use it; add the role "
                      "write, read_write, data or weight to a bank of a mode");
  const Node* memories = base_.find("memories");
  if (memories == nullptr) return notes;
  std::vector<SizeKey> sizes;
  for (const Node& memory : memories->children)
    for (const char* key : {"capacity", "bank_size"})
      if (const Node* size = memory.find(key); size != nullptr && size->is_scalar())
        sizes.push_back({"`memories." + memory.key + '.' + key + '`', *size});
  const bool binary = std::ranges::any_of(sizes, &SizeKey::is_binary);
  for (const SizeKey& each : sizes)
    if (binary && !each.is_binary()) notes.push_back(each.note());
  return notes;
}

std::vector<std::string> EditableProfile::keys() const {
  std::vector<std::string> keys;
  list_keys(tree_, {}, keys);
  return keys;
}

bool EditableProfile::has(std::string_view key) const {
  return !key.empty() && node_at(tree_, key) != nullptr;
}

std::string EditableProfile::value(std::string_view key) const {
  const Node* at = key.empty() ? nullptr : node_at(tree_, key);
  if (at == nullptr) {
    const std::vector<std::string> known = keys();
    const std::string_view close = closest_word(key, known);
    throw InputError(hardware_.name, 0, "the profile does not set " + shown(key),
                     close.empty() ? "" : "did you mean `" + std::string(close) + "`?");
  }
  return profile_text(*at);
}

std::string EditableProfile::yaml() const {
  std::string out;
  for (const Node& section : tree_.children) {
    if (section.key == "inherit") continue;
    out += section.key + ':';
    if (section.kind != Node::Kind::map || section.children.empty()) {
      out += ' ' + flow(section) + '\n';
      continue;
    }
    out += '\n';
    for (const Node& entry : section.children) {
      out += "  ";
      write_text(entry.key, true, out);
      out += ": " + flow(entry) + '\n';
    }
  }
  return out;
}

}  // namespace tessera::io
