#include "commands/source.h"

#include <filesystem>
#include <fstream>

#include "io/error.h"
#include "io/network_yaml.h"
#include "io/tree.h"
#include "model/json_write.h"
#include "tessera/profile.h"

namespace tessera::commands {
namespace {

const std::string& text_of(const io::Node& node, const std::string& path) {
  if (node.kind != io::Node::Kind::text)
    throw io::InputError(path, 1, "`source` has a value that is no text");
  return node.text;
}

std::vector<ProfileChange> changes_of(const io::Node& node, const std::string& path) {
  std::vector<ProfileChange> changes;
  for (const io::Node& pair : node.children) {
    if (pair.children.size() != 2)
      throw io::InputError(path, 1, "`set` of `source` is no list of pairs");
    changes.emplace_back(text_of(pair.children[0], path), text_of(pair.children[1], path));
  }
  return changes;
}

CommandsSource read_source(const std::string& line, const std::string& path) {
  const io::Sources sources(path);
  const io::Node header = io::parse_json(line, sources);
  const io::Node* const kind = header.find("tessera");
  if (kind == nullptr || kind->text != "commands/1")
    throw io::InputError(path, 1, "is no command file");
  const io::Node* const source = header.find("source");
  const io::Node* const network = source == nullptr ? nullptr : source->find("network");
  const io::Node* const profile = source == nullptr ? nullptr : source->find("profile");
  if (network == nullptr || profile == nullptr)
    throw io::InputError(path, 1, "does not contain its network and profile",
                         "tessera check NETWORK PLAN COMMANDS --profile NAME uses those given");
  Profile machine = Profile::from_text(text_of(*profile, path), path);
  if (const io::Node* const set = source->find("set")) machine.set(changes_of(*set, path));
  return {.network = io::read_network_yaml(text_of(*network, path), path).network,
          .hardware = machine.hardware()};
}

}  // namespace

std::string source_json(const Network& network, const CommandsParams& params) {
  if (params.profile.empty()) return {};
  std::string out;
  JsonObject object(out, ",");
  object.text("network", io::write_network_yaml(network));
  object.text("profile", params.profile);
  if (!params.changes.empty())
    object.list(
        "set", params.changes,
        [](const ProfileChange& change) {
          return "[" + json_string(change.first) + "," + json_string(change.second) + "]";
        },
        ",");
  object.close();
  return out;
}

}  // namespace tessera::commands

namespace tessera {

bool is_commands_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path);
  std::string begin(32, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.find("\"commands/1\"") != std::string::npos;
}

CommandsSource read_commands_source(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) throw io::InputError(path, 0, "cannot be read");
  return commands::read_source(line, path);
}

}  // namespace tessera
