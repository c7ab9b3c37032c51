// Checks that no two buffers share an address at one step: a sweep over time that keeps, per
// memory, the occupied ranges in an ordered set. Ranges in the set never overlap, so a new range is
// compared with its neighbours only. Buffers with exempt pairs, and buffers that already overlap
// another, would break this invariant: they are kept in a separate list and compared one by one.
#include <algorithm>
#include <map>
#include <set>

#include "check_parts.h"
#include "model/relations.h"

namespace tessera::checking {
namespace {

struct Occupation {
  StepRange steps;
  AddressRange range;
  BufferIndex buffer = 0;
};

/// For each buffer the relations that exempt it from non-overlap with their other members.
std::vector<std::vector<std::size_t>> exemptions(const PlacementProblem& problem) {
  std::vector<std::vector<std::size_t>> result(problem.buffers.size());
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    const Relation& relation = problem.relations[r];
    if (!meaning(relation.kind).lifts_overlap) continue;
    for (const BufferIndex b : relation.buffers) result[b].push_back(r);
  }
  return result;
}

std::string both_occupy(const Context& context, BufferIndex a, BufferIndex b,
                        const AddressRange& shared, Step step) {
  return say("Buffers ", context.where(a), " and ", context.where(b), " of memory '",
             context.memory(a).name, "' both occupy ", shared, " at step ", step, ".");
}

class MemorySweep {
 public:
  MemorySweep(Context& context, const std::vector<std::vector<std::size_t>>& exempt,
              std::vector<Occupation> occupations)
      : context_(context),
        exempt_(exempt),
        occupations_(std::move(occupations)),
        home_(occupations_.size()),
        place_(occupations_.size()) {}

  void run() {
    std::stable_sort(occupations_.begin(), occupations_.end(),
                     [](const Occupation& a, const Occupation& b) { return a.steps < b.steps; });
    std::vector<std::pair<Step, std::size_t>> ends;
    ends.reserve(occupations_.size());
    for (std::size_t i = 0; i < occupations_.size(); ++i)
      ends.emplace_back(occupations_[i].steps.upper, i);
    std::sort(ends.begin(), ends.end());
    auto end = ends.begin();
    for (std::size_t i = 0; i < occupations_.size(); ++i) {
      for (; end->first <= occupations_[i].steps.lower; ++end) leave(end->second);
      enter(i);
      if (context_.full()) return;
    }
  }

 private:
  enum class Home : char { set, side };

  void enter(std::size_t i) {
    const AddressRange& range = occupations_[i].range;
    bool clean = exempt_[occupations_[i].buffer].empty();
    auto neighbour = set_.upper_bound(range.begin);
    if (neighbour != set_.begin()) --neighbour;
    for (; neighbour != set_.end() && neighbour->first < range.end; ++neighbour) {
      if (overlaps(occupations_[neighbour->second].range, range)) {
        clean = false;
        meet(neighbour->second, i);
      }
    }
    for (const std::size_t other : side_) {
      if (overlaps(occupations_[other].range, range)) {
        clean = false;
        meet(other, i);
      }
    }
    home_[i] = clean ? Home::set : Home::side;
    if (clean) {
      place_[i] = set_.emplace_hint(neighbour, range.begin, i);  // no other range begins there
    } else {
      side_.insert(i);
    }
  }

  void leave(std::size_t i) {
    if (home_[i] == Home::set) {
      set_.erase(place_[i]);
    } else {
      side_.erase(i);
    }
  }

  void meet(std::size_t i, std::size_t j) {
    const auto [a, b] = std::minmax(occupations_[i].buffer, occupations_[j].buffer);
    if (are_exempt(a, b) || context_.full() || !reported_.emplace(a, b).second) return;
    const Step step = std::max(occupations_[i].steps.lower, occupations_[j].steps.lower);
    const AddressRange shared{std::max(occupations_[i].range.begin, occupations_[j].range.begin),
                              std::min(occupations_[i].range.end, occupations_[j].range.end)};
    context_.add({.rule = Rule::overlap,
                  .buffers = {a, b},
                  .memory = context_.memory_of(a),
                  .step = step,
                  .message = both_occupy(context_, a, b, shared, step)});
  }

  [[nodiscard]] bool are_exempt(BufferIndex a, BufferIndex b) const {
    return std::find_first_of(exempt_[a].begin(), exempt_[a].end(), exempt_[b].begin(),
                              exempt_[b].end()) != exempt_[a].end();
  }

  Context& context_;
  const std::vector<std::vector<std::size_t>>& exempt_;
  std::vector<Occupation> occupations_;
  std::vector<Home> home_;
  std::map<Offset, std::size_t> set_;  ///< by first address; ranges in it never overlap
  std::vector<std::map<Offset, std::size_t>::iterator> place_;  ///< of ranges in the set
  std::set<std::size_t> side_;
  std::set<std::pair<BufferIndex, BufferIndex>> reported_;
};

/// Compares a buffer with parts with another buffer of its memory, run by run. The check is
/// independent of model/differences.h, which the solvers use.
class PartsCheck {
 public:
  PartsCheck(Context& context, const std::vector<std::vector<std::size_t>>& exempt)
      : context_(context), exempt_(exempt), pieces_(context.problem.buffers.size()) {}

  void run() {
    std::vector<BufferIndex> by_start;
    for (BufferIndex b = 0; b < pieces_.size(); ++b)
      if (context_.sane[b] != 0) by_start.push_back(b);
    std::sort(by_start.begin(), by_start.end(), [this](BufferIndex a, BufferIndex b) {
      return context_.buffer(a).live.front() < context_.buffer(b).live.front();
    });
    for (std::size_t i = 0; i < by_start.size(); ++i) {
      const Step end = context_.buffer(by_start[i]).live.back().upper;
      for (std::size_t j = i + 1; j < by_start.size(); ++j) {
        if (context_.buffer(by_start[j]).live.front().lower >= end || context_.full()) break;
        const auto [a, b] = std::minmax(by_start[i], by_start[j]);
        if (has_parts(a) || has_parts(b)) compare(a, b);
      }
    }
  }

 private:
  [[nodiscard]] bool has_parts(BufferIndex b) const { return !context_.buffer(b).parts.empty(); }

  const std::vector<Segment>& pieces(BufferIndex b) {
    if (pieces_[b].empty()) pieces_[b] = segments(context_.buffer(b));
    return pieces_[b];
  }

  void compare(BufferIndex a, BufferIndex b) {
    if (context_.memory_of(a) != context_.memory_of(b)) return;
    if (!overlaps(context_.hull(a), context_.hull(b))) return;
    if (std::find_first_of(exempt_[a].begin(), exempt_[a].end(), exempt_[b].begin(),
                           exempt_[b].end()) != exempt_[a].end())
      return;
    const std::vector<Segment>& of_a = pieces(a);
    const std::vector<Segment>& of_b = pieces(b);
    // Groups of equal steps, each with its runs in order.
    const auto stretch_end = [](const std::vector<Segment>& list, std::size_t from) {
      std::size_t to = from;
      while (to < list.size() && list[to].steps == list[from].steps) ++to;
      return to;
    };
    for (std::size_t i = 0, j = 0; i < of_a.size() && j < of_b.size();) {
      const std::size_t i_end = stretch_end(of_a, i);
      const std::size_t j_end = stretch_end(of_b, j);
      if (overlaps(of_a[i].steps, of_b[j].steps))
        if (const auto shared = first_shared(a, of_a, i, i_end, b, of_b, j, j_end))
          return report(a, b, *shared, std::max(of_a[i].steps.lower, of_b[j].steps.lower));
      if (of_a[i].steps.upper <= of_b[j].steps.upper)
        i = i_end;
      else
        j = j_end;
    }
  }

  [[nodiscard]] std::optional<AddressRange> first_shared(
      BufferIndex a, const std::vector<Segment>& of_a, std::size_t i, std::size_t i_end,
      BufferIndex b, const std::vector<Segment>& of_b, std::size_t j, std::size_t j_end) const {
    while (i < i_end && j < j_end) {
      const AddressRange x = of_a[i].range.at(context_.offset(a));
      const AddressRange y = of_b[j].range.at(context_.offset(b));
      if (overlaps(x, y)) return AddressRange{std::max(x.begin, y.begin), std::min(x.end, y.end)};
      if (x.end < y.end)
        ++i;
      else
        ++j;
    }
    return std::nullopt;
  }

  void report(BufferIndex a, BufferIndex b, const AddressRange& shared, Step step) {
    context_.add({.rule = Rule::overlap,
                  .buffers = {a, b},
                  .memory = context_.memory_of(a),
                  .step = step,
                  .message = both_occupy(context_, a, b, shared, step)});
  }

  Context& context_;
  const std::vector<std::vector<std::size_t>>& exempt_;
  std::vector<std::vector<Segment>> pieces_;
};

/// Up to this count, comparing all pairs is faster than building a set.
constexpr std::size_t few = 64;

/// Do any two occupy an address at one step, exempt or not?
bool any_meet(const std::vector<Occupation>& occupations) {
  for (std::size_t i = 0; i < occupations.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlaps(occupations[i].range, occupations[j].range) &&
          overlaps(occupations[i].steps, occupations[j].steps))
        return true;
  return false;
}

}  // namespace

void check_overlap(Context& context) {
  const std::vector<std::vector<std::size_t>> exempt = exemptions(context.problem);
  bool parts = false;
  std::vector<std::vector<Occupation>> per_memory(context.problem.memories.size());
  for (BufferIndex b = 0; b < context.problem.buffers.size(); ++b) {
    if (context.sane[b] == 0) continue;
    parts = parts || !context.buffer(b).parts.empty();
    if (!context.buffer(b).parts.empty()) continue;
    if (context.buffer(b).gaps.empty()) {
      for (const StepRange& live : context.buffer(b).live)
        per_memory[context.memory_of(b)].push_back({live, context.range(b), b});
      continue;
    }
    for (const Segment& segment : segments(context.buffer(b))) {
      per_memory[context.memory_of(b)].push_back(
          {segment.steps, segment.range.at(context.offset(b)), b});
    }
  }
  if (parts) PartsCheck(context, exempt).run();
  for (std::vector<Occupation>& occupations : per_memory) {
    if (context.full()) return;
    if (occupations.size() <= few && !any_meet(occupations)) continue;
    MemorySweep(context, exempt, std::move(occupations)).run();
  }
}

}  // namespace tessera::checking
