#include "cut.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include "facts/clique.h"
#include "facts/conflicts.h"
#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/relations.h"

namespace tessera::facts {
namespace {

/// Limit on work (one buffer in one section) for alignment and windows.
constexpr std::int64_t most_work = 20'000'000;
/// Windows and alignments tried per section.
constexpr std::size_t most_kinds = 24;

struct Piece {
  StepRange steps;
  AddressRange range;  ///< of the buffer, relative to its offset
  BufferIndex buffer = 0;
  Size bytes = 0;  ///< used bytes of `range`; parts may leave some unused
};

/// Facts about a buffer that hold in every memory it may use.
struct Confined {
  Size grain = 0;     ///< its offset is a multiple of this
  AddressRange room;  ///< the addresses it may use
};

class Finder {
 public:
  Finder(const PlacementProblem& problem, const Budget& budget)
      : problem_(problem), budget_(budget), group_(problem.buffers.size()) {
    std::iota(group_.begin(), group_.end(), BufferIndex{0});
    for (const Relation& relation : problem.relations) {
      if (!meaning(relation.kind).lifts_overlap) continue;
      grouped_ = true;
      for (const BufferIndex b : relation.buffers) group_[root(b)] = root(relation.buffers.front());
    }
    for (const Memory& memory : problem.memories) free_.push_back(free_ranges(memory));
  }

  std::optional<Cut> run() {
    if (auto cut = one_buffer()) return cut;
    std::vector<std::vector<MemoryIndex>> sets;
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) sets.push_back({m});
    if (sets.size() > 1) {
      sets.emplace_back(problem_.memories.size());
      std::iota(sets.back().begin(), sets.back().end(), MemoryIndex{0});
    }
    for (const auto& memories : sets) {
      if (budget_.exhausted()) return std::nullopt;
      load(memories);
      if (auto cut = by_load()) return cut;
    }
    for (const auto& memories : sets) {
      if (budget_.exhausted()) return std::nullopt;
      load(memories);
      if (auto cut = by_section()) return cut;
    }
    if (!separates(problem_)) return std::nullopt;
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      if (budget_.exhausted()) return std::nullopt;
      load({m});
      if (auto cut = by_clique(m)) return cut;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] BufferIndex root(BufferIndex b) {
    while (group_[b] != b) b = group_[b] = group_[group_[b]];
    return b;
  }

  [[nodiscard]] bool limited(const std::vector<MemoryIndex>& memories) const {
    return std::none_of(memories.begin(), memories.end(), [this](MemoryIndex m) {
      return problem_.memories[m].capacity == unbounded;
    });
  }

  /// The free bytes of `range` in these memories for offsets that are multiples of the grain, and
  /// the number of free ranges.
  struct FreeSpace {
    Size bytes = 0;
    std::size_t stretches = 0;
  };
  [[nodiscard]] FreeSpace free_bytes(const std::vector<MemoryIndex>& memories,
                                     const std::optional<AddressRange>& range, Size grain) const {
    FreeSpace room;
    for (const MemoryIndex m : memories) {
      for (AddressRange free : free_[m]) {
        if (range) free = {std::max(free.begin, range->begin), std::min(free.end, range->end)};
        if (free.empty()) continue;
        free.begin = align_up(free.begin, grain);
        if (free.empty()) continue;
        room.bytes = std::min(unbounded, room.bytes + free.size());
        ++room.stretches;
      }
    }
    return room;
  }

  [[nodiscard]] Confined confined(const Buffer& buffer) const {
    Confined result{.grain = 0, .room = {unbounded, 0}};
    for (const MemoryIndex m : allowed_memories(problem_, buffer)) {
      const Memory& memory = problem_.memories[m];
      result.grain = std::gcd(result.grain, effective_alignment(buffer, memory));
      AddressRange room{0, memory.capacity};
      if (buffer.window)
        room = {std::max(room.begin, buffer.window->begin), std::min(room.end, buffer.window->end)};
      if (buffer.offset)
        room = {std::max(room.begin, *buffer.offset),
                std::min(room.end, *buffer.offset + buffer.size)};
      result.room = {std::min(result.room.begin, room.begin), std::max(result.room.end, room.end)};
    }
    return result;
  }

  /// The addresses of the piece if the buffer lies in the range. For a buffer with
  /// parts, a window only restricts the parts.
  [[nodiscard]] AddressRange addresses_of(const Piece& piece, const AddressRange& room) const {
    const Buffer& buffer = problem_.buffers[piece.buffer];
    if (!buffer.parts.empty()) return room;
    return {room.begin + piece.range.begin, room.end - buffer.size + piece.range.end};
  }

  /// A buffer that is larger than all its permitted addresses.
  std::optional<Cut> one_buffer() {
    std::vector<FreeSpace> whole;
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
      whole.push_back(free_bytes({m}, std::nullopt, 1));
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      Cut cut{.memories = allowed_memories(problem_, buffer),
              .buffers = {b},
              .asked = used_size(buffer)};
      if (buffer.window || buffer.offset) {
        const AddressRange room = confined(buffer).room;
        cut.range = AddressRange{std::min(room.begin, room.end), room.end};
        cut.available = free_bytes(cut.memories, cut.range, 1).bytes;
      } else {
        for (const MemoryIndex m : cut.memories)
          cut.available = std::min(unbounded, cut.available + whole[m].bytes);
      }
      if (cut.asked <= cut.available) continue;
      // All of it counts, unless one step needs as much.
      for (const Load& load : loads(buffer))
        if (load.bytes == cut.asked) cut.step = load.steps.lower;
      return cut;
    }
    return std::nullopt;
  }

  /// Loads the pieces of the buffers that may only use these memories, as events in time.
  void load(const std::vector<MemoryIndex>& memories) {
    memories_ = memories;
    pieces_.clear();
    events_.clear();
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      const std::vector<MemoryIndex> allowed = allowed_memories(problem_, problem_.buffers[b]);
      if (!std::includes(memories.begin(), memories.end(), allowed.begin(), allowed.end()))
        continue;
      for (const Load& load : loads(problem_.buffers[b]))
        pieces_.push_back({load.steps, load.range, b, load.bytes});
    }
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      events_.push_back({pieces_[p].steps.lower, true, p});
      events_.push_back({pieces_[p].steps.upper, false, p});
    }
    std::sort(events_.begin(), events_.end());
  }

  /// Of buffers that may overlap, only the largest of each connected group counts.
  [[nodiscard]] std::vector<std::size_t> counted(std::vector<std::size_t> live) {
    std::sort(live.begin(), live.end(), [this](std::size_t x, std::size_t y) {
      const Piece& a = pieces_[x];
      const Piece& b = pieces_[y];
      return std::tuple(root(a.buffer), -a.bytes, a.buffer) <
             std::tuple(root(b.buffer), -b.bytes, b.buffer);
    });
    live.erase(std::unique(live.begin(), live.end(),
                           [this](std::size_t x, std::size_t y) {
                             return root(pieces_[x].buffer) == root(pieces_[y].buffer);
                           }),
               live.end());
    return live;
  }

  std::optional<Cut> by_load() {
    if (!limited(memories_)) return std::nullopt;
    const Size available = free_bytes(memories_, std::nullopt, 1).bytes;
    std::vector<std::multiset<Size>> alive(grouped_ ? problem_.buffers.size() : 0);
    const auto largest = [&alive](BufferIndex g) {
      return alive[g].empty() ? 0 : *alive[g].rbegin();
    };
    Size load = 0;
    for (const Event& event : events_) {
      const Piece& piece = pieces_[event.piece];
      if (!grouped_) {
        load += event.begins ? piece.bytes : -piece.bytes;
      } else {
        const BufferIndex g = root(piece.buffer);
        load -= largest(g);
        if (event.begins)
          alive[g].insert(piece.bytes);
        else
          alive[g].erase(alive[g].find(piece.bytes));
        load += largest(g);
      }
      if (load <= available) continue;
      std::vector<std::size_t> live;
      for (std::size_t p = 0; p < pieces_.size(); ++p)
        if (pieces_[p].steps.contains(event.step)) live.push_back(p);
      return shortest({.step = event.step, .memories = memories_}, counted(std::move(live)));
    }
    return std::nullopt;
  }

  /// The bytes that alignment, windows and fixed offsets add to the load of a maximal set of live
  /// buffers.
  std::optional<Cut> by_section() {
    std::vector<Confined> facts(problem_.buffers.size());
    bool matters = false;
    for (const Piece& piece : pieces_) {
      const Buffer& buffer = problem_.buffers[piece.buffer];
      facts[piece.buffer] = confined(buffer);
      matters = matters || facts[piece.buffer].grain > 1 || buffer.window || buffer.offset;
    }
    if (!matters) return std::nullopt;
    std::set<std::size_t> live;
    std::int64_t work = 0;
    bool grown = false;
    for (const Event& event : events_) {
      if (event.begins) {
        live.insert(event.piece);
        grown = true;
        continue;
      }
      if (grown) {
        work += static_cast<std::int64_t>(live.size());
        if (work > most_work || budget_.exhausted()) return std::nullopt;
        const Step step = event.step - 1;
        if (auto cut = by_kinds(step, counted({live.begin(), live.end()}), facts)) return cut;
      }
      grown = false;
      live.erase(event.piece);
    }
    return std::nullopt;
  }

  /// Buffers that more than lifetimes separate: they count as a whole, at any step.
  std::optional<Cut> by_clique(MemoryIndex m) {
    std::vector<Confined> facts(problem_.buffers.size());
    for (const std::vector<BufferIndex>& clique : heavy_cliques(problem_, m, budget_)) {
      std::vector<std::size_t> whole;
      for (const BufferIndex b : clique) {
        facts[b] = confined(problem_.buffers[b]);
        whole.push_back(pieces_.size());
        pieces_.push_back({{}, {0, problem_.buffers[b].size}, b, problem_.buffers[b].size});
      }
      if (auto cut = by_kinds(std::nullopt, whole, facts)) return cut;
    }
    return std::nullopt;
  }

  std::optional<Cut> by_kinds(std::optional<Step> step, const std::vector<std::size_t>& live,
                              const std::vector<Confined>& facts) {
    std::vector<Size> grains;
    std::vector<AddressRange> rooms;
    for (const std::size_t p : live) {
      const BufferIndex b = pieces_[p].buffer;
      const Buffer& buffer = problem_.buffers[b];
      const bool rounds = pieces_[p].bytes == pieces_[p].range.size();
      grains.push_back(rounds ? std::gcd(facts[b].grain, pieces_[p].range.begin) : 1);
      if (buffer.window || buffer.offset) rooms.push_back(facts[b].room);
    }
    const auto distinct = [](auto& values) {
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      if (values.size() > most_kinds) values.resize(most_kinds);
    };
    std::vector<Size> all_grains = grains;
    if (!step)  // the load test covers buffers of one step without alignment
      all_grains.push_back(
          std::accumulate(grains.begin(), grains.end(), Size{0}, std::gcd<Size, Size>));
    distinct(all_grains);
    distinct(rooms);
    for (const Size grain : all_grains) {
      if (grain == 1 && step) continue;  // covered by the load test
      if (auto cut = try_kind(step, live, facts, grains, std::nullopt, grain)) return cut;
    }
    for (const AddressRange& room : rooms)
      for (const Size grain : all_grains)
        if (auto cut = try_kind(step, live, facts, grains, room, grain)) return cut;
    return std::nullopt;
  }

  /// Buffers in the range whose offsets are multiples of the grain.
  std::optional<Cut> try_kind(std::optional<Step> step, const std::vector<std::size_t>& live,
                              const std::vector<Confined>& facts, const std::vector<Size>& grains,
                              const std::optional<AddressRange>& range, Size grain) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < live.size(); ++k) {
      if (grains[k] % grain != 0) continue;
      const Piece& piece = pieces_[live[k]];
      const AddressRange& room = facts[piece.buffer].room;
      if (range && !range->contains(addresses_of(piece, room))) continue;
      chosen.push_back(live[k]);
    }
    Cut cut{.step = step, .range = range, .grain = grain, .memories = memories_};
    if (!range && !limited(memories_)) return std::nullopt;
    const FreeSpace room = free_bytes(memories_, range, grain);
    cut.available = room.bytes;
    if (asked_by(chosen, grain, room.stretches) <= room.bytes) return std::nullopt;
    return shortest(std::move(cut), std::move(chosen));
  }

  [[nodiscard]] Size asked_by(const std::vector<std::size_t>& chosen, Size grain,
                              std::size_t tops) const {
    Size asked = 0;
    std::vector<Size> slack;
    for (const std::size_t p : chosen) {
      const Size rounded = align_up(pieces_[p].bytes, grain);
      asked += rounded;
      slack.push_back(rounded - pieces_[p].bytes);
    }
    tops = std::min(tops, slack.size());
    std::partial_sort(slack.begin(), slack.begin() + static_cast<std::ptrdiff_t>(tops), slack.end(),
                      std::greater<>());
    for (std::size_t k = 0; k < tops; ++k) asked -= slack[k];
    return asked;
  }

  /// Drops buffers that the cut does not need, the smallest first.
  [[nodiscard]] Cut shortest(Cut cut, std::vector<std::size_t> chosen) const {
    const FreeSpace room = free_bytes(cut.memories, cut.range, cut.grain);
    cut.available = room.bytes;
    std::stable_sort(chosen.begin(), chosen.end(), [this](std::size_t x, std::size_t y) {
      return pieces_[x].bytes < pieces_[y].bytes;
    });
    cut.asked = asked_by(chosen, cut.grain, room.stretches);
    // Dropping a buffer reduces the sum by at most its rounded size.
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const Size most = align_up(pieces_[chosen[k]].bytes, cut.grain);
      if (cut.asked - most > cut.available) {
        cut.asked -= most;
      } else {
        kept.push_back(chosen[k]);
      }
    }
    cut.asked = asked_by(kept, cut.grain, room.stretches);
    for (const std::size_t p : kept) cut.buffers.push_back(pieces_[p].buffer);
    std::sort(cut.buffers.begin(), cut.buffers.end());
    return cut;
  }

  struct Event {
    Step step = 0;
    bool begins = false;
    std::size_t piece = 0;
    friend bool operator<(const Event& a, const Event& b) {
      return std::tuple(a.step, a.begins, a.piece) < std::tuple(b.step, b.begins, b.piece);
    }
  };

  const PlacementProblem& problem_;
  const Budget& budget_;
  std::vector<BufferIndex> group_;
  bool grouped_ = false;                         ///< may any buffers overlap?
  std::vector<std::vector<AddressRange>> free_;  ///< per memory
  std::vector<MemoryIndex> memories_;
  std::vector<Piece> pieces_;
  std::vector<Event> events_;
};

}  // namespace

std::optional<Cut> find_cut(const PlacementProblem& problem, const Budget& budget) {
  return Finder(problem, budget).run();
}

std::string describe(const PlacementProblem& problem, const Cut& cut) {
  std::ostringstream text;
  if (cut.step) text << "At step " << *cut.step << ", ";
  text << cut.buffers.size()
       << (cut.buffers.size() == 1 ? " buffer needs "
           : cut.step              ? " buffers need "
                                   : " buffers that never share a byte need ")
       << cut.asked << " bytes";
  if (cut.grain > 1) text << " at multiples of " << cut.grain;
  text << ", but ";
  for (std::size_t i = 0; i < cut.memories.size(); ++i) {
    if (i > 0) text << (i + 1 == cut.memories.size() ? " and " : ", ");
    text << problem.memories[cut.memories[i]].name;
  }
  text << (cut.memories.size() == 1 ? " has " : " have ") << cut.available;
  if (cut.range) text << " in [" << cut.range->begin << ", " << cut.range->end << ")";
  text << '.';
  return text.str();
}

}  // namespace tessera::facts
