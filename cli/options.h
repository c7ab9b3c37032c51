// Options shared by several subcommands, declared once so that they are identical everywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/files.h"
#include "tessera/limits.h"
#include "tessera/profile.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace tessera::cli {

/// INPUT, and options that override its numbers.
struct InputArguments {
  std::string path;
  std::string capacity;
  std::string profile;
  std::vector<std::string> set;
  std::string lifetimes;
  std::string scratch;

  void declare(CLI::App& app);
  /// The same options without INPUT itself.
  void declare_numbers(CLI::App& app);
  /// Throws BadInput.
  [[nodiscard]] Input load() const;
  /// INPUT and the options, as words for a shell: "in.csv --capacity '1 MiB'".
  [[nodiscard]] std::string words() const;
};

/// The text as one word for a shell, quoted if necessary.
[[nodiscard]] std::string as_argument(const std::string& text);

/// Throws BadInput if a memory has no capacity and the problem no objective. `or_else`: another way
/// out, for the hint.
void require_capacities(const PlacementProblem& problem, const std::string& path,
                        const std::string& or_else);

/// Declares --set, for commands with --profile.
void declare_set(CLI::App& app, std::vector<std::string>& set);

/// The changes of --set. Throws BadInput if an argument is not KEY=VALUE, and without a profile.
[[nodiscard]] std::vector<ProfileChange> profile_changes(const std::vector<std::string>& set,
                                                         const std::string& profile);

/// The profile with the changes of --set, and with --capacity (empty: unchanged) as the capacity of
/// its on-chip memory. Notes of the profile go to stderr. Throws BadInput, also if --capacity is
/// given and there are several on-chip memories or banks.
struct ChangedProfile {
  Hardware hardware;
  std::string text;  ///< the profile without the changes, as a self-contained file
  std::vector<ProfileChange> changes;
};
[[nodiscard]] ChangedProfile changed_profile(const std::string& profile,
                                             const std::vector<std::string>& set,
                                             const std::string& capacity, bool quiet);

/// --format and --quiet.
struct OutputArguments {
  std::string format = "text";
  bool quiet = false;

  void declare(CLI::App& app);
  [[nodiscard]] bool json() const { return format == "json"; }
};

/// --timeout and --memory-limit, supported by every command.
struct LimitArguments {
  std::string timeout;
  std::string memory;

  void declare(CLI::App& app);
  /// Throws BadInput. The memory limit counts from the current memory of the process.
  [[nodiscard]] Limits limits() const;
  /// For the whole process. Throws BadInput.
  [[nodiscard]] std::optional<Size> most_memory() const;
};

/// --progress, for commands that report it.
struct ProgressArguments {
  std::string form = "auto";

  void declare(CLI::App& app);
};

/// The above, --threads and --seed.
struct SearchArguments {
  LimitArguments own;
  int threads = 2;
  std::uint64_t seed = 0;

  void declare(CLI::App& app);
  [[nodiscard]] Limits limits() const;
};

/// Accepts whole numbers from `least` (0 or 1) on; its error message says so.
[[nodiscard]] CLI::Validator whole_number(int least);

/// Accepts these words; for another word the message suggests the closest one, in a second line.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// Throws BadInput if a file extension does not match a supported format: x.txt. Names without an
/// extension and devices are accepted. `endings` are the supported ones: ".json", ".yaml" (and
/// .yml), ".html" (and .htm), ...
void require_ending(const std::string& option, const std::string& file,
                    const std::vector<std::string>& endings);

/// Pictures are SVG: throws BadInput for other extensions.
void require_svg(const std::string& file);

}  // namespace tessera::cli
