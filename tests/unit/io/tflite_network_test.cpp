#include <cstdlib>

#include "io/network_passes.h"
#include "io/network_yaml.h"
#include "io/tflite.h"
#include "model/network_order.h"
#include "tessera/network_shapes.h"
#include "tests/support/paths.h"
#include "tests/unit/io/support.h"
#include "tests/unit/io/tflite_seeds.h"

namespace tessera::io {
namespace {

using testing::flat_byte;
using testing::flat_number;
using testing::TfliteBuilder;
using testing::window_options;
namespace tfl = testing::tfl;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Dims = std::vector<Dim>;

TfliteNetwork network_of(const std::string& bytes) {
  TfliteNetwork read = read_tflite_network(bytes, "net.tflite", {});
  EXPECT_THAT(check_network(read.network), IsEmpty());
  const std::string written = write_network_yaml(read.network);
  EXPECT_EQ(read_network_yaml(written, "written").network, read.network);
  return read;
}

const Dims& shape_of(const Network& net, TensorIndex t) {
  return net.tensors[t].shape;
}

/// "conv pool matmul", each with its function.
std::string kinds(const Network& net) {
  std::string out;
  for (const Op& op : net.ops) {
    out += (out.empty() ? "" : " ") + std::string(to_string(op.kind));
    if (!op.function.empty()) out += ":" + op.function;
    for (const Fused& fused : op.fused) out += "+" + fused.function;
  }
  return out;
}

TEST(TfliteNetwork, ImagesAreTurned) {
  const Network net = network_of(testing::classifier_seed()).network;
  EXPECT_EQ(kinds(net), "conv+relu conv+relu6 elementwise:add+relu max_pool matmul softmax");
  const Op& conv = net.ops[0];
  EXPECT_EQ(conv.name, "conv/Relu");
  EXPECT_EQ(shape_of(net, conv.inputs[0]), (Dims{1, 3, 9, 9}));
  EXPECT_EQ(shape_of(net, conv.inputs[1]), (Dims{8, 3, 3, 3}));
  EXPECT_EQ(net.tensors[conv.inputs[2]].type, ElementType::int32);
  EXPECT_EQ(net.tensors[conv.inputs[1]].kind, TensorKind::weight);
  EXPECT_EQ(shape_of(net, conv.outputs[0]), (Dims{1, 8, 5, 5}));
  EXPECT_EQ(conv.stride, (Dims{2, 2}));
  EXPECT_EQ(conv.pad_begin, (Dims{1, 1}));
  EXPECT_EQ(conv.pad_end, (Dims{1, 1}));
  EXPECT_EQ(net.ops[1].groups, 8);
  EXPECT_EQ(shape_of(net, net.ops[1].inputs[1]), (Dims{8, 1, 3, 3}));
  // The flat layer takes the image in its order: no data moves.
  const Tensor& flat = net.tensors[net.ops[4].inputs[0]];
  EXPECT_EQ(flat.shape, (Dims{1, 32}));
  EXPECT_EQ(flat.view_of, net.ops[3].outputs[0]);
  EXPECT_TRUE(net.ops[4].transpose_b);
  EXPECT_EQ(net.ops[4].inputs.size(), 2U) << "a bias that is left out";
}

TEST(TfliteNetwork, ScalesAreThoseOfTheFile) {
  const TfliteNetwork read = network_of(testing::scales_seed());
  const Network& net = read.network;
  EXPECT_THAT(read.warnings, ElementsAre());
  // Scales of the concatenation are those of one operand; the other one is converted.
  EXPECT_EQ(kinds(net),
            "conv+relu conv elementwise:add elementwise:quantize concat average_pool matmul "
            "softmax elementwise:dequantize");
  const auto scales_of = [&](TensorIndex t) {
    return net.tensors[t].quantization.value_or(Quantization{});
  };
  const Op& conv = net.ops[0];
  EXPECT_EQ(scales_of(conv.inputs[0]), (Quantization{{double{0.02F}}, {-5}, 0}));
  EXPECT_EQ(scales_of(conv.outputs[0]), (Quantization{{double{0.05F}}, {-128}, 0}));
  for (const std::size_t op : {0U, 1U, 6U}) {  // one per output channel
    const Quantization weights = scales_of(net.ops[op].inputs[1]);
    const auto count = static_cast<std::size_t>(net.tensors[net.ops[op].inputs[1]].shape[0]);
    EXPECT_EQ(weights.axis, 0U);
    ASSERT_EQ(weights.scale.size(), count);
    EXPECT_EQ(weights.zero_point, std::vector<std::int64_t>(count));
    EXPECT_EQ(weights.scale[3], double{(op == 6 ? 0.002F : 0.0005F) * 7});
  }
  EXPECT_EQ(scales_of(conv.inputs[2]).scale.size(), 8U);
  EXPECT_EQ(net.ops[4].inputs[0], net.ops[3].outputs[0]);
  EXPECT_EQ(scales_of(net.ops[3].outputs[0]), scales_of(net.ops[4].outputs[0]));
  const Tensor& flat = net.tensors[net.ops[6].inputs[0]];
  EXPECT_EQ(flat.quantization, net.tensors[*flat.view_of].quantization);
  EXPECT_FALSE(net.tensors[net.outputs[0]].quantization);
  const Network tidy = normalized(net);
  EXPECT_EQ(read_network_yaml(write_network_yaml(tidy), "net.yaml").network, tidy);
}

TEST(TfliteNetwork, ScalesThatAreNotValidAreIgnored) {
  const auto warning = [](testing::FlatValue::Field scales,
                          const std::vector<std::int32_t>& shape) {
    testing::TfliteBuilder m;
    const int x = m.tensor("x", shape, testing::tfl::int8, {std::move(scales)});
    const int y = m.tensor("y", shape);
    m.op(testing::tfl::relu, {x}, {y});
    const TfliteNetwork read = network_of(m.file({x}, {y}));
    EXPECT_FALSE(read.network.tensors[0].quantization);
    return read.warnings.empty() ? std::string() : read.warnings[0];
  };
  const std::string ignored = "scales that are not valid are ignored: tensor `x`";
  EXPECT_EQ(warning(testing::scales({0.0F}, {0}), {1, 4}), ignored);
  EXPECT_EQ(warning(testing::scales({0.5F}, {200}), {1, 4}), ignored);
  EXPECT_EQ(warning(testing::scales({0.5F}, {0, 1}), {1, 4}), ignored);
  EXPECT_EQ(warning(testing::scales({0.5F, 0.5F}, {0, 0}, 5), {1, 2}), ignored);
  EXPECT_EQ(warning(testing::scales({0.5F, 0.5F}, {0, 0}, 1), {1, 2}), ignored)
      << "an activation with several";
  EXPECT_EQ(warning(testing::scales({}, {}), {1, 4}), "");
}

TEST(TfliteNetwork, MovesKeepTheirMeaning) {
  const TfliteNetwork read = network_of(testing::moves_seed());
  const Network& net = read.network;
  EXPECT_EQ(kinds(net),
            "pad:constant resize slice transpose slice slice concat reduce:mean opaque:Odd "
            "transpose elementwise:dequantize");
  EXPECT_EQ(net.ops[0].pad_begin, (Dims{0, 0, 1, 1}));
  EXPECT_EQ(net.ops[1].resize.nearest, ResizeRule::Nearest::round_prefer_ceil);
  EXPECT_EQ(net.ops[1].resize.coordinates, ResizeRule::Coordinates::half_pixel);
  EXPECT_EQ(net.ops[2].axes, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(net.ops[2].begins, (Dims{0, 2}));
  EXPECT_EQ(net.ops[2].steps, (Dims{3, 1}));
  EXPECT_EQ(net.ops[2].extents, (Dims{4, 8}));
  EXPECT_EQ(net.ops[3].permutation, (std::vector<std::size_t>{0, 1, 3, 2}));
  EXPECT_EQ(net.ops[5].axes, (std::vector<std::size_t>{1}));
  EXPECT_EQ(net.ops[5].begins, (Dims{1}));
  EXPECT_EQ(net.ops[6].axes, (std::vector<std::size_t>{3}));
  EXPECT_EQ(net.ops[7].axes, (std::vector<std::size_t>{1, 3}));
  // Rows, columns, channels of a reshape are in file order, so they have to be transposed.
  EXPECT_EQ(net.ops[9].permutation, (std::vector<std::size_t>{0, 3, 1, 2}));
  EXPECT_EQ(shape_of(net, net.outputs[0]), (Dims{1, 2, 2, 2}));
  EXPECT_THAT(read.warnings,
              ElementsAre("a variable is read as an input of each inference: `state`",
                          "operator Odd is not supported: operator 7 (Odd) becomes an opaque op, "
                          "which is not tiled"));
}

/// One operator between x and y.
Network single(int code, const std::vector<std::int32_t>& in, const std::vector<std::int32_t>& out,
               testing::Options options = {},
               const std::function<std::vector<std::int32_t>(TfliteBuilder&)>& more = {},
               bool more_first = false) {
  TfliteBuilder m;
  const int x = m.tensor("x", in);
  const int y = m.tensor("y", out);
  std::vector<std::int32_t> inputs;
  if (more) inputs = more(m);
  inputs.insert(more_first ? inputs.end() : inputs.begin(), x);
  m.op(code, inputs, {y}, std::move(options));
  return network_of(m.file({x}, {y})).network;
}

TEST(TfliteNetwork, TheOddPixelOfSameIsBehind) {
  const auto weights = [](TfliteBuilder& m) {
    return std::vector<std::int32_t>{m.weights("w", {4, 3, 3, 1})};
  };
  const Network net =
      single(tfl::conv, {1, 8, 7, 1}, {1, 4, 4, 4}, window_options(tfl::same, 2, 3, 0), weights);
  EXPECT_EQ(net.ops[0].pad_begin, (Dims{0, 1}));
  EXPECT_EQ(net.ops[0].pad_end, (Dims{1, 1}));
}

TEST(TfliteNetwork, TypesAreThoseOfTheFileAndActivationsTakeBytes) {
  TfliteBuilder m;
  const int x = m.tensor("x", {1, 4, 4, 3}, tfl::int4);
  const int y = m.tensor("y", {1, 4, 4, 8}, tfl::int4);
  m.op(tfl::conv,
       {x, m.constant("w", {8, 1, 1, 3}, std::string(12, '\1'), tfl::int4),
        m.constant("b", {8}, std::string(64, '\1'), tfl::int64)},
       {y}, window_options(tfl::valid, 1, 3, 0));
  const Network net = network_of(m.file({x}, {y})).network;
  const Op& conv = net.ops.at(0);
  EXPECT_EQ(net.tensors[conv.inputs[0]].type, ElementType::int8);
  EXPECT_EQ(net.tensors[conv.inputs[1]].type, ElementType::int4);
  EXPECT_EQ(net.tensors[conv.inputs[2]].type, ElementType::int64);
  EXPECT_EQ(net.tensors[conv.outputs[0]].type, ElementType::int8);
}

TEST(TfliteNetwork, DilationWidensTheWindow) {
  testing::Options options = window_options(tfl::same, 1, 3, 0);
  options.emplace_back(4, flat_number(std::int32_t{3}));  // width
  options.emplace_back(5, flat_number(std::int32_t{2}));
  const Network net = single(tfl::conv, {1, 8, 8, 1}, {1, 8, 8, 4}, options, [](TfliteBuilder& m) {
    return std::vector<std::int32_t>{m.weights("w", {4, 3, 3, 1})};
  });
  EXPECT_EQ(net.ops[0].dilation, (Dims{2, 3}));
  EXPECT_EQ(net.ops[0].pad_begin, (Dims{2, 3}));
}

TEST(TfliteNetwork, GroupsFollowFromTheChannelsOfTheWeights) {
  const Network net = single(tfl::conv, {1, 4, 4, 6}, {1, 4, 4, 4},
                             window_options(tfl::valid, 1, 3, 0), [](TfliteBuilder& m) {
                               return std::vector<std::int32_t>{m.weights("w", {4, 1, 1, 3})};
                             });
  EXPECT_EQ(net.ops[0].groups, 2);
}

TEST(TfliteNetwork, PaddingBeforeAConvolutionIsPartOfIt) {
  const auto model = [](bool read_twice) {
    TfliteBuilder m;
    const int x = m.tensor("x", {1, 8, 8, 3});
    const int p = m.tensor("p", {1, 10, 9, 3});
    const int y = m.tensor("y", {1, 4, 4, 8});
    const int z = m.tensor("z", {1, 10, 9, 3});
    const int pads = m.constant("pads", {4, 2},
                                std::string("\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0"
                                            "\0\0\0\0\0\0\0\0",
                                            32),
                                tfl::int32);
    m.op(tfl::pad, {x, pads}, {p});
    m.op(tfl::conv, {p, m.weights("w", {8, 3, 3, 3})}, {y}, window_options(tfl::valid, 2, 3, 0));
    if (read_twice) m.op(tfl::relu, {p}, {z});
    return network_of(read_twice ? m.file({x}, {y, z}) : m.file({x}, {y})).network;
  };
  const Network alone = model(false);
  EXPECT_EQ(kinds(alone), "conv");
  EXPECT_EQ(alone.ops[0].pad_begin, (Dims{1, 0}));
  EXPECT_EQ(alone.ops[0].pad_end, (Dims{1, 1}));
  EXPECT_EQ(kinds(model(true)), "pad:constant conv elementwise:relu");
}

TEST(TfliteNetwork, TransposedConvolutionsMakeWhatTheyDeclare) {
  for (const auto& [extent, padding] : {std::pair{8, tfl::same}, std::pair{9, tfl::valid}}) {
    TfliteBuilder m;
    const int x = m.tensor("x", {1, 4, 4, 6});
    const int y = m.tensor("y", {1, extent, extent, 2});
    m.op(tfl::transpose_conv,
         {m.list("shape", {1, extent, extent, 2}), m.weights("w", {2, 3, 3, 6}), x}, {y},
         window_options(padding, 2, 3, 1));
    const Network net = network_of(m.file({x}, {y})).network;
    EXPECT_EQ(kinds(net), "conv_transpose+relu");
    EXPECT_EQ(shape_of(net, net.ops[0].inputs[1]), (Dims{6, 2, 3, 3}));
    EXPECT_EQ(shape_of(net, net.outputs[0]), (Dims{1, 2, extent, extent}));
  }
}

TEST(TfliteNetwork, OperandsAreBroadcastInTheOrderOfTheFile) {
  const auto operand = [](std::vector<std::int32_t> shape) {
    return [shape](TfliteBuilder& m) { return std::vector<std::int32_t>{m.weights("w", shape)}; };
  };
  Network net = single(tfl::mul, {1, 4, 5, 6}, {1, 4, 5, 6}, {}, operand({6}));
  EXPECT_EQ(shape_of(net, net.ops[0].inputs[1]), (Dims{1, 6, 1, 1}));
  net = single(tfl::mul, {1, 4, 5, 6}, {1, 4, 5, 6}, {}, operand({5, 6}));
  EXPECT_EQ(shape_of(net, net.ops[0].inputs[1]), (Dims{1, 6, 1, 5}));
  net = single(tfl::mul, {1, 4, 5, 6}, {1, 4, 5, 6}, {}, operand({1}));
  EXPECT_EQ(net.ops[0].inputs.size(), 1U) << "a number is part of the function";
  net = single(tfl::mul, {5, 6}, {5, 6}, {}, operand({6}));
  EXPECT_EQ(shape_of(net, net.ops[0].inputs[1]), (Dims{6}));
  net = single(tfl::prelu, {1, 4, 5, 6}, {1, 4, 5, 6}, {}, operand({1, 1, 6}));
  EXPECT_EQ(shape_of(net, net.ops[0].inputs[1]), (Dims{1, 6, 1, 1}));
}

TEST(TfliteNetwork, LowerActivationsAreSeenAsImages) {
  TfliteBuilder m;
  const int x = m.tensor("x", {1, 4, 5, 6});
  const int scale = m.tensor("scale", {1, 6});
  const int grid = m.tensor("grid", {5, 6});
  const int a = m.tensor("a", {1, 4, 5, 6});
  const int y = m.tensor("y", {1, 4, 5, 6});
  m.op(tfl::mul, {x, scale}, {a});
  m.op(tfl::add, {a, grid}, {y});
  const Network net = network_of(m.file({x, scale, grid}, {y})).network;
  EXPECT_EQ(kinds(net), "elementwise:mul transpose elementwise:add");
  const Tensor& seen = net.tensors[net.ops[0].inputs[1]];
  EXPECT_EQ(seen.shape, (Dims{1, 6, 1, 1}));
  EXPECT_TRUE(seen.view_of) << "one pixel: nothing moves";
  EXPECT_EQ(shape_of(net, net.ops[2].inputs[1]), (Dims{1, 6, 1, 5}));
}

TEST(TfliteNetwork, ReshapesMoveOnlyWhatHasTo) {
  const auto moves = [](std::vector<std::int32_t> in, std::vector<std::int32_t> out) {
    TfliteBuilder m;
    const int x = m.tensor("x", in);
    const int a = m.tensor("a", out);
    const int y = m.tensor("y", out);
    m.op(tfl::reshape, {x}, {a});
    m.op(tfl::relu, {a}, {y});
    return kinds(network_of(m.file({x}, {y})).network);
  };
  EXPECT_EQ(moves({1, 1, 1, 8}, {1, 8}), "elementwise:relu");
  EXPECT_EQ(moves({1, 4, 4, 1}, {1, 16}), "elementwise:relu");
  EXPECT_EQ(moves({2, 8}, {2, 1, 8, 1}), "elementwise:relu");
  EXPECT_EQ(moves({1, 4, 4, 2}, {1, 32}), "transpose elementwise:relu");
  EXPECT_EQ(moves({1, 32}, {1, 4, 4, 2}), "transpose elementwise:relu");
  EXPECT_EQ(moves({1, 4, 4, 2}, {1, 2, 8, 2}), "transpose transpose elementwise:relu");
}

TEST(TfliteNetwork, FlatLayersKeepTheRowsTheyAreGiven) {
  const auto weights = [](std::vector<std::int32_t> shape) {
    return [shape](TfliteBuilder& m) { return std::vector<std::int32_t>{m.weights("w", shape)}; };
  };
  Network net = single(tfl::fully_connected, {2, 4, 4, 2}, {2, 5}, {}, weights({5, 32}));
  EXPECT_EQ(kinds(net), "matmul");
  // Pixel by pixel: a row holds the channels of one pixel.
  net = single(tfl::fully_connected, {1, 4, 4, 2}, {1, 4, 4, 5}, {{2, flat_byte(1)}},
               weights({5, 2}));
  EXPECT_EQ(kinds(net), "transpose matmul transpose");
  EXPECT_EQ(shape_of(net, net.ops[1].inputs[0]), (Dims{16, 2}));
  EXPECT_EQ(shape_of(net, net.outputs[0]), (Dims{1, 5, 4, 4}));
}

TEST(TfliteNetwork, ReductionsDropTheirAxesAfterwards) {
  const auto axes = [](std::vector<std::int32_t> list) {
    return [list](TfliteBuilder& m) { return std::vector<std::int32_t>{m.list("axes", list)}; };
  };
  EXPECT_EQ(kinds(single(tfl::mean, {1, 4, 4, 8}, {1, 8}, {}, axes({1, 2}))), "reduce:mean");
  EXPECT_EQ(kinds(single(tfl::mean, {1, 4, 4, 8}, {1, 1, 1, 8}, {{0, flat_byte(1)}}, axes({1, 2}))),
            "reduce:mean");
  const Network net = single(tfl::mean, {1, 4, 5, 8}, {1, 5, 8}, {}, axes({-3}));
  EXPECT_EQ(kinds(net), "reduce:mean transpose");
  EXPECT_EQ(net.ops[0].axes, (std::vector<std::size_t>{2}));
  EXPECT_EQ(kinds(single(tfl::arg_max, {1, 10}, {1}, {}, axes({1}))), "reduce:argmax");
}

TEST(TfliteNetwork, ConstantsInAnotherTypeAreWeights) {
  TfliteBuilder m;
  const int x = m.tensor("x", {1, 4, 4, 3}, tfl::float32);
  const int half = m.weights("half", {8, 1, 1, 3});
  const int w = m.tensor("w", {8, 1, 1, 3}, tfl::float32);
  const int y = m.tensor("y", {1, 4, 4, 8}, tfl::float32);
  m.op(tfl::dequantize, {half}, {w});
  m.op(tfl::conv, {x, w}, {y}, window_options(tfl::valid, 1, 3, 0));
  const Network net = network_of(m.file({x}, {y})).network;
  EXPECT_EQ(kinds(net), "conv");
  EXPECT_EQ(net.tensors[net.ops[0].inputs[1]].kind, TensorKind::weight);
}

TEST(TfliteRefuses, NetworksThatLie) {
  const auto refused = [](int code, std::vector<std::int32_t> out, testing::Options options,
                          std::vector<std::int32_t> weights, const std::string& words) {
    SCOPED_TRACE(words);
    TfliteBuilder m;
    const int x = m.tensor("x", {1, 8, 8, 4});
    const int y = m.tensor("y", out);
    std::vector<std::int32_t> inputs{x};
    if (!weights.empty()) inputs.push_back(m.weights("w", weights));
    m.op(code, inputs, {y}, std::move(options));
    EXPECT_REFUSED(read_tflite_network(m.file({x}, {y}), "f", {}), 0, words);
  };
  using testing::window_options;
  refused(tfl::conv, {1, 8, 8, 8}, {}, {8, 3, 3, 4},
          "operator 0 (CONV_2D) has a kernel, stride or dilation of 0");
  refused(tfl::conv, {1, 8, 8, 8}, window_options(tfl::same, 1, 3, 0), {},
          "operator 0 (CONV_2D) lacks its input 1");
  refused(tfl::conv, {1, 8, 8, 8}, window_options(5, 1, 3, 0), {8, 3, 3, 4}, "pads by rule 5");
  refused(tfl::conv, {1, 8, 8, 8}, window_options(tfl::same, 1, 3, 9), {8, 3, 3, 4},
          "applies activation 9");
  refused(tfl::conv, {1, 8, 8, 8}, window_options(tfl::same, 1, 3, 0), {8, 3, 3, 3},
          "input channels");
  refused(tfl::conv, {1, 8, 9, 8}, window_options(tfl::same, 1, 3, 0), {8, 3, 3, 4},
          "8 pixels in strides of 1 make 9");
  refused(tfl::conv, {64, 8}, window_options(tfl::same, 1, 3, 0), {8, 3, 3, 4},
          "needs tensors with 4 axes");
  refused(tfl::depthwise, {1, 8, 8, 4}, window_options(tfl::same, 1, 4, 0), {2, 3, 3, 4},
          "1, H, W, C");
  refused(tfl::fully_connected, {1, 8}, {}, {8, 100}, "multiplies rows of 100");
  refused(tfl::reshape, {1, 8}, {}, {}, "changes the number of elements");
  refused(tfl::concatenation, {1, 8, 8, 4}, {{0, flat_number(std::int32_t{7})}}, {},
          "names axis 7");
}

TEST(TfliteNetwork, ComputedParametersAreKeptWhole) {
  TfliteBuilder m;
  const int x = m.tensor("x", {1, 8, 8, 4});
  const int w = m.tensor("w", {8, 3, 3, 4});
  const int y = m.tensor("y", {1, 8, 8, 8});
  m.op(tfl::conv, {x, w}, {y}, window_options(tfl::same, 1, 3, 0));
  const TfliteNetwork read = network_of(m.file({x, w}, {y}));
  EXPECT_EQ(kinds(read.network), "opaque:CONV_2D");
  EXPECT_THAT(read.warnings,
              ElementsAre("CONV_2D with computed weights is not supported: operator 0 "
                          "(CONV_2D) becomes an opaque op, which is not tiled"));
}

/// Operands of a product or a window.
struct Work {
  Dims in, weights, out, stride, pad_begin, pad_end;
  Dim groups;
  friend bool operator==(const Work&, const Work&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Work& work) {
    for (const Dims* list :
         {&work.in, &work.weights, &work.out, &work.stride, &work.pad_begin, &work.pad_end})
      stream << ::testing::PrintToString(*list) << ' ';
    return stream << work.groups;
  }
};

std::vector<Work> work_of(const Network& net) {
  std::vector<Work> out;
  for (const Op& op : net.ops) {
    if (op.kind != OpKind::conv && op.kind != OpKind::matmul) continue;
    out.push_back({shape_of(net, op.inputs[0]), shape_of(net, op.inputs[1]),
                   shape_of(net, op.outputs[0]), op.stride, op.pad_begin, op.pad_end, op.groups});
  }
  return out;
}

// The same networks, as exported by other tools.
TEST(TfliteNetwork, RealModelsAreWhatOthersReadInThem) {
  TESSERA_NEED_SHARED("models/tflite");
  TESSERA_NEED_SHARED("benchmarks/ethos-u/networks");
  for (const std::string name :
       {"mcunet_detection_int8", "mlperf_ad_autoencoder_int8", "mlperf_dscnn_kws_int8",
        "mlperf_resnet8_int8", "mlperf_vww_mobilenet_int8"}) {
    SCOPED_TRACE(name);
    const std::string bytes =
        testing::slurp(testing::shared_path("models/tflite/" + name + ".tflite"));
    const TfliteNetwork read = network_of(bytes);
    EXPECT_THAT(read.warnings, IsEmpty());
    const Network other =
        read_network_yaml(
            testing::slurp(testing::shared_path("benchmarks/ethos-u/networks/" + name + ".yaml")),
            name)
            .network;
    EXPECT_EQ(work_of(simplified(read.network, {})), work_of(simplified(other, {})));
  }
}

// Regenerate with TESSERA_WRITE_SEEDS=1 build/release/tests/unit_io --gtest_filter='*Seeds*'.
TEST(TfliteSeeds, AreWhatTheBuilderMakes) {
  const std::string classifier = testing::classifier_seed();
  for (const auto& [file, bytes] :
       {std::pair("tests/fuzz/corpus/tflite/classifier.tflite", classifier),
        std::pair("tests/fuzz/corpus/tflite/moves.tflite", testing::moves_seed()),
        std::pair("tests/fuzz/corpus/tflite/scales.tflite", testing::scales_seed()),
        std::pair("examples/classifier.tflite", classifier)}) {
    const auto path = testing::source_path(file);
    if (std::getenv("TESSERA_WRITE_SEEDS") != nullptr) testing::spill(path, bytes);
    EXPECT_EQ(testing::slurp(path), bytes) << path;
  }
}

}  // namespace
}  // namespace tessera::io
