#include "search/guided/phases.h"

#include <algorithm>
#include <limits>

#include "model/derived.h"

namespace tessera::search::guided {
namespace {

constexpr int thresholds = 20;  // 100 %, 95 %, ... 5 %, and the rest
constexpr std::uint32_t no_phase = std::numeric_limits<std::uint32_t>::max();

/// Time, cut at every begin and end of a buffer.
struct Timeline {
  std::vector<Step> cuts;          // ascending; slice k runs from cuts[k] to cuts[k + 1]
  std::vector<double> contention;  // by slice
  std::vector<char> crossed;       // by slice: is a buffer live in it and in the previous one?

  [[nodiscard]] std::size_t slice(Step at) const {
    return static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), at) - cuts.begin());
  }
};

Timeline timeline_of(const PlacementProblem& problem, Poll& poll) {
  Timeline time;
  for (const Buffer& buffer : problem.buffers)
    for (const StepRange& live : buffer.live) {
      poll();
      time.cuts.push_back(live.lower);
      time.cuts.push_back(live.upper);
    }
  std::sort(time.cuts.begin(), time.cuts.end());
  time.cuts.erase(std::unique(time.cuts.begin(), time.cuts.end()), time.cuts.end());
  const std::size_t slices = time.cuts.empty() ? 0 : time.cuts.size() - 1;
  time.contention.assign(slices, 0);
  time.crossed.assign(slices, 0);
  std::vector<double> load(slices + 1);
  std::vector<double> lives(slices + 2);
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    std::fill(load.begin(), load.end(), 0);
    for (const Buffer& buffer : problem.buffers) {
      const auto allowed = allowed_memories(problem, buffer);
      if (std::find(allowed.begin(), allowed.end(), m) == allowed.end()) continue;
      // A buffer that may use several memories counts in equal shares.
      const double share = static_cast<double>(buffer.size) / static_cast<double>(allowed.size());
      for (const StepRange& live : buffer.live) {
        poll();
        load[time.slice(live.lower)] += share;
        load[time.slice(live.upper)] -= share;
      }
    }
    double now = 0;
    double most = 0;
    for (double& each : load) {
      each = now += each;
      most = std::max(most, each);
    }
    const auto capacity = static_cast<double>(problem.memories[m].capacity);
    const double whole = problem.memories[m].capacity < unbounded ? capacity : most;
    if (whole <= 0) continue;
    for (std::size_t k = 0; k < slices; ++k)
      time.contention[k] = std::max(time.contention[k], load[k] / whole);
  }
  // A buffer crosses every border strictly between its first and its last slice, also between
  // separate lives, because it keeps its place.
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.live.empty()) continue;
    poll();
    lives[time.slice(buffer.live.front().lower) + 1] += 1;
    lives[time.slice(buffer.live.back().upper)] -= 1;
  }
  double alive = 0;
  for (std::size_t k = 0; k < slices; ++k) {
    alive += lives[k];
    time.crossed[k] = alive > 0.5 ? 1 : 0;
  }
  return time;
}

std::vector<double> most_of_buffers(const PlacementProblem& problem, const Timeline& time,
                                    Poll& poll) {
  std::vector<double> most(problem.buffers.size(), 0);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    for (const StepRange& live : problem.buffers[b].live) {
      const std::size_t end = time.slice(live.upper);
      for (std::size_t k = time.slice(live.lower); k < end; ++k) {
        poll();
        most[b] = std::max(most[b], time.contention[k]);
      }
    }
  return most;
}

std::vector<std::uint32_t> phases_of(const PlacementProblem& problem, const Timeline& time,
                                     Poll& poll) {
  const std::size_t slices = time.contention.size();
  std::vector<std::uint32_t> island(slices, 0);  // time ranges that no buffer crosses
  for (std::size_t k = 1; k < slices; ++k)
    island[k] = island[k - 1] + (time.crossed[k] != 0 ? 0U : 1U);
  std::vector<std::uint32_t> phase(problem.buffers.size(), no_phase);
  struct Found {
    std::uint32_t island;
    std::uint32_t order;  // order of discovery
  };
  std::vector<Found> found;
  std::vector<std::uint32_t> range(slices);
  for (int t = thresholds; t >= 0; --t) {
    const double threshold = static_cast<double>(t) / thresholds;
    // The phase that each slice would begin: none below the threshold.
    std::uint32_t next = static_cast<std::uint32_t>(found.size());
    for (std::size_t k = 0; k < slices; ++k) {
      poll();
      range[k] = no_phase;
      if (time.contention[k] < threshold) continue;
      const bool goes_on = k > 0 && range[k - 1] != no_phase && island[k] == island[k - 1];
      if (!goes_on) {
        found.push_back({island[k], next});
        ++next;
      }
      range[k] = next - 1;
    }
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
      if (phase[b] != no_phase) continue;
      for (const StepRange& live : problem.buffers[b].live) {
        const std::size_t end = time.slice(live.upper);
        for (std::size_t k = time.slice(live.lower); k < end; ++k) {
          poll();
          phase[b] = std::min(phase[b], range[k]);
        }
      }
    }
  }
  // By island first; empty phases are harmless.
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.island != b.island ? a.island < b.island : a.order < b.order;
  });
  std::vector<std::uint32_t> place(found.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    place[found[k].order] = static_cast<std::uint32_t>(k);
  for (std::uint32_t& each : phase) each = each == no_phase ? 0 : place[each];
  return phase;
}

}  // namespace

Contention contention_of(const PlacementProblem& problem, Poll& poll) {
  const Timeline time = timeline_of(problem, poll);
  return {phases_of(problem, time, poll), most_of_buffers(problem, time, poll)};
}

}  // namespace tessera::search::guided
