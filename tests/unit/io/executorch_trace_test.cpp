#include "io/executorch_trace.h"

#include <gtest/gtest.h>

#include "io/load.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

std::string profile() {
  return testing::slurp(testing::source_path("tests/fuzz/corpus/executorch_trace/full.json"));
}

TEST(ExecutorchTrace, StepsOfATensorAreItsLife) {
  const PlacementProblem problem = read_executorch_trace(profile(), "profile").problem;
  ASSERT_EQ(problem.memories.size(), 2U);
  EXPECT_EQ(problem.memories[1].name, "memory 2");
  ASSERT_EQ(problem.buffers.size(), 4U);  // an empty tensor needs no place
  EXPECT_EQ(problem.buffers[0].id, "x");
  EXPECT_EQ(problem.buffers[0].live, (std::vector<StepRange>{{0, 2}, {3, 4}}));
  // Two results of one operator with different lifetimes.
  EXPECT_EQ(problem.buffers[1].id, "split");
  EXPECT_EQ(problem.buffers[1].live, (std::vector<StepRange>{{1, 3}}));
  EXPECT_EQ(problem.buffers[2].id, "split.2");
  EXPECT_EQ(problem.buffers[2].live, (std::vector<StepRange>{{1, 2}}));
  EXPECT_EQ(problem.buffers[3].memories, (std::vector<MemoryIndex>{1}));
  EXPECT_EQ(problem.objective, Objective::height);
}

TEST(ExecutorchTrace, IsToldByItsFirstKey) {
  const Input input = load_problem_text(profile(), "profile", {});
  EXPECT_EQ(input.format, "executorch");
  EXPECT_TRUE(is_trace(" {\n \"traceEvents\" : []}"));
  EXPECT_FALSE(is_trace("{\"schema_version\": 1, \"traceEvents\": []}"));
  EXPECT_FALSE(is_trace("[\"traceEvents\"]"));
}

TEST(ExecutorchTrace, MemoriesOfAProfileTakeTheirPlace) {
  const std::vector<Memory> one{{.name = "sram", .capacity = 1024, .alignment = 16}};
  const PlacementProblem all = read_executorch_trace(profile(), "profile", one).problem;
  EXPECT_EQ(all.memories.size(), 1U);
  EXPECT_TRUE(all.buffers[3].memories.empty());
  const std::vector<Memory> two{{.name = "a"}, {.name = "b"}};
  EXPECT_EQ(read_executorch_trace(profile(), "profile", two).problem.buffers[3].memories,
            (std::vector<MemoryIndex>{1}));
  const std::vector<Memory> three{{.name = "a"}, {.name = "b"}, {.name = "c"}};
  EXPECT_THROW(static_cast<void>(read_executorch_trace(profile(), "profile", three)), InputError);
}

/// Many equal results of one operator take no longer than as many different ones.
TEST(ExecutorchTrace, EqualResultsAreToldApartInOnePass) {
  std::string text = "{\"traceEvents\": [";
  for (int k = 0; k < 50'000; ++k)
    text += std::string(k == 0 ? "" : ",") +
            R"({"name":"t","cat":"memory_allocation","dur":4,"pid":1,"tid":0})";
  const PlacementProblem problem = read_executorch_trace(text + "]}", "profile").problem;
  EXPECT_EQ(problem.buffers.size(), 50'000U);
  EXPECT_EQ(problem.buffers.back().id, "t.50000");
}

}  // namespace
}  // namespace tessera::io
