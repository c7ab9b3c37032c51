#include "search/placement/boxing/instance.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "facts/free_space.h"
#include "model/derived.h"
#include "model/polled_sort.h"
#include "model/relations.h"
#include "search/placement/boxing/sections.h"

namespace tessera::search::boxing {

namespace {

bool is_simple(const Buffer& buffer) {
  return buffer.gaps.empty() && buffer.live.size() == 1;
}

/// Per buffer: may the bound not count it, because it may share addresses with a coexisting one?
std::vector<bool> exempt_buffers(const PlacementProblem& problem) {
  std::vector<bool> exempt;
  for (const Relation& relation : problem.relations) {
    if (!meaning(relation.kind).lifts_overlap) continue;
    exempt.resize(problem.buffers.size(), false);
    for (const BufferIndex buffer : relation.buffers) exempt[buffer] = true;
  }
  return exempt;
}

/// Sum of sizes per section, each rounded up to `grain`.
std::vector<Size> section_load(const Instance& instance, const std::vector<Fragment>& counted,
                               Size grain) {
  std::vector<Size> load(static_cast<std::size_t>(instance.sections) + 1, 0);
  for (const Fragment& fragment : counted) {
    const Size size = align_up(fragment.range.size(), grain);
    load[static_cast<std::size_t>(fragment.lower)] += size;
    load[static_cast<std::size_t>(fragment.upper)] -= size;
  }
  std::partial_sum(load.begin(), load.end(), load.begin());
  load.pop_back();
  return load;
}

/// If every offset is a multiple of `grain`, only the topmost job of a section is not rounded up to
/// the next multiple.
Size aligned_bound(const Instance& instance, std::vector<Fragment> counted, Size grain) {
  const std::vector<Size> padded = section_load(instance, counted, grain);
  std::sort(counted.begin(), counted.end(),
            [](const Fragment& a, const Fragment& b) { return a.lower < b.lower; });
  std::priority_queue<std::pair<Size, Section>> rests;  // (rest, upper) of the live jobs
  Size bound = 0;
  std::size_t next = 0;
  for (Section s = 0; s < instance.sections; ++s) {
    for (; next < counted.size() && counted[next].lower == s; ++next) {
      const Size size = counted[next].range.size();
      rests.emplace(align_up(size, grain) - size, counted[next].upper);
    }
    while (!rests.empty() && rests.top().second <= s) rests.pop();
    const Size rest = rests.empty() ? 0 : rests.top().first;
    bound = std::max(bound, padded[static_cast<std::size_t>(s)] - rest);
  }
  return bound;
}

void set_bounds(Instance& instance, const std::vector<Fragment>& everything,
                const std::vector<Fragment>& counted) {
  instance.load = section_load(instance, everything, 1);
  if (instance.load.empty()) return;
  instance.peak = static_cast<Section>(
      std::max_element(instance.load.begin(), instance.load.end()) - instance.load.begin());
  const std::vector<Size> sure = section_load(instance, counted, 1);
  Size bound = *std::max_element(sure.begin(), sure.end());
  // Windows of gaps and fixed offsets need not be aligned, so they are not padded.
  if (instance.common_alignment > 1 && !instance.fragmented && instance.fixed.empty())
    bound = std::max(bound, aligned_bound(instance, counted, instance.common_alignment));
  bound = facts::least_height(instance.reserved, bound);
  for (const Job& job : instance.jobs)
    bound = std::max(bound, next_legal(instance, job, 0) + job.size);
  instance.lower_bound = std::max(bound, instance.floor);
}

Sections sections_of(const PlacementProblem& problem, std::span<const BufferIndex> buffers,
                     Poll& poll) {
  Sections sections;
  for (const BufferIndex b : buffers) {
    const Buffer& buffer = problem.buffers[b];
    poll();
    if (is_simple(buffer))
      sections.add(buffer.live.front());
    else
      for (const Segment& segment : segments(buffer)) sections.add(segment.steps);
  }
  sections.close(poll);
  return sections;
}

/// The fragments of the buffer at offset 0.
void find_fragments(const Buffer& buffer, const Sections& sections, std::vector<Fragment>& own) {
  own.clear();
  if (is_simple(buffer)) {
    own.push_back({sections.lower(buffer.live.front().lower),
                   sections.upper(buffer.live.front().upper),
                   {0, buffer.size}});
  } else {
    for (const Segment& segment : segments(buffer))
      own.push_back({sections.lower(segment.steps.lower), sections.upper(segment.steps.upper),
                     segment.range});
  }
}

void add_fixed(Instance& instance, BufferIndex b, const Buffer& buffer,
               const std::vector<Fragment>& own) {
  instance.fixed.emplace_back(b, *buffer.offset);
  instance.floor = std::max(instance.floor, *buffer.offset + buffer.size);
  for (const Fragment& fragment : own)
    instance.obstacles.push_back(
        {fragment.lower, fragment.upper, fragment.range.at(*buffer.offset)});
}

/// The job of a movable buffer. Fragments that differ from the whole job go to the instance.
Job make_job(Instance& instance, const Buffer& buffer, const Memory& memory,
             const std::vector<Fragment>& own) {
  Job job;
  job.size = buffer.size;
  job.alignment = effective_alignment(buffer, memory);
  if (buffer.window) {
    // A window that ends at or beyond the capacity adds no constraint.
    job.low = buffer.window->begin;
    if (buffer.window->end < memory.capacity) job.high = buffer.window->end;
    instance.constrained = instance.constrained || job.low > 0 || job.high < unbounded;
  }
  // A buffer without any occupied step still has an offset, but no conflicts.
  if (!own.empty()) {
    job.lower = own.front().lower;
    job.upper = own.front().upper;
    for (const Fragment& fragment : own) {
      job.lower = std::min(job.lower, fragment.lower);
      job.upper = std::max(job.upper, fragment.upper);
    }
  } else {
    job.upper = 1;
  }
  if (own.size() != 1 || own.front().range.size() != buffer.size) {
    job.first_fragment = static_cast<std::uint32_t>(instance.fragments.size());
    job.fragment_count = static_cast<std::uint32_t>(own.size());
    instance.fragments.insert(instance.fragments.end(), own.begin(), own.end());
    instance.fragmented = true;
  }
  return job;
}

struct Entry {
  Job job;
  BufferIndex source = 0;
};

/// The jobs in order of birth.
void add_jobs(Instance& instance, std::vector<Entry> entries, Poll& poll) {
  sort_polled(
      entries,
      [](const Entry& a, const Entry& b) {
        return std::tuple(a.job.lower, a.job.upper, a.source) <
               std::tuple(b.job.lower, b.job.upper, b.source);
      },
      poll);
  Size common = 0;
  for (const Entry& entry : entries) {
    instance.jobs.push_back(entry.job);
    instance.source.push_back(entry.source);
    common = std::gcd(common, entry.job.alignment);
  }
  instance.common_alignment = std::max<Size>(common, 1);
}

void add_memory(Instance& instance, const Memory& memory) {
  instance.reserved = facts::merged(memory.reserved);
  if (!memory.straddle) {
    for (const AddressRange& bank : bank_ranges(memory))
      if (bank.begin > 0) instance.borders.push_back(bank.begin);
  }
  instance.constrained = instance.constrained || !instance.obstacles.empty() ||
                         !instance.reserved.empty() || !instance.borders.empty();
}

}  // namespace

Offset next_legal(const Instance& instance, const Job& job, Offset offset) {
  offset = align_up(std::max(offset, job.low), job.alignment);
  if (instance.borders.empty() && instance.reserved.empty()) return offset;
  while (true) {
    const Offset before = offset;
    // The first reserved range that ends above the offset, and the first border above it: a job
    // that meets one of them moves up to its end.
    const auto range = std::upper_bound(instance.reserved.begin(), instance.reserved.end(), offset,
                                        [](Offset o, const AddressRange& r) { return o < r.end; });
    if (range != instance.reserved.end() && range->begin < offset + job.size)
      offset = align_up(range->end, job.alignment);
    const auto border = std::upper_bound(instance.borders.begin(), instance.borders.end(), offset);
    if (border != instance.borders.end() && *border < offset + job.size)
      offset = align_up(*border, job.alignment);
    if (offset == before) return offset;
  }
}

Instance make_instance(const PlacementProblem& problem, MemoryIndex memory_index,
                       std::span<const BufferIndex> buffers, Poll* asked) {
  Poll never;
  Poll& poll = asked != nullptr ? *asked : never;
  const Memory& memory = problem.memories[memory_index];
  const Sections sections = sections_of(problem, buffers, poll);
  Instance instance;
  instance.sections = sections.count();

  const std::vector<bool> exempt = exempt_buffers(problem);
  std::vector<Fragment> everything;
  std::vector<Fragment> counted;
  std::vector<Fragment> own;
  std::vector<Entry> entries;
  everything.reserve(buffers.size());
  counted.reserve(buffers.size());
  entries.reserve(buffers.size());
  for (const BufferIndex b : buffers) {
    const Buffer& buffer = problem.buffers[b];
    poll();
    find_fragments(buffer, sections, own);
    everything.insert(everything.end(), own.begin(), own.end());
    if (exempt.empty() || !exempt[b]) counted.insert(counted.end(), own.begin(), own.end());
    if (buffer.offset)
      add_fixed(instance, b, buffer, own);
    else
      entries.push_back({make_job(instance, buffer, memory, own), b});
  }
  if (instance.sections == 0 && !entries.empty()) instance.sections = 1;
  add_jobs(instance, std::move(entries), poll);
  add_memory(instance, memory);
  poll.check();
  set_bounds(instance, everything, counted);
  return instance;
}

Instance subset(const Instance& whole, std::span<const JobIndex> chosen) {
  Instance part;
  part.reserved = whole.reserved;
  part.borders = whole.borders;
  part.common_alignment = whole.common_alignment;
  Sections sections;
  const auto add = [&](const auto& range) { sections.add({range.lower, range.upper}); };
  const auto rename = [&](auto& range) {
    range.lower = sections.lower(range.lower);
    range.upper = sections.upper(range.upper);
  };
  for (const JobIndex j : chosen) {
    const Job& job = whole.jobs[static_cast<std::size_t>(j)];
    part.jobs.push_back(job);
    part.source.push_back(whole.source[static_cast<std::size_t>(j)]);
    add(job);
    part.jobs.back().first_fragment = static_cast<std::uint32_t>(part.fragments.size());
    for (const Fragment& fragment : whole.fragments_of(job)) {
      add(fragment);
      part.fragments.push_back(fragment);
    }
    part.fragmented = part.fragmented || job.fragment_count > 0;
    part.constrained = part.constrained || job.low > 0 || job.high < unbounded;
  }
  part.obstacles = whole.obstacles;
  for (const Obstacle& obstacle : part.obstacles) add(obstacle);
  Poll never;  // a subset is small
  sections.close(never);
  part.sections = sections.count();
  for (Job& job : part.jobs) rename(job);
  for (Fragment& fragment : part.fragments) rename(fragment);
  for (Obstacle& obstacle : part.obstacles) rename(obstacle);
  std::vector<Fragment> taken = part.fragments;
  for (const Job& job : part.jobs)
    if (job.fragment_count == 0) taken.push_back({job.lower, job.upper, {0, job.size}});
  for (const Obstacle& obstacle : part.obstacles)
    taken.push_back({obstacle.lower, obstacle.upper, obstacle.range});
  part.load = section_load(part, taken, 1);
  part.constrained = part.constrained || !part.obstacles.empty() || !part.reserved.empty() ||
                     !part.borders.empty();
  if (part.load.empty()) return part;
  part.peak = static_cast<Section>(std::max_element(part.load.begin(), part.load.end()) -
                                   part.load.begin());
  part.lower_bound = part.load[static_cast<std::size_t>(part.peak)];
  return part;
}

Size height_of(const Instance& instance, std::span<const Offset> offsets) {
  Size height = instance.floor;
  for (std::size_t j = 0; j < offsets.size(); ++j)
    height = std::max(height, offsets[j] + instance.jobs[j].size);
  return height;
}

std::vector<Size> contention(const Instance& instance) {
  // A sparse table of range maxima would need n log n words; a segment tree needs 2n.
  const std::size_t base = std::bit_ceil(std::max<std::size_t>(instance.load.size(), 1));
  std::vector<Size> tree(2 * base, 0);
  std::copy(instance.load.begin(), instance.load.end(),
            tree.begin() + static_cast<std::ptrdiff_t>(base));
  for (std::size_t node = base - 1; node > 0; --node)
    tree[node] = std::max(tree[2 * node], tree[2 * node + 1]);
  std::vector<Size> result;
  result.reserve(instance.jobs.size());
  for (const Job& job : instance.jobs) {
    Size most = 0;
    std::size_t l = base + static_cast<std::size_t>(job.lower);
    std::size_t u = base + static_cast<std::size_t>(job.upper);
    for (; l < u; l /= 2, u /= 2) {
      if (l % 2 == 1) most = std::max(most, tree[l++]);
      if (u % 2 == 1) most = std::max(most, tree[--u]);
    }
    result.push_back(most);
  }
  return result;
}

}  // namespace tessera::search::boxing
