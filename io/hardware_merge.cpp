#include "io/hardware_merge.h"

#include <algorithm>
#include <set>
#include <vector>

#include "io/files.h"
#include "io/hardware_yaml.h"
#include "io/text.h"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_chain = 8;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// `base` overridden by `over`: maps merge key by key, other values are replaced, null removes.
Node merged(Node base, Node over) {
  if (base.kind != Node::Kind::map || over.kind != Node::Kind::map) return over;
  for (Node& entry : over.children) {
    const auto found = std::find_if(base.children.begin(), base.children.end(),
                                    [&](const Node& each) { return each.key == entry.key; });
    if (found == base.children.end()) {
      base.children.push_back(std::move(entry));
    } else if (entry.kind == Node::Kind::null) {
      base.children.erase(found);
    } else {
      *found = merged(std::move(*found), std::move(entry));
    }
  }
  over.children = std::move(base.children);
  return over;
}

/// Weights are relative to each other: a profile that sets some replaces all.
void drop_old_weights(Node& base, const Node& over) {
  const Node* weights = over.find("objective");
  if (weights == nullptr || weights->kind != Node::Kind::map) return;
  std::erase_if(base.children, [](const Node& each) { return each.key == "objective"; });
}

/// Does `over` replace or remove the value at a dotted path, or a map that contains it?
bool replaces(const Node& over, std::string_view path) {
  if (path.starts_with("objective.") && over.find("objective") != nullptr) return true;
  const Node* at = &over;
  while (at != nullptr && at->kind == Node::Kind::map && !path.empty()) {
    const std::size_t dot = path.find('.');
    at = at->find(path.substr(0, dot));
    path = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
  }
  return at != nullptr && at->kind != Node::Kind::map;
}

/// A figure that `over` replaces without a new source loses the source of the old figure.
void drop_outdated_sources(Node& base, const Node& over) {
  const auto provenance = std::find_if(base.children.begin(), base.children.end(),
                                       [](const Node& each) { return each.key == "provenance"; });
  if (provenance == base.children.end() || provenance->kind != Node::Kind::map) return;
  const Node* stated = over.find("provenance");
  std::erase_if(provenance->children, [&](const Node& source) {
    return replaces(over, source.key) && (stated == nullptr || stated->find(source.key) == nullptr);
  });
}

}  // namespace

fs::path find_named(const Sources& sources, const Node& node, const char* key,
                    std::span<const fs::path> folders) {
  const std::string& name = as_text(sources, node, key);
  // A base in a folder of its own may name other bases relative to the profiles that inherit from
  // it.
  std::vector<fs::path> places;
  for (const std::string& file : sources.files())
    places.insert(places.begin(), fs::path(file).parent_path());
  places.insert(places.end(), folders.begin(), folders.end());
  for (const fs::path& folder : places) {
    if (!name.empty() && is_file(folder / (name + ".yaml"))) return folder / (name + ".yaml");
  }
  std::string hint = "it is searched as <name>.yaml next to this file and among the profiles";
  if (name.ends_with(".yaml")) hint = "write the name without `.yaml`";
  throw sources.error(node, "unknown profile " + shown(name) + ", which `" + key + "` names", hint);
}

Node parse_inherited(std::string_view text, Sources& sources, std::span<const fs::path> folders) {
  std::vector<Node> chain{parse_yaml(text, sources)};
  for (;;) {
    const Node& newest = chain.back();
    Fields fields(sources, newest, "the profile");
    require_kind(sources, fields, "hardware/1");
    static_cast<void>(fields.need("name"));
    const Node* inherit = fields.find("inherit");
    if (inherit == nullptr) break;
    if (chain.size() == longest_chain) {
      throw sources.error(*inherit,
                          "profiles inherit from each other more than " +
                              std::to_string(longest_chain) + " levels deep",
                          "check for a profile that inherits from itself");
    }
    const fs::path base = find_named(sources, *inherit, "inherit", folders);
    const std::string base_text = read_file(base);
    sources.add(base.string());
    chain.push_back(parse_yaml(base_text, sources));
  }
  Node whole = std::move(chain.back());
  for (std::size_t k = chain.size() - 1; k-- > 0;) {
    drop_outdated_sources(whole, chain[k]);
    drop_old_weights(whole, chain[k]);
    whole = merged(std::move(whole), std::move(chain[k]));
  }
  return whole;
}

fs::path find_profile(const std::string& name_or_path, std::span<const fs::path> folders) {
  if (is_file(name_or_path)) return name_or_path;
  for (const fs::path& folder : folders) {
    if (is_file(folder / (name_or_path + ".yaml"))) return folder / (name_or_path + ".yaml");
  }
  std::string hint;
  const std::vector<std::string> names = profile_names(folders);
  if (const std::string_view close = closest_word(name_or_path, names); !close.empty()) {
    hint = "did you mean `" + std::string(close) + "`?";
  } else if (names.empty()) {
    hint = "no profiles were found next to the program: set TESSERA_PROFILES to their folder";
  } else {
    for (const std::string& name : names) hint += (hint.empty() ? "profiles are " : ", ") + name;
  }
  throw InputError(name_or_path, 0, "is neither a file nor the name of a profile", std::move(hint));
}

std::vector<std::string> profile_names(std::span<const fs::path> folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace tessera::io
