// The order in which tile shapes are evaluated.
#include "planner/shapes.h"

#include <gtest/gtest.h>

#include "io/network_yaml.h"
#include "tessera/files.h"
#include "tessera/plan.h"

namespace tessera::planner {
namespace {

/// Fourteen rows with the maximum channels and sums in parts take half the time of shapes that load
/// and fetch slightly less: the array takes as long for five rows as for fourteen. Hundreds of
/// shapes might be cheaper by their loads.
TEST(Shapes, ThoseThatSuitTheArrayComeFirst) {
  const Network network = io::read_network_yaml(R"(
tessera: network/1
name: strided
tensors:
  x: {shape: [1, 256, 28, 28], dtype: int8}
  w: {shape: [256, 256, 3, 3], dtype: int8, kind: weight}
inputs: [x]
ops:
  - {name: c, type: conv, inputs: [x, w], output: y, stride: [2, 2], pad: [1, 1, 1, 1]}
outputs: [y]
)",
                                                "strided.yaml")
                              .network;
  const Hardware hardware = load_profile("eyeriss-like");
  const auto latency = [&](std::int64_t shapes) {
    const NetworkPlan plan =
        plan_network(network, hardware, {.tile_shapes = shapes, .proof_shapes = 0});
    EXPECT_EQ(plan.status, Status::feasible);
    return plan.totals.latency_cycles;
  };
  const std::int64_t few = latency(4);
  EXPECT_EQ(few, latency(512));
  EXPECT_LT(few, latency(0) / 2);
}

}  // namespace
}  // namespace tessera::planner
