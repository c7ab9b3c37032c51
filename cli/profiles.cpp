// tessera profiles: the available hardware profiles, and the sources of their numbers.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/profile_text.h"
#include "cli/session.h"
#include "model/json_write.h"
#include "tessera/files.h"
#include "tessera/profile.h"

namespace tessera::cli {

namespace {

struct ProfilesOptions {
  std::string name;
  std::vector<std::string> folders;
  std::vector<std::string> set;
  OutputArguments output;
};

std::string list_text(const ProfilesOptions& options) {
  std::string text;
  for (const std::string& name : profile_list(options.folders)) {
    const Hardware hardware = load_profile(name, options.folders);
    std::string line = name;
    line.resize(std::max<std::size_t>(24, name.size() + 1), ' ');
    text += line + profile_summary(hardware) + "\n";
  }
  return text;
}

/// One line per profile.
std::string list_json(const ProfilesOptions& options) {
  std::string text;
  for (const std::string& name : profile_list(options.folders)) {
    const Hardware hardware = load_profile(name, options.folders);
    text += json_object([&](JsonObject& object) {
      object.text("name", name);
      object.text("summary", profile_summary(hardware));
    });
    text += '\n';
  }
  return text;
}

int run_profiles(const ProfilesOptions& options, Session& session) {
  session.reads_profile(options.name, options.folders);
  const std::vector<ProfileChange> changes = profile_changes(options.set, options.name);
  if (options.name.empty()) {
    if (profile_list(options.folders).empty())
      note("no profiles were found next to the program: set TESSERA_PROFILES to their folder",
           false);
    print(options.output.json() ? list_json(options) : list_text(options));
    return exit_found;
  }
  Profile profile(options.name, options.folders);
  profile.set(changes);
  for (const std::string& text : profile.notes()) note(text, options.output.quiet);
  print(options.output.json() ? profile_json(profile) + '\n' : profile_text(profile));
  return exit_found;
}

}  // namespace

void add_profiles(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("profiles", "list hardware profiles, or show one");
  const auto options = std::make_shared<ProfilesOptions>();
  sub->add_option("NAME", options->name, "a name of the list, or a file");
  sub->add_option("--shelf", options->folders, "search this folder for profiles first");
  declare_set(*sub, options->set);
  options->output.declare(*sub);
  sub->footer("Example:\n  tessera profiles nvdla-like");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_profiles(*options, session); };
  });
}

}  // namespace tessera::cli
