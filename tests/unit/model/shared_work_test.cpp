#include "model/shared_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "model/parallel.h"

namespace tessera {
namespace {

TEST(Crew, EachTogetherCallsEachOnce) {
  for (const int threads : {-1, 0, 1, 2, 5})
    for (const std::size_t count : {0U, 1U, 3U, 100U}) {
      std::vector<std::atomic<int>> calls(count);
      each_together(threads, count, [&](std::size_t k) { ++calls[k]; });
      for (const std::atomic<int>& times : calls) EXPECT_EQ(times, 1);
    }
}

/// Jobs of many steps each, that any thread may do.
TEST(SharedWork, EveryStepIsDoneOnce) {
  for (const int threads : {1, 2, 3, 6})
    for (int repeat = 0; repeat < 50; ++repeat) {
      constexpr std::size_t jobs = 5;
      constexpr int steps = 40;
      std::vector<std::vector<std::atomic<int>>> done(jobs);
      for (auto& job : done) job = std::vector<std::atomic<int>>(steps);
      std::atomic<std::size_t> next{0};
      SharedWork shared;
      work_together(threads, [&] {
        const SharedWork::Own own(shared);
        for (std::size_t k = next++; k < jobs; k = next++) {
          std::atomic<int> step{0};
          shared.run([&] {
            for (int s = step++; s < steps; s = step++) ++done[k][static_cast<std::size_t>(s)];
          });
          for (const std::atomic<int>& times : done[k]) ASSERT_EQ(times, 1);
        }
      });
    }
}

/// One job, which does not end before somebody helps.
TEST(SharedWork, WhoHasNothingToDoHelps) {
  std::atomic<bool> given{false};
  std::atomic<int> inside{0};
  SharedWork shared;
  work_together(2, [&] {
    const SharedWork::Own own(shared);
    if (given.exchange(true)) return;
    shared.run([&] {
      ++inside;
      while (inside < 2) std::this_thread::yield();
    });
    EXPECT_EQ(inside, 2);
  });
}

TEST(EachSharing, CallsEachOnceAndTheFirstOfAKindBeforeTheOthers) {
  const std::vector<std::string> kinds{"a", "b", "a", "c", "b", "a"};
  for (const int threads : {1, 2, 4})
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::atomic<int>> calls(kinds.size());
      std::atomic<int> first{0};
      each_sharing({.threads = threads}, kinds, [&](std::size_t k, SharedWork&) {
        ++calls[k];
        if (k == 0 || k == 1 || k == 3)
          ++first;
        else
          EXPECT_EQ(first, 3);
      });
      for (const std::atomic<int>& times : calls) ASSERT_EQ(times, 1);
    }
}

/// A job of one thread has jobs of its own, the last of which does not end before somebody helps.
TEST(EachSharing, WhoIsDoneHelpsAJobWithOneThread) {
  std::atomic<int> inside{0};
  each_sharing({.threads = 2}, 2, [&](std::size_t job, SharedWork& shared) {
    if (job == 0) return;
    each_sharing({.threads = 1, .outer = &shared}, 3, [&](std::size_t k, SharedWork& of_all) {
      EXPECT_EQ(&of_all, &shared);
      if (k < 2) return;
      of_all.run([&] {
        ++inside;
        while (inside < 2) std::this_thread::yield();
      });
    });
  });
  EXPECT_EQ(inside, 2);
}

/// A job of one thread has two of its own that wait for one another.
TEST(EachOfFew, WhoIsDoneTakesOneOfAJobWithOneThread) {
  std::atomic<int> inside{0};
  std::atomic<int> calls{0};
  each_sharing({.threads = 2}, 2, [&](std::size_t job, SharedWork& shared) {
    if (job == 0) return;
    each_of_few({.threads = 1, .outer = &shared}, 2, [&](std::size_t) {
      ++calls;
      ++inside;
      while (inside < 2) std::this_thread::yield();
    });
  });
  EXPECT_EQ(calls, 2);
}

TEST(EachOfFew, CallsEachOnceWhoeverThereIs) {
  for (const int threads : {1, 2, 4}) {
    std::vector<std::atomic<int>> calls(7);
    each_of_few({.threads = threads}, calls.size(), [&](std::size_t k) { ++calls[k]; });
    for (const std::atomic<int>& times : calls) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace tessera
