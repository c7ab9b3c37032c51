#include "cost/run_tasks.h"

#include <algorithm>

#include "cost/run_parts.h"
#include "model/derived.h"

namespace tessera {
namespace {

/// Walks from the first (last) use to where the life containing it begins (ends), around the
/// cycle of steps, but never into the next use of the same buffer, `reuse` steps away.
Slack slack_of(const Buffer& buffer, Step cycle, Step reuse, Step first, Step last) {
  const auto alive = [&](Step step) { return live_at(buffer, (step % cycle + cycle) % cycle); };
  Slack slack{first - 1, last + 1};
  while (slack.start_after > last - reuse && alive(slack.start_after)) --slack.start_after;
  while (slack.end_before < first + reuse && alive(slack.end_before)) ++slack.end_before;
  return slack;
}

}  // namespace

RunTasks run_tasks(const TiledRun& run) {
  const Subgraph& part = *run.subgraph;
  const Lowering& lowering = *run.lowering;
  RunTasks plan;
  plan.steps = lowering.steps_per_tile;
  const Step cycle = lowering.options.double_buffer ? 2 * plan.steps : plan.steps;
  std::vector<bool> two_copies(part.tensors.size(), false);
  for (const LoweredBuffer& lowered : lowering.buffers)
    if (lowered.copy == 1) two_copies[lowered.tensor] = true;
  // The first copy's buffer of each tensor stands for both: they live alike, half a cycle apart.
  for (std::size_t b = 0; b < lowering.buffers.size(); ++b) {
    const LoweredBuffer& lowered = lowering.buffers[b];
    if (lowered.role != BufferRole::tile || lowered.copy != 0) continue;
    const LocalTensor& local = part.tensors[lowered.tensor];
    const Buffer& buffer = lowering.problem.buffers[b];
    const bool resident =
        local.weight && lowering.options.weights == WeightPolicy::resident && loaded(local);
    if (resident) {
      plan.resident.push_back(lowered.tensor);
      continue;
    }
    if (local.consumers.empty() && loaded(local)) continue;
    const Step first = loaded(local) ? local.consumers.front() : *local.producer;
    const Step last = local.consumers.empty() ? first : std::max(first, local.consumers.back());
    const Step reuse = two_copies[lowered.tensor] ? cycle : plan.steps;
    const Slack slack = slack_of(buffer, cycle, reuse, first, last);
    if (loaded(local)) plan.moves.push_back({lowered.tensor, true, slack, first});
    if (local.leaves && !loaded(local)) plan.moves.push_back({lowered.tensor, false, slack, last});
  }
  return plan;
}

}  // namespace tessera
