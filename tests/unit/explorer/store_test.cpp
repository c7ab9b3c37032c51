#include "explorer/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tessera::explorer {
namespace {

namespace fs = std::filesystem;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("store-" + std::to_string(::getpid()) + '-' +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "store.sqlite").string(); }

  fs::path folder_;
};

TEST_F(StoreTest, GivesBackWhatWasKept) {
  KnownPlan known{.status = SweepStatus::proved,
                  .score = 0.1 + 0.2,
                  .bound = 1.0 / 3,
                  .totals = {.latency_cycles = 123456789012345,
                             .energy_pj = 1e-3,
                             .dram_bytes = 7,
                             .peak_bytes = 8},
                  .reason = "why, \"not\"\n"};
  {
    Store store(path());
    EXPECT_FALSE(store.find("a"));
    store.keep("a", known, "{}");
    known.score.reset();
    store.keep("b", known);
  }
  Store again(path());
  Store beside(path());  // as another process would do
  const auto a = again.find("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->status, SweepStatus::proved);
  EXPECT_EQ(a->score, 0.1 + 0.2);
  EXPECT_EQ(a->bound, 1.0 / 3);
  EXPECT_EQ(a->totals, known.totals);
  EXPECT_EQ(a->reason, known.reason);
  EXPECT_FALSE(again.find("b")->score);
  EXPECT_EQ(again.plan("a"), "{}");
  EXPECT_FALSE(again.plan("b"));
  beside.keep("c", known);
  EXPECT_TRUE(again.find("c"));
}

// Two processes that create the file wait for each other, and SQLite immediately reports busy to
// one of them.
TEST_F(StoreTest, SeveralMayMakeItAtOnce) {
  for (int round = 0; round < 60; ++round) {
    const std::string fresh = path() + std::to_string(round);
    std::barrier ready(4);
    std::vector<std::string> wrong(4);
    std::vector<std::thread> others;
    for (std::size_t k = 0; k < wrong.size(); ++k)
      others.emplace_back([&, k] {
        ready.arrive_and_wait();
        try {
          Store store(fresh);
          const std::string key = std::to_string(k);
          store.keep(key, {.status = SweepStatus::proved}, "{}");
          if (!store.find(key)) wrong[k] = "what was kept is not there";
        } catch (const std::exception& error) {
          wrong[k] = error.what();
        }
      });
    for (std::thread& other : others) other.join();
    for (const std::string& text : wrong) ASSERT_EQ(text, "") << "in round " << round;
  }
}

TEST_F(StoreTest, RefusesWhatIsNone) {
  std::ofstream(path()) << "this is text, and longer than any header of a data base would be: "
                        << std::string(200, 'x');
  EXPECT_THROW(Store{path()}, BadInput);
  EXPECT_THROW(Store{(folder_ / "none" / "store").string()}, BadInput);
  EXPECT_THROW(Store{folder_.string()}, BadInput);
}

}  // namespace
}  // namespace tessera::explorer
