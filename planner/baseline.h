// The layer-by-layer baseline: the cost of a network if every op runs alone. Private to planner/.
//
//   const SingleOps singles = single_ops(candidates, network.ops.size(), threads);
//   if (!first_open(singles)) baseline = sum_of(singles);
//
// Scores are relative to the baseline. check() recomputes it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "planner/candidates.h"

namespace tessera::planner {

/// The answer for each op alone.
using SingleOps = std::vector<std::shared_ptr<const CandidateAnswer>>;

/// Raises the effort until an op has an option or its answer is final: the baseline needs an option
/// for each op.
[[nodiscard]] SingleOps single_ops(Candidates& candidates, std::size_t ops, int threads);

/// The first op without an option.
[[nodiscard]] std::optional<OpIndex> first_open(const SingleOps& singles);

/// The machine on which the baseline is planned. If no tensor may leave the chip, an op alone needs
/// its whole inputs and outputs. A group of ops may then fit although one of its ops does not. The
/// baseline machine then has memories that hold all tensors together. Otherwise it is the machine
/// itself.
[[nodiscard]] Hardware baseline_machine(const Network& network, const Hardware& hardware);

/// The option with the lowest latency of each op, ties by traffic. A score needs the baseline as
/// its reference, so it cannot order the options.
/// require: first_open(singles) is none.
[[nodiscard]] Metrics sum_of(const SingleOps& singles);

}  // namespace tessera::planner
