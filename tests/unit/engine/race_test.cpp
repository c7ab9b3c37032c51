#include "engine/race.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace tessera::engine {
namespace {

/// An engine that works `units` units, each taking real time, and then returns its scripted result.
class Scripted final : public PlacementEngine {
 public:
  Scripted(std::int64_t units, Status verdict, Offset offset, int microseconds)
      : units_(units), verdict_(verdict), offset_(offset), microseconds_(microseconds) {}

  std::string_view name() const override { return "scripted"; }
  facts::FeatureSet features() const override { return facts::FeatureSet::everything(); }
  SearchResult solve(const PlacementProblem& problem, const SearchParams& params) override {
    static_cast<void>(problem);
    ++calls;
    SearchResult result;
    for (std::int64_t done = 0; done < units_; ++done) {
      if (params.budget.meter != nullptr) {
        params.budget.meter->done.store(done);
        if (done >= params.budget.meter->limit.load()) {
          result.stop = StopReason::node_limit;
          return result;
        }
      }
      if (const auto stop = params.budget.exhausted()) {
        result.stop = *stop;
        return result;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds_));
    }
    if (params.budget.meter != nullptr) params.budget.meter->done.store(units_);
    result.status = verdict_;
    if (verdict_ == Status::feasible)
      result.placement = Placement{.places = {{0, offset_}}, .modes = {{}}};
    return result;
  }
  int calls = 0;

 private:
  std::int64_t units_;
  Status verdict_;
  Offset offset_;
  int microseconds_;
};

class Throwing final : public PlacementEngine {
 public:
  std::string_view name() const override { return "throwing"; }
  facts::FeatureSet features() const override { return facts::FeatureSet::everything(); }
  SearchResult solve(const PlacementProblem&, const SearchParams&) override {
    throw std::runtime_error("broken");
  }
};

PlacementProblem one_buffer() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = 100});
  problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 1});
  return problem;
}

TEST(Race, TheEarlierInWorkWinsHoweverLongItTakes) {
  // Far fewer units, but so slow that the other one finishes first in wall time.
  Scripted slow(20, Status::feasible, 7, 2000);
  Scripted quick(500, Status::feasible, 9, 0);
  for (const int threads : {1, 2}) {
    const RaceResult won = race(one_buffer(), {{slow, 1000}, {quick, 1000}}, {}, threads);
    ASSERT_EQ(won.found.status, Status::feasible);
    EXPECT_EQ(won.winner, 0U) << threads;
    EXPECT_EQ(won.found.placement->places[0].offset, 7);
  }
}

TEST(Race, OneThreadAndTwoAgreeWhateverTheScales) {
  for (const double scale : {100.0, 1000.0, 50'000.0}) {
    std::size_t winner[2] = {};
    for (const int threads : {1, 2}) {
      Scripted a(300, Status::feasible, 1, 10);
      Scripted b(200, Status::feasible, 2, 10);
      winner[threads - 1] = race(one_buffer(), {{a, 1000}, {b, scale}}, {}, threads).winner;
    }
    EXPECT_EQ(winner[0], winner[1]) << scale;
  }
}

TEST(Race, ARefutationEndsItAtOnce) {
  Scripted endless(1'000'000'000, Status::feasible, 1, 100);
  Scripted refuting(10, Status::infeasible, 0, 100);
  const RaceResult won = race(one_buffer(), {{endless, 1000}, {refuting, 1000}}, {}, 2);
  EXPECT_EQ(won.found.status, Status::infeasible);
  EXPECT_EQ(won.winner, 1U);
}

TEST(Race, TheLoserIsOnlyWaitedForUpToTheSameWork) {
  Scripted endless(1'000'000'000, Status::feasible, 1, 100);
  Scripted finding(10, Status::feasible, 5, 100);
  const RaceResult won = race(one_buffer(), {{endless, 1000}, {finding, 1000}}, {}, 2);
  EXPECT_EQ(won.found.status, Status::feasible);
  EXPECT_EQ(won.winner, 1U);
}

TEST(Race, OneThreadTakesTurnsUntilOneIsDone) {
  // Many slices of work for both; neither restarts.
  Scripted endless(1'000'000'000, Status::feasible, 1, 0);
  Scripted finding(100, Status::feasible, 5, 0);
  const RaceResult won = race(one_buffer(), {{endless, 1'000'000}, {finding, 3'000'000}}, {}, 1);
  EXPECT_EQ(won.found.status, Status::feasible);
  EXPECT_EQ(won.winner, 1U);
  EXPECT_EQ(finding.calls, 1);
  EXPECT_EQ(endless.calls, 1);
}

/// Records when it runs; only one instance may run at a time.
class Watched final : public PlacementEngine {
 public:
  Watched(std::atomic<int>& working, std::int64_t units) : working_(working), units_(units) {}
  std::string_view name() const override { return "watched"; }
  facts::FeatureSet features() const override { return facts::FeatureSet::everything(); }
  SearchResult solve(const PlacementProblem&, const SearchParams& params) override {
    for (std::int64_t done = 1; done <= units_; ++done) {
      if (working_.fetch_add(1) != 0) alone = false;
      std::this_thread::yield();
      working_.fetch_sub(1);
      params.budget.meter->done.store(done);
      if (params.budget.exhausted()) break;
    }
    return {};
  }
  bool alone = true;

 private:
  std::atomic<int>& working_;
  std::int64_t units_;
};

TEST(Race, OnOneThreadOnlyOneWorksAtATime) {
  std::atomic<int> working = 0;
  Watched a(working, 3000);
  Watched b(working, 2000);
  Watched c(working, 1000);
  static_cast<void>(race(one_buffer(), {{a, 10'000}, {b, 100'000}, {c, 1'000'000}}, {}, 1));
  EXPECT_TRUE(a.alone && b.alone && c.alone);
}

TEST(Race, WhoBeginsLaterIsNotAskedWhereTheFirstIsDoneBefore) {
  for (const int threads : {1, 2}) {
    Scripted first(50, Status::feasible, 1, 0);
    Scripted later(1, Status::feasible, 2, 0);
    const RaceResult won =
        race(one_buffer(), {{first, 1'000'000}, {later, 1'000'000, 60e6}}, {}, threads);
    EXPECT_EQ(won.winner, 0U);
    EXPECT_EQ(later.calls, 0) << threads;
  }
}

TEST(Race, WhoBeginsLaterWinsByWhatItWorksAndWhenItBegan) {
  for (const int begins : {100, 220}) {
    for (const int threads : {1, 2}) {
      Scripted first(300, Status::feasible, 1, 20);
      Scripted later(100, Status::feasible, 2, 20);
      const RaceResult won =
          race(one_buffer(), {{first, 1'000'000}, {later, 1'000'000, begins * 1e6}}, {}, threads);
      EXPECT_EQ(won.winner, begins == 100 ? 1U : 0U) << threads;
    }
  }
}

TEST(Race, WhoBeginsLaterIsAskedWhereTheFirstGivesUpEarly) {
  for (const int threads : {1, 2}) {
    Scripted first(5, Status::unknown, 1, 0);
    Scripted later(5, Status::infeasible, 2, 0);
    const RaceResult won =
        race(one_buffer(), {{first, 1'000'000}, {later, 1'000'000, 60e6}}, {}, threads);
    EXPECT_EQ(won.found.status, Status::infeasible) << threads;
    EXPECT_EQ(won.winner, 1U);
  }
}

TEST(Race, ARefutationOfTheFirstKeepsOthersFromBeginning) {
  for (const int threads : {1, 2}) {
    Scripted first(5, Status::infeasible, 1, 0);
    Scripted later(5, Status::feasible, 2, 0);
    const RaceResult won =
        race(one_buffer(), {{first, 1'000'000}, {later, 1'000'000, 60e6}}, {}, threads);
    EXPECT_EQ(won.found.status, Status::infeasible);
    EXPECT_EQ(later.calls, 0) << threads;
  }
}

TEST(Race, WhoDoesNotCountWorkIsAskedAgain) {
  Scripted endless(1'000'000'000, Status::feasible, 1, 0);
  Scripted finding(100, Status::feasible, 5, 0);
  SearchParams params;
  const RaceResult won = race(one_buffer(), {{endless, 1'000'000}, {finding, 0}}, params, 1);
  EXPECT_EQ(won.winner, 1U);
}

TEST(Race, ALimitIsNoVerdict) {
  Scripted a(1'000'000'000, Status::feasible, 1, 10);
  Scripted b(1'000'000'000, Status::infeasible, 1, 10);
  for (const int threads : {1, 2}) {
    SearchParams params;
    params.budget.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    const RaceResult won = race(one_buffer(), {{a, 1000}, {b, 1000}}, params, threads);
    EXPECT_EQ(won.found.status, Status::unknown);
    EXPECT_EQ(won.found.stop, StopReason::time_limit);
  }
}

TEST(Race, AStopRequestReachesEveryLane) {
  Scripted a(1'000'000'000, Status::feasible, 1, 10);
  Scripted b(1'000'000'000, Status::feasible, 1, 10);
  std::stop_source source;
  SearchParams params;
  params.budget.stop = source.get_token();
  std::jthread later([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  const RaceResult won = race(one_buffer(), {{a, 1000}, {b, 1000}}, params, 2);
  EXPECT_EQ(won.found.status, Status::unknown);
  EXPECT_EQ(won.found.stop, StopReason::interrupted);
}

TEST(Race, AnExceptionOfOneLaneReachesTheCaller) {
  Scripted endless(1'000'000'000, Status::feasible, 1, 100);
  Throwing broken;
  EXPECT_THROW(static_cast<void>(race(one_buffer(), {{endless, 1000}, {broken, 1000}}, {}, 2)),
               std::runtime_error);
}

}  // namespace
}  // namespace tessera::engine
