#include "load_cut.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "facts/free_space.h"
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

/// The buffers that may go to these memories only, when each begins and ends to occupy how much.
/// Of buffers that may overlap each other only the largest of a connected group counts.
class Loads {
 public:
  Loads(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories, Poll& poll)
      : poll_(poll), group_(problem.buffers.size()) {
    std::iota(group_.begin(), group_.end(), BufferIndex{0});
    for (const Relation& relation : problem.relations) {
      if (!meaning(relation.kind).lifts_overlap) continue;
      for (const BufferIndex b : relation.buffers) group_[root(b)] = root(relation.buffers.front());
    }
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      poll_();
      const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
      if (!std::includes(memories.begin(), memories.end(), allowed.begin(), allowed.end()))
        continue;
      for (const Load& load : loads(problem.buffers[b])) {
        events_.push_back({load.steps.lower, true, b, load.bytes, load.steps.upper});
        events_.push_back({load.steps.upper, false, b, load.bytes, load.steps.upper});
      }
    }
    sort_polled(events_, poll_);
  }

  [[nodiscard]] LoadCurve curve() {
    // Per group the occupied bytes of its members; the sum of the largest is the load.
    std::vector<std::multiset<Size>> alive(group_.size());
    const auto largest = [&alive](BufferIndex g) {
      return alive[g].empty() ? 0 : *alive[g].rbegin();
    };
    LoadCurve curve;
    Size load = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      poll_();
      const Event& event = events_[i];
      const BufferIndex g = root(event.buffer);
      load -= largest(g);
      if (event.begins) {
        alive[g].insert(event.bytes);
      } else {
        alive[g].erase(alive[g].find(event.bytes));
      }
      load += largest(g);
      if (i + 1 == events_.size() || events_[i + 1].step != event.step)
        curve.emplace_back(event.step, load);
    }
    return curve;
  }

  /// Those that count at a step, sorted.
  [[nodiscard]] std::vector<BufferIndex> counted_at(Step step) {
    std::vector<Size> taken(group_.size(), 0);
    std::vector<BufferIndex> chosen(group_.size());
    for (const Event& event : events_) {
      if (event.step > step) break;
      if (!event.begins || event.end <= step) continue;
      const BufferIndex g = root(event.buffer);
      if (event.bytes <= taken[g]) continue;
      taken[g] = event.bytes;
      chosen[g] = event.buffer;
    }
    std::vector<BufferIndex> buffers;
    for (BufferIndex g = 0; g < taken.size(); ++g)
      if (taken[g] > 0) buffers.push_back(chosen[g]);
    std::sort(buffers.begin(), buffers.end());
    return buffers;
  }

 private:
  [[nodiscard]] BufferIndex root(BufferIndex b) {
    while (group_[b] != b) b = group_[b] = group_[group_[b]];
    return b;
  }

  Poll& poll_;
  std::vector<BufferIndex> group_;
  std::vector<Event> events_;
};

}  // namespace

LoadCurve load_curve(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories,
                     Poll& poll) {
  return Loads(problem, memories, poll).curve();
}

std::optional<LoadCut> heaviest_step(const PlacementProblem& problem,
                                     const std::vector<MemoryIndex>& memories, Poll& poll) {
  Loads all(problem, memories, poll);
  const LoadCurve curve = all.curve();
  if (curve.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(curve, {}, &LoadCurve::value_type::second);
  LoadCut best;
  best.step = most->first;
  best.asked = most->second;
  best.buffers = all.counted_at(best.step);
  best.memories = memories;
  for (const MemoryIndex m : memories) {
    best.available = std::min(unbounded, best.available + facts::free_bytes(problem.memories[m]));
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
