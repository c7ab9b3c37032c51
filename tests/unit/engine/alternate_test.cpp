#include "engine/alternate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::engine {
namespace {

/// Decides every query after a number of work units given per query; records the work of each
/// engine.
struct Worker {
  std::string name;
  /// by query (the size of the only buffer); -1: it stops without a result
  std::vector<std::int64_t> needs;
  Status verdict = Status::infeasible;
};
using Log = std::vector<std::pair<std::string, std::int64_t>>;

class TurnTaker final : public PlacementEngine {
 public:
  TurnTaker(Worker worker, Log& log) : worker_(std::move(worker)), log_(log) {}
  [[nodiscard]] std::string_view name() const override { return worker_.name; }
  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::FeatureSet::everything();
  }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    const std::int64_t need = worker_.needs[static_cast<std::size_t>(problem.buffers[0].size) - 1];
    WorkMeter* meter = params.budget.meter;
    const std::int64_t allowed =
        std::min(params.budget.max_nodes, meter != nullptr ? meter->limit.load() : need);
    const std::int64_t done = need < 0 ? 1 : std::min(need, allowed);
    log_.emplace_back(worker_.name, done);
    if (meter != nullptr) meter->done.store(done);
    SearchResult result;
    if (need < 0) {
      result.reason = "nothing was found";
    } else if (done < need) {
      result.stop = StopReason::node_limit;
      result.reason = "limit";
    } else {
      result.status = worker_.verdict;
    }
    return result;
  }

 private:
  Worker worker_;
  Log& log_;
};

PlacementProblem turn_problem() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 8});
  problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 1});
  return problem;
}

struct Pair {
  Pair(std::vector<std::int64_t> quick, std::vector<std::int64_t> thorough,
       double most_ns = std::numeric_limits<double>::infinity()) {
    std::vector<Alternate> both;
    both.push_back(
        {std::make_unique<TurnTaker>(Worker{"quick", std::move(quick)}, log), 1000, most_ns});
    both.push_back(
        {std::make_unique<TurnTaker>(Worker{"thorough", std::move(thorough)}, log), 1000});
    engine = make_alternating_engine(std::move(both));
    session = engine->open(turn_problem());
  }
  SearchResult ask(Size question, SearchParams params = {}) {
    log.clear();
    return session->solve({.sizes = {question}, .capacities = {8}}, params);
  }
  Log log;
  std::unique_ptr<PlacementEngine> engine;
  std::unique_ptr<PlacementSession> session;
};

TEST(Alternate, TurnsGrowUntilSomebodyKnows) {
  Pair pair({1'000'000}, {5'000});
  EXPECT_EQ(pair.engine->name(), "quick+thorough");
  EXPECT_EQ(pair.ask(1).status, Status::infeasible);
  // A million virtual nanoseconds are 1001 units; four times as many are too few, sixteen are
  // enough.
  EXPECT_EQ(pair.log, (Log{{"quick", 1001},
                           {"thorough", 1001},
                           {"quick", 4001},
                           {"thorough", 4001},
                           {"quick", 16001},
                           {"thorough", 5000}}));
}

TEST(Alternate, WhoSettledTheLastQuestionGoesFirstWithWhatThatTook) {
  Pair pair({1'000'000, 1'000'000, 20}, {5'000, 19'000, 1'000'000});
  EXPECT_EQ(pair.ask(1).status, Status::infeasible);
  EXPECT_EQ(pair.ask(2).status, Status::infeasible);
  EXPECT_EQ(pair.log, (Log{{"thorough", 19'000}}));
  EXPECT_EQ(pair.ask(3).status, Status::infeasible);
  EXPECT_EQ(pair.log, (Log{{"thorough", 76'001}, {"quick", 20}}));
  EXPECT_EQ(pair.ask(3).status, Status::infeasible);
  EXPECT_EQ(pair.log, (Log{{"quick", 20}}));
}

TEST(Alternate, WhoIsLeftAloneIsNotStopped) {
  Pair gives_up({-1}, {700'000});
  EXPECT_EQ(gives_up.ask(1).status, Status::infeasible);
  EXPECT_EQ(gives_up.log, (Log{{"quick", 1}, {"thorough", 700'000}}));
  Pair brief({1'000'000}, {700'000}, 3e5);
  EXPECT_EQ(brief.ask(1).status, Status::infeasible);
  EXPECT_EQ(brief.log, (Log{{"quick", 301}, {"thorough", 700'000}}));
}

TEST(Alternate, ALimitIsNotANo) {
  Pair pair({1'000'000}, {1'000'000});
  SearchParams params;
  params.budget.max_nodes = 3'000;
  const SearchResult found = pair.ask(1, params);
  EXPECT_EQ(found.status, Status::unknown);
  EXPECT_EQ(found.stop, StopReason::node_limit);
  EXPECT_EQ(found.reason, "limit");
  std::stop_source stopped;
  stopped.request_stop();
  params.budget.stop = stopped.get_token();
  EXPECT_EQ(pair.ask(1, params).stop, StopReason::interrupted);
  EXPECT_EQ(pair.log.size(), 1U);
}

TEST(Alternate, OtherGoalsAreTheLastOnesAlone) {
  Pair pair({10}, {20});
  EXPECT_EQ(pair.ask(1, {.goal = Objective::cost}).status, Status::infeasible);
  EXPECT_EQ(pair.log, (Log{{"thorough", 20}}));
}

}  // namespace
}  // namespace tessera::engine
