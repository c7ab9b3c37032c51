#include "search/placement/bounds.h"

#include <algorithm>
#include <numeric>

#include "facts/clique.h"
#include "facts/feature_sets.h"
#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/poll.h"
#include "model/polled_sort.h"
#include "model/relations.h"
#include "search/placement/subset_sums.h"

namespace tessera::search {
namespace {

/// Below this count, a memory is processed in some milliseconds, and the budget is not polled.
constexpr std::size_t many_buffers = 20'000;

struct Event {
  Step time = 0;
  bool starts = false;
  Size size = 0;
  BufferIndex buffer = 0;
};

/// The buffers of one memory as events in time, ends before starts. Of two buffers that may
/// overlap, only the larger counts. Throws BudgetEnded.
std::vector<Event> events_of(const PlacementProblem& problem, MemoryIndex memory,
                             const std::vector<char>& counts, Poll& poll) {
  std::vector<Event> events;
  const auto add = [&](const StepRange& steps, Size size, BufferIndex b) {
    events.push_back({steps.lower, true, size, b});
    events.push_back({steps.upper, false, size, b});
  };
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    poll();
    if (counts[b] == 0) continue;
    if (problem.memories.size() > 1 &&
        (buffer.memories.size() != 1 || buffer.memories.front() != memory)) {
      continue;
    }
    if (buffer.gaps.empty() && buffer.parts.empty()) {
      for (const StepRange& live : buffer.live) add(live, buffer.size, b);
    } else {
      for (const Load& each : loads(buffer)) add(each.steps, each.bytes, b);
    }
  }
  sort_polled(
      events,
      [](const Event& a, const Event& b) {
        return a.time != b.time ? a.time < b.time : a.starts < b.starts;
      },
      poll);
  return events;
}

std::vector<char> counted_buffers(const PlacementProblem& problem) {
  std::vector<char> counts(problem.buffers.size(), 1);
  for (const auto& [a, b] : exempt_pairs(problem)) {
    const Buffer& x = problem.buffers[a];
    const Buffer& y = problem.buffers[b];
    if (counts[a] != 0 && counts[b] != 0 && coexist(x, y)) counts[x.size < y.size ? a : b] = 0;
  }
  return counts;
}

/// The lowest possible top of the highest buffer if all of these are live at one step: buffers that
/// start at r or higher are stacked above r, each rounded up to the common alignment except for the
/// topmost one.
Size stack_height(const PlacementProblem& problem, const Memory& memory,
                  const std::vector<BufferIndex>& live) {
  struct Box {
    Offset release;
    Size size;
    Size alignment;
  };
  std::vector<Box> boxes;
  boxes.reserve(live.size());
  for (const BufferIndex b : live) {
    const Buffer& buffer = problem.buffers[b];
    if (!buffer.gaps.empty() || !buffer.parts.empty())
      continue;  // it may occupy less than its size at this step
    const Size alignment = effective_alignment(buffer, memory);
    Offset release =
        buffer.window ? align_up(std::max<Offset>(buffer.window->begin, 0), alignment) : 0;
    if (buffer.offset) release = std::max(release, *buffer.offset);
    boxes.push_back({release, buffer.size, alignment});
  }
  std::sort(boxes.begin(), boxes.end(),
            [](const Box& a, const Box& b) { return a.release > b.release; });
  Size best = 0;
  Size common = 0;
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    common = std::gcd(common, boxes[k].alignment);
    if (k + 1 < boxes.size() && boxes[k + 1].release == boxes[k].release) continue;
    Size sum = 0;
    Size slack = 0;
    for (std::size_t i = 0; i <= k; ++i) {
      const Size rounded = align_up(boxes[i].size, common);
      sum += rounded;
      slack = std::max(slack, rounded - boxes[i].size);
    }
    best = std::max(best, boxes[k].release + sum - slack);
  }
  return best;
}

bool only_sizes_decide(const PlacementProblem& problem, MemoryIndex memory) {
  const Memory& of = problem.memories[memory];
  if (of.alignment != 1 || !of.reserved.empty() || !of.straddle || has_modes(of)) return false;
  if (!facts::is_measured(problem)) return false;
  for (const Relation& relation : problem.relations) {
    if (meaning(relation.kind).about_banks) return false;
  }
  return std::all_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& buffer) {
    return buffer.alignment == 1 && !buffer.offset && !buffer.window && buffer.parts.empty() &&
           std::none_of(buffer.gaps.begin(), buffer.gaps.end(),
                        [](const Gap& gap) { return gap.window.has_value(); });
  });
}

/// Why a memory is too small, as a sentence.
std::string too_small(const PlacementProblem& problem, const Memory& memory,
                      const MemoryBound& bound) {
  const std::string begin = "Memory '" + memory.name + "' has a capacity of " +
                            std::to_string(memory.capacity) + " bytes, but ";
  const std::string step = " at step " + std::to_string(bound.peak);
  if (bound.clique.empty() && bound.load == bound.height)
    return begin + "its buffers need " + std::to_string(bound.height) + step + '.';
  if (bound.clique.empty())
    return begin + "its buffers need at least " + std::to_string(bound.height) + " (" +
           std::to_string(bound.load) + " are live together" + step + ").";
  return begin + std::to_string(bound.clique.size()) +
         " of its buffers never share a byte and need at least " + std::to_string(bound.height) +
         ": " + facts::why_apart(problem, bound.clique) + '.';
}

/// Throws BudgetEnded.
MemoryBound bound_memory(const PlacementProblem& problem, MemoryIndex m,
                         const std::vector<char>& counts, const BoundsParams& params, Poll& poll) {
  MemoryBound bound;
  const Memory& memory = problem.memories[m];
  const std::vector<Event> events = events_of(problem, m, counts, poll);
  Size load = 0;
  for (const Event& event : events) {
    poll();
    load += event.starts ? event.size : -event.size;
    if (load > bound.load) {
      bound.load = load;
      bound.peak = event.time;
    }
  }
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    poll();
    const bool here = problem.memories.size() == 1 ||
                      (buffer.memories.size() == 1 && buffer.memories.front() == m);
    if (here && live_at(buffer, bound.peak)) bound.live_at_peak.push_back(b);
    if (!here || !params.domains) continue;
    Offset least = buffer.offset.value_or(0);
    if (buffer.window) least = std::max(least, buffer.window->begin - extent(buffer).begin);
    bound.height =
        std::max(bound.height, align_up(least, effective_alignment(buffer, memory)) + buffer.size);
  }
  bound.height = std::max(bound.height, bound.load);
  if (!params.domains) return bound;
  bound.height =
      std::max(bound.height, facts::least_height(facts::merged(memory.reserved), bound.load));
  // The stacks of the fullest steps, as long as they may exceed the known bound.
  const bool matters =
      memory.alignment > 1 ||
      std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& buffer) {
        return buffer.alignment > 1 || buffer.offset || buffer.window;
      });
  if (matters) {
    std::vector<BufferIndex> live;
    int looks = 1000;
    bool grown = false;
    for (const Event& event : events) {
      if (looks == 0) break;
      if (event.starts) {
        live.push_back(event.buffer);
        grown = true;
        continue;
      }
      if (grown) {
        --looks;
        bound.height = std::max(bound.height, stack_height(problem, memory, live));
        grown = false;
        if ((looks & 15) == 0 && params.budget.exhausted()) looks = 0;
      }
      live.erase(std::find(live.begin(), live.end(), event.buffer));
    }
  }
  for (std::vector<BufferIndex>& clique : facts::heavy_cliques(problem, m, params.budget)) {
    const Size height =
        std::max(facts::height_of(problem, m, clique), stack_height(problem, memory, clique));
    if (height <= bound.height) continue;
    bound.height = height;
    bound.clique = std::move(clique);
  }
  if (params.subset_sums) bound.height = next_possible_height(problem, m, bound.height);
  return bound;
}

/// Tests the load of all memories together, independent of the choice of memories: a sentence if it
/// is too large. Throws BudgetEnded.
std::optional<std::string> too_much_together(const PlacementProblem& problem,
                                             const std::vector<char>& counts, Size room,
                                             Poll& poll) {
  PlacementProblem together;
  together.memories.push_back({.name = "all", .capacity = room});
  together.buffers = problem.buffers;
  for (Buffer& buffer : together.buffers) buffer.memories.clear();
  Size load = 0;
  for (const Event& event : events_of(together, 0, counts, poll)) {
    load += event.starts ? event.size : -event.size;
    if (load <= room) continue;
    return "At step " + std::to_string(event.time) + " at least " + std::to_string(load) +
           " bytes are live, but all memories together have " + std::to_string(room) + ".";
  }
  return std::nullopt;
}

}  // namespace

Size next_possible_height(const PlacementProblem& problem, MemoryIndex m, Size height) {
  if (!only_sizes_decide(problem, m)) return height;
  std::vector<Size> sizes;
  for (const Buffer& buffer : problem.buffers) sizes.push_back(buffer.size);
  return least_sum_at_least(sizes, height).value_or(height);
}

Bounds lower_bounds(const PlacementProblem& problem, const BoundsParams& params) {
  Bounds bounds;
  const std::vector<char> counts = counted_buffers(problem);
  Poll poll = problem.buffers.size() < many_buffers ? Poll() : Poll(params.budget);
  Size room = 0;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    MemoryBound& bound = bounds.memories.emplace_back();
    try {
      bound = bound_memory(problem, m, counts, params, poll);
    } catch (const BudgetEnded&) {  // bound 0 is valid
    }
    bounds.heights.push_back(bound.height);
    bounds.height = std::max(bounds.height, bound.height);
    if (bound.height > memory.capacity && !bounds.infeasible) {
      bounds.infeasible = too_small(problem, memory, bound);
    }
    room = std::min(unbounded, room + memory.capacity);
  }
  if (problem.memories.size() > 1 && !bounds.infeasible) {
    try {
      bounds.infeasible = too_much_together(problem, counts, room, poll);
    } catch (const BudgetEnded&) {
    }
  }
  return bounds;
}

Size height_granule(const PlacementProblem& problem) {
  if (!facts::is_measured(problem)) return 1;
  Size granule = 0;
  const auto take = [&granule](Size value) { granule = std::gcd(granule, value); };
  for (const Memory& memory : problem.memories) {
    take(memory.alignment == 1 ? 0 : memory.alignment);
    for (const AddressRange& range : bank_ranges(memory)) {
      if (!memory.banks.empty()) take(range.end);
    }
    for (const AddressRange& range : memory.reserved) {
      take(range.begin);
      take(range.end);
    }
  }
  for (const Buffer& buffer : problem.buffers) {
    take(buffer.size);
    take(buffer.alignment == 1 ? 0 : buffer.alignment);
    if (buffer.offset) take(*buffer.offset);
    if (buffer.window) take(buffer.window->begin);
    for (const BufferPart& part : buffer.parts) {
      take(part.offset);
      take(part.size);
      for (const Repeat& repeat : part.repeat) take(repeat.stride);
      if (buffer.window) take(buffer.window->end);
    }
    for (const Gap& gap : buffer.gaps) {
      if (!gap.window) continue;
      take(gap.window->begin);
      take(gap.window->end);
    }
  }
  return std::max<Size>(granule, 1);
}

}  // namespace tessera::search
