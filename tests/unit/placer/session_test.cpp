#include "tessera/session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/size_layer.h"
#include "placer/make_engine.h"
#include "tessera/check.h"
#include "tessera/place.h"
#include "tessera/validate.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

namespace tessera::placer {
namespace {

PlacementProblem two_buffers() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers.push_back({.id = "a", .live = {{0, 2}}, .size = 3});
  problem.buffers.push_back({.id = "b", .live = {{1, 3}}, .size = 4});
  return problem;
}

std::int64_t from_memory(const PlacementResult& result) {
  for (const Stat& stat : result.stats)
    if (stat.name == "from_memory") return std::get<std::int64_t>(stat.value);
  return -1;
}

TEST(Session, RemembersBothAnswers) {
  Session session(two_buffers());
  const PlacementResult first = session.place();
  ASSERT_EQ(first.status, Status::feasible);
  EXPECT_EQ(first.height, 7);
  session.set_size(1, 2);
  const PlacementResult smaller = session.place();
  EXPECT_EQ(smaller.status, Status::feasible);
  EXPECT_EQ(from_memory(smaller), 1);
  session.set_size(1, 6);
  EXPECT_EQ(session.place().status, Status::infeasible);
  session.set_capacity(0, 9);
  EXPECT_EQ(session.place().status, Status::feasible);
  session.set_capacity(0, unbounded);
  EXPECT_EQ(session.place().status, Status::feasible);
}

TEST(Session, ANumberThatCannotBeChangesNothing) {
  Session session(two_buffers());
  EXPECT_THROW(session.set_size(2, 1), BadInput);
  EXPECT_THROW(session.set_size(0, 0), BadInput);
  EXPECT_THROW(session.set_sizes(std::vector<Size>{1, -1}), BadInput);
  EXPECT_THROW(session.set_sizes(std::vector<Size>{1}), BadInput);
  EXPECT_THROW(session.set_capacity(1, 1), BadInput);
  EXPECT_THROW(session.set_capacity(0, max_address + 1), BadInput);
  EXPECT_EQ(size_layer(session.problem()).sizes, (std::vector<Size>{3, 4}));
  EXPECT_EQ(session.problem().memories[0].capacity, 8);
}

TEST(Session, NumbersThatContradictEachOtherAreSaidWhereTheyAreAsked) {
  PlacementProblem problem = two_buffers();
  Session session(problem);
  session.set_sizes(std::vector<Size>{max_address, max_address});
  EXPECT_THROW(static_cast<void>(session.place()), BadInput);
  session.set_sizes(std::vector<Size>{1, 1});
  EXPECT_EQ(session.place().status, Status::feasible);
}

TEST(Session, WantsAProblemAndAnEngineThatTakesIt) {
  EXPECT_THROW(Session({}, {}), BadInput);
  EXPECT_THROW(Session(two_buffers(), {.engine = "minimalloc"}), BadInput);
  PlacementProblem problem = two_buffers();
  problem.relations.push_back({RelationKind::adjacent, {0, 1}, 0});
  EXPECT_THROW(Session(problem, {.engine = "canonical"}), BadInput);
  EXPECT_EQ(Session(problem, {.engine = "learning"}).place().status, Status::feasible);
}

TEST(Session, AMemoryWithBanksKeepsItsCapacity) {
  PlacementProblem problem = two_buffers();
  problem.memories[0].banks = {{"p", 4, {}}, {"q", 4, {}}};
  Session session(problem);
  EXPECT_THROW(session.set_capacity(0, 16), BadInput);
  EXPECT_EQ(session.place().status, Status::feasible);
}

TEST(Session, ALimitIsNoAnswerAndIsForgotten) {
  Session session(two_buffers());
  std::stop_source stop;
  stop.request_stop();
  const PlacementResult stopped = session.place({.stop = stop.get_token()});
  EXPECT_TRUE(stopped.status != Status::unknown || stopped.stop == StopReason::interrupted);
  EXPECT_EQ(session.place().status, Status::feasible);
}

/// The result equals that of place(), for any previous queries and every engine that proves
/// infeasibility.
class EverySession : public ::testing::TestWithParam<const char*> {};

TEST_P(EverySession, SaysWhatPlaceSays) {
  const std::string name = GetParam();
  if (name != "auto" && !make_engine(name)) GTEST_SKIP() << "this build has no Z3";
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    testing::Random random(seed);
    const PlacementProblem problem = testing::random_problem(random, testing::Features::all());
    std::optional<Session> session;
    try {
      session.emplace(problem, SessionParams{.engine = GetParam()});
    } catch (const BadInput&) {
      continue;  // unsupported here
    }
    SizeLayer layer = size_layer(problem);
    for (int question = 0; question < 8; ++question) {
      const std::size_t b = random.below(layer.sizes.size());
      layer.sizes[b] = std::max<Size>(1, layer.sizes[b] + random.between(-2, 2));
      PlacementProblem now = problem;
      replace_sizes(now, layer);
      if (!validate(now).empty()) {
        layer = size_layer(problem);
        continue;
      }
      session->set_sizes(layer.sizes);
      const PlacementResult answer = session->place();
      ASSERT_EQ(answer.status, place(now, {}).status)
          << seed << ", question " << question << ", " << answer.engine << ": " << answer.reason
          << '\n'
          << testing::to_yaml(now);
      EXPECT_TRUE(!answer.placement || check(now, *answer.placement, 1).empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, EverySession,
                         ::testing::Values("auto", "canonical", "learning", "sat", "smt"));

}  // namespace
}  // namespace tessera::placer
