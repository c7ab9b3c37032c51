// Options several subcommands share, declared once so that they read the same everywhere.
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

/// INPUT with what takes the place of its own numbers.
struct InputArguments {
  std::string path;
  std::string capacity;
  std::string profile;
  std::vector<std::string> set;
  std::string lifetimes;
  std::string scratch;

  void declare(CLI::App& app);
  /// The same without INPUT itself.
  void declare_numbers(CLI::App& app);
  /// Throws BadInput.
  [[nodiscard]] Input load() const;
};

/// --set, wherever there is a --profile.
void declare_set(CLI::App& app, std::vector<std::string>& set);

/// What --set changes. Throws BadInput for what is no KEY=VALUE, and where there is no profile.
[[nodiscard]] std::vector<ProfileChange> profile_changes(const std::vector<std::string>& set,
                                                         const std::string& profile);

/// The profile with what --set changes, and with --capacity (empty: as it is) as the capacity of
/// its memory on the chip. Notes of the profile go to stderr. Throws BadInput, also where there are
/// several or it has banks.
[[nodiscard]] Hardware changed_profile(const std::string& profile,
                                       const std::vector<std::string>& set,
                                       const std::string& capacity, bool quiet);

/// --format and --quiet.
struct OutputArguments {
  std::string format = "text";
  bool quiet = false;

  void declare(CLI::App& app);
  [[nodiscard]] bool json() const { return format == "json"; }
};

/// --timeout and --memory-limit: every command knows them.
struct LimitArguments {
  std::string timeout;
  std::string memory;

  void declare(CLI::App& app);
  /// Throws BadInput. The memory is what the process may take from now on.
  [[nodiscard]] Limits limits() const;
  /// Of the whole process. Throws BadInput.
  [[nodiscard]] std::optional<Size> most_memory() const;
};

/// --progress, of commands that tell how far they are.
struct ProgressArguments {
  std::string form = "auto";

  void declare(CLI::App& app);
};

/// Those, --threads and --seed.
struct SearchArguments {
  LimitArguments own;
  int threads = 2;
  std::uint64_t seed = 0;

  void declare(CLI::App& app);
  [[nodiscard]] Limits limits() const;
};

/// Accepts whole numbers from `least` (0 or 1) on, and says so otherwise.
[[nodiscard]] CLI::Validator whole_number(int least);

/// Accepts these words; of another it says which may be meant, in a second line.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// Throws BadInput where the name of a file promises something that is not written: x.txt. Names
/// without an ending and devices are anything. `endings` are those there are: ".json",
/// ".yaml" (and .yml), ".html" (and .htm), ...
void require_ending(const std::string& option, const std::string& file,
                    const std::vector<std::string>& endings);

/// Pictures are SVG: throws BadInput where a name promises something else.
void require_svg(const std::string& file);

}  // namespace tessera::cli
