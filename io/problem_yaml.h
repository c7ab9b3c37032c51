// `tessera: problem/1`: the complete format of placement problems, readable and writable.
//
//   ProblemYaml read = read_problem_yaml_file("problem.yaml");
//   std::string same = write_problem_yaml(read.problem);      // reads back equal
//
// In addition to the keys of the contract a buffer may have
//   gaps: [{live: [2, 4]}, {live: [5, 6], window: [0, 64]}]
//   parts: [{live: [0, 3], offset: 0, size: 128, repeat: [[4, 512]]}]     # then `live` is optional
// and a memory may have `banks: 16` with `bank_size: 32 KiB` instead of a list of banks. Unknown
// and repeated keys, anchors, aliases, tags and second documents are rejected.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.h"
#include "tessera/problem.h"

namespace tessera::io {

struct ProblemYaml {
  PlacementProblem problem;
  SourceMap source;
  std::vector<std::string> notes;  ///< rules without effect, as sentences
};

/// `memories`, if any, replace those of the file (for example by those of a profile). `file` is
/// only for messages. ensure: validate(result.problem) is empty.
[[nodiscard]] ProblemYaml read_problem_yaml(std::string_view text, const std::string& file,
                                            const std::vector<Memory>& memories = {});
[[nodiscard]] ProblemYaml read_problem_yaml_file(const std::filesystem::path& path,
                                                 const std::vector<Memory>& memories = {});

/// require: validate(problem) is empty. ensure: reads back equal, memories, names and all.
[[nodiscard]] std::string write_problem_yaml(const PlacementProblem& problem);

}  // namespace tessera::io
