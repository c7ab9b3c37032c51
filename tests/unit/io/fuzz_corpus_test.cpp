// The seeds of the fuzzers, and every input that once broke a reader, as an ordinary test.
#include "tests/fuzz/properties.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

TEST(FuzzCorpus, EveryPropertyHoldsForEveryFile) {
  for (const fuzz::Property& property : fuzz::properties) {
    const fs::path folder = testing::source_path("tests/fuzz/corpus") / fs::path(property.name);
    std::size_t files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      SCOPED_TRACE(entry.path().string());
      EXPECT_NO_THROW(property.check(testing::slurp(entry.path())));
      ++files;
    }
    EXPECT_GE(files, 1U) << folder;
  }
}

TEST(FuzzCorpus, EveryPropertyHoldsForTheMalformedFiles) {
  for (const fuzz::Property& property : fuzz::properties) {
    const fs::path folder = testing::source_path("tests/usage/malformed") / fs::path(property.name);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      SCOPED_TRACE(entry.path().string());
      EXPECT_NO_THROW(property.check(testing::slurp(entry.path())));
    }
  }
}

// One seed each is well-formed, so that the round trips are really made.
TEST(FuzzCorpus, TheSeedsAreAccepted) {
  const auto seed = [](const char* name) {
    return testing::slurp(testing::source_path("tests/fuzz/corpus") / name);
  };
  EXPECT_EQ(read_buffer_csv(seed("buffer_csv/all.csv"), "seed").problem.buffers.size(), 2U);
  EXPECT_EQ(read_problem_yaml(seed("problem_yaml/full.yaml"), "seed").problem.relations.size(), 9U);
  EXPECT_EQ(read_dsa_json(seed("dsa_json/full.json"), "seed").problem.buffers.size(), 4U);
  EXPECT_EQ(read_hardware_yaml(seed("hardware_yaml/full.yaml"), "seed").engines.size(), 2U);
  EXPECT_EQ(read_placement_json(seed("placement_json/full.json"), "seed", fuzz::placed_problem())
                .placement->places.size(),
            3U);
}

}  // namespace
}  // namespace tessera
