// An arbitrary plan: any partition in any of the known tilings.
//
//   AnyPartition covers(network, hardware, 2);
//   std::optional<std::vector<PlannedSubgraph>> runs = covers.runs(random);
//   if (runs && covers.finalise(*runs)) ...             // all of it has a place
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/candidates.h"
#include "planner/describe.h"
#include "planner/kept_places.h"
#include "tessera/plan.h"
#include "tests/support/random.h"

namespace tessera::testing {

class AnyPartition {
 public:
  /// Both arguments outlive this object.
  AnyPartition(const Network& network, const Hardware& hardware, std::size_t max_ops)
      : network_(network),
        hardware_(hardware),
        max_ops_(max_ops),
        candidates_(network, hardware, {}, make_plan_memory()) {}

  /// Each group placed separately. None if a group has no tiling.
  [[nodiscard]] std::optional<std::vector<PlannedSubgraph>> runs(Random& random) {
    std::vector<PlannedSubgraph> runs;
    for (OpIndex first = 0; first < network_.ops.size();) {
      const auto most = static_cast<std::int64_t>(std::min(max_ops_, network_.ops.size() - first));
      const OpRange ops{first, first + static_cast<std::size_t>(random.between(1, most)) - 1};
      const auto answer = candidates_.answer(ops);
      if (answer->options.empty()) return std::nullopt;
      runs.push_back(planner::subgraph_of(network_, hardware_, ops,
                                          answer->options[random.below(answer->options.size())],
                                          candidates_.kept(ops), candidates_.readers()));
      first = ops.last + 1;
    }
    return runs;
  }

  /// Finds one place for each tensor that is live in several groups: false if there is none.
  [[nodiscard]] bool finalise(std::vector<PlannedSubgraph>& runs) const {
    planner::PieceStore pieces(network_, hardware_);
    for (const auto& [first, end] : planner::tied_runs(hardware_, runs)) {
      const auto tied = std::span(runs).subspan(first, end - first);
      if (planner::settle_kept(pieces, hardware_, tied, {}).status != Status::feasible)
        return false;
    }
    return true;
  }

  [[nodiscard]] const std::vector<std::optional<OpIndex>>& readers() const {
    return candidates_.readers();
  }

 private:
  const Network& network_;
  const Hardware& hardware_;
  std::size_t max_ops_;
  planner::Candidates candidates_;
};

}  // namespace tessera::testing
