#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "placer/tile_need.h"
#include "planner/baseline.h"
#include "planner/candidates.h"
#include "planner/option.h"
#include "planner/piece.h"
#include "planner/planning.h"
#include "tessera/tile.h"
#include "tiling/reduction.h"

namespace tessera::planner {

namespace {

/// The minimum over all variants of an op, with or without reduction in parts.
placer::MissingBytes missing_bytes(const Network& network, OpIndex op, const Hardware& hardware,
                                   const Budget& budget) {
  const tiling::Subgraph part =
      tiling::make_subgraph(network, {op, op}, tiling::last_readers(network), hardware);
  std::vector<TileVariant> all = lowering_variants(part, hardware);
  std::ranges::move(direct_variants(part, hardware), std::back_inserter(all));
  placer::MissingBytes least = placer::missing_bytes(part, hardware, all, budget);
  if (!splits_sums(hardware)) return least;
  for (const std::int64_t parts : hardware.tiling.reduction) {
    const auto split = tiling::split_reduction(part, hardware, parts);
    if (!split) continue;
    const std::vector<TileVariant> variants = in_parts(lowering_variants(*split, hardware), parts);
    if (variants.empty()) continue;
    const placer::MissingBytes other = placer::missing_bytes(*split, hardware, variants, budget);
    const auto stopped = other.stopped ? other.stopped : least.stopped;
    if (other.bytes < least.bytes) least = other;
    least.stopped = stopped;
  }
  return least;
}

}  // namespace

ImpossibleOp impossible_op(const Network& network, const Hardware& hardware,
                           const SingleOps& singles, const Budget& budget) {
  for (OpIndex op = 0; op < singles.size(); ++op) {
    const CandidateAnswer& answer = *singles[op];
    if (!answer.options.empty() || !answer.complete()) continue;
    std::string text = "op '" + network.ops[op].name + "' (" +
                       std::string(to_string(network.ops[op].kind)) +
                       ") does not fit into the memory of " + hardware.name;
    const placer::MissingBytes missing = missing_bytes(network, op, hardware, budget);
    if (missing.bytes > 0)
      text += " with any tile: its smallest tile needs " + placer::to_string(missing) +
              " than available";
    else if (missing.stopped)
      text += " with any tile; a limit ended the search for the number of missing bytes";
    else
      text += " with any tile: the live bytes of its smallest tile fit, but " +
              placer::no_placement(missing);
    return {text, missing.stopped};
  }
  return {};
}

std::string why_no_cover(const Network& network, const Hardware& hardware, const PlanParams& params,
                         const std::string& op) {
  std::string limits;
  for (const auto& [name, value] : params.peak_limits)
    limits += (limits.empty() ? "the limit of " : " and ") + name;
  const std::string within = limits.empty() ? "" : "within " + limits + ", ";
  const bool must_stay = stays_on_chip(hardware);
  if (!op.empty() && !must_stay) return within + op;
  const bool longer = params.max_ops < network.ops.size();
  std::string cover = "no partition of the network";
  if (longer)
    cover += " by " + (params.max_ops == 1
                           ? std::string("single ops")
                           : "groups of at most " + std::to_string(params.max_ops) + " ops");
  // Limits of a search for smaller memory sizes have no names.
  if (limits.empty()) limits = "the limits";
  std::string text = must_stay ? within + cover +
                                     " leaves space for the tensors that must stay on chip on " +
                                     hardware.name + ", whose off-chip memory is not writable"
                               : cover + " meets " + limits + " with the evaluated tiles";
  if (!op.empty()) text += "; " + op;
  if (longer) text += "; longer groups, which may need less, were excluded";
  return text;
}

}  // namespace tessera::planner
