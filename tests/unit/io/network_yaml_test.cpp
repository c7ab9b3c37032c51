#include "io/network_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/network_order.h"
#include "tessera/network_shapes.h"
#include "tessera/network_stats.h"
#include "tests/support/random_network.h"

namespace tessera::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const toy = R"(tessera: network/1
name: toy
tensors: {x: {shape: [1, 64, 56, 56], dtype: int8}}
inputs: [x]
ops:
  - {name: c1, type: conv, inputs: [x], output: t, weights: {shape: [64, 64, 3, 3]}, stride: [1, 1], pad: [1, 1, 1, 1]}
  - {name: a1, type: add, inputs: [t, x], output: y}
outputs: [y]
)";

std::string network_refusal(const std::string& text) {
  try {
    static_cast<void>(read_network_yaml(text, "net.yaml"));
  } catch (const InputError& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return "accepted";
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = toy;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(NetworkYaml, ReadsTheExampleOfTheContract) {
  const Network net = read_network_yaml(toy, "net.yaml").network;
  ASSERT_EQ(net.ops.size(), 2U);
  EXPECT_EQ(macs(net, net.ops[0]), 64LL * 56 * 56 * 64 * 9);
  for (const Tensor& tensor : net.tensors) EXPECT_EQ(tensor.type, ElementType::int8);
  EXPECT_EQ(read_network_yaml(write_network_yaml(net), "again").network, net);
}

TEST(NetworkYaml, RandomNetworksReadBackEqual) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Network net = normalized(testing::random_network(seed, {.ops = 6}));
    EXPECT_EQ(read_network_yaml(write_network_yaml(net), "again").network, net) << seed;
  }
}

TEST(NetworkYaml, ScalesReadBackEqual) {
  const std::string y = changed(
      "{shape: [1, 64, 56, 56], dtype: int8}",
      "{shape: [1, 64, 56, 56], dtype: int8, quantization: {scale: [1.5e-05], zero_point: [-7]}}");
  const Network net = read_network_yaml(y, "net.yaml").network;
  EXPECT_EQ(net.tensors[0].quantization, (Quantization{{1.5e-05}, {-7}, 0}));
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Network random = normalized(testing::random_network(seed, {.ops = 6}));
    for (Tensor& tensor : random.tensors)
      if (!is_floating(tensor.type) && tensor.type != ElementType::boolean)
        tensor.quantization = Quantization{{0.1 * static_cast<double>(seed)}, {3}, 0};
    ASSERT_TRUE(check_network(random).empty()) << seed;
    EXPECT_EQ(read_network_yaml(write_network_yaml(random), "again").network, random) << seed;
  }
}

TEST(NetworkYaml, WrongScalesAreRefused) {
  const auto refusal = [](const std::string& x, const std::string& weights) {
    std::string text =
        changed("shape: [64, 64, 3, 3]", "shape: [64, 64, 3, 3], quantization: {" + weights + "}");
    const std::string plain = "dtype: int8";
    return network_refusal(
        text.replace(text.find(plain), plain.size(), "dtype: int8, quantization: {" + x + "}"));
  };
  const std::string one = "scale: [0.5]";
  EXPECT_EQ(refusal(one, one), "accepted");
  EXPECT_THAT(refusal("zero_point: [0]", one), HasSubstr("scale"));
  EXPECT_THAT(refusal("scale: []", one), HasSubstr("has an empty list of scales"));
  EXPECT_THAT(refusal("scale: [-1]", one), HasSubstr("has a scale of -1; scales are positive"));
  EXPECT_THAT(refusal("scale: [1], zero_point: [128]", one),
              HasSubstr("tensor 'x' has a zero point that is no value of int8"));
  EXPECT_THAT(refusal("scale: [1], zero_point: [1, 2]", one),
              HasSubstr("has 2 zero points for 1 scales"));
  EXPECT_THAT(refusal("scale: [1, 2], axis: 1", one), HasSubstr("2 scales along an axis of 64"));
  EXPECT_THAT(refusal("scale: [1], size: 1", one), HasSubstr("unknown key"));
  std::string many = "scale: [1";
  for (int k = 1; k < 64; ++k) many += ", 1";
  many += "]";
  EXPECT_EQ(refusal(one, many), "accepted");
  EXPECT_THAT(refusal(one, many + ", axis: 1"),
              HasSubstr("multiplies by weights with scales along axis 1, not 0"));
  EXPECT_THAT(refusal(many + ", axis: 1", one),
              HasSubstr("multiplies a first input with several scales"));
  EXPECT_THAT(
      network_refusal(changed("dtype: int8}", "dtype: float32, quantization: {scale: [1]}}")),
      HasSubstr("has scales, but elements of type float32"));
  EXPECT_THAT(network_refusal(changed("{name: a1, type: add, inputs: [t, x], output: y}",
                                      "{name: a1, type: concat, axes: [1], inputs: [t, x], output: "
                                      "y}")),
              "accepted");
  std::string joined =
      changed("type: add, inputs: [t, x]", "type: concat, axes: [1], inputs: [t, x]");
  joined.replace(joined.find("dtype: int8"), 11, "dtype: int8, quantization: {scale: [1]}");
  EXPECT_THAT(network_refusal(joined), HasSubstr("put an op `quantize` between"));
}

TEST(NetworkYaml, ABiasWithoutATypeIsAddedToSumsOf32Bits) {
  const Network net =
      read_network_yaml(changed("weights: {shape: [64, 64, 3, 3]}",
                                "weights: [{shape: [64, 64, 3, 3]}, {shape: [64]}]"),
                        "net.yaml")
          .network;
  EXPECT_EQ(net.tensors[net.ops[0].inputs[1]].type, ElementType::int8);
  EXPECT_EQ(net.tensors[net.ops[0].inputs[2]].type, ElementType::int32);
}

TEST(NetworkYaml, WeightsMayHaveFourBits) {
  const Network net =
      read_network_yaml(changed("shape: [64, 64, 3, 3]", "shape: [64, 64, 3, 3], dtype: int4"),
                        "net.yaml")
          .network;
  EXPECT_EQ(net.tensors[net.ops[0].inputs[1]].type, ElementType::int4);
  EXPECT_EQ(net.tensors[net.ops[0].outputs[0]].type, ElementType::int8);
  EXPECT_EQ(read_network_yaml(write_network_yaml(net), "again").network, net);
  EXPECT_THAT(network_refusal(changed("dtype: int8", "dtype: int4")),
              HasSubstr("net.yaml:3: tensor 'x' is an activation of type int4"));
}

TEST(NetworkYaml, RefusalsNameTheLine) {
  EXPECT_THAT(network_refusal(changed("type: conv", "type: cnov")),
              StartsWith("net.yaml:6: `cnov` is not a type of op | did you mean `conv`?"));
  EXPECT_THAT(network_refusal(changed("stride:", "strides:")), HasSubstr("net.yaml:6: "));
  EXPECT_THAT(network_refusal(changed("name: a1, ", "name: a1, name: a2, ")),
              HasSubstr("net.yaml:7: "));
  EXPECT_THAT(network_refusal(changed("inputs: [t, x]", "inputs: [q, x]")),
              HasSubstr("net.yaml:7: unknown tensor `q`"));
  EXPECT_THAT(network_refusal(changed("stride: [1, 1]", "stride: [1]")),
              HasSubstr("net.yaml:6: `stride` has 1 entries where 2 are needed"));
  EXPECT_THAT(network_refusal(changed("[64, 64, 3, 3]", "[64, 32, 3, 3]")),
              HasSubstr("net.yaml:6: op `c1` (conv) has weights for 32 input channels"));
  EXPECT_THAT(network_refusal(changed("int8", "int5")), HasSubstr("net.yaml:3: `int5`"));
  EXPECT_THAT(network_refusal(changed("[1, 64, 56, 56]", "[1, 64, 0, 56]")),
              HasSubstr("net.yaml:3: "));
  EXPECT_THAT(network_refusal(changed("output: y", "output: t")),
              HasSubstr("net.yaml:8: unknown tensor `y`"));
  EXPECT_THAT(network_refusal(changed("name: a1", "name: c1")), HasSubstr("net.yaml:7: "));
  EXPECT_THAT(network_refusal(changed("network/1", "problem/1")), HasSubstr("net.yaml:1: "));
}

TEST(NetworkYaml, AViewIsOfTheKindAndTheTypeOfWhatItShows) {
  const auto views = [](const char* view) {
    return changed("dtype: int8}}",
                   std::string("dtype: int8}, w: {shape: [64, 64, 3, 3], dtype: int8, kind: "
                               "weight}, v: {shape: [64, 576], ") +
                       view + "}}");
  };
  EXPECT_THAT(network_refusal(views("dtype: int8, kind: weight, view_of: w")),
              HasSubstr("accepted"));
  EXPECT_THAT(
      network_refusal(views("dtype: int8, view_of: w")),
      HasSubstr("net.yaml:3: view 'v' is not a weight, but 'w', which it is a view of, is a "
                "weight (`kind: weight`)"));
  EXPECT_THAT(
      network_refusal(views("dtype: int16, kind: weight, view_of: w")),
      HasSubstr("[64, 576] of int16 has another number of elements than 'w' [64, 64, 3, 3] of "
                "int8"));
}

TEST(NetworkYaml, DeclaredShapesAreCompared) {
  EXPECT_THAT(
      network_refusal(changed("dtype: int8}}", "dtype: int8}, y: {shape: [1, 64, 56, 55]}}")),
      HasSubstr("produces [1, 64, 56, 56] but 'y' is declared as [1, 64, 56, 55]"));
}

}  // namespace
}  // namespace tessera::io
