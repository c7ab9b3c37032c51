// Runs the readers on the seeds of the fuzzers, and on every input that once broke a reader.
#include "tests/fuzz/properties.h"
#include "tests/support/effort.h"
#include "tests/support/paths.h"
#include "tests/unit/io/case_file.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
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

TEST(FuzzCorpus, EveryPropertyHoldsForTheMalformedInputs) {
  std::size_t inputs = 0;
  const std::vector<std::string> formats = testing::malformed_formats();
  for (const fuzz::Property& property : fuzz::properties) {
    const auto format = std::find(formats.begin(), formats.end(), property.name);
    if (format == formats.end()) continue;  // some readers have no cases there
    for (const testing::MalformedCase& each : testing::malformed_cases(*format)) {
      SCOPED_TRACE(*format + ".cases: " + each.name);
      EXPECT_NO_THROW(property.check(each.data));
      ++inputs;
    }
  }
  EXPECT_GE(inputs, 318U);
}

/// Texts that differ from the seed in one small way: a byte replaced or removed, the end cut off, a
/// line removed or doubled. Calls `use` with about `at_most` of them, evenly chosen.
template <typename Use>
void each_damaged(const std::string& seed, std::size_t at_most, Use use) {
  constexpr std::string_view replacements("\0\n\r\t \x80\xff\"'#&*!,:-[]{}09aE.@\\", 27);
  const std::size_t ways = replacements.size() + 2;
  const std::size_t step = std::max<std::size_t>(1, seed.size() * ways / at_most);
  for (std::size_t k = 0; k < seed.size() * ways; k += step) {
    const std::size_t at = k / ways;
    const std::size_t way = k % ways;
    std::string text = seed;
    if (way < replacements.size()) {
      text[at] = replacements[way];
    } else if (way == replacements.size()) {
      text.erase(at, 1);
    } else {
      text.resize(at);
    }
    use(text);
  }
  for (std::size_t begin = 0; begin < seed.size();) {
    const std::size_t end = std::min(seed.find('\n', begin), seed.size() - 1) + 1;
    const std::string line = seed.substr(begin, end - begin);
    use(seed.substr(0, begin) + seed.substr(end));
    use(seed.substr(0, end) + line + seed.substr(end));
    begin = end;
  }
}

TEST(FuzzCorpus, SmallDamageIsSurvived) {
  for (const fuzz::Property& property : fuzz::properties) {
    const fs::path folder = testing::source_path("tests/fuzz/corpus") / fs::path(property.name);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      SCOPED_TRACE(entry.path().string());
      each_damaged(testing::slurp(entry.path()), testing::effort(1500),
                   [&](const std::string& text) { EXPECT_NO_THROW(property.check(text)) << text; });
    }
  }
}

// At least one seed each is well-formed, so that round trips are covered.
TEST(FuzzCorpus, TheSeedsAreAccepted) {
  const auto seed = [](const char* name) {
    return testing::slurp(testing::source_path("tests/fuzz/corpus") / name);
  };
  EXPECT_EQ(read_buffer_csv(seed("buffer_csv/all.csv"), "seed").problem.buffers.size(), 2U);
  EXPECT_EQ(read_problem_yaml(seed("problem_yaml/full.yaml"), "seed").problem.relations.size(), 9U);
  EXPECT_EQ(read_dsa_json(seed("dsa_json/full.json"), "seed").problem.buffers.size(), 4U);
  EXPECT_EQ(
      read_executorch_trace(seed("executorch_trace/full.json"), "seed").problem.buffers.size(), 4U);
  EXPECT_EQ(read_graph_json(seed("graph_json/full.json"), "seed").ops.size(), 3U);
  EXPECT_EQ(read_hardware_yaml(seed("hardware_yaml/full.yaml"), "seed").engines.size(), 2U);
  EXPECT_EQ(read_placement_json(seed("placement_json/full.json"), "seed", fuzz::placed_problem())
                .placement->places.size(),
            3U);
  EXPECT_EQ(read_network_yaml(seed("network_yaml/full.yaml"), "seed").network.ops.size(), 19U);
  const auto problem_of = [](const PlannedPlaces&, const PlannedSubgraph&, std::size_t) {
    return fuzz::placed_problem();
  };
  const NetworkPlan plan = read_plan_json(seed("plan_json/full.json"), "seed", problem_of);
  ASSERT_EQ(plan.subgraphs.size(), 1U);
  EXPECT_EQ(plan.subgraphs[0].placements.size(), 2U);
  // `plan` accepts any 64-bit seed, so its file may contain any.
  EXPECT_EQ(read_plan_json(seed("plan_json/unknown.json"), "seed", problem_of).seed,
            std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace tessera::io
