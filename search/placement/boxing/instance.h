// One memory as jobs over time sections.
//
//   Instance instance = make_instance(problem, 0, buffers_of_memory_0);
//   for (const Job& job : instance.jobs) draw(job.lower, job.upper, job.size);
//
// Time is cut into sections: a section ends where a birth follows a death, so that two buffers
// coexist exactly if they share a section, and every section is a maximal set of coexisting
// buffers (there are at most as many sections as buffers). "Job" is the word of the papers for a
// buffer; jobs are hulls in time, with fragments where a buffer has gaps or several live intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search::boxing {

using Section = std::int32_t;
using JobIndex = std::int32_t;

/// What a job occupies during some of its sections, relative to its offset.
struct Fragment {
  Section lower = 0;
  Section upper = 0;
  AddressRange range;
};

struct Job {
  Section lower = 0;  ///< the hull in time, half-open, never empty
  Section upper = 0;
  Size size = 0;
  Size alignment = 1;                ///< effective
  Offset low = 0;                    ///< its window
  Offset high = unbounded;           ///< its window's end
  std::uint32_t first_fragment = 0;  ///< in Instance::fragments
  std::uint32_t fragment_count = 0;  ///< 0: one fragment, the whole job
};

/// A range of addresses that a fixed buffer uses during some sections.
struct Obstacle {
  Section lower = 0;
  Section upper = 0;
  AddressRange range;
};

struct Instance {
  std::vector<Job> jobs;  ///< those that can move, ordered by (lower, upper)
  std::vector<Fragment> fragments;
  std::vector<Obstacle> obstacles;
  std::vector<AddressRange> reserved;  ///< nobody may touch these; sorted, apart
  std::vector<Offset> borders;         ///< inner bank borders that must not be straddled, sorted
  std::vector<BufferIndex> source;     ///< the buffer of each job
  std::vector<std::pair<BufferIndex, Offset>> fixed;  ///< buffers with an offset of their own
  Section sections = 0;
  std::vector<Size> load;     ///< per section: sum of what occupies it, fixed ones included
  Section peak = 0;           ///< the first section with the largest load
  Size floor = 0;             ///< no height is below the end of the highest fixed buffer
  Size lower_bound = 0;       ///< proved; at least the largest load
  bool constrained = false;   ///< obstacles, reserved ranges, borders or windows
  bool fragmented = false;    ///< some job has fragments
  Size common_alignment = 1;  ///< every job's alignment is a multiple

  [[nodiscard]] std::span<const Fragment> fragments_of(const Job& job) const {
    return {fragments.data() + job.first_fragment, job.fragment_count};
  }
};

/// The instance of these buffers in this memory.
/// require: validate(problem) is empty; may_overlap and the like are ignored for the conflicts, and
/// buffers in such relations are left out of the lower bound. Throws BudgetEnded where there is a
/// poll.
[[nodiscard]] Instance make_instance(const PlacementProblem& problem, MemoryIndex memory,
                                     std::span<const BufferIndex> buffers, Poll* poll = nullptr);

/// Some of the jobs (ascending) on their own, with all obstacles; sections are numbered anew. The
/// bound is only the largest load, and `fixed` and `floor` stay behind.
[[nodiscard]] Instance subset(const Instance& whole, std::span<const JobIndex> chosen);

/// The lowest legal offset of the job at or above `offset` as far as alignment, the begin of its
/// window, reserved ranges and bank borders are concerned.
[[nodiscard]] Offset next_legal(const Instance& instance, const Job& job, Offset offset);

/// The largest end of a job, and the fixed buffers' ends.
[[nodiscard]] Size height_of(const Instance& instance, std::span<const Offset> offsets);

/// For every section range of a job in turn: the largest load of its sections.
[[nodiscard]] std::vector<Size> contention(const Instance& instance);

}  // namespace tessera::search::boxing
