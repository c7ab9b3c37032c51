// The report of `place` for people.
#pragma once

#include <string>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::cli {

/// The step of one memory with the most live bytes, and the buffers live at it, from high to low.
struct Peak {
  Step step = 0;
  Size bytes = 0;  ///< distinct addresses: shared ones count once
  std::vector<BufferIndex> buffers;
};

/// require: one place per buffer.
[[nodiscard]] Peak peak_of(const PlacementProblem& problem, const Placement& placement,
                           MemoryIndex memory);

struct ReportOptions {
  bool minimizing = false;  ///< state whether the height is proved minimal
  /// Arguments of `tessera explain` for this problem; empty: it cannot explain it.
  std::string explain;
  bool stats = false;
  std::size_t width = 0;  ///< of sentences
};

[[nodiscard]] std::string placement_report(const PlacementProblem& problem,
                                           const PlacementResult& result,
                                           const ReportOptions& options);

/// The reason why a search stopped, as the object of "stopped by".
[[nodiscard]] std::string stop_text(StopReason stop);

/// "|########|     |": `part` of `whole`, with a mark at `bound`.
[[nodiscard]] std::string bar(Size part, Size bound, Size whole);

}  // namespace tessera::cli
