// Compares the guided search with a solver as advisor against brute force: the advisor never
// changes the result.
#include "encoder/advisor.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "agreement.h"
#include "search/guided/engine.h"

namespace tessera::testing {
namespace {

search::GuidedParams with(encoder::AdvisingSolver solver, bool learn) {
  search::GuidedParams params;
  params.learn = params.sections = learn;
  params.advisor = encoder::make_solver_advisor({.solver = solver, .conflicts = 20});
  return params;
}

void expect_right(encoder::AdvisingSolver solver, bool learn, std::size_t count) {
  const auto engine = search::make_guided_engine(with(solver, learn));
  const AgreementReport report = compare_with_oracle(
      *engine,
      with_environment(
          {.features = Features::one_address_space(), .count = count, .may_give_up = true}));
  expect_no_disagreement(report);
  EXPECT_GT(report.feasible, 0U);
}

TEST(RandomAdvisor, CadicalChangesNoAnswer) {
  expect_right(encoder::AdvisingSolver::cadical, false, 1000);
  expect_right(encoder::AdvisingSolver::cadical, true, 1000);
}

TEST(RandomAdvisor, ChainsChangeNoAnswer) {
  expect_right(encoder::AdvisingSolver::chains, false, 1000);
}

TEST(RandomAdvisor, Z3ChangesNoAnswer) {
  expect_right(encoder::AdvisingSolver::z3, false, 200);
}

/// Five buffers that fill all steps: x and y lie at 0 or at 6, so v lies between them.
TEST(RandomAdvisor, NamesThePlacementsThatAreTooMuch) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 10});
  const auto add = [&](const char* id, Step from, Step to, Size size) {
    problem.buffers.push_back({.id = id, .live = {{from, to}}, .size = size});
  };
  add("x", 0, 2, 4);
  add("y", 1, 3, 4);
  add("v", 1, 2, 2);
  add("z", 0, 1, 6);
  add("w", 2, 3, 6);
  for (const encoder::AdvisingSolver solver :
       {encoder::AdvisingSolver::cadical, encoder::AdvisingSolver::chains,
        encoder::AdvisingSolver::z3}) {
    Poll poll;
    const auto advisor =
        encoder::make_solver_advisor({.solver = solver, .conflicts = 1000})(problem, {}, poll);
    if (!advisor) continue;  // a build without Z3
    const std::vector<engine::Placed> wrong{{0, 0}, {1, 4}, {2, 8}};
    EXPECT_EQ(advisor->refutes(wrong, {}), (std::vector<BufferIndex>{0, 1, 2}));
    const std::vector<engine::Placed> right{{0, 0}, {1, 6}, {2, 4}};
    EXPECT_EQ(advisor->refutes(right, {}), std::nullopt);
    EXPECT_EQ(advisor->refutes({}, {}), std::nullopt);
  }
}

}  // namespace
}  // namespace tessera::testing
