// A placement problem from any of the three formats, told apart by content.
//
//   LoadedProblem loaded = load_problem("input", {.capacity = 1 << 20});
//   PlacementResult result = place(loaded.problem, {});
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/buffer_csv.h"
#include "io/files.h"
#include "io/source.h"
#include "tessera/problem.h"

namespace tessera {

enum class ProblemFormat : std::uint8_t { buffer_csv, problem_yaml, dsa_json };

[[nodiscard]] std::string_view to_string(ProblemFormat format);

struct LoadOptions {
  CsvOptions csv;
  /// Takes the place of the capacity of the only memory (without banks).
  std::optional<Size> capacity;
  /// Take the place of the input's own: those of a profile.
  std::vector<Memory> memories;
};

struct LoadedProblem {
  PlacementProblem problem;
  ProblemFormat format = ProblemFormat::buffer_csv;
  SourceMap source;
  std::optional<CsvTable> csv;     ///< for buffer_csv: to write it again with offsets
  std::vector<std::string> notes;  ///< what the input says that has no effect, as sentences
};

/// JSON begins with `{` or `[`; YAML's first line that is not a comment has a colon before any
/// comma (or is `---`); the rest is CSV.
[[nodiscard]] ProblemFormat detect_format(std::string_view text);

/// Throws InputError. ensure: validate(result.problem) is empty.
[[nodiscard]] LoadedProblem load_problem(const std::filesystem::path& path,
                                         const LoadOptions& options = {});
[[nodiscard]] LoadedProblem load_problem_text(std::string text, const std::string& file,
                                              const LoadOptions& options = {});

}  // namespace tessera
