#include "model/network_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/stored.h"
#include "tessera/network_shapes.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor tensor(std::string name, std::vector<Dim> shape, TensorKind kind,
              ElementType type = ElementType::float32) {
  return {.name = std::move(name), .shape = std::move(shape), .type = type, .kind = kind};
}

/// x -> conv with a bias -> multiplied by a constant -> y
Network small() {
  Network net;
  net.name = "small";
  net.tensors = {tensor("x", {1, 3, 5, 5}, TensorKind::activation),
                 tensor("w", {7, 3, 1, 1}, TensorKind::weight),
                 tensor("b", {7}, TensorKind::weight),
                 tensor("t", {1, 7, 5, 5}, TensorKind::activation),
                 tensor("scale", {7, 1, 1}, TensorKind::weight),
                 tensor("y", {1, 7, 5, 5}, TensorKind::activation)};
  Op conv;
  conv.name = "c";
  conv.kind = OpKind::conv;
  conv.kernel = conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {0, 0};
  conv.inputs = {0, 1, 2};
  conv.outputs = {3};
  Op mul;
  mul.name = "m";
  mul.kind = OpKind::elementwise;
  mul.function = "mul";
  mul.inputs = {3, 4};
  mul.outputs = {5};
  net.ops = {conv, mul};
  net.inputs = {0};
  net.outputs = {5};
  return net;
}

std::vector<ElementType> types_as(ElementType type) {
  Network net = small();
  replace_floating(net, type);
  EXPECT_TRUE(check_network(net).empty());
  std::vector<ElementType> types;
  for (const Tensor& each : net.tensors) types.push_back(each.type);
  return types;
}

TEST(NetworkTypes, BiasesAreAddedToSumsOf32Bits) {
  for (const ElementType type : {ElementType::int8, ElementType::uint8, ElementType::int16})
    EXPECT_THAT(types_as(type), ElementsAre(type, type, ElementType::int32, type, type, type));
  constexpr ElementType half = ElementType::float16;
  EXPECT_THAT(types_as(half), ElementsAre(half, half, half, half, half, half));
}

TEST(NetworkTypes, FourBitsAreForWhatProductsMultiplyBy) {
  constexpr ElementType byte = ElementType::int8;
  EXPECT_THAT(types_as(ElementType::int4),
              ElementsAre(byte, ElementType::int4, ElementType::int32, byte, byte, byte));
  Network net = small();
  net.tensors[0].type = ElementType::uint4;
  ASSERT_EQ(check_network(net).size(), 1U);
  EXPECT_THAT(check_network(net)[0].message, HasSubstr("activations use uint8"));
}

TEST(NetworkTypes, ABiasThatTheFileGivesATypeKeepsIt) {
  Network net = small();
  net.tensors[2].type = ElementType::int64;
  replace_floating(net, ElementType::int16);
  EXPECT_EQ(net.tensors[2].type, ElementType::int64);
}

TEST(NetworkTypes, AViewOfABiasHasItsType) {
  Network net = small();
  net.tensors.push_back(tensor("flat", {7}, TensorKind::weight));
  net.tensors.back().view_of = 4;  // the scale, and also the bias
  net.ops[0].inputs[2] = 6;
  replace_floating(net, ElementType::int8);
  EXPECT_EQ(net.tensors[4].type, ElementType::int32);
  EXPECT_EQ(net.tensors[6].type, ElementType::int32);
}

TEST(NetworkTypes, TwoElementsOfFourBitsTakeAByte) {
  EXPECT_EQ(tensor_bytes(tensor("w", {7, 3}, TensorKind::weight, ElementType::int4)), 11);
  EXPECT_EQ(tensor_bytes(tensor("w", {7, 3}, TensorKind::weight, ElementType::int8)), 21);
  const ElementBytes bytes = bytes_of(tensor("w", {7, 3}, TensorKind::weight, ElementType::uint4));
  EXPECT_EQ(bytes.whole(), 11);
  EXPECT_EQ(bytes.of(1), 1);
  EXPECT_EQ(bytes.of(6), 3);
}

}  // namespace
}  // namespace tessera
