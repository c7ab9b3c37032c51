#include "search/placement/tie_memories.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/derived.h"
#include "model/relations.h"
#include "search/placement/canonical_orders.h"

namespace tessera::search {
namespace {

/// Buffers that have to share a memory, and those that must not.
struct Ties {
  std::vector<BufferIndex> leader;
  std::vector<std::pair<BufferIndex, BufferIndex>> apart;

  BufferIndex find(BufferIndex b) {
    while (leader[b] != b) b = leader[b] = leader[leader[b]];
    return b;
  }
};

Ties ties_of(const PlacementProblem& problem) {
  Ties ties;
  ties.leader.resize(problem.buffers.size());
  std::iota(ties.leader.begin(), ties.leader.end(), BufferIndex{0});
  for (const Relation& relation : problem.relations) {
    if (meaning(relation.kind).one_memory) {
      for (const BufferIndex b : relation.buffers) {
        ties.leader[ties.find(b)] = ties.find(relation.buffers.front());
      }
    } else if (relation.kind == RelationKind::different_memories) {
      for (std::size_t i = 0; i < relation.buffers.size(); ++i) {
        for (std::size_t j = i + 1; j < relation.buffers.size(); ++j) {
          ties.apart.emplace_back(relation.buffers[i], relation.buffers[j]);
        }
      }
    }
  }
  return ties;
}

/// The load of one memory over a coarse time grid.
class CoarseLoad {
 public:
  CoarseLoad(Step end, Size capacity)
      : load_(grid, 0.0), end_(std::max<Step>(end, 1)), capacity_(static_cast<double>(capacity)) {}

  [[nodiscard]] double with(const Buffer& buffer) const {
    double worst = 0;
    visit(buffer, [&](std::size_t cell) { worst = std::max(worst, load_[cell]); });
    return (worst + static_cast<double>(buffer.size)) / capacity_;
  }
  void add(const Buffer& buffer) {
    visit(buffer, [&](std::size_t cell) { load_[cell] += static_cast<double>(buffer.size); });
  }

 private:
  static constexpr std::size_t grid = 256;

  template <typename Visit>
  void visit(const Buffer& buffer, Visit&& each) const {
    for (const StepRange& live : buffer.live) {
      const double scale = static_cast<double>(grid) / static_cast<double>(end_);
      const auto first = static_cast<std::size_t>(static_cast<double>(live.lower) * scale);
      const auto last = static_cast<std::size_t>(static_cast<double>(live.upper) * scale);
      for (std::size_t cell = first; cell <= last && cell < grid; ++cell) each(cell);
    }
  }

  std::vector<double> load_;
  Step end_;
  double capacity_;
};

}  // namespace

std::optional<PlacementProblem> tie_memories(const PlacementProblem& problem, std::uint64_t seed) {
  PlacementProblem tied = problem;
  if (problem.memories.size() == 1) {
    for (Buffer& buffer : tied.buffers) buffer.memories = {0};
    return tied;
  }
  Ties ties = ties_of(problem);
  const std::size_t n = problem.buffers.size();
  std::vector<std::vector<BufferIndex>> groups(n);
  for (BufferIndex b = 0; b < n; ++b) groups[ties.find(b)].push_back(b);
  std::vector<std::vector<BufferIndex>> enemies(n);
  for (const auto& [a, b] : ties.apart) {
    enemies[ties.find(a)].push_back(ties.find(b));
    enemies[ties.find(b)].push_back(ties.find(a));
  }
  std::vector<CoarseLoad> loads;
  for (const Memory& memory : problem.memories) {
    loads.emplace_back(horizon(problem), memory.capacity);
  }
  // Groups with few choices first, then the largest.
  struct Turn {
    BufferIndex group;
    std::vector<MemoryIndex> allowed;
    double weight;
  };
  Random random(seed);
  std::vector<Turn> turns;
  for (BufferIndex g = 0; g < n; ++g) {
    if (groups[g].empty()) continue;
    Turn turn{g, allowed_memories(problem, problem.buffers[groups[g].front()]), 0};
    for (const BufferIndex b : groups[g]) {
      const std::vector<MemoryIndex> allowed = allowed_memories(problem, problem.buffers[b]);
      std::erase_if(turn.allowed, [&](MemoryIndex m) {
        return !std::binary_search(allowed.begin(), allowed.end(), m) ||
               problem.memories[m].capacity < problem.buffers[b].size;
      });
      turn.weight += static_cast<double>(problem.buffers[b].size);
    }
    if (turn.allowed.empty()) return std::nullopt;
    if (seed != 0) turn.weight *= 1 + random.unit();
    turns.push_back(std::move(turn));
  }
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    const bool x = a.allowed.size() == 1;
    const bool y = b.allowed.size() == 1;
    if (x != y) return x;
    return a.weight != b.weight ? a.weight > b.weight : a.group < b.group;
  });
  constexpr MemoryIndex open = static_cast<MemoryIndex>(-1);
  std::vector<MemoryIndex> home(n, open);
  for (const Turn& turn : turns) {
    MemoryIndex best = open;
    double best_load = 0;
    for (const MemoryIndex m : turn.allowed) {
      const bool taken =
          std::any_of(enemies[turn.group].begin(), enemies[turn.group].end(),
                      [&](BufferIndex enemy) { return home[enemy] == m || enemy == turn.group; });
      if (taken) continue;
      double load = 0;
      for (const BufferIndex b : groups[turn.group]) {
        load = std::max(load, loads[m].with(problem.buffers[b]));
      }
      if (best == open || load < best_load) {
        best = m;
        best_load = load;
      }
    }
    if (best == open) return std::nullopt;
    home[turn.group] = best;
    for (const BufferIndex b : groups[turn.group]) {
      loads[best].add(problem.buffers[b]);
      tied.buffers[b].memories = {best};
    }
  }
  return tied;
}

std::optional<std::string> memories_contradict(const PlacementProblem& problem) {
  const auto home = [&](BufferIndex b) {
    return problem.memories.size() == 1 ? 0 : problem.buffers[b].memories.front();
  };
  for (const Relation& relation : problem.relations) {
    const bool same =
        relation.kind == RelationKind::same_memory || relation.kind == RelationKind::same_offset;
    if (!same && relation.kind != RelationKind::different_memories) continue;
    for (std::size_t i = 0; i < relation.buffers.size(); ++i) {
      for (std::size_t j = i + 1; j < relation.buffers.size(); ++j) {
        const BufferIndex a = relation.buffers[i];
        const BufferIndex b = relation.buffers[j];
        if ((home(a) == home(b)) == same) continue;
        return "Buffers '" + problem.buffers[a].id + "' and '" + problem.buffers[b].id +
               "' are tied to " + (same ? "different memories" : "one memory") +
               " by their `memory` lists, which relation '" +
               std::string(to_string(relation.kind)) + "' forbids.";
      }
    }
  }
  return std::nullopt;
}

}  // namespace tessera::search
