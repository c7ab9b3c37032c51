#include "io/network_onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "io/files.h"
#include "io/network_passes.h"
#include "io/network_yaml.h"
#include "model/poll.h"
#include "tessera/network_shapes.h"
#include "tessera/network_stats.h"
#include "tests/support/paths.h"
#include "tests/unit/io/onnx_bytes.h"

namespace tessera::io {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

OnnxNetwork read(const OnnxParts& parts) {
  return read_onnx(onnx_model(parts), "m.onnx", {});
}

/// Processor time, independent of other load.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string refusal(const std::string& bytes) {
  try {
    static_cast<void>(read_onnx(bytes, "m.onnx", {}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}
std::string refusal(const OnnxParts& parts) {
  return refusal(onnx_model(parts));
}

const Tensor& output(const Network& net, std::size_t op) {
  return net.tensors[net.ops[op].outputs[0]];
}

OnnxParts small_conv() {
  return {.nodes = {onnx_node("Conv", "conv", {"x", "w"}, {"t"}, {onnx_ints("pads", {1, 1, 1, 1})}),
                    onnx_node("Relu", "relu", {"t"}, {"y"})},
          .initializers = {onnx_weights("w", {4, 3, 3, 3})},
          .inputs = {onnx_value("x", {1, 3, 8, 8})},
          .outputs = {onnx_value("y", {1, 4, 8, 8})},
          .value_infos = {}};
}

TEST(OnnxReader, ATimeThatIsUpIsNoFaultOfTheFile) {
  // The budget ends at every position of the file, including between two messages, where the rest
  // is not needed.
  const std::string bytes = onnx_model(small_conv());
  int ended = 0;
  for (int k = 0; k < 4000; ++k) {
    OnnxOptions options;
    options.budget.deadline =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds(50) * (k % 400);
    try {
      static_cast<void>(read_onnx(bytes, "m.onnx", options));
    } catch (const BudgetEnded& why) {
      EXPECT_EQ(why.reason, StopReason::time_limit);
      ++ended;
    }
  }
  EXPECT_GT(ended, 0);
}

TEST(OnnxReader, InfersShapesAndFusesActivations) {
  const OnnxNetwork in = read(small_conv());
  ASSERT_EQ(in.network.ops.size(), 2U);
  EXPECT_THAT(output(in.network, 0).shape, ElementsAre(1, 4, 8, 8));
  EXPECT_EQ(network_stats(in.network).macs, 4 * 64 * 27);
  const Network fused = simplified(in.network, {.dtype = ElementType::int8});
  ASSERT_EQ(fused.ops.size(), 1U);
  EXPECT_EQ(fused.ops[0].fused[0].function, "relu");
  EXPECT_EQ(output(fused, 0).type, ElementType::int8);
  const Network plain = simplified(in.network, {.fuse_activations = false});
  EXPECT_EQ(plain.ops.size(), 2U);
}

TEST(OnnxReader, BiasesOfInt8NetworksAreAddedToSumsOf32Bits) {
  OnnxParts parts = small_conv();
  parts.nodes[0] =
      onnx_node("Conv", "conv", {"x", "w", "b"}, {"t"}, {onnx_ints("pads", {1, 1, 1, 1})});
  parts.initializers.push_back(onnx_weights("b", {4}));
  const Network net = simplified(read(parts).network, {.dtype = ElementType::int8});
  EXPECT_EQ(net.tensors[net.ops[0].inputs[1]].type, ElementType::int8);
  EXPECT_EQ(net.tensors[net.ops[0].inputs[2]].type, ElementType::int32);
}

/// An initializer of type INT4.
std::string four_bits(const std::string& name, const std::vector<std::int64_t>& shape,
                      std::size_t bytes) {
  std::string out;
  for (const std::int64_t extent : shape) out += wire_number(1, extent);
  return out + wire_number(2, 22) + wire_bytes(8, name) + wire_bytes(9, std::string(bytes, '\0'));
}

TEST(OnnxReader, TwoElementsOfInt4TakeAByte) {
  OnnxParts parts = small_conv();
  parts.nodes.push_back(onnx_node("DequantizeLinear", "scale", {"q", "s"}, {"w"}));
  std::swap(parts.nodes.front(), parts.nodes.back());
  parts.initializers = {four_bits("q", {5, 3, 3, 3}, 68), onnx_weights("s", {})};
  parts.outputs = {onnx_value("y", {1, 5, 8, 8})};
  const OnnxNetwork in = read(parts);
  const TensorIndex weight = in.network.ops[0].inputs[0];
  EXPECT_EQ(in.network.tensors[weight].type, ElementType::int4);
  EXPECT_EQ(tensor_bytes(in.network.tensors[weight]), 68);
  parts.initializers[0] = four_bits("q", {5, 3, 3, 3}, 135);
  EXPECT_THAT(refusal(parts),
              HasSubstr("has 135 bytes of data where its shape [5, 3, 3, 3] needs 68"));
}

TEST(OnnxReader, FoldsAShapeChainIntoAView) {
  // Shape -> Gather -> Unsqueeze -> Concat -> Reshape, as exporters write a flatten.
  const OnnxNetwork in = read(
      {.nodes = {onnx_node("Shape", "shape", {"x"}, {"s"}),
                 onnx_node("Gather", "gather", {"s", "zero"}, {"n"}),
                 onnx_node("Unsqueeze", "unsqueeze", {"n", "axes"}, {"n1"}),
                 onnx_node("Concat", "concat", {"n1", "rest"}, {"target"}, {onnx_int("axis", 0)}),
                 onnx_node("Reshape", "reshape", {"x", "target"}, {"flat"}),
                 onnx_node("Relu", "relu", {"flat"}, {"y"})},
       .initializers = {onnx_scalar("zero", 0), onnx_integers("axes", {0}),
                        onnx_integers("rest", {-1})},
       .inputs = {onnx_value("x", {2, 3, 4, 4})},
       .outputs = {onnx_value("y", {2, 48})},
       .value_infos = {}});
  ASSERT_EQ(in.network.ops.size(), 1U);
  const Tensor& seen = in.network.tensors[in.network.ops[0].inputs[0]];
  EXPECT_THAT(seen.shape, ElementsAre(2, 48));
  ASSERT_TRUE(seen.view_of);
  EXPECT_EQ(in.network.tensors[*seen.view_of].name, "x");
}

TEST(OnnxReader, FoldsBatchNormOrKeepsIt) {
  OnnxParts parts = small_conv();
  parts.nodes[1] = onnx_node("BatchNormalization", "bn", {"t", "g", "b", "m", "v"}, {"y"});
  for (const char* name : {"g", "b", "m", "v"})
    parts.initializers.push_back(onnx_weights(name, {4}));
  const Network raw = read(parts).network;
  EXPECT_EQ(simplified(raw, {}).ops.size(), 1U);
  EXPECT_EQ(simplified(raw, {}).ops[0].inputs.size(), 3U);
  const Network kept = simplified(raw, {.fold_batch_norm = false});
  ASSERT_EQ(kept.ops.size(), 2U);
  EXPECT_EQ(kept.ops[1].kind, OpKind::batch_norm);
}

TEST(OnnxReader, CeilModeBecomesPadding) {
  const OnnxNetwork in =
      read({.nodes = {onnx_node("MaxPool", "pool", {"x"}, {"y"},
                                {onnx_ints("kernel_shape", {3, 3}), onnx_ints("strides", {2, 2}),
                                 onnx_int("ceil_mode", 1)})},
            .initializers = {},
            .inputs = {onnx_value("x", {1, 1, 8, 8})},
            .outputs = {onnx_value("y", {1, 1, 4, 4})},
            .value_infos = {}});
  EXPECT_THAT(in.network.ops[0].pad_end, ElementsAre(1, 1));
}

TEST(OnnxReader, UnknownOperatorsAreKeptWithOneWarning) {
  const OnnxNetwork in = read({.nodes = {onnx_node("Magic", "m1", {"x"}, {"t"}, {}, "custom"),
                                         onnx_node("Magic", "m2", {"t"}, {"y"}, {}, "custom")},
                               .initializers = {},
                               .inputs = {onnx_value("x", {1, 4})},
                               .outputs = {onnx_value("y", {1, 4})},
                               .value_infos = {onnx_value("t", {1, 4})}});
  ASSERT_EQ(in.network.ops.size(), 2U);
  EXPECT_EQ(in.network.ops[0].kind, OpKind::opaque);
  ASSERT_EQ(in.warnings.size(), 1U);
  EXPECT_THAT(in.warnings[0], HasSubstr("Magic is not supported: node `m1` and 1 more"));
}

TEST(OnnxReader, UnknownOperatorWithoutAShapeNamesItsNode) {
  EXPECT_THAT(refusal({.nodes = {onnx_node("Magic", "m1", {"x"}, {"t"}, {}, "custom"),
                                 onnx_node("Relu", "r", {"t"}, {"y"})},
                       .initializers = {},
                       .inputs = {onnx_value("x", {1, 4})},
                       .outputs = {onnx_value("y", {1, 4})},
                       .value_infos = {}}),
              HasSubstr("node `m1` (Magic) has a tensor `t` of unknown shape"));
}

TEST(OnnxReader, DynamicDimensions) {
  OnnxParts parts{.nodes = {onnx_node("Relu", "relu", {"x"}, {"y"})},
                  .initializers = {},
                  .inputs = {onnx_value("x", {0, 4}, "batch")},
                  .outputs = {onnx_value("y", {0, 4}, "batch")},
                  .value_infos = {}};
  const OnnxNetwork batch = read(parts);
  EXPECT_THAT(batch.network.tensors[0].shape, ElementsAre(1, 4));
  EXPECT_THAT(batch.warnings.at(0), HasSubstr("dynamic dimension `batch`"));
  const OnnxNetwork given = read_onnx(onnx_model(parts), "m.onnx",
                                      {.dims = {{"batch", 8}}, .ignore_declared_shapes = false});
  EXPECT_THAT(given.network.tensors[0].shape, ElementsAre(8, 4));
  EXPECT_TRUE(given.warnings.empty());
  parts.inputs = {onnx_value("x", {4, 0})};
  parts.outputs = {onnx_value("y", {4, 0})};
  EXPECT_THAT(refusal(parts), HasSubstr("input `x` has a dynamic dimension on axis 1"));
}

TEST(OnnxReader, CyclesAndGapsNameTheNode) {
  OnnxParts parts{
      .nodes = {onnx_node("Add", "a", {"x", "u"}, {"t"}), onnx_node("Relu", "b", {"t"}, {"u"})},
      .initializers = {},
      .inputs = {onnx_value("x", {1, 4})},
      .outputs = {onnx_value("u", {1, 4})},
      .value_infos = {}};
  EXPECT_THAT(refusal(parts), HasSubstr("node `a` (Add) is part of a cycle"));
  parts.nodes = {onnx_node("Add", "a", {"x", "nowhere"}, {"u"})};
  EXPECT_THAT(refusal(parts), HasSubstr("node `a` (Add) reads `nowhere`, which no node produces"));
  parts.nodes = {onnx_node("Relu", "a", {"x"}, {"u"}), onnx_node("Relu", "b", {"x"}, {"u"})};
  EXPECT_THAT(refusal(parts), HasSubstr("node `b` (Relu) makes `u`, which already exists"));
}

TEST(OnnxReader, NodesOutOfOrderAreSorted) {
  const OnnxNetwork in = read({.nodes = {onnx_node("Relu", "second", {"t"}, {"y"}),
                                         onnx_node("Abs", "first", {"x"}, {"t"})},
                               .initializers = {},
                               .inputs = {onnx_value("x", {1, 4})},
                               .outputs = {onnx_value("y", {1, 4})},
                               .value_infos = {}});
  EXPECT_EQ(in.network.ops[0].name, "first");
}

TEST(OnnxReader, DisagreeingShapesNameTheNode) {
  OnnxParts parts = small_conv();
  parts.value_infos = {onnx_value("t", {1, 4, 7, 8})};
  EXPECT_THAT(refusal(parts), HasSubstr("conv"));
  parts = small_conv();
  parts.initializers = {onnx_weights("w", {4, 5, 3, 3})};
  EXPECT_THAT(refusal(parts), HasSubstr("conv"));
}

TEST(OnnxReader, MalformedNodesNameTheNode) {
  OnnxParts parts = small_conv();
  parts.nodes[0] = onnx_node("Conv", "conv", {"x"}, {"t"});
  EXPECT_THAT(refusal(parts), HasSubstr("node `conv` (Conv) is malformed"));
}

TEST(OnnxReader, EveryPrefixOfAFileIsRefused) {
  const std::string bytes = onnx_model(small_conv());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(refusal(bytes.substr(0, length)), "accepted") << length;
}

TEST(OnnxReader, DamagedBytesNeverCrash) {
  const std::string bytes = onnx_model(small_conv());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      static_cast<void>(refusal(damaged));
    }
}

TEST(OnnxReader, AFileOfNothingButEmptyNodesIsNotParsed) {
  std::string graph;
  for (int k = 0; k < (1 << 24); ++k) graph += std::string("\x0a\0", 2);
  // 34 MB that would become 3 GB.
  EXPECT_THAT(refusal(wire_number(1, 7) + wire_bytes(7, graph) + wire_bytes(8, wire_number(2, 13))),
              HasSubstr("is made of more than 16777216 parts"));
}

TEST(OnnxReader, ManyNodesOfOneNameTakeLinearTime) {
  OnnxParts parts{.nodes = {},
                  .initializers = {},
                  .inputs = {onnx_value("x", {1, 4})},
                  .outputs = {onnx_value("t20000", {1, 4})},
                  .value_infos = {}};
  for (int k = 0; k < 20000; ++k)
    parts.nodes.push_back(onnx_node("Relu", "same", {k == 0 ? "x" : "t" + std::to_string(k)},
                                    {"t" + std::to_string(k + 1)}));
  const double begin = processor_seconds();
  const OnnxNetwork in = read(parts);
  EXPECT_LT(processor_seconds() - begin, 10);
  ASSERT_EQ(in.network.ops.size(), 20000U);
  EXPECT_EQ(in.network.ops[19999].name, "same_20000");
}

TEST(OnnxReader, ExpressionsThatNeverCloseTakeLinearTime) {
  // A sum of 20,000 inputs, and a chain that begins at two tensors: a search from each op for the
  // single source tensor of its expression took a minute.
  OnnxParts sum{.nodes = {}, .initializers = {}, .inputs = {}, .outputs = {}, .value_infos = {}};
  OnnxParts chain{.nodes = {onnx_node("Add", "", {"x", "z"}, {"t0"})},
                  .initializers = {},
                  .inputs = {onnx_value("x", {1, 4}), onnx_value("z", {1, 4})},
                  .outputs = {onnx_value("t20000", {1, 4})},
                  .value_infos = {}};
  sum.inputs.push_back(onnx_value("t0", {1, 4}));
  sum.outputs = chain.outputs;
  for (int k = 0; k < 20000; ++k) {
    const std::string n = std::to_string(k);
    const std::string next = "t" + std::to_string(k + 1);
    sum.inputs.push_back(onnx_value("x" + n, {1, 4}));
    sum.nodes.push_back(onnx_node("Add", "", {"t" + n, "x" + n}, {next}));
    chain.nodes.push_back(onnx_node("Relu", "", {"x"}, {"d" + n}));
    chain.nodes.push_back(onnx_node("Add", "", {"t" + n, "d" + n}, {next}));
  }
  const double begin = processor_seconds();
  EXPECT_EQ(simplified(read(sum).network, {}).ops.size(), 20000U);
  EXPECT_EQ(simplified(read(chain).network, {}).ops.size(), 40001U);
  EXPECT_LT(processor_seconds() - begin, 30);
}

TEST(OnnxReader, ATensorThatManyExpressionsReadTakesLinearTime) {
  OnnxParts parts{.nodes = {},
                  .initializers = {},
                  .inputs = {onnx_value("x", {1, 4})},
                  .outputs = {onnx_value("y", {40000, 4})},
                  .value_infos = {}};
  std::vector<std::string> all;
  for (int k = 0; k < 40000; ++k) {
    const std::string n = std::to_string(k);
    parts.nodes.push_back(onnx_node("Sigmoid", "", {"x"}, {"s" + n}));
    parts.nodes.push_back(onnx_node("Mul", "", {"x", "s" + n}, {"m" + n}));
    all.push_back("m" + n);
  }
  parts.nodes.push_back(onnx_node("Concat", "all", all, {"y"}, {onnx_int("axis", 0)}));
  const Network net = simplified(read(parts).network, {});
  ASSERT_EQ(net.ops.size(), 40001U);
  EXPECT_EQ(net.ops[7].function, "silu");
}

TEST(OnnxReader, AConstantThroughManyIdentitiesIsStoredOnce) {
  // 20,000 copies of 4096 integers would be 650 MB, from a file of 800 kB.
  OnnxParts parts{.nodes = {},
                  .initializers = {onnx_integers("c0", std::vector<std::int64_t>(4096, 1))},
                  .inputs = {onnx_value("x", {1, 4})},
                  .outputs = {onnx_value("y", {1, 4})},
                  .value_infos = {}};
  for (int k = 0; k < 20000; ++k)
    parts.nodes.push_back(
        onnx_node("Identity", "", {"c" + std::to_string(k)}, {"c" + std::to_string(k + 1)}));
  parts.nodes.push_back(onnx_node("Relu", "relu", {"x"}, {"y"}));
  EXPECT_EQ(read(parts).network.ops.size(), 1U);
}

TEST(OnnxReader, ConstantsThatDoubleAreNotMade) {
  OnnxParts parts{.nodes = {},
                  .initializers = {onnx_integers("c0", {1, 2})},
                  .inputs = {onnx_value("x", {1, 4})},
                  .outputs = {onnx_value("y", {1, 4})},
                  .value_infos = {}};
  for (int k = 0; k < 26; ++k) {
    const std::string from = "c" + std::to_string(k);
    parts.nodes.push_back(onnx_node("Concat", "", {from, from}, {"c" + std::to_string(k + 1)},
                                    {onnx_int("axis", 0)}));
  }
  parts.nodes.push_back(onnx_node("Relu", "relu", {"x"}, {"y"}));
  // Constants of more than 4096 elements stay nodes: no op needs their values.
  EXPECT_EQ(read(parts).network.ops.size(), 16U);
}

TEST(OnnxReader, EinsumHasTheAxesItsEquationNames) {
  const auto made = [](const std::string& equation) {
    const std::string text =
        wire_bytes(1, "equation") + wire_bytes(4, equation) + wire_number(20, 3);
    return output(read({.nodes = {onnx_node("Einsum", "e", {"x", "z"}, {"y"}, {text})},
                        .initializers = {},
                        .inputs = {onnx_value("x", {2, 3, 4}), onnx_value("z", {2, 4, 5})},
                        .outputs = {wire_bytes(1, "y")},
                        .value_infos = {}})
                      .network,
                  0)
        .shape;
  };
  EXPECT_THAT(made("bij,bjk->ki"), ElementsAre(5, 3));
  EXPECT_THAT(made("...ij, ...jk"), ElementsAre(2, 3, 5));
  EXPECT_THAT(made("aij,bjk"), ElementsAre(2, 2, 3, 5));
}

TEST(OnnxReader, PadsNameTheirAxes) {
  OnnxParts parts{
      .nodes = {onnx_node("Pad", "pad", {"x", "pads", "", "axes"}, {"y"})},
      .initializers = {onnx_integers("pads", {1, 2, 3, 4}), onnx_integers("axes", {2, -1})},
      .inputs = {onnx_value("x", {1, 3, 8, 8})},
      .outputs = {onnx_value("y", {1, 3, 12, 14})},
      .value_infos = {}};
  parts.opset = 18;
  const OnnxNetwork in = read(parts);
  EXPECT_THAT(in.network.ops[0].pad_begin, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(in.network.ops[0].pad_end, ElementsAre(0, 0, 3, 4));
}

TEST(OnnxReader, ALargeConstantIsAWeight) {
  const std::string values =
      wire_bytes(1, "value") + wire_number(20, 4) + wire_bytes(5, onnx_weights("", {100, 50}));
  const OnnxNetwork in = read({.nodes = {onnx_node("Constant", "c", {}, {"w"}, {values}),
                                         onnx_node("Add", "add", {"x", "w"}, {"y"})},
                               .initializers = {},
                               .inputs = {onnx_value("x", {100, 50})},
                               .outputs = {onnx_value("y", {100, 50})},
                               .value_infos = {}});
  ASSERT_EQ(in.network.ops.size(), 1U);
  EXPECT_EQ(in.network.tensors[in.network.ops[0].inputs[1]].kind, TensorKind::weight);
}

/// If a type has several kinds, the last one counts, as in every message: opaque types are not
/// tensors.
TEST(OnnxReader, WhatIsOpaqueIsNoTensor) {
  OnnxParts parts = small_conv();
  EXPECT_EQ(refusal(parts), "accepted");
  parts.inputs[0] += wire_bytes(2, wire_bytes(7, wire_bytes(1, "domain")));
  EXPECT_THAT(refusal(parts), HasSubstr("input `x` is not a tensor with a shape"));
}

TEST(OnnxReader, LongNamesGoThroughYaml) {
  const std::string name(3000, 'n');
  const OnnxNetwork in = read({.nodes = {onnx_node("Relu", "relu", {name}, {"y"})},
                               .initializers = {},
                               .inputs = {onnx_value(name, {1, 4})},
                               .outputs = {onnx_value("y", {1, 4})},
                               .value_infos = {}});
  EXPECT_EQ(read_network_yaml(write_network_yaml(in.network), "again").network, in.network);
}

struct Known {
  const char* name;
  std::size_t ops;
  std::int64_t macs;
  std::int64_t weights;
};
// docs/reference/networks.md compares these with published totals.
constexpr Known known[] = {
    {"fsrcnn_x2_360p", 8, 2871705600, 12809},
    {"googlenet", 81, 1498376192, 6613928},
    {"mobilenet_v2", 64, 300774272, 3475352},
    {"resnet18", 31, 1814073344, 11681128},
    {"resnet50", 72, 4089184256, 25508328},
    {"squeezenet1_1", 38, 349151936, 1233768},
    {"transformer_encoder_128", 68, 436207616, 3155456},
    {"unet_256", 24, 2320498688, 482050},
};

TEST(OnnxReader, RealNetworksHaveTheirKnownTotals) {
  TESSERA_NEED_SHARED("models");
  for (const Known& each : known) {
    SCOPED_TRACE(each.name);
    const std::string file = std::string("models/") + each.name + ".onnx";
    const std::string bytes = read_file(shared_path(file));
    const Network net = simplified(read_onnx(bytes, file, {}).network, {});
    const NetworkStats stats = network_stats(net);
    EXPECT_EQ(stats.ops, each.ops);
    EXPECT_EQ(stats.macs, each.macs);
    EXPECT_EQ(stats.weights, each.weights);
    EXPECT_EQ(read_network_yaml(write_network_yaml(net), "again").network, net);
  }
}

TEST(OnnxReader, InferredShapesAreThoseTheFilesDeclare) {
  TESSERA_NEED_SHARED("models");
  for (const Known& each : known) {
    SCOPED_TRACE(each.name);
    const std::string file = std::string("models/") + each.name + ".onnx";
    const OnnxNetwork in =
        read_onnx(read_file(shared_path(file)), file, {.dims = {}, .ignore_declared_shapes = true});
    std::map<std::string, std::vector<Dim>> shapes;
    for (const Tensor& tensor : in.network.tensors) shapes[tensor.name] = tensor.shape;
    std::size_t compared = 0;
    for (const auto& [name, shape] : in.declared) {
      const auto at = shapes.find(name);
      if (at == shapes.end()) continue;  // a folded constant, or an alias of a weight
      EXPECT_EQ(at->second, shape) << name;
      ++compared;
    }
    EXPECT_GE(compared, in.network.ops.size());
  }
}

}  // namespace
}  // namespace tessera::io
