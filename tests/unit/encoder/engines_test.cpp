// Guarantees of the engines in addition to correct results: bounds, limits, sessions, results of
// other solvers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "encoder/export.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "engine/session.h"
#include "model/size_layer.h"
#include "tessera/check.h"

namespace tessera::encoder {
namespace {

PlacementProblem patent_blobs() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 10});
  problem.buffers = {{.id = "blob0", .live = {{0, 2}}, .size = 4},
                     {.id = "blob1", .live = {{0, 3}}, .size = 3},
                     {.id = "blob2", .live = {{1, 3}}, .size = 2},
                     {.id = "blob3", .live = {{2, 3}}, .size = 5}};
  return problem;
}

std::int64_t stat(const engine::SearchResult& result, std::string_view name) {
  for (const Stat& each : result.stats) {
    if (each.name == name) return std::get<std::int64_t>(each.value);
  }
  return -1;
}

class Engines : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!engine_) GTEST_SKIP() << "this build has no Z3";
  }
  std::unique_ptr<engine::PlacementEngine> engine_ =
      std::string_view(GetParam()) == "sat" ? make_sat_engine({}) : make_smt_engine({});
};
INSTANTIATE_TEST_SUITE_P(Both, Engines, ::testing::Values("sat", "smt"));

TEST_P(Engines, PlaceThePatentsBlobs) {
  const PlacementProblem problem = patent_blobs();
  const engine::SearchResult result = engine_->solve(problem, {});
  ASSERT_EQ(result.status, Status::feasible);
  EXPECT_TRUE(check(problem, *result.placement).empty());
}

TEST_P(Engines, ProveTheLeastCost) {
  PlacementProblem problem = patent_blobs();
  problem.memories[0].capacity = 12;
  problem.relations = {{.kind = RelationKind::avoid_overlap, .buffers = {0, 3}, .cost = 7},
                       {.kind = RelationKind::avoid_overlap, .buffers = {0, 1}, .cost = 2}};
  const engine::SearchResult result = engine_->solve(problem, {.goal = Objective::cost});
  ASSERT_EQ(result.status, Status::feasible);
  // blob0 and blob3 share at least 2 of the 12 addresses: without sharing 4 + 3 + 5 fit, but leave
  // no place for blob2.
  EXPECT_EQ(result.bound, soft_cost(problem, *result.placement));
  EXPECT_EQ(result.bound, 7);
}

TEST_P(Engines, ALimitIsNoAnswer) {
  PlacementProblem problem = patent_blobs();
  engine::SearchParams params;
  params.budget.deadline = std::chrono::steady_clock::now();
  engine::SearchResult result = engine_->solve(problem, params);
  EXPECT_EQ(result.status, Status::unknown);
  EXPECT_EQ(result.stop, StopReason::time_limit);
  std::stop_source source;
  source.request_stop();
  params.budget = {.stop = source.get_token()};
  result = engine_->solve(problem, params);
  EXPECT_EQ(result.stop, StopReason::interrupted);
}

TEST_P(Engines, DeclareThatProductsOfModesAreNotCounted) {
  PlacementProblem problem = patent_blobs();
  EXPECT_FALSE(engine_->unsupported(problem, Objective::modes));
  problem.memories[0].banks = {{.name = "b", .size = 10, .roles = {Role::read}}};
  problem.memories[0].modes_per_bank = true;
  EXPECT_TRUE(engine_->unsupported(problem, Objective::modes));
  EXPECT_FALSE(engine_->unsupported(problem, Objective::fit));
}

TEST_P(Engines, SessionsAskTheSolverOnlyWhatNothingElseAnswers) {
  // Two long buffers and two short ones, with only their order undecided.
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers = {{.id = "a", .live = {{0, 3}}, .size = 3},
                     {.id = "b", .live = {{2, 6}}, .size = 3},
                     {.id = "c", .live = {{5, 9}}, .size = 3},
                     {.id = "d", .live = {{0, 1}, {8, 9}}, .size = 5},
                     {.id = "e", .live = {{2, 3}, {5, 6}}, .size = 2}};
  problem.relations = {{.kind = RelationKind::disjoint, .buffers = {3, 4}},
                       {.kind = RelationKind::disjoint, .buffers = {0, 2}}};
  const auto session = engine::open_session(*engine_, problem);
  const std::vector<Size> sizes = {3, 3, 3, 5, 2};
  const engine::SearchResult first = session->solve({.sizes = sizes, .capacities = {8}}, {});
  const engine::SearchResult again = session->solve({.sizes = sizes, .capacities = {8}}, {});
  EXPECT_EQ(first.status, again.status);
  // The engine's own session was not used, so it has no statistics.
  EXPECT_EQ(stat(again, "session_solver_calls"), -1);
  if (first.status == Status::infeasible) {
    EXPECT_EQ(stat(again, "session_refutations_reused"), 1);
    std::vector<Size> larger = sizes;
    larger[1] = 4;
    EXPECT_EQ(session->solve({.sizes = larger, .capacities = {8}}, {}).status, Status::infeasible);
  }
  const engine::SearchResult roomy = session->solve({.sizes = sizes, .capacities = {20}}, {});
  EXPECT_EQ(roomy.status, Status::feasible);
  const engine::SearchResult roomier = session->solve({.sizes = sizes, .capacities = {21}}, {});
  EXPECT_EQ(stat(roomier, "session_placements_reused"), 1);
}

/// Ends a budget at its `last`-th poll.
class EndsAt final : public MemoryWatch {
 public:
  explicit EndsAt(int last) : left_(last) {}
  bool exceeded() override { return --left_ <= 0; }
  Size left() override { return unbounded; }

 private:
  int left_;
};

TEST_P(Engines, ABudgetThatEndsInTheMiddleLeavesNothingInTheSession) {
  const auto engine = std::string_view(GetParam()) == "sat"
                          ? make_sat_engine({.load_cut = false, .try_orders = false})
                          : make_smt_engine({.load_cut = false, .try_orders = false});
  // a and b are equal in the first query. In the second one b only fits below the reserved byte and
  // a above it. The second memory has so many orders that a budget may end among them.
  PlacementProblem problem;
  problem.memories = {{.name = "m", .capacity = 10, .reserved = {{7, 8}}},
                      {.name = "n", .capacity = 60}};
  problem.buffers = {{.id = "a", .live = {{0, 2}}, .size = 2, .memories = {0}},
                     {.id = "b", .live = {{0, 2}}, .size = 2, .memories = {0}}};
  for (Size k = 0; k < 10; ++k)
    problem.buffers.push_back(
        {.id = "n" + std::to_string(k), .live = {{0, 2 + k}}, .size = 1 + k, .memories = {1}});
  SizeLayer equal = size_layer(problem);
  SizeLayer second = equal;
  second.sizes[1] = 7;
  SizeLayer tight = equal;
  tight.capacities[1] = 9;  // less than the largest buffer
  for (int last = 2; last < 60; ++last) {
    const auto session = engine->open(problem);
    for (const bool before : {false, true}) {
      if (before) {
        ASSERT_EQ(session->solve(equal, {}).status, Status::feasible);
      }
      EndsAt watch(last);
      static_cast<void>(session->solve(equal, {.budget = {.memory = &watch}}));
    }
    for (const SizeLayer& layer : {equal, tight, second, equal, tight, second}) {
      PlacementProblem now = problem;
      replace_sizes(now, layer);
      const engine::SearchResult found = session->solve(layer, {});
      ASSERT_EQ(found.status, engine->solve(now, {}).status)
          << "after a budget of " << last << " polls";
      if (found.placement) {
        ASSERT_TRUE(check(now, *found.placement, 1).empty()) << "after " << last << " polls";
      }
    }
  }
}

TEST(Export, SaysWhichVariableIsWhichBuffer) {
  std::ostringstream out;
  export_formula(patent_blobs(), FormulaFormat::dimacs, out);
  EXPECT_THAT(out.str(), ::testing::HasSubstr(": blob1 >= 2\n"));
  EXPECT_THAT(out.str(), ::testing::HasSubstr(": blob0 below blob1\n"));
  std::ostringstream smt;
  export_formula(patent_blobs(), FormulaFormat::smt2, smt);
  EXPECT_THAT(smt.str(), ::testing::HasSubstr("; x2: offset of blob2, in steps of 1\n"));
}

TEST(Import, ReadsASatModel) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 3});
  problem.buffers = {{.id = "a", .live = {{0, 1}}, .size = 1}};
  std::istringstream in("c solved\ns SATISFIABLE\nv 1 -2\nv 0\n");
  const ImportedModel model = import_model(problem, in);
  ASSERT_EQ(model.status, Status::feasible) << model.error;
  EXPECT_EQ(model.placement->places[0].offset, 1);
}

TEST(Import, ReadsAnSmtModel) {
  const PlacementProblem problem = patent_blobs();
  std::istringstream in(
      "sat\n(model (define-fun x0 () Int 5) (define-fun x1 () Int 0)\n"
      "(define-fun x2 () Int 3) (define-fun x3 () Int 5))\n");
  const ImportedModel model = import_model(problem, in);
  ASSERT_EQ(model.status, Status::feasible) << model.error;
  EXPECT_TRUE(check(problem, *model.placement).empty());
}

TEST(Import, SaysWhatIsNoAnswer) {
  const auto error = [](const std::string& text) {
    std::istringstream in(text);
    const ImportedModel model = import_model(patent_blobs(), in);
    EXPECT_EQ(model.status, Status::unknown);
    return model.error;
  };
  EXPECT_EQ(error(""), "The file is empty.");
  EXPECT_THAT(error("hello\n"), ::testing::HasSubstr("'hello'"));
  EXPECT_THAT(error("s SATISFIABLE\n"), ::testing::HasSubstr("'v' lines"));
  EXPECT_THAT(error("s SATISFIABLE\nv 1 x 0\n"), ::testing::HasSubstr("Line 2: 'x'"));
  EXPECT_THAT(error("sat\n(define-fun x0 () Int 99999999)\n"),
              ::testing::HasSubstr("out of range"));
  EXPECT_THAT(error("sat\n(define-fun x0 () Int (- 3))\n"), ::testing::HasSubstr("not a constant"));
}

TEST(Import, AnUnsatisfiableAnswerIsOne) {
  std::istringstream sat("s UNSATISFIABLE\n");
  EXPECT_EQ(import_model(patent_blobs(), sat).status, Status::infeasible);
  std::istringstream smt("unsat\n(error \"line 9: model is not available\")\n");
  EXPECT_EQ(import_model(patent_blobs(), smt).status, Status::infeasible);
}

}  // namespace
}  // namespace tessera::encoder
