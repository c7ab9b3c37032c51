#include "load_cut.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "facts/room.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/polled_sort.h"
#include "model/relations.h"

namespace tessera::encoder {
namespace {

struct Event {
  Step step = 0;
  bool begins = false;
  BufferIndex buffer = 0;
  Size bytes = 0;
  Step end = 0;  ///< of the segment
  friend bool operator<(const Event& a, const Event& b) {
    return std::tuple(a.step, a.begins, a.buffer) < std::tuple(b.step, b.begins, b.buffer);
  }
};

}  // namespace

std::optional<LoadCut> heaviest_step(const PlacementProblem& problem,
                                     const std::vector<MemoryIndex>& memories, Poll& poll) {
  // Of buffers that may overlap each other only the largest of a connected group is counted.
  std::vector<BufferIndex> group(problem.buffers.size());
  std::iota(group.begin(), group.end(), BufferIndex{0});
  const auto root = [&group](BufferIndex b) {
    while (group[b] != b) b = group[b] = group[group[b]];
    return b;
  };
  for (const Relation& relation : problem.relations) {
    if (!meaning(relation.kind).lifts_overlap) continue;
    for (const BufferIndex b : relation.buffers) group[root(b)] = root(relation.buffers.front());
  }
  std::vector<std::size_t> members(problem.buffers.size(), 0);
  for (BufferIndex b = 0; b < group.size(); ++b) ++members[root(b)];

  std::vector<Event> events;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    poll();
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
    if (!std::includes(memories.begin(), memories.end(), allowed.begin(), allowed.end())) continue;
    for (const Load& load : loads(problem.buffers[b])) {
      events.push_back({load.steps.lower, true, b, load.bytes, load.steps.upper});
      events.push_back({load.steps.upper, false, b, load.bytes, load.steps.upper});
    }
  }
  if (events.empty()) return std::nullopt;
  sort_polled(events, poll);
  // Per group the occupied bytes of its members; the sum of the largest is the load.
  std::vector<std::multiset<Size>> alive(problem.buffers.size());
  const auto largest = [&alive](BufferIndex g) {
    return alive[g].empty() ? 0 : *alive[g].rbegin();
  };
  LoadCut best;
  best.asked = -1;
  Size load = 0;
  for (std::size_t i = 0; i < events.size();) {
    const Step step = events[i].step;
    for (; i < events.size() && events[i].step == step; ++i) {
      poll();
      const Event& event = events[i];
      const BufferIndex g = root(event.buffer);
      load -= largest(g);
      if (event.begins) {
        alive[g].insert(event.bytes);
      } else {
        alive[g].erase(alive[g].find(event.bytes));
      }
      load += largest(g);
    }
    if (load > best.asked) {
      best.asked = load;
      best.step = step;
    }
  }
  std::vector<Size> taken(problem.buffers.size(), -1);
  std::vector<BufferIndex> chosen(problem.buffers.size());
  for (const Event& event : events) {
    if (event.step > best.step) break;
    if (!event.begins || event.end <= best.step) continue;
    const BufferIndex g = root(event.buffer);
    if (event.bytes <= taken[g]) continue;
    taken[g] = event.bytes;
    chosen[g] = event.buffer;
  }
  for (BufferIndex g = 0; g < taken.size(); ++g) {
    if (taken[g] > 0) best.buffers.push_back(chosen[g]);
  }
  std::sort(best.buffers.begin(), best.buffers.end());
  best.memories = memories;
  for (const MemoryIndex m : memories) {
    best.available = std::min(unbounded, best.available + facts::room_of(problem.memories[m]));
  }
  return best;
}

std::optional<LoadCut> find_load_cut(const PlacementProblem& problem, Poll& poll) {
  std::vector<std::vector<MemoryIndex>> sets;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) sets.push_back({m});
  if (problem.memories.size() > 1) {
    sets.emplace_back(problem.memories.size());
    std::iota(sets.back().begin(), sets.back().end(), MemoryIndex{0});
  }
  for (const std::vector<MemoryIndex>& memories : sets) {
    std::optional<LoadCut> cut = heaviest_step(problem, memories, poll);
    if (!cut || cut->asked <= cut->available) continue;
    // Drop what is not needed: the smallest first.
    std::vector<std::pair<Size, BufferIndex>> order;
    for (const BufferIndex b : cut->buffers) {
      poll();
      Size bytes = 0;
      for (const Load& load : loads(problem.buffers[b]))
        if (load.steps.contains(cut->step)) bytes = load.bytes;
      order.emplace_back(bytes, b);
    }
    sort_polled(order, poll);
    cut->buffers.clear();
    for (const auto& [bytes, b] : order) {
      if (cut->asked - bytes <= cut->available)
        cut->buffers.push_back(b);
      else
        cut->asked -= bytes;
    }
    std::sort(cut->buffers.begin(), cut->buffers.end());
    return cut;
  }
  return std::nullopt;
}

std::string describe(const PlacementProblem& problem, const LoadCut& cut) {
  std::ostringstream text;
  text << "At step " << cut.step << ", " << cut.buffers.size()
       << (cut.buffers.size() == 1 ? " buffer occupies " : " buffers occupy ") << cut.asked
       << " bytes, but ";
  for (std::size_t i = 0; i < cut.memories.size(); ++i) {
    if (i > 0) text << (i + 1 == cut.memories.size() ? " and " : ", ");
    text << problem.memories[cut.memories[i]].name;
  }
  text << (cut.memories.size() == 1 ? " has " : " have ") << cut.available << '.';
  return text.str();
}

}  // namespace tessera::encoder
