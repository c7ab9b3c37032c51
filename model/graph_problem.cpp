#include <algorithm>

#include "model/graph_links.h"

namespace tessera {
namespace {

/// The steps of the ops that read a weight, as ranges that do not touch.
std::vector<StepRange> ranges_of(std::vector<Step> steps) {
  std::ranges::sort(steps);
  std::vector<StepRange> out;
  for (const Step step : steps)
    if (!out.empty() && out.back().upper == step)
      out.back().upper = step + 1;
    else
      out.push_back({step, step + 1});
  return out;
}

/// From the first op that allocates the storage to the last that needs it.
std::vector<StepRange> life_of(const StorageUse& use, const std::vector<Step>& at) {
  const auto steps = static_cast<Step>(at.size());
  StepRange live{use.from_start ? 0 : steps, use.stays ? steps : 0};
  for (const std::size_t op : use.begin) live.lower = std::min(live.lower, at[op]);
  for (const std::size_t op : use.end) live.upper = std::max(live.upper, at[op] + 1);
  return live.empty() ? std::vector<StepRange>() : std::vector{live};
}

}  // namespace

PlacementProblem ordered_problem(const Graph& graph, const std::vector<std::size_t>& order) {
  return OrderedProblems(graph).of(order);
}

OrderedProblems::OrderedProblems(const Graph& graph)
    : graph_(graph),
      links_(graph),
      uses_(storage_uses(graph, links_)),
      pairs_(storages_in_place(graph, links_)) {}

PlacementProblem OrderedProblems::of(const std::vector<std::size_t>& order) const {
  std::vector<Step> at(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) at[order[k]] = static_cast<Step>(k);

  PlacementProblem problem{.name = graph_.name, .objective = Objective::height};
  problem.memories.push_back({.name = "memory"});
  std::vector<BufferIndex> buffer(graph_.tensors.size(), GraphLinks::none);
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
    const GraphTensor& tensor = graph_.tensors[t];
    if (tensor.size == 0 || links_.storage[t] != t) continue;
    Buffer made{.id = tensor.id, .size = tensor.size, .alignment = graph_.alignment};
    if (tensor.weight) {
      std::vector<Step> steps;
      for (const std::size_t op : links_.readers[t]) steps.push_back(at[op]);
      made.live = ranges_of(std::move(steps));
      made.kind = BufferKind::weight;
    } else {
      made.live = life_of(uses_[t], at);
    }
    if (made.live.empty()) continue;
    buffer[t] = problem.buffers.size();
    problem.buffers.push_back(std::move(made));
  }

  const auto saved = [&](const StorageInPlace& pair) {
    const Buffer& x = problem.buffers[buffer[pair.dying]];
    const Buffer& y = problem.buffers[buffer[pair.born]];
    const bool here = x.live.back().upper == at[pair.op] + 1 &&
                      y.live.front().lower == at[pair.op] && !uses_[pair.dying].stays &&
                      !uses_[pair.born].from_start;
    return here ? std::min(x.size, y.size) : 0;
  };
  for (std::size_t k = 0; k < pairs_.size();) {
    const StorageInPlace* best = nullptr;
    const std::size_t first = k;
    for (; k < pairs_.size() && pairs_[k].op == pairs_[first].op &&
           pairs_[k].born == pairs_[first].born;
         ++k)
      if (buffer[pairs_[k].dying] != GraphLinks::none &&
          buffer[pairs_[k].born] != GraphLinks::none &&
          saved(pairs_[k]) > (best == nullptr ? 0 : saved(*best)))
        best = &pairs_[k];
    if (best != nullptr)
      problem.relations.push_back({.kind = RelationKind::same_offset,
                                   .buffers = {buffer[best->dying], buffer[best->born]}});
  }
  return problem;
}

}  // namespace tessera
