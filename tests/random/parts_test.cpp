// Parts of buffers: forbidden differences of offsets byte by byte, and results of engines, against
// brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "agreement.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "model/bands.h"
#include "model/buffer_parts.h"
#include "model/differences.h"
#include "search/learning/engine.h"
#include "search/offchip/shared_objects.h"
#include "search/offchip/taa.h"
#include "search/offchip/weave.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tests/support/brute_force.h"
#include "tests/support/literal_rules.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {
namespace {

std::set<Offset> listed(const Differences& ranges) {
  std::set<Offset> all;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    EXPECT_FALSE(ranges[k].empty());
    if (k > 0) {
      EXPECT_GT(ranges[k].begin, ranges[k - 1].end);
    }
    for (Offset d = ranges[k].begin; d < ranges[k].end; ++d) all.insert(d);
  }
  return all;
}

/// A tile of a tensor of up to four dimensions in row-major order, possibly with a halo.
BufferPart random_tile(Random& random, const std::vector<std::int64_t>& dims, Step steps) {
  BufferPart part;
  const Step lower = random.between(0, steps - 1);
  part.live = {{lower, random.between(lower + 1, steps)}};
  part.size = 1;
  Size stride = 1;
  bool contiguous = true;
  for (const std::int64_t extent : dims) {
    const std::int64_t from = random.chance(50) ? 0 : random.between(0, extent - 1);
    const std::int64_t count =
        random.chance(40) && from == 0 ? extent : random.between(1, extent - from);
    part.offset += from * stride;
    if (contiguous)
      part.size *= count;
    else if (count > 1)
      part.repeat.push_back({count, stride});
    contiguous = contiguous && count == extent;
    stride *= extent;
  }
  return part;
}

Buffer random_tensor(Random& random, Step steps) {
  std::vector<std::int64_t> dims;
  for (std::int64_t k = random.between(1, 4); k > 0; --k) dims.push_back(random.between(1, 4));
  Buffer buffer{.id = "t", .live = {{0, steps}}, .size = 1};
  for (const std::int64_t extent : dims) buffer.size *= extent;
  for (std::int64_t k = random.between(1, 3); k > 0; --k)
    buffer.parts.push_back(random_tile(random, dims, steps));
  return buffer;
}

TEST(RandomParts, ForbidTheDifferencesThatTheirBytesForbid) {
  const RandomRun run = from_environment({1, 8'000});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    const Step steps = random.between(1, 4);
    const Buffer a = random_tensor(random, steps);
    const Buffer b = random.chance(20) ? Buffer{.id = "w", .live = {{0, steps}}, .size = 5}
                                       : random_tensor(random, steps);
    Poll poll;
    std::set<Offset> together;
    for (Step t = 0; t < steps; ++t)
      for (const Offset x : literal::occupied(a, 0, t))
        for (const Offset y : literal::occupied(b, 0, t)) together.insert(x - y);
    ASSERT_EQ(listed(forbidden_differences(a, b, poll)), together);
    std::set<Offset> ever;
    for (const Offset x : literal::used(a, 0))
      for (const Offset y : literal::used(b, 0)) ever.insert(x - y);
    ASSERT_EQ(listed(shared_differences(a, b, poll)), ever);
    std::set<Offset> bytes;
    for (const AddressRange& range : used_bytes(a))
      for (Offset x = range.begin; x < range.end; ++x) bytes.insert(x);
    ASSERT_EQ(bytes, literal::used(a, 0));
    const AddressRange at{random.between(0, 9), random.between(10, 12)};
    std::set<Offset> touching;
    for (const Offset x : literal::used(a, 0))
      for (Offset y = at.begin; y < at.end; ++y) touching.insert(y - x);
    ASSERT_EQ(listed(touching_offsets(a, at, poll)), touching);
  }
}

/// All tiles of a tensor in rows of its planes, with up to two operands of a concatenation, and
/// tiles anywhere in one of four.
Buffer random_planes(Random& random, Step steps) {
  const std::int64_t channels = random.between(2, 5);
  const std::int64_t plane = random.between(1, 8);
  Buffer buffer{.id = "t", .live = {{0, steps}}, .size = channels * plane};
  const std::int64_t cut = random.between(1, channels);
  for (const auto& [from, to] : {std::pair(std::int64_t{0}, cut), std::pair(cut, channels)})
    for (std::int64_t k = from == to ? 0 : random.between(1, 4); k > 0; --k) {
      const Step lower = random.between(0, steps - 1);
      const std::int64_t row = random.between(0, plane - 1);
      buffer.parts.push_back({.live = {{lower, random.between(lower + 1, steps)}},
                              .offset = from * plane + row,
                              .size = random.between(1, plane - row),
                              .repeat = {{to - from, plane}}});
    }
  if (random.chance(25)) buffer.parts.push_back(random_tile(random, {plane, channels}, steps));
  return buffer;
}

TEST(RandomParts, BandsAreTheBytesOfTheParts) {
  const RandomRun run = from_environment({1, 6'000});
  std::size_t repeated = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    const Step steps = random.between(1, 5);
    const Buffer a =
        random.chance(70) ? random_planes(random, steps) : random_tensor(random, steps);
    Buffer expanded{.id = "e", .live = a.live, .size = a.size};
    for (const Band& band : bands(a.parts))
      for (std::int64_t k = 0; k < band.copies; ++k)
        for (BufferPart part : band.parts) {
          repeated += k > 0 ? 1 : 0;
          part.offset += band.offset + k * band.stride;
          expanded.parts.push_back(std::move(part));
        }
    const std::vector<Load> sums = loads(a);
    for (Step t = 0; t < steps; ++t) {
      const std::set<Offset> now = literal::occupied(a, 0, t);
      ASSERT_EQ(literal::occupied(expanded, 0, t), now);
      const auto load = std::find_if(sums.begin(), sums.end(),
                                     [t](const Load& each) { return each.steps.contains(t); });
      ASSERT_EQ(load != sums.end(), !now.empty());
      if (now.empty()) continue;
      ASSERT_EQ(load->bytes, std::ssize(now));
      ASSERT_EQ(load->range, (AddressRange{*now.begin(), *now.rbegin() + 1}));
    }
    ASSERT_EQ(used_size(a), std::ssize(literal::used(a, 0)));
    ASSERT_GE(part_segment_count(a), std::ssize(segments(a)));
  }
  EXPECT_GT(repeated, run.count);
}

TEST(RandomParts, TheCheckerComparesEveryCopy) {
  const RandomRun run = from_environment({1, 6'000});
  std::size_t right = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    const Step steps = random.between(1, 4);
    const Buffer a = random_planes(random, steps);
    Buffer b = random.chance(70) ? random_planes(random, steps) : random_tensor(random, steps);
    b.id = "u";
    PlacementProblem problem;
    problem.memories.push_back({.name = "m", .capacity = 1'000});
    problem.buffers = {a, b};
    const Placement placement{
        .places = {{0, random.between(0, b.size)}, {0, random.between(0, a.size)}}, .modes = {{}}};
    const bool keeps = keeps_every_rule(problem, placement);
    right += keeps ? 1 : 0;
    const std::vector<Violation> found = check(problem, placement);
    ASSERT_EQ(found.empty(), keeps) << to_yaml(problem) << to_text(problem, placement);
    if (keeps) continue;
    const Step step = *found.front().step;
    std::set<Offset> shared;
    const std::set<Offset> of_b = literal::occupied(b, placement.places[1].offset, step);
    for (const Offset x : literal::occupied(a, placement.places[0].offset, step))
      if (of_b.contains(x)) shared.insert(x);
    bool named = false;
    for (const Offset x : shared)
      named =
          named || found.front().message.find('[' + std::to_string(x) + ", ") != std::string::npos;
    ASSERT_TRUE(named) << found.front().message << to_yaml(problem);
  }
  EXPECT_GT(right, run.count / 8);
  EXPECT_LT(right, run.count * 7 / 8);
}

TEST(RandomParts, TheCheckerKeepsToTheWordsOfTheRules) {
  const RandomRun run = from_environment({1, 3'000});
  std::size_t right = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    Random random(seed);
    Features features = Features::all_with_parts();
    features.modes = features.modes_per_bank = false;
    const PlacementProblem problem = random_problem(random, features);
    const auto answer = brute_force(problem);
    for (int k = 0; k < 8; ++k) {
      Placement placement;
      placement.modes.resize(problem.memories.size());
      for (const Buffer& buffer : problem.buffers) {
        const MemoryIndex m = buffer.memories.empty() ? random.below(problem.memories.size())
                                                      : random.pick(buffer.memories);
        const Size room = std::max<Size>(0, problem.memories[m].capacity - buffer.size);
        placement.places.push_back({m, random.between(0, room)});
      }
      if (answer && k < 4) {  // one that is nearly valid
        placement = answer->placement;
        const BufferIndex b = random.below(problem.buffers.size());
        placement.places[b].offset = std::max<Offset>(0, placement.places[b].offset + k - 1);
      }
      const bool keeps = keeps_every_rule(problem, placement);
      right += keeps ? 1 : 0;
      ASSERT_EQ(check(problem, placement).empty(), keeps)
          << "seed " << seed << '\n'
          << to_yaml(problem) << to_text(problem, placement);
      ASSERT_EQ(soft_cost(problem, placement), cost_by_pairs(problem, placement))
          << "seed " << seed << '\n'
          << to_yaml(problem) << to_text(problem, placement);
    }
  }
  EXPECT_GT(right, run.count / 4);
}

TEST(RandomParts, SatAgreesWithTheOracle) {
  for (const encoder::OffsetEncoding encoding :
       {encoder::OffsetEncoding::automatic, encoder::OffsetEncoding::binary,
        encoder::OffsetEncoding::chains}) {
    SCOPED_TRACE(static_cast<int>(encoding));
    expect_agreement(
        *encoder::make_sat_engine({.encoding = encoding}),
        {.features = Features::all_with_parts(),
         .count = 400,
         .goals = {Objective::fit, Objective::cost, Objective::modes, Objective::switches}});
  }
}

TEST(RandomParts, SmtAgreesWithTheOracle) {
  const auto engine = encoder::make_smt_engine({});
  if (!engine) GTEST_SKIP() << "a build without Z3";
  expect_agreement(*engine, {.features = Features::all_with_parts(), .count = 200});
}

TEST(RandomParts, LearningAgreesWithTheOracle) {
  // Banks, modes and relations, which engines do not support together with parts, would leave few
  // problems.
  Features features;
  features.parts = features.alignment = features.windows = features.reserved = features.gaps =
      features.gap_windows = features.intervals = features.fixed_offsets = true;
  features.relations = {RelationKind::disjoint, RelationKind::may_overlap};
  for (const bool several : {false, true}) {
    features.several_memories = features.memory_choice = several;
    for (const auto& [places, orders] :
         {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
      SCOPED_TRACE(std::to_string(places) + std::to_string(orders));
      search::LearningParams params;
      params.place_search = places;
      params.order_search = orders;
      expect_agreement(*search::make_learning_engine(params), {.features = features, .count = 700});
    }
  }
  expect_agreement(*search::make_learning_engine({}),
                   {.features = Features::all_with_parts(), .count = 600});
}

TEST(RandomParts, HeuristicsPlaceRightOrNotAtAll) {
  const auto agrees = [](const std::unique_ptr<engine::PlacementEngine>& engine) {
    expect_agreement(*engine,
                     {.features = Features::all_with_parts(), .count = 600, .may_give_up = true});
  };
  agrees(search::make_weave_engine());
  agrees(search::make_taa_engine(search::TaaStep::past));
  agrees(search::make_taa_engine(search::TaaStep::overlap));
  agrees(search::make_shared_objects_engine());
}

/// With banks, a buffer may end in unused bytes; with modes as well, minimality of a height may
/// remain unproved.
TEST(RandomParts, TheLeastHeightIsThatOfBruteForce) {
  const RandomRun run = from_environment({1, 150});
  std::uint64_t tried = 0;
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed)
    for (const int more : {0, 1, 2}) {
      Random random(seed);
      Features features;
      features.parts = features.alignment = features.windows = features.reserved = true;
      features.banks = features.no_straddle = more > 0;
      features.modes = features.accesses = more > 1;
      const PlacementProblem problem = random_problem(random, features);
      double places = 1;  // the number of places that brute force enumerates
      for (std::size_t b = 0; b < problem.buffers.size(); ++b)
        places *= static_cast<double>(problem.memories.front().capacity);
      if (places > 300'000) continue;
      ++tried;
      const auto best = brute_force(problem, OracleGoal::height);
      PlaceParams params;
      params.minimize = Objective::height;
      const PlacementResult result = place(problem, params);
      ASSERT_EQ(result.status, best ? Status::feasible : Status::infeasible)
          << "seed " << seed << '\n'
          << to_yaml(problem);
      if (!best) continue;
      if (more < 2) {
        EXPECT_TRUE(result.proven_minimum) << "seed " << seed << '\n' << to_yaml(problem);
      }
      EXPECT_GE(result.height, best->value) << "seed " << seed << '\n' << to_yaml(problem);
      EXPECT_LE(result.lower_bound, best->value) << "seed " << seed << '\n' << to_yaml(problem);
      if (result.proven_minimum) {
        EXPECT_EQ(result.height, best->value) << "seed " << seed << '\n' << to_yaml(problem);
      }
    }
  EXPECT_GT(tried, run.count);
}

}  // namespace
}  // namespace tessera::testing
