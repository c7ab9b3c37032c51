// One memory as jobs over time sections.
//
//   Instance instance = make_instance(problem, 0, buffers_of_memory_0);
//   for (const Job& job : instance.jobs) draw(job.lower, job.upper, job.size);
//
// Time is divided into sections: a section ends where a birth follows a death. Therefore two
// buffers coexist if and only if they share a section, and every section is a maximal set of
// coexisting buffers; there are at most as many sections as buffers. "Job" is the papers' word for
// a buffer. A job is a hull in time, with fragments if the buffer has gaps or several live
// intervals.
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

/// The bytes a job occupies during some of its sections, relative to its offset.
struct Fragment {
  Section lower = 0;
  Section upper = 0;
  AddressRange range;
};

struct Job {
  Section lower = 0;  ///< the hull in time, half-open, not empty
  Section upper = 0;
  Size size = 0;
  Size alignment = 1;                ///< effective alignment
  Offset low = 0;                    ///< begin of its window
  Offset high = unbounded;           ///< end of its window
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
  std::vector<Job> jobs;  ///< the movable jobs, ordered by (lower, upper)
  std::vector<Fragment> fragments;
  std::vector<Obstacle> obstacles;
  std::vector<AddressRange> reserved;  ///< addresses no job may touch; sorted, disjoint
  std::vector<Offset> borders;         ///< inner bank borders that jobs may not straddle, sorted
  std::vector<BufferIndex> source;     ///< the buffer of each job
  std::vector<std::pair<BufferIndex, Offset>> fixed;  ///< buffers with fixed offsets
  Section sections = 0;
  std::vector<Size> load;     ///< per section: the sum of live sizes, including fixed buffers
  Section peak = 0;           ///< the first section with the largest load
  Size floor = 0;             ///< the end of the highest fixed buffer, a lower bound on the height
  Size lower_bound = 0;       ///< proved; at least the largest load
  bool constrained = false;   ///< has obstacles, reserved ranges, borders or windows
  bool fragmented = false;    ///< some job has fragments
  Size common_alignment = 1;  ///< divides every job's alignment

  [[nodiscard]] std::span<const Fragment> fragments_of(const Job& job) const {
    return {fragments.data() + job.first_fragment, job.fragment_count};
  }
};

/// The instance of these buffers in this memory. Relations such as may_overlap are ignored for
/// conflicts, and their buffers are left out of the lower bound. Throws BudgetEnded if there is a
/// poll.
/// require: validate(problem) is empty.
[[nodiscard]] Instance make_instance(const PlacementProblem& problem, MemoryIndex memory,
                                     std::span<const BufferIndex> buffers, Poll* poll = nullptr);

/// The instance of some jobs (ascending) with all obstacles; sections are renumbered. Its bound is
/// the largest load only, without `fixed` and `floor`.
[[nodiscard]] Instance subset(const Instance& whole, std::span<const JobIndex> chosen);

/// The lowest legal offset of the job at or above `offset`, by alignment, begin of its window,
/// reserved ranges and bank borders.
[[nodiscard]] Offset next_legal(const Instance& instance, const Job& job, Offset offset);

/// The largest end of a job or fixed buffer.
[[nodiscard]] Size height_of(const Instance& instance, std::span<const Offset> offsets);

/// Per job, the largest load of its sections.
[[nodiscard]] std::vector<Size> contention(const Instance& instance);

}  // namespace tessera::search::boxing
