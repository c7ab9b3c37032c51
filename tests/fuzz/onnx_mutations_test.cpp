// The mutations of the ONNX fuzzer as an ordinary test, with any compiler:
//
//   TESSERA_RANDOM_COUNT=10000000 TESSERA_RANDOM_SEED=1 build/release/tests/fuzz/random_onnx
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
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
    SCOPED_TRACE(seed.graph().node(0).op_type());
    const std::string bytes = seed.SerializeAsString();
    EXPECT_NO_THROW(static_cast<void>(io::read_onnx(bytes, "seed", {})));
    EXPECT_NO_THROW(static_cast<void>(onnx(bytes)));
  }
}

/// Processor time, independent of other load.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(RandomOnnx, MutationsAreReadOrRefused) {
  const std::vector<onnx::ModelProto> seeds = onnx_seeds();
  const std::uint64_t first = setting("TESSERA_RANDOM_SEED", 1);
  const std::uint64_t count = setting("TESSERA_RANDOM_COUNT", effort(20000));
  std::uint64_t accepted = 0;
  double slowest = 0;
  const double begin = processor_seconds();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    OnnxMutator mutator(seeds, seed);
    onnx::ModelProto model = mutator.start();
    mutator.mutate(model);
    const std::string bytes = model.SerializeAsString();
    const double start = processor_seconds();
    try {
      accepted += onnx(bytes) ? 1U : 0U;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "TESSERA_RANDOM_COUNT=1 TESSERA_RANDOM_SEED=" << seed << ": "
                    << error.what();
    }
    const double took = processor_seconds() - start;
    slowest = std::max(slowest, took);
    ASSERT_LT(took, testing::sanitized ? 10 : 1) << "TESSERA_RANDOM_SEED=" << seed;
  }
  // If mutations were too wild to be accepted, only the first checks of the reader would be tested.
  if (count >= 1000) {
    EXPECT_GT(accepted, count / 5);
  }
  std::cout << count << " mutations, " << accepted << " accepted, " << processor_seconds() - begin
            << " s, slowest " << slowest << " s\n";
}

}  // namespace
}  // namespace tessera::fuzz
