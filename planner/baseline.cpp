#include "planner/baseline.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "cost/score.h"
#include "model/parallel.h"
#include "model/stored.h"

namespace tessera::planner {

namespace {

/// Upper bound of the total memory of a valid profile.
constexpr Size most_room = Size{1} << 56U;

}  // namespace

SingleOps single_ops(Candidates& candidates, std::size_t ops, int threads) {
  SingleOps answers(ops);
  std::atomic<std::size_t> next{0};
  work_together(threads, [&] {
    for (std::size_t op = next++; op < answers.size(); op = next++) {
      answers[op] = candidates.answer({op, op});
      for (int effort = 1; answers[op]->options.empty() && !answers[op]->final; ++effort)
        answers[op] = candidates.answer({op, op}, effort);
    }
  });
  return answers;
}

std::optional<OpIndex> first_open(const SingleOps& singles) {
  for (OpIndex op = 0; op < singles.size(); ++op)
    if (singles[op]->options.empty()) return op;
  return std::nullopt;
}

Hardware baseline_machine(const Network& network, const Hardware& hardware) {
  Hardware machine = hardware;
  if (!stays_on_chip(hardware)) return machine;
  const Dim brick = on_chip_layout(hardware).brick;
  Size all = 0;
  for (const Tensor& tensor : network.tensors)
    all = std::min(most_room, all + std::min(most_room, stored_bytes(tensor, brick)));
  for (HardwareMemory& memory : machine.memories)
    if (!memory.offchip && memory.space.banks.empty())
      memory.space.capacity = std::max(memory.space.capacity, all + memory.space.alignment);
  return machine;
}

Metrics sum_of(const SingleOps& singles) {
  Metrics sum;
  for (const auto& answer : singles) {
    const auto best = std::ranges::min_element(answer->options, {}, [](const PlannedSubgraph& s) {
      return std::pair(s.metrics.latency_cycles, s.metrics.dram_bytes);
    });
    sum = cost::combine(sum, best->metrics);
  }
  return sum;
}

}  // namespace tessera::planner
