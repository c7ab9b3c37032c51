#include "tessera/generate.h"

#include <gtest/gtest.h>

#include "model/random.h"
#include "tessera/errors.h"
#include "tessera/files.h"
#include "tessera/validate.h"

namespace tessera::validation {
namespace {

TEST(Generate, EveryKindMakesWhatWasAskedFor) {
  for (const GeneratorInfo& entry : generator_list()) {
    for (const std::int64_t buffers : {1, 7, 200}) {
      GenerateParams params;
      params.kind = entry.name;
      params.buffers = buffers;
      params.seed = 3;
      params.alignment = 16;
      const PlacementProblem problem = generate(params);
      EXPECT_TRUE(validate(problem).empty()) << entry.name;
      EXPECT_EQ(problem.buffers.size(), static_cast<std::size_t>(buffers)) << entry.name;
      EXPECT_EQ(problem.memories.size(), 1U);
      EXPECT_EQ(problem_yaml(problem), problem_yaml(generate(params))) << entry.name;
      if (buffers == 1) continue;
      params.seed = 4;
      EXPECT_NE(problem_yaml(problem), problem_yaml(generate(params))) << entry.name;
    }
  }
}

TEST(Generate, PackableIsFullAtEveryStep) {
  const PlacementProblem problem =
      generate({.kind = "packable", .buffers = 60, .seed = 9, .steps = 40, .capacity = 1000});
  for (Step step = 0; step < 40; ++step) {
    Size load = 0;
    for (const Buffer& buffer : problem.buffers)
      if (buffer.live.front().contains(step)) load += buffer.size;
    EXPECT_EQ(load, 1000) << step;
  }
}

TEST(Generate, RefusesNumbersThatMakeNoProblem) {
  EXPECT_THROW(static_cast<void>(generate({.kind = "nonsense"})), BadInput);
  EXPECT_THROW(static_cast<void>(generate({.buffers = 0})), BadInput);
  EXPECT_THROW(static_cast<void>(generate({.capacity = 8, .alignment = 16})), BadInput);
  EXPECT_THROW(static_cast<void>(generate({.slack = -1})), BadInput);
  EXPECT_THROW(
      static_cast<void>(generate({.kind = "packable", .buffers = 50, .steps = 3, .capacity = 4})),
      BadInput);
}

TEST(Random, IsTheSameEverywhere) {
  Random random(1);
  EXPECT_EQ(random.next(), 10451216379200822465ULL);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = random.between(-3, 4);
    EXPECT_TRUE(-3 <= value && value <= 4);
  }
}

}  // namespace
}  // namespace tessera::validation
