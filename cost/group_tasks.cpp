#include "cost/group_tasks.h"

#include <algorithm>

#include "cost/group_parts.h"
#include "model/derived.h"
#include "tiling/joined.h"
#include "tiling/loops.h"

namespace tessera::cost {
namespace {

/// Steps count from the begin of the tile's own slot (tiling/trailing.h). Walks from the first
/// (last) use to the begin (end) of the lifetime that contains it, around the cycle of steps. Stops
/// before the next use of the same buffer, `reuse` steps away.
Slack slack_of(const Buffer& buffer, Step cycle, Step reuse, Step first, Step last) {
  const auto alive = [&](Step step) { return live_at(buffer, (step % cycle + cycle) % cycle); };
  Slack slack{first - 1, last + 1};
  while (slack.start_after > last - reuse && alive(slack.start_after)) --slack.start_after;
  while (slack.end_before < first + reuse && alive(slack.end_before)) ++slack.end_before;
  return slack;
}

struct Uses {
  Step first = 0;
  Step last = 0;
};

/// The first and the last step of a tile that use a buffer: by making it, reading it, or reading a
/// copy that is filled before.
Uses uses_of(const tiling::Subgraph& part, const tiling::Lowering& lowering,
             const tiling::LoweredBuffer& buffer) {
  const tiling::LocalTensor& local = part.tensors[buffer.tensor];
  Uses uses{.first = local.producer.value_or(local.consumers.empty() ? 0 : local.consumers.back()),
            .last = local.producer.value_or(0)};
  for (const Step made : tiling::makers_of(part, buffer.tensor))
    uses.first = std::min(uses.first, made);
  std::vector<bool> copied(lowering.most_shares, false);
  for (const Step step : local.consumers) {
    const std::size_t share = lowering.share_of(buffer.tensor, step);
    // A copy is filled before its first reader; loaded tensors are loaded into each share.
    const bool fills = !tiling::is_loaded(local) && share != buffer.share && !copied[share];
    copied[share] = true;
    if (share != buffer.share && !fills) continue;
    uses.first = std::min(uses.first, step);
    uses.last = std::max(uses.last, step);
  }
  return uses;
}

/// Is the tensor only used as the weights of a product?
bool is_sliced(const tiling::Subgraph& part, std::size_t local, const Uses& uses) {
  if (!part.tensors[local].weight || uses.first != uses.last ||
      !tiling::is_product(part.op(uses.first)))
    return false;
  const auto& operands = part.operands_at[static_cast<std::size_t>(uses.first)];
  return std::ranges::all_of(operands, [&](const tiling::LocalOperand& operand) {
    return operand.local != local || operand.position == 1;
  });
}

/// One copy per tensor with kept rows. The first op that reads the copied rows also reads the rest.
std::vector<ChipCopy> halo_copies(const TiledGroup& run) {
  std::vector<ChipCopy> copies;
  if (run.hardware->tiling.kept_halos != KeptHalos::copied) return copies;
  for (const tiling::LoweredBuffer& buffer : run.lowering->buffers) {
    if (buffer.role != tiling::BufferRole::rows && buffer.role != tiling::BufferRole::columns)
      continue;
    const bool known = std::ranges::any_of(copies, [&](const ChipCopy& copy) {
      return copy.local == buffer.tensor && copy.share == buffer.share;
    });
    if (known) continue;
    for (const Step step : run.subgraph->tensors[buffer.tensor].consumers) {
      if (run.lowering->share_of(buffer.tensor, step) != buffer.share) continue;
      copies.push_back({buffer.tensor, buffer.share, step});
      break;
    }
  }
  return copies;
}

}  // namespace

GroupTasks group_tasks(const TiledGroup& run) {
  const tiling::Subgraph& part = *run.subgraph;
  const tiling::Lowering& lowering = *run.lowering;
  GroupTasks plan;
  plan.steps = lowering.steps_per_tile;
  plan.halos = halo_copies(run);
  plan.line = lowering.timeline();
  const Step cycle = lowering.options.double_buffer ? 2 * plan.steps : plan.steps;
  const auto of_share = [&](const tiling::LoweredBuffer& buffer) {
    return buffer.tensor * lowering.most_shares + buffer.share;
  };
  std::vector<bool> two_copies(part.tensors.size() * lowering.most_shares, false);
  for (const tiling::LoweredBuffer& lowered : lowering.buffers)
    if (lowered.copy == 1) two_copies[of_share(lowered)] = true;
  // The buffer of each tensor's first copy stands for both: their lifetimes are equal, half a cycle
  // apart.
  for (std::size_t b = 0; b < lowering.buffers.size(); ++b) {
    const tiling::LoweredBuffer& lowered = lowering.buffers[b];
    if (lowered.role != tiling::BufferRole::tile || lowered.copy != 0) continue;
    const tiling::LocalTensor& local = part.tensors[lowered.tensor];
    const Buffer& buffer = lowering.problem.buffers[b];
    if (lowered.copied_before) {
      plan.copies.push_back({lowered.tensor, lowered.share, *lowered.copied_before});
      continue;
    }
    if (local.ahead) {
      if (local.early) continue;
      plan.moves.push_back({.local = lowered.tensor, .resident = true, .prefetch = true});
      continue;
    }
    const Uses uses = uses_of(part, lowering, lowered);
    const bool resident = local.weight && lowering.options.weights == WeightPolicy::resident &&
                          tiling::is_loaded(local);
    const bool in_slices = run.hardware->dma.weight_slices > 1 && tiling::is_loaded(local) &&
                           is_sliced(part, lowered.tensor, uses);
    if (resident) {
      // As early as any tensor that the first tile reads.
      plan.moves.push_back({.local = lowered.tensor,
                            .share = lowered.share,
                            .slack = {.start_after = plan.line.ended_by(plan.steps - cycle - 1)},
                            .use = uses.first,
                            .in_slices = in_slices,
                            .resident = true});
      continue;
    }
    if (local.consumers.empty() && tiling::is_loaded(local)) continue;
    const Step reuse = two_copies[of_share(lowered)] ? cycle : plan.steps;
    const bool trails = plan.line.any_trails() && plan.line.trails(uses.last);
    Slack slack =
        slack_of(buffer, cycle, reuse, plan.line.used_by(uses.first), plan.line.used_by(uses.last));
    if (!trails && plan.line.any_trails())
      slack = {plan.line.ended_by(slack.start_after), plan.line.begun_by(slack.end_before)};
    if (tiling::is_loaded(local))
      plan.moves.push_back({.local = lowered.tensor,
                            .share = lowered.share,
                            .load = true,
                            .slack = slack,
                            .use = uses.first,
                            .in_slices = in_slices,
                            .trails = trails});
    if (tiling::is_stored(local))
      plan.moves.push_back({.local = lowered.tensor,
                            .share = lowered.share,
                            .load = false,
                            .slack = slack,
                            .use = uses.last,
                            .trails = trails});
  }
  // From the end of the step before to the begin of the step after.
  for (const tiling::DirectAccess& access : lowering.direct)
    plan.moves.push_back({.local = access.tensor,
                          .load = access.load,
                          .slack = {.start_after = -1, .end_before = 1},
                          .direct = true});
  return plan;
}

bool is_moved(const tiling::TileWalk& walk, const Move& move, const tiling::TileVisit& visit) {
  return !move.load || walk.loads(move.local, visit.level);
}

}  // namespace tessera::cost
