// Each phase on its own: sections, colouring, stacking, occupancy and first fit, boxing and
// unboxing, ruin and recreate, focus on the peak.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "search/placement/boxing/boxing.h"
#include "search/placement/boxing/colouring.h"
#include "search/placement/boxing/completion.h"
#include "search/placement/boxing/first_fit.h"
#include "search/placement/boxing/improve.h"
#include "search/placement/boxing/orders.h"
#include "search/placement/boxing/peak.h"
#include "search/placement/boxing/stacking.h"
#include "search/placement/boxing/theorem2.h"
#include "search/placement/boxing/unboxing.h"
#include "search/placement/canonical.h"
#include "tests/unit/search/boxing/support.h"

namespace tessera::testing {
namespace {

using namespace tessera::search::boxing;
// tests/support has a Random of its own.
using SearchRandom = tessera::Random;

TEST(Sections, CoexistenceIsSharingASection) {
  const PlacementProblem problem = random_trace(1, 200, 6);
  const Instance instance = instance_of(problem);
  ASSERT_EQ(instance.jobs.size(), 200U);
  EXPECT_LE(instance.sections, 200);
  for (std::size_t a = 0; a < instance.jobs.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Job& x = instance.jobs[a];
      const Job& y = instance.jobs[b];
      const bool share = x.lower < y.upper && y.lower < x.upper;
      EXPECT_EQ(share, overlaps(problem.buffers[instance.source[a]].live.front(),
                                problem.buffers[instance.source[b]].live.front()));
    }
  }
}

TEST(Sections, BoundCountsAlignmentReservedAndFixed) {
  // Two aligned buffers at once: the lower one pays for its rest, the upper one does not.
  PlacementProblem problem = problem_of({{.live = {{0, 2}}, .size = 5, .alignment = 8},
                                         {.live = {{1, 3}}, .size = 6, .alignment = 8}});
  EXPECT_EQ(instance_of(problem).lower_bound, 8 + 5);
  problem.memories[0].reserved = {{2, 7}};
  EXPECT_EQ(instance_of(problem).lower_bound, 13 + 5);
  problem.buffers[0].offset = 96;
  EXPECT_EQ(instance_of(problem).lower_bound, 101);
  // Exempt pairs may lie on each other, so they do not count.
  problem.buffers[0].offset.reset();
  problem.memories[0].reserved.clear();
  problem.relations.push_back({.kind = RelationKind::may_overlap, .buffers = {0, 1}});
  EXPECT_EQ(instance_of(problem).lower_bound, 6);
}

TEST(Sections, SubsetKeepsTimes) {
  const Instance whole = instance_of(random_trace(2, 300, 10));
  std::vector<JobIndex> chosen;
  for (JobIndex j = 0; j < 300; j += 3) chosen.push_back(j);
  const Instance part = subset(whole, chosen);
  ASSERT_EQ(part.jobs.size(), chosen.size());
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Job& x = whole.jobs[static_cast<std::size_t>(chosen[a])];
      const Job& y = whole.jobs[static_cast<std::size_t>(chosen[b])];
      EXPECT_EQ(x.lower < y.upper && y.lower < x.upper,
                part.jobs[a].lower < part.jobs[b].upper && part.jobs[b].lower < part.jobs[a].upper);
    }
  }
}

TEST(Colouring, UsesAsManyRowsAsOverlap) {
  const Instance instance = instance_of(random_trace(3, 500, 9));
  std::vector<Interval> intervals;
  for (const Job& job : instance.jobs) intervals.push_back({job.lower, job.upper});
  std::vector<Row> row_of;
  const Row rows = Colouring().colour(intervals, row_of);
  std::vector<int> live(static_cast<std::size_t>(instance.sections), 0);
  for (const Interval& i : intervals)
    for (Section s = i.lower; s < i.upper; ++s) ++live[static_cast<std::size_t>(s)];
  EXPECT_EQ(rows, *std::max_element(live.begin(), live.end()));
  for (std::size_t a = 0; a < intervals.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (row_of[a] == row_of[b]) {
        EXPECT_TRUE(intervals[a].upper <= intervals[b].lower ||
                    intervals[b].upper <= intervals[a].lower);
      }
    }
  }
}

TEST(Stacking, PlacementsAreRightAndHeightsTrue) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PlacementProblem problem = random_trace(seed, 400, 12);
    if (seed % 2 == 1)
      for (Buffer& buffer : problem.buffers) buffer.alignment = 1 + static_cast<Size>(seed);
    const Instance instance = instance_of(problem);
    Stacker stacker(instance);
    const Orders orders(instance);
    SearchRandom random(seed);
    std::vector<float> keys;
    std::vector<Offset> offsets;
    for (int round = 0; round < 10; ++round) {
      orders.draw(recipe(round, random), random, keys);
      const Size height = stacker.stack(keys, no_height, {}, offsets);
      EXPECT_EQ(height, height_of(instance, offsets));
      EXPECT_EQ(wrong(problem, placement_of(problem, instance, offsets)), "");
      // The limit is exact: at the height it goes through, below it stops.
      std::vector<Offset> again;
      EXPECT_EQ(stacker.stack(keys, height, {}, again), height);
      EXPECT_EQ(again, offsets);
      EXPECT_EQ(stacker.stack(keys, height - 1, {}, again), no_height);
    }
  }
}

TEST(Stacking, SqueezingCannotHelpIt) {
  // Nothing fits below a segment that was raised: first fit in increasing offset moves nobody down.
  const Instance instance = instance_of(random_trace(11, 600, 15));
  Stacker stacker(instance);
  FirstFit fit(instance);
  SearchRandom random(1);
  std::vector<float> keys;
  std::vector<Offset> offsets;
  std::vector<Offset> squeezed;
  Orders(instance).draw({}, random, keys);
  const Size height = stacker.stack(keys, no_height, {}, offsets);
  EXPECT_EQ(fit.place(by_offset(offsets), no_height, {}, squeezed), height);
}

/// First fit, word for word.
Offset lowest_by_pairs(const Instance& instance, const std::vector<Offset>& offsets,
                       const std::vector<JobIndex>& placed, const Job& job) {
  for (Offset o = next_legal(instance, job, 0);; o = next_legal(instance, job, o + 1)) {
    bool free = true;
    for (const JobIndex k : placed) {
      const Job& other = instance.jobs[static_cast<std::size_t>(k)];
      const Offset at = offsets[static_cast<std::size_t>(k)];
      if (other.lower < job.upper && job.lower < other.upper && at < o + job.size &&
          o < at + other.size)
        free = false;
    }
    if (free) return o;
  }
}

/// Sections by the thousand, so that the tree has many leaves, and one moment with a thousand
/// births.
PlacementProblem long_trace(std::uint64_t seed) {
  Random random(seed);
  PlacementProblem problem = random_trace(seed, 1500, seed % 2 == 0 ? 10 : 200, 40);
  for (int k = 0; k < 1000; ++k) {
    Buffer buffer;
    buffer.live = {{700, 701 + random.between(0, k % 9 == 0 ? 400 : 3)}};
    buffer.size = random.between(1, 9);
    problem.buffers.push_back(buffer);
  }
  problem = problem_of(std::move(problem.buffers));
  for (std::size_t b = 0; b < problem.buffers.size(); b += 7) {
    Buffer& buffer = problem.buffers[b];
    const StepRange live = buffer.live.front();
    if (live.upper - live.lower < 3) continue;
    if (b % 2 == 0) buffer.live = {{live.lower, live.lower + 1}, {live.upper - 1, live.upper}};
    if (b % 5 == 0) buffer.offset = random.between(0, 400);
  }
  return problem;
}

TEST(Occupancy, HoldsWhatWasAddedAndForgetsIt) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const PlacementProblem problem = long_trace(seed);
    const Instance instance = instance_of(problem);
    ASSERT_GT(instance.sections, 500);
    Occupancy occupancy(instance);
    Random random(seed + 100);
    for (int round = 0; round < 2; ++round) {
      struct Taken {
        Section lower, upper;
        AddressRange range;
      };
      std::vector<Taken> taken;
      occupancy.clear();
      for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
        const Job& job = instance.jobs[k];
        const Offset at = random.between(0, 3000);
        taken.push_back({job.lower, job.upper, {at, at + job.size}});
        occupancy.add(job.lower, job.upper, taken.back().range);
        if (k % 25 != 0) continue;
        const auto lower = static_cast<Section>(random.between(0, instance.sections - 1));
        const auto upper = static_cast<Section>(random.between(
            lower + 1, k % 2 == 0 ? std::min(lower + 4, instance.sections) : instance.sections));
        std::vector<bool> expected(3100), found(3100);
        for (const Taken& t : taken)
          if (t.lower < upper && lower < t.upper)
            std::fill(expected.begin() + t.range.begin, expected.begin() + t.range.end, true);
        Occupancy::Sets sets;
        occupancy.collect(lower, upper, sets);
        for (const Occupancy::Ranges* set : sets.all) {
          Offset before = -1;
          for (const AddressRange& range : *set) {
            EXPECT_LT(before, range.begin);  // sorted, apart
            std::fill(found.begin() + range.begin, found.begin() + range.end, true);
            before = range.end;
          }
        }
        ASSERT_EQ(found, expected) << "seed " << seed << ", [" << lower << ", " << upper << ")";
      }
    }
  }
}

TEST(FirstFit, FindsTheLowestHole) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    PlacementProblem problem = random_trace(seed, 120, 8, 12);
    if (seed % 3 == 1) problem.memories[0].reserved = {{5, 9}, {30, 31}};
    if (seed % 3 == 2)
      for (Buffer& buffer : problem.buffers) buffer.alignment = 4;
    const Instance instance = instance_of(problem);
    Random random(seed);
    std::vector<JobIndex> order;
    for (JobIndex j = 0; j < 120; ++j) order.push_back(j);
    random.shuffle(order);
    FirstFit fit(instance);
    std::vector<Offset> offsets(120);
    std::vector<JobIndex> placed;
    for (const JobIndex j : order) {
      const Job& job = instance.jobs[static_cast<std::size_t>(j)];
      const Offset offset = fit.lowest(job, no_height);
      ASSERT_EQ(offset, lowest_by_pairs(instance, offsets, placed, job)) << "seed " << seed;
      fit.add(job, offset);
      offsets[static_cast<std::size_t>(j)] = offset;
      placed.push_back(j);
    }
    EXPECT_EQ(wrong(problem, placement_of(problem, instance, offsets)), "");
  }
}

TEST(FirstFit, StopsAtTheLimit) {
  const Instance instance = instance_of(random_trace(5, 200, 10));
  FirstFit fit(instance);
  std::vector<Offset> offsets;
  const std::vector<JobIndex> order = by_offset(std::vector<Offset>(200, 0));
  const Size height = fit.place(order, no_height, {}, offsets);
  EXPECT_EQ(fit.place(order, height, {}, offsets), height);
  EXPECT_EQ(fit.place(order, height - 1, {}, offsets), no_height);
}

TEST(Theorem2, GroupsEveryJobOnceInAsManyRowsAsAllowed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Instance instance = instance_of(random_trace(seed, 700, 60));
    std::vector<Item> items;
    std::vector<std::int32_t> members;
    for (const Job& job : instance.jobs) {
      members.push_back(static_cast<std::int32_t>(items.size()));
      items.push_back({job.lower, job.upper, 1, 0, 0});
    }
    SearchRandom random(seed);
    Groups groups;
    const std::int64_t rows = 1 + static_cast<std::int64_t>(seed % 5);
    Theorem2 theorem2(items);
    ASSERT_TRUE(theorem2.box(members, {.rows = rows, .epsilon = 0.6}, {}, random, groups));
    std::vector<std::int32_t> seen = groups.members;
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, members);
    std::size_t begin = 0;
    for (const std::size_t end : groups.ends) {
      std::vector<Interval> inside;
      for (; begin < end; ++begin) {
        const Item& item = items[static_cast<std::size_t>(groups.members[begin])];
        inside.push_back({item.lower, item.upper});
      }
      std::vector<Row> row_of;
      EXPECT_LE(Colouring().colour(inside, row_of), rows);
    }
    EXPECT_EQ(begin, groups.members.size());
  }
}

TEST(Boxing, BoxesHoldTheirContentsAndEndInOneSize) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    // Narrow ranges of sizes need the dummy job, wide ones do not.
    PlacementProblem problem = random_trace(seed, 800, 40, 1000);
    problem.buffers[0].size = seed % 2 == 0 ? 1000 : 5000;
    problem.buffers[1].size = 1;
    const Instance instance = instance_of(problem);
    SearchRandom random(seed);
    const EpsilonRange range = epsilon_range(instance);
    EXPECT_EQ(range.dummy > 0, seed % 2 == 0);
    EXPECT_LT(range.low, range.high);
    const double epsilon = best_epsilon(instance, range, {}, random);
    const auto boxes = box_jobs(instance, {epsilon, range.dummy, {}}, random);
    ASSERT_TRUE(boxes);
    std::vector<int> seen(boxes->items.size(), 0);
    for (const std::int32_t k : boxes->contents) ++seen[static_cast<std::size_t>(k)];
    for (const std::int32_t k : boxes->roots) ++seen[static_cast<std::size_t>(k)];
    EXPECT_EQ(std::set<int>(seen.begin(), seen.end()), std::set<int>{1});
    for (const std::int32_t k : boxes->roots)
      EXPECT_EQ(boxes->items[static_cast<std::size_t>(k)].size,
                boxes->items[static_cast<std::size_t>(boxes->roots.front())].size);
    for (const Item& box : boxes->items) {
      std::vector<Interval> inside;
      Size highest = 0;
      for (std::int32_t c = box.first; c < box.first + box.count; ++c) {
        const Item& item =
            boxes->items[static_cast<std::size_t>(boxes->contents[static_cast<std::size_t>(c)])];
        EXPECT_LE(box.lower, item.lower);
        EXPECT_GE(box.upper, item.upper);
        inside.push_back({item.lower, item.upper});
        highest = std::max(highest, item.size);
      }
      std::vector<Row> row_of;
      EXPECT_LE(Colouring().colour(inside, row_of) * highest, box.size);
    }
    // Unboxed, nobody meets anybody; squeezed, it is no higher.
    const std::vector<Offset> loose = unbox(instance, *boxes);
    EXPECT_EQ(wrong(problem, placement_of(problem, instance, loose)), "");
    FirstFit fit(instance);
    std::vector<Offset> squeezed;
    EXPECT_LE(fit.place(by_offset(loose), no_height, {}, squeezed), height_of(instance, loose));
    EXPECT_EQ(wrong(problem, placement_of(problem, instance, squeezed)), "");
  }
}

TEST(Boxing, TheRatioIsWhereTheRangeOpens) {
  // Just below 2216.54 the range needs the dummy, just above it does not.
  for (const Size most : {2216, 2217}) {
    const PlacementProblem problem =
        problem_of({{.live = {{0, 2}}, .size = 1}, {.live = {{1, 3}}, .size = most}});
    const EpsilonRange range = epsilon_range(instance_of(problem));
    EXPECT_EQ(range.dummy, most == 2216 ? 2217 : 0);
    EXPECT_LT(range.low, range.high);
    EXPECT_NEAR(range.low, range.high, 0.01 * range.high);
  }
}

TEST(Improve, LowersAndNeverBreaks) {
  int lowered = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PlacementProblem problem = random_trace(seed, 200, 10);
    if (seed % 2 == 1) problem.memories[0].reserved = {{100, 164}};
    const Instance instance = instance_of(problem);
    FirstFit fit(instance);
    std::vector<Offset> offsets;
    const Size before = fit.place(by_offset(std::vector<Offset>(200, 0)), no_height, {}, offsets);
    SearchRandom random(seed);
    const Size after =
        Improver(instance).run(offsets, {.target = instance.lower_bound, .steps = 500}, random);
    EXPECT_LE(after, before);
    EXPECT_EQ(after, height_of(instance, offsets));
    EXPECT_EQ(wrong(problem, placement_of(problem, instance, offsets)), "");
    if (after < before) ++lowered;
  }
  EXPECT_GE(lowered, 15);
}

TEST(Completion, KeepsWhatIsNailed) {
  const PlacementProblem problem = random_trace(21, 300, 10);
  const Instance instance = instance_of(problem);
  FixedJobs fixed_jobs{{4, 90, 200}, {5000, 6000, 7000}};
  std::vector<float> keys(300, 0);
  FirstFit fit(instance);
  const auto offsets = complete(fit, instance, fixed_jobs, keys, no_height, {});
  ASSERT_TRUE(offsets);
  EXPECT_EQ((*offsets)[90], 6000);
  EXPECT_EQ(wrong(problem, placement_of(problem, instance, *offsets)), "");
  EXPECT_FALSE(complete(fit, instance, fixed_jobs, keys, instance.lower_bound - 1, {}));
}

TEST(Peak, FindsOrRefutes) {
  // Sizes 2, 2 and 3, 3 crossing each other: the load is 5, but only 6 is possible.
  const PlacementProblem crossing = problem_of({{.live = {{0, 3}}, .size = 2},
                                                {.live = {{2, 6}}, .size = 3},
                                                {.live = {{5, 9}}, .size = 2},
                                                {.live = {{8, 11}}, .size = 3}});
  const Instance instance = instance_of(crossing);
  const auto engine = search::make_canonical_engine();
  SearchRandom random(1);
  // Five is possible here; a placement of height 8 is brought down to it.
  const std::vector<Offset> bad = {0, 2, 5, 2};
  const PeakResult peak = search_peak(instance, bad, {.target = 5, .engine = engine.get()}, random);
  ASSERT_TRUE(peak.searched);
  EXPECT_FALSE(peak.refuted);
  ASSERT_TRUE(peak.offsets);
  EXPECT_EQ(height_of(instance, *peak.offsets), 5);
  EXPECT_EQ(wrong(crossing, placement_of(crossing, instance, *peak.offsets)), "");
  // A target below the load is refuted.
  const PeakResult refuted =
      search_peak(instance, bad, {.target = 4, .engine = engine.get()}, random);
  EXPECT_TRUE(refuted.searched);
  EXPECT_TRUE(refuted.refuted);
}

}  // namespace
}  // namespace tessera::testing
