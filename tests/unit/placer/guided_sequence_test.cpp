#include "search/guided/engine.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/derived.h"
#include "tessera/generate.h"

namespace tessera::search {
namespace {

std::int64_t steps_to_place(const PlacementProblem& problem) {
  const engine::SearchResult result =
      make_guided_engine({})->solve(problem, {.budget = {.max_nodes = 100'000}, .seed = 3});
  EXPECT_EQ(result.status, Status::feasible);
  for (const Stat& stat : result.stats)
    if (stat.name == "steps") return std::get<std::int64_t>(stat.value);
  return 0;
}

/// The problems one after the other in one memory.
PlacementProblem in_sequence(const std::vector<PlacementProblem>& problems) {
  PlacementProblem all;
  all.memories = problems.front().memories;
  Step at = 0;
  for (const PlacementProblem& problem : problems) {
    for (Buffer buffer : problem.buffers) {
      buffer.id += " " + std::to_string(at);
      for (StepRange& live : buffer.live) live = {live.lower + at, live.upper + at};
      all.buffers.push_back(std::move(buffer));
    }
    at += horizon(problem);
  }
  return all;
}

TEST(Guided, ProblemsInSequenceTakeTheSumOfTheirSteps) {
  std::vector<PlacementProblem> problems;
  std::vector<std::int64_t> alone;
  for (const std::uint64_t seed : {4U, 5U}) {
    problems.push_back(generate({.kind = "packable", .buffers = 100, .seed = seed}));
    alone.push_back(steps_to_place(problems.back()));
    EXPECT_GT(alone.back(), 100);  // it went back
    EXPECT_EQ(steps_to_place(in_sequence(std::vector(2, problems.back()))), 2 * alone.back());
    EXPECT_EQ(steps_to_place(in_sequence(std::vector(4, problems.back()))), 4 * alone.back());
  }
  EXPECT_EQ(steps_to_place(in_sequence(problems)), alone[0] + alone[1]);
}

}  // namespace
}  // namespace tessera::search
