// Loads a placement problem in any of the five formats, detected by content.
//
//   Input input = load_problem("input", {.capacity = 1 << 20});
//   PlacementResult result = place(input.problem, {});
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/buffer_csv.h"
#include "io/files.h"
#include "io/source.h"
#include "io/tflite.h"
#include "tessera/input.h"

namespace tessera::io {

enum class ProblemFormat : std::uint8_t {
  buffer_csv,
  problem_yaml,
  dsa_json,
  executorch_trace,
  tflite
};

/// As in Input::format: "csv", "yaml", "json", "executorch", "tflite".
[[nodiscard]] std::string_view to_string(ProblemFormat format);

}  // namespace tessera::io

namespace tessera {

/// Origin of an Input read from CSV.
struct CsvOrigin {
  io::CsvTable table;    ///< to write it back with offsets
  io::SourceMap source;  ///< for messages
};

/// Origin of an Input read from a model, to write it back with a plan.
struct TfliteOrigin {
  std::string bytes;
  std::string file;
  io::TfliteArena arena;  ///< without its problem
};

}  // namespace tessera

namespace tessera::io {

/// A TensorFlow Lite model has the letters TFL3 at byte 4. JSON begins with `{` or `[` (an
/// ExecuTorch memory profile with the key `traceEvents`). In YAML, the first line that is not a
/// comment has a colon before any comma, or is `---`. Everything else is CSV.
[[nodiscard]] ProblemFormat detect_format(std::string_view text);

/// A capacity replaces that of the only memory (without banks), the memories of a profile replace
/// those of the input. Profiles are searched in `options.folders` only. Throws InputError. ensure:
/// validate(result.problem) is empty.
[[nodiscard]] Input load_problem(const std::filesystem::path& path,
                                 const InputOptions& options = {});
[[nodiscard]] Input load_problem_text(std::string text, const std::string& file,
                                      const InputOptions& options = {});

}  // namespace tessera::io
