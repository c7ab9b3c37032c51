// Layer by layer: what a network costs where every op runs alone. Private to planner/.
//
//   const SingleOps singles = single_ops(candidates, network.ops.size(), threads);
//   if (!first_open(singles)) baseline = sum_of(singles);
//
// Scores are measured against it, and check() makes it again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "planner/candidates.h"

namespace tessera::planner {

/// An answer for each op alone.
using SingleOps = std::vector<std::shared_ptr<const CandidateAnswer>>;

/// With every effort the candidates' budget allows: without an option for each op there is no
/// baseline.
[[nodiscard]] SingleOps single_ops(Candidates& candidates, std::size_t ops, int threads);

/// The first op without any option.
[[nodiscard]] std::optional<OpIndex> first_open(const SingleOps& singles);

/// The machine on which a network is planned layer by layer. Where nothing may leave the chip, runs
/// of several ops may fit though an op alone does not, with what it reads and makes as a whole: so
/// there it is one with as much memory as all tensors together need. Else it is the machine itself.
[[nodiscard]] Hardware baseline_machine(const Network& network, const Hardware& hardware);

/// The cheapest option of each op by latency, then by traffic: there is no reference yet.
/// require: first_open(singles) is none.
[[nodiscard]] Metrics sum_of(const SingleOps& singles);

}  // namespace tessera::planner
