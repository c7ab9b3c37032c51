#include "facts/parts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "facts/joined.h"
#include "model/derived.h"
#include "model/relations.h"
#include "model/rules.h"

namespace tessera::facts {
namespace {

/// Joins buffers that are live at one step and may use the same memory.
void join_by_time(const PlacementProblem& problem, Joined& sets) {
  struct Event {
    MemoryIndex memory;
    Step step;
    bool begins;  ///< at one step, ends come before begins
    BufferIndex buffer;
  };
  std::vector<Event> events;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    for (const MemoryIndex m : allowed_memories(problem, problem.buffers[b]))
      for (const StepRange& live : problem.buffers[b].live) {
        events.push_back({m, live.lower, true, b});
        events.push_back({m, live.upper, false, b});
      }
  std::sort(events.begin(), events.end(), [](const Event& x, const Event& y) {
    return std::tie(x.memory, x.step, x.begins, x.buffer) <
           std::tie(y.memory, y.step, y.begins, y.buffer);
  });
  std::size_t alive = 0;
  BufferIndex one = 0;  // one of the live buffers, which are all joined
  for (const Event& event : events) {
    if (!event.begins) {
      --alive;
      continue;
    }
    if (alive > 0) sets.join(event.buffer, one);
    one = event.buffer;
    ++alive;
  }
}

/// Joins the buffers of each relation. If a relation only applies within one memory, it joins those
/// that may use the same memory.
void join_by_relations(const PlacementProblem& problem, Joined& sets) {
  for (const Relation& relation : problem.relations) {
    std::map<MemoryIndex, BufferIndex> first;
    for (const BufferIndex b : relation.buffers) {
      if (!meaning(relation.kind).within_memory) {
        sets.join(b, relation.buffers.front());
        continue;
      }
      for (const MemoryIndex m : allowed_memories(problem, problem.buffers[b]))
        sets.join(b, first.try_emplace(m, b).first->second);
    }
  }
}

}  // namespace

std::vector<std::vector<BufferIndex>> all_parts(const PlacementProblem& problem) {
  const std::size_t n = problem.buffers.size();
  std::vector<std::vector<BufferIndex>> parts;
  if (std::any_of(problem.memories.begin(), problem.memories.end(), has_modes)) {
    parts.emplace_back(n);
    std::iota(parts[0].begin(), parts[0].end(), BufferIndex{0});
    return parts;
  }
  Joined sets(n);
  join_by_time(problem, sets);
  join_by_relations(problem, sets);
  for (const ConditionRule& rule : problem.rules) {
    const std::vector<BufferIndex> named = buffers_of(rule.that);
    for (const BufferIndex b : named) sets.join(b, named.front());
  }
  std::vector<std::size_t> part_of(n);  // by the first buffer of the part
  for (BufferIndex b = 0; b < n; ++b) {
    const std::size_t root = sets.find(b);
    if (root == b) {
      part_of[b] = parts.size();
      parts.emplace_back();
    }
    parts[part_of[root]].push_back(b);
  }
  return parts;
}

std::vector<std::vector<BufferIndex>> independent_parts(const PlacementProblem& problem) {
  std::vector<char> pays(problem.buffers.size(), 0);
  for (const Relation& relation : problem.relations)
    if (relation.kind == RelationKind::avoid_overlap && relation.cost > 0)
      for (const BufferIndex b : relation.buffers) pays[b] = 1;
  std::vector<std::vector<BufferIndex>> parts(1);
  for (std::vector<BufferIndex>& part : all_parts(problem)) {
    if (std::any_of(part.begin(), part.end(), [&](BufferIndex b) { return pays[b] != 0; }))
      parts.push_back(std::move(part));
    else
      parts.front().insert(parts.front().end(), part.begin(), part.end());
  }
  std::sort(parts.front().begin(), parts.front().end());
  if (parts.front().empty() && parts.size() > 1) parts.erase(parts.begin());
  return parts;
}

}  // namespace tessera::facts
