// The memory profile of ExecuTorch, written by `executorch.util.activation_memory_profiler` after
// memory planning (ExecuTorch's documentation, "Memory Planning Inspection").
//
//   ExecutorchTrace read = read_executorch_trace(text, "memory_profile.json");
//
// It is a trace in which time means bytes and threads mean steps. Mapping:
//   pid     a memory without a capacity, named "memory PID"; the buffers of an event may go there
//   name    the id of a buffer; where an operator has several results they are told apart by size
//           and order, and the second of a name is "name.2"
//   dur     its size
//   tid     a step at which it is live; steps are consecutive
//   ts      its offset, or the sum of the sizes before it: not read
// Alignments are not in the file: 1. The objective is the least height.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/source.h"
#include "tessera/problem.h"

namespace tessera::io {

/// A JSON object whose first key is `traceEvents`.
[[nodiscard]] bool is_trace(std::string_view text);

struct ExecutorchTrace {
  PlacementProblem problem;
  SourceMap source;
};

/// `memories`, if any, replace those of the file, in order; a single one replaces all. Throws
/// InputError, also for traces of other programs. ensure: validate(problem) is empty.
[[nodiscard]] ExecutorchTrace read_executorch_trace(std::string_view text, const std::string& file,
                                                    const std::vector<Memory>& memories = {});

}  // namespace tessera::io
