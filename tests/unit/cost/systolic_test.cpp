// A weight-stationary systolic array described by a profile, compared with the run time by
// SCALE-Sim (Samajdar, Joseph, Zhu, Whatmough, Mattina, Krishna: A Systematic Methodology for
// Characterizing Scalability of DNN Accelerators using SCALE-Sim, ISPASS 2020, section III). A
// product is folded onto R x C cells, and a fold of S_R rows, S_C columns and T steps takes 2 R + C
// + T - 2 cycles. Weight-stationary: rows are the reduction, columns are filters, steps are output
// pixels. The formula here is taken from the paper.
#include <gtest/gtest.h>

#include <string>

#include "cost/mapping.h"
#include "tests/support/one_op.h"
#include "tiling/ceil_div.h"

namespace tessera::cost {
namespace {

using testing::convolution;
using testing::One;

struct Layer {
  const char* name;
  Dim channels, rows, filters, kernel, stride;
};

double scale_sim(const Layer& layer, std::int64_t side) {
  const std::int64_t summed = layer.channels * layer.kernel * layer.kernel;
  const std::int64_t folds = tiling::ceil_div(summed, side) * tiling::ceil_div(layer.filters, side);
  return static_cast<double>(folds * (2 * side + side + layer.rows * layer.rows - 2));
}

/// As in a profile: for each pass weights are loaded, and the array fills and drains. Rows are
/// channels, taps, or a mix: one map per mix.
Engine systolic(std::int64_t side) {
  Engine mac{.name = "mac"};
  for (std::int64_t taps = 1; taps <= side; taps *= 2) {
    Mapping mapping;
    mapping.name = "taps_" + std::to_string(taps);
    mapping.ops = {"conv", "matmul"};
    mapping.unroll = {{"C", side / taps}, {"T", taps}, {"K", side}};
    mapping.start = 3 * side - 2;
    mac.maps.push_back(std::move(mapping));
  }
  return mac;
}

TEST(Systolic, TakesWhatScaleSimSays) {
  // Of ResNet-50, and a layer whose channels do not fill the rows.
  for (const Layer& layer : {Layer{"conv1", 3, 112, 64, 7, 2},
                             {"conv2_2", 64, 56, 64, 3, 1},
                             {"conv3_1", 256, 28, 128, 1, 1},
                             {"conv4_2", 256, 14, 256, 3, 1},
                             {"conv5_3", 512, 7, 2048, 1, 1},
                             {"fc", 2048, 1, 1000, 1, 1},
                             {"conv of 60", 60, 28, 60, 3, 1}}) {
    const One one =
        convolution({layer.channels, layer.rows * layer.stride, layer.rows * layer.stride,
                     layer.filters, layer.rows, layer.rows, layer.kernel, layer.stride},
                    false);
    const Op& op = one.net.ops[0];
    const tiling::OpLoops loops =
        tiling::loops_of(one.net, op, one.net.tensors[op.outputs[0]].shape);
    for (const std::int64_t side : {64, 128}) {
      const double cycles = array_cost(op, loops, systolic(side), {}).cycles;
      EXPECT_NEAR(cycles / scale_sim(layer, side), 1, 0.15) << layer.name << " on " << side;
    }
  }
}

}  // namespace
}  // namespace tessera::cost
