// Checks that no two buffers share an address at one step: a sweep over time that keeps, per
// memory, the occupied ranges in an ordered set. Ranges in the set never overlap, so a new range is
// compared with its neighbours only. Buffers with exempt pairs, and buffers that already overlap
// another, would break this invariant: they are kept in a separate list and compared one by one.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "check_parts.h"
#include "model/bands.h"
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

/// Compares a buffer with parts with another buffer of its memory, run by run, copy by copy. The
/// check is independent of model/differences.h, which the solvers use.
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
  /// A band with its segments. A buffer without parts is one band of one copy.
  struct Copies {
    Offset offset = 0;
    std::int64_t count = 1;
    Size stride = 0;
    std::vector<Segment> segments;
  };
  /// The segments of equal steps, in order.
  using Runs = std::span<const Segment>;

  [[nodiscard]] bool has_parts(BufferIndex b) const { return !context_.buffer(b).parts.empty(); }

  const std::vector<Copies>& pieces(BufferIndex b) {
    std::vector<Copies>& known = pieces_[b];
    if (!known.empty()) return known;
    if (!has_parts(b)) known.push_back({0, 1, 0, segments(context_.buffer(b))});
    for (Band& band : bands(context_.buffer(b).parts)) {
      const Buffer one{.id = {}, .parts = std::move(band.parts)};
      known.push_back({band.offset, band.copies, band.stride, segments(one)});
    }
    return known;
  }

  void compare(BufferIndex a, BufferIndex b) {
    if (context_.memory_of(a) != context_.memory_of(b)) return;
    if (!overlaps(context_.hull(a), context_.hull(b))) return;
    if (std::find_first_of(exempt_[a].begin(), exempt_[a].end(), exempt_[b].begin(),
                           exempt_[b].end()) != exempt_[a].end())
      return;
    for (const Copies& x : pieces(a))
      for (const Copies& y : pieces(b))
        if (meet(a, x, b, y)) return;
  }

  bool meet(BufferIndex a, const Copies& of_a, BufferIndex b, const Copies& of_b) {
    const auto stretch = [](const std::vector<Segment>& list, std::size_t from) {
      std::size_t to = from;
      while (to < list.size() && list[to].steps == list[from].steps) ++to;
      return Runs(list).subspan(from, to - from);
    };
    const Offset apart = context_.offset(b) + of_b.offset - context_.offset(a) - of_a.offset;
    for (std::size_t i = 0, j = 0; i < of_a.segments.size() && j < of_b.segments.size();) {
      const Runs x = stretch(of_a.segments, i);
      const Runs y = stretch(of_b.segments, j);
      const StepRange steps_x = x.front().steps;
      const StepRange steps_y = y.front().steps;
      if (overlaps(steps_x, steps_y))
        if (const auto shared = first_shared(of_a, x, of_b, y, apart)) {
          report(a, b, shared->at(context_.offset(a) + of_a.offset),
                 std::max(steps_x.lower, steps_y.lower));
          return true;
        }
      if (steps_x.upper <= steps_y.upper)
        i += x.size();
      else
        j += y.size();
    }
    return false;
  }

  /// Addresses that copies of both occupy, relative to the begin of `of_a`; `of_b` begins at
  /// `apart`. Each copy with the longer stride is compared with the copies near it.
  static std::optional<AddressRange> first_shared(const Copies& of_a, Runs x, const Copies& of_b,
                                                  Runs y, Offset apart) {
    if (of_a.stride < of_b.stride) {
      const auto found = first_shared(of_b, y, of_a, x, -apart);
      return found ? std::optional(found->at(apart)) : found;
    }
    const AddressRange hull{x.front().range.begin, x.back().range.end};
    const AddressRange near{y.front().range.begin, y.back().range.end};
    for (std::int64_t k = 0; k < of_a.count; ++k) {
      const Offset at = k * of_a.stride;
      const AddressRange here = hull.at(at);
      std::int64_t first = 0;
      if (of_b.count > 1) first = std::max<Offset>(0, here.begin - apart - near.end) / of_b.stride;
      for (std::int64_t l = first; l < of_b.count; ++l) {
        const Offset other = apart + l * of_b.stride;
        if (near.at(other).begin >= here.end) break;
        if (const auto shared = first_shared(x, at, y, other)) return shared;
      }
    }
    return std::nullopt;
  }

  /// The lowest addresses of both, after the first `x` moves by `at` and `y` by `other`.
  static std::optional<AddressRange> first_shared(Runs x, Offset at, Runs y, Offset other) {
    if (x.size() < y.size()) return first_shared(y, other, x, at);
    for (const Segment& each : y) {
      const AddressRange run = each.range.at(other);
      const auto after = std::partition_point(x.begin(), x.end(), [&](const Segment& segment) {
        return segment.range.end + at <= run.begin;
      });
      if (after == x.end()) return std::nullopt;
      const AddressRange first = after->range.at(at);
      if (overlaps(first, run))
        return AddressRange{std::max(first.begin, run.begin), std::min(first.end, run.end)};
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
  std::vector<std::vector<Copies>> pieces_;
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
