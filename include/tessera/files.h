// Reads and writes files.
//
//   Input input = load_input("net.csv", {.capacity = 1 << 20});
//   PlacementResult result = place(input.problem, {});            // place.h
//   write_output("placed.json", result_json(input.problem, result));
//
// INPUT is a buffer CSV, a problem YAML, a dsa-solver JSON, a memory profile of ExecuTorch, or a
// TensorFlow Lite model (the tensors of its arena). The format is detected by content. "-" is the
// standard input. All functions throw BadInput ("file:line: what is wrong"), or OutputError if a
// file cannot be written.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "errors.h"
#include "hardware.h"
#include "input.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// Reads a placement problem from INPUT.
[[nodiscard]] TESSERA_API Input load_input(const std::string& path, const InputOptions& options);

/// Reads a result: the JSON of place(), or a CSV of the same buffers with an offset for each.
[[nodiscard]] TESSERA_API PlacementResult load_result(const std::string& path, const Input& input);
/// The same from text; `path` is used in messages.
[[nodiscard]] TESSERA_API PlacementResult load_result_text(std::string text,
                                                           const std::string& path,
                                                           const Input& input);

/// The result as JSON (`tessera: placement/1`).
[[nodiscard]] TESSERA_API std::string result_json(const PlacementProblem& problem,
                                                  const PlacementResult& result);
/// The input's columns plus `offset`.
/// ensure: throws BadInput if there are several memories, or if the input is no CSV and CSV cannot
/// express the problem.
[[nodiscard]] TESSERA_API std::string result_csv(const Input& input, const Placement& placement);
/// The input model with the offsets for TensorFlow Lite Micro in its metadata
/// "OfflineMemoryAllocation".
/// ensure: throws BadInput if the input is not a TensorFlow Lite model or has several memories.
[[nodiscard]] TESSERA_API std::string result_tflite(const Input& input, const Placement& placement);
/// A header for C and C++: a table of the buffers and a macro for each offset. All names begin with
/// `name`.
[[nodiscard]] TESSERA_API std::string result_c_header(const PlacementProblem& problem,
                                                      const Placement& placement,
                                                      std::string_view name);
/// The problem as CSV or YAML.
/// ensure: problem_csv() throws BadInput if CSV cannot express the problem.
[[nodiscard]] TESSERA_API std::string problem_csv(const Input& input);
[[nodiscard]] TESSERA_API std::string problem_yaml(const PlacementProblem& problem);
/// The problem with every buffer fixed to its offset and memory in the placement, as YAML.
[[nodiscard]] TESSERA_API std::string placed_yaml(const PlacementProblem& problem,
                                                  const Placement& placement);
/// The placement as an SVG picture.
[[nodiscard]] TESSERA_API std::string placement_picture(const PlacementProblem& problem,
                                                        const Placement& placement,
                                                        const std::string& title);

/// Folders searched for profiles: `first`, $TESSERA_PROFILES, and the folder installed with the
/// program or library (../share/tessera/profiles, relative to it).
[[nodiscard]] TESSERA_API std::vector<std::filesystem::path> profile_folders(
    const std::vector<std::string>& first = {});
/// The names of all profiles in profile_folders(first).
[[nodiscard]] TESSERA_API std::vector<std::string> profile_list(
    const std::vector<std::string>& first = {});
/// Reads a profile by its name in profile_folders(first), or by its path.
[[nodiscard]] TESSERA_API Hardware load_profile(const std::string& name_or_path,
                                                const std::vector<std::string>& first = {});
/// The file of the profile and the files it inherits from.
[[nodiscard]] TESSERA_API std::vector<std::filesystem::path> profile_files(
    const std::string& name_or_path, const std::vector<std::string>& first = {});

/// "16 KiB" -> 16384; "500ms" -> 500 ms.
/// ensure: throws BadInput that begins with `what`.
[[nodiscard]] TESSERA_API Size parse_size_text(std::string_view text, const std::string& what);
[[nodiscard]] TESSERA_API std::chrono::nanoseconds parse_duration_text(std::string_view text,
                                                                       const std::string& what);
/// 16384 -> "16 KiB".
[[nodiscard]] TESSERA_API std::string size_text(Size size);

/// Writes the file: whole, or not at all.
TESSERA_API void write_output(const std::string& path, std::string_view text);

}  // namespace tessera
