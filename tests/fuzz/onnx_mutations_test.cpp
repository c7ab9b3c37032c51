// The mutations of the ONNX fuzzer as an ordinary test, with any compiler:
//
//   TESSERA_RANDOM_COUNT=10000000 TESSERA_RANDOM_SEED=1 build/release/tests/fuzz/random_onnx
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "io/network_onnx.h"
#include "tests/fuzz/onnx_mutator.h"
#include "tests/fuzz/onnx_property.h"
#include "tests/fuzz/onnx_seeds.h"
#include "tests/support/effort.h"

namespace tessera::fuzz {
namespace {

using testing::effort;
using testing::setting;

TEST(RandomOnnx, EverySeedIsAccepted) {
  for (const onnx::ModelProto& seed : onnx_seeds()) {
    SCOPED_TRACE(seed.ShortDebugString());
    const std::string bytes = seed.SerializeAsString();
    EXPECT_NO_THROW(static_cast<void>(read_onnx(bytes, "seed", {})));
    EXPECT_NO_THROW(static_cast<void>(onnx(bytes)));
  }
}

TEST(RandomOnnx, MutationsAreReadOrRefused) {
  using Clock = std::chrono::steady_clock;
  const std::vector<onnx::ModelProto> seeds = onnx_seeds();
  const std::uint64_t first = setting("TESSERA_RANDOM_SEED", 1);
  const std::uint64_t count = setting("TESSERA_RANDOM_COUNT", effort(20000));
  std::uint64_t accepted = 0;
  Clock::duration slowest{};
  const Clock::time_point begin = Clock::now();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    OnnxMutator mutator(seeds, seed);
    onnx::ModelProto model = mutator.start();
    mutator.mutate(model);
    const std::string bytes = model.SerializeAsString();
    const Clock::time_point start = Clock::now();
    try {
      accepted += onnx(bytes) ? 1U : 0U;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" << seed << ": " << error.what()
                    << '\n'
                    << model.ShortDebugString().substr(0, 4000);
    }
    slowest = std::max(slowest, Clock::now() - start);
    ASSERT_LT(Clock::now() - start, std::chrono::seconds(testing::sanitized ? 10 : 2)) << seed;
  }
  // Changes so wild that nothing is accepted would test the first line of the reader alone.
  if (count >= 1000) {
    EXPECT_GT(accepted, count / 5);
  }
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  std::cout << count << " mutations, " << accepted << " accepted, " << seconds.count()
            << " s, slowest " << std::chrono::duration<double>(slowest).count() << " s\n";
}

}  // namespace
}  // namespace tessera::fuzz
