#include "search/choice/choice.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera::search {

namespace {

constexpr std::uint32_t required = std::numeric_limits<std::uint32_t>::max();
/// Limit on sets of memories, in addition to the set of all memories.
constexpr std::size_t most_sets = 64;
/// Limit on the terms of all rows; above it, only every second, third, ... row is written.
constexpr std::size_t most_terms = 3'000'000;

/// The bytes of a buffer at the steps of an interval.
struct StepLoad {
  StepRange steps;
  Size bytes = 0;
  bool whole = true;  ///< the whole buffer, which begins at a multiple of its alignment
  std::uint32_t unit = required;
  BufferIndex buffer = 0;
};

/// The rows of one set of memories.
class Rows {
 public:
  Rows(const PlacementProblem& problem, const std::vector<MemoryIndex>& memories,
       std::vector<StepLoad> loads, Size granule, std::vector<RowOrigin>* origins)
      : loads_(std::move(loads)), memories_(memories), origins_(origins) {
    // A part of a buffer may begin anywhere, so then no size is rounded up.
    const bool whole =
        std::all_of(loads_.begin(), loads_.end(), [](const StepLoad& l) { return l.whole; });
    constexpr Size most = Size{1} << 40U;  // limits the sums of sizes, so that they cannot overflow
    if (!whole || granule > most) granule = 1;
    granule_ = granule;
    for (StepLoad& load : loads_) load.bytes = align_up(load.bytes, granule);
    for (const MemoryIndex m : memories)
      for (const AddressRange& free : facts::free_ranges(problem.memories[m]))
        room_ += align_up(free.size(), granule);
  }

  void add_to(std::vector<PackingRow>& rows, const Budget& budget) {
    struct Event {
      Step step;
      bool birth;
      std::size_t load;
    };
    std::vector<Event> events;
    for (std::size_t k = 0; k < loads_.size(); ++k) {
      events.push_back({loads_[k].steps.lower, true, k});
      events.push_back({loads_[k].steps.upper, false, k});
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return std::tuple(a.step, a.birth, a.load) < std::tuple(b.step, b.birth, b.load);
    });
    // Counts the terms of all rows before any row is written.
    std::size_t terms = 0;
    std::size_t now = 0;
    bool grown = false;
    for (const Event& event : events) {
      now += event.birth ? 1 : 0;
      if (!event.birth && grown) terms += now;
      now -= event.birth ? 0 : 1;
      grown = event.birth;
    }
    const std::size_t stride = terms / most_terms + 1;
    std::set<std::size_t> alive;
    std::size_t met = 0;
    grown = false;
    for (const Event& event : events) {
      if (event.birth) {
        alive.insert(event.load);
        grown = true;
        continue;
      }
      if (grown && met++ % stride == 0) {  // at the first end
        if (budget.exhausted()) return;
        write_row(alive, event.step, rows);
      }
      grown = false;
      alive.erase(event.load);
    }
  }

 private:
  /// `end`: the step at which the first of the live buffers ends.
  void write_row(const std::set<std::size_t>& alive, Step end, std::vector<PackingRow>& rows) {
    Size fixed = 0;
    amounts_.clear();
    Size asked = 0;
    for (const std::size_t k : alive) {
      const StepLoad& load = loads_[k];
      (load.unit == required ? fixed : amounts_[load.unit]) += load.bytes;
      asked += load.bytes;
    }
    if (asked <= room_) return;
    PackingRow row{.terms = {amounts_.begin(), amounts_.end()},
                   .capacity = std::max<Size>(0, room_ - fixed)};
    if (row.terms.empty()) return;
    rows.push_back(std::move(row));
    if (origins_ == nullptr) return;
    std::set<BufferIndex> buffers;  // several parts of a buffer may be live
    for (const std::size_t k : alive) buffers.insert(loads_[k].buffer);
    origins_->push_back({.step = end - 1,
                         .memories = memories_,
                         .granule = granule_,
                         .buffers = {buffers.begin(), buffers.end()}});
  }

  std::vector<StepLoad> loads_;
  std::vector<MemoryIndex> memories_;
  std::vector<RowOrigin>* origins_;
  Size granule_ = 1;
  Size room_ = 0;
  std::map<std::uint32_t, Size> amounts_;
};

}  // namespace

PackingProblem packing_of(const PlacementProblem& problem, std::span<const OptionalUnit> units,
                          const Budget& budget, std::vector<RowOrigin>* origins) {
  PackingProblem packing;
  std::vector<std::uint32_t> unit_of(problem.buffers.size(), required);
  for (std::uint32_t u = 0; u < units.size(); ++u) {
    packing.worth.push_back(units[u].benefit);
    for (const BufferIndex b : units[u].buffers) unit_of[b] = u;
  }
  std::vector<char> counts(problem.buffers.size(), 1);
  for (const auto& [a, b] : exempt_pairs(problem)) counts[a] = counts[b] = 0;

  std::vector<std::vector<MemoryIndex>> allowed;
  std::set<std::vector<MemoryIndex>> sets;
  for (const Buffer& buffer : problem.buffers) {
    allowed.push_back(allowed_memories(problem, buffer));
    if (sets.size() < most_sets) sets.insert(allowed.back());
  }
  std::vector<MemoryIndex> all(problem.memories.size());
  std::iota(all.begin(), all.end(), MemoryIndex{0});
  sets.insert(all);
  for (const std::vector<MemoryIndex>& memories : sets) {
    const bool limited = std::all_of(memories.begin(), memories.end(), [&](MemoryIndex m) {
      return problem.memories[m].capacity != unbounded;
    });
    if (!limited) continue;
    std::vector<StepLoad> loads;
    Size granule = 0;
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      if (counts[b] == 0 ||
          !std::includes(memories.begin(), memories.end(), allowed[b].begin(), allowed[b].end()))
        continue;
      const Buffer& buffer = problem.buffers[b];
      for (const MemoryIndex m : allowed[b])
        granule = std::gcd(granule, effective_alignment(buffer, problem.memories[m]));
      for (const Load& load : tessera::loads(buffer))
        loads.push_back({load.steps, load.bytes, load.bytes == buffer.size, unit_of[b], b});
    }
    if (loads.empty()) continue;
    Rows(problem, memories, std::move(loads), granule, origins).add_to(packing.rows, budget);
  }
  return packing;
}

}  // namespace tessera::search
