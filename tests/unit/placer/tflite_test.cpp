// Minimum arena sizes of models.
#include <gtest/gtest.h>

#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/import.h"
#include "tessera/network_stats.h"
#include "tessera/place.h"
#include "tests/support/paths.h"

namespace tessera::placer {
namespace {

struct Model {
  const char* file;
  Size height;
};

// Computed outside of the program: the sum of all activations at the worst operator, each rounded
// up to 16 bytes. Reaching it shows that no byte is lost between buffers.
class RealModels : public ::testing::TestWithParam<Model> {};

TEST_P(RealModels, TheArenaIsAsSmallAsItCanBe) {
  TESSERA_NEED_SHARED("models/tflite");
  const std::string path =
      testing::shared_path(std::string("models/tflite/") + GetParam().file).string();
  const Input input = load_input(path, {});
  const PlacementResult result = place(input.problem, {.minimize = std::nullopt});
  ASSERT_EQ(result.status, Status::feasible);
  ASSERT_EQ(result.heights.size(), 1U);
  EXPECT_EQ(result.heights[0], GetParam().height);
  EXPECT_EQ(result.lower_bounds, result.heights) << "proved";
}

INSTANTIATE_TEST_SUITE_P(All, RealModels,
                         ::testing::Values(Model{"mcunet_detection_int8.tflite", 337024},
                                           Model{"mlperf_ad_autoencoder_int8.tflite", 768},
                                           Model{"mlperf_dscnn_kws_int8.tflite", 16000},
                                           Model{"mlperf_resnet8_int8.tflite", 49152},
                                           Model{"mlperf_vww_mobilenet_int8.tflite", 55296}));

struct Macs {
  const char* file;
  std::int64_t count;
};

class RealNetworks : public ::testing::TestWithParam<Macs> {};

// Products of the layers CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, as counted by the
// estimator of benchmarks/ethos-u on u55-128. It folds columns of a strided first layer into
// channels and counts products with zeros: 480,000 instead of 320,000 in DS-CNN, 663,552 instead of
// 497,664 in VWW. These are subtracted here.
TEST_P(RealNetworks, MultiplyAsOftenAsOthersCount) {
  TESSERA_NEED_SHARED("models/tflite");
  const std::string path =
      testing::shared_path(std::string("models/tflite/") + GetParam().file).string();
  EXPECT_FALSE(is_network_file(path)) << "it is a placement problem as well";
  const ImportedNetwork in = read_network(path, {});
  EXPECT_EQ(in.format, "tflite");
  EXPECT_TRUE(in.warnings.empty());
  EXPECT_EQ(in.network.name + ".tflite", GetParam().file);
  EXPECT_EQ(network_stats(in.network).macs, GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealNetworks,
    ::testing::Values(Macs{"mcunet_detection_int8.tflite", 18296320},
                      Macs{"mlperf_ad_autoencoder_int8.tflite", 264192},
                      Macs{"mlperf_dscnn_kws_int8.tflite", 2816768 - 480000 + 320000},
                      Macs{"mlperf_resnet8_int8.tflite", 12501632},
                      Macs{"mlperf_vww_mobilenet_int8.tflite", 7655552 - 663552 + 497664}));

}  // namespace
}  // namespace tessera::placer
