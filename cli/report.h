// The text a person reads after `place`.
#pragma once

#include <string>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::cli {

/// The step of one memory with the most bytes live, and the buffers that are live there, from high
/// to low.
struct Peak {
  Step step = 0;
  Size bytes = 0;  ///< of addresses: buffers that share some count once
  std::vector<BufferIndex> buffers;
};

/// require: one place per buffer.
[[nodiscard]] Peak peak_of(const PlacementProblem& problem, const Placement& placement,
                           MemoryIndex memory);

struct ReportOptions {
  bool minimizing = false;  ///< say whether the height was proved least
  bool stats = false;
  std::size_t width = 0;  ///< of sentences
};

[[nodiscard]] std::string placement_report(const PlacementProblem& problem,
                                           const PlacementResult& result,
                                           const ReportOptions& options);

/// "|########|     |": `part` of `whole`, with a mark where `bound` is.
[[nodiscard]] std::string bar(Size part, Size bound, Size whole);

}  // namespace tessera::cli
