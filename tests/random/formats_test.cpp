// Round trips: problems as YAML, placements as JSON.
#include <gtest/gtest.h>

#include "agreement.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "tessera/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {
namespace {

TEST(RandomFormats, ProblemsReadBackEqual) {
  const RandomRun run = from_environment({.count = 1000});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    PlacementProblem problem = random_problem(random, Features::all_with_parts());
    problem.objective =
        random.pick(std::vector<Objective>{Objective::fit, Objective::height, Objective::cost});
    const std::string text = to_yaml(problem);
    // From test code and from the writer: the reader accepts both without loss.
    ASSERT_EQ(to_yaml(io::read_problem_yaml(text, "by-hand.yaml").problem), text);
    const std::string written = io::write_problem_yaml(problem);
    ASSERT_EQ(to_yaml(io::read_problem_yaml(written, "written.yaml").problem), text) << written;
  }
}

TEST(RandomFormats, PlacementsReadBackEqual) {
  const RandomRun run = from_environment({.count = 1000});
  for (std::uint64_t seed = run.seed; seed < run.seed + run.count; ++seed) {
    SCOPED_TRACE("TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" + std::to_string(seed));
    Random random(seed);
    const PlacementProblem problem = random_problem(random, Features::all());
    const auto answer = brute_force(problem);
    PlacementResult result;
    result.status = answer ? Status::feasible : Status::infeasible;
    result.engine = "oracle";
    result.heights.assign(problem.memories.size(), 0);
    result.lower_bounds = result.heights;
    if (answer) {
      result.placement = answer->placement;
      result.heights = heights(problem, answer->placement);
    } else {
      result.reason = "tried everything";
    }
    const std::string text = io::write_placement_json(problem, result);
    const PlacementResult same = io::read_placement_json(text, "placement.json", problem);
    ASSERT_EQ(same.status, result.status) << text;
    ASSERT_EQ(same.placement.has_value(), answer.has_value());
    if (!answer) continue;
    ASSERT_EQ(to_text(problem, *same.placement), to_text(problem, answer->placement)) << text;
    ASSERT_TRUE(check(problem, *same.placement).empty()) << text;
  }
}

}  // namespace
}  // namespace tessera::testing
