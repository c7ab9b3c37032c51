// Generators of the models in tests/fuzz/corpus/tflite.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/tflite_builder.h"

namespace tessera::testing {

using Options = std::vector<FlatValue::Field>;

/// Padding rule, strides, and activation function (field 3, 4 or 5).
inline Options window_options(int padding, int stride, unsigned activation_field, int activation,
                              int kernel = 0) {
  Options out{{0, flat_byte(padding)},
              {1, flat_number(std::int32_t{stride})},
              {2, flat_number(std::int32_t{stride})},
              {activation_field, flat_byte(activation)}};
  if (kernel > 0) {
    out.emplace_back(3, flat_number(std::int32_t{kernel}));
    out.emplace_back(4, flat_number(std::int32_t{kernel}));
  }
  return out;
}

/// A classifier: convolutions, a pool, a flat layer, a softmax.
inline std::string classifier_seed() {
  TfliteBuilder m;
  const int x = m.tensor("image", {1, 9, 9, 3});
  const int a = m.tensor("conv/Relu;conv/BiasAdd", {1, 5, 5, 8});
  const int b = m.tensor("depthwise", {1, 5, 5, 8});
  const int c = m.tensor("sum", {1, 5, 5, 8});
  const int p = m.tensor("pool", {1, 2, 2, 8});
  const int f = m.tensor("flat", {1, 32});
  const int l = m.tensor("logits", {1, 4});
  const int y = m.tensor("softmax", {1, 4});
  m.op(tfl::conv, {x, m.weights("w0", {8, 3, 3, 3}), m.weights("b0", {8}, tfl::int32)}, {a},
       window_options(tfl::same, 2, 3, 1));
  m.op(tfl::depthwise, {a, m.weights("w1", {1, 3, 3, 8}), m.weights("b1", {8}, tfl::int32)}, {b},
       window_options(tfl::same, 1, 4, 3));
  m.op(tfl::add, {a, b}, {c}, {{0, flat_byte(1)}});
  m.op(tfl::max_pool, {c}, {p}, window_options(tfl::valid, 2, 5, 0, 2));
  m.op(tfl::reshape, {p, m.list("shape", {1, 32})}, {f});
  m.op(tfl::fully_connected, {f, m.weights("w2", {4, 32}), -1}, {l}, {{0, flat_byte(0)}});
  m.op(tfl::softmax, {l}, {y});
  return m.file({x}, {y});
}

/// Data movement of all kinds, a variable, an unknown operator.
inline std::string moves_seed() {
  TfliteBuilder m;
  const int x = m.tensor("x", {1, 4, 4, 2});
  const int state = m.tensor("state", {1, 8}, tfl::int8, {{5, flat_byte(1)}});
  const int padded = m.tensor("padded", {1, 6, 6, 2});
  const int up = m.tensor("up", {1, 12, 12, 2});
  const int cut = m.tensor("cut", {1, 4, 8, 2});
  const int turned = m.tensor("turned", {1, 8, 4, 2});
  const int left = m.tensor("left", {1, 8, 4, 1});
  const int right = m.tensor("right", {1, 8, 4, 1});
  const int both = m.tensor("both", {1, 8, 8, 1});
  const int mean = m.tensor("mean", {1, 8});
  const int odd = m.tensor("odd", {1, 8});
  const int rows = m.tensor("rows", {1, 2, 2, 2});
  const int y = m.tensor("y", {1, 2, 2, 2}, tfl::float32);
  m.op(tfl::pad,
       {x, m.constant("pads", {4, 2},
                      std::string("\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0"
                                  "\0\0\0\0\0\0\0\0",
                                  32),
                      tfl::int32)},
       {padded});
  m.op(tfl::resize_nearest, {padded, m.list("size", {12, 12})}, {up}, {{1, flat_byte(1)}});
  m.op(tfl::strided_slice,
       {up, m.list("begin", {0, 0, 2, 0}), m.list("end", {1, 12, 10, 2}),
        m.list("strides", {1, 3, 1, 1})},
       {cut});
  m.op(tfl::transpose, {cut, m.list("order", {0, 2, 1, 3})}, {turned});
  m.op(tfl::split, {m.list("axis", {3}), turned}, {left, right},
       {{0, flat_number(std::int32_t{2})}});
  m.op(tfl::concatenation, {left, right}, {both}, {{0, flat_number(std::int32_t{2})}});
  m.op(tfl::mean, {both, m.list("axes", {2, 3})}, {mean});
  m.op(tfl::custom, {mean, state}, {odd}, {}, "Odd");
  m.op(tfl::reshape, {odd}, {rows});
  m.op(tfl::dequantize, {rows}, {y});
  return m.file({x}, {y});
}

/// A field of a tensor with scales: one, or one per index of the axis.
inline FlatValue::Field scales(const std::vector<float>& scale,
                               const std::vector<std::int64_t>& zero_point, int axis = 0) {
  const auto bytes = [](const auto& list) {
    std::string data(list.size() * sizeof list[0], '\0');
    std::memcpy(data.data(), list.data(), data.size());
    return FlatValue{FlatValue::Bytes{data, static_cast<std::uint32_t>(list.size())}};
  };
  return {4, flat_table({{2, bytes(scale)},
                         {3, bytes(zero_point)},
                         {6, flat_number(static_cast<std::int32_t>(axis))}})};
}

/// Scales and zero points of all kinds: per tensor, per channel, and a concatenation of two scales.
inline std::string scales_seed() {
  TfliteBuilder m;
  const auto tensor = [&](const char* name, const std::vector<std::int32_t>& shape, float scale,
                          std::int64_t zero) {
    return m.tensor(name, shape, tfl::int8, {scales({scale}, {zero})});
  };
  const auto weights = [&](const char* name, const std::vector<std::int32_t>& shape, int type,
                           int axis, float least) {
    std::vector<float> scale;
    for (std::int32_t k = 0; k < shape[static_cast<std::size_t>(axis)]; ++k)
      scale.push_back(least * static_cast<float>(k + 4));
    return m.weights(name, shape, type,
                     {scales(scale, std::vector<std::int64_t>(scale.size()), axis)});
  };
  const int x = tensor("image", {1, 12, 12, 3}, 0.02F, -5);
  const int a = tensor("conv", {1, 12, 12, 8}, 0.05F, -128);
  const int b = tensor("depthwise", {1, 12, 12, 8}, 0.04F, 3);
  const int c = tensor("sum", {1, 12, 12, 8}, 0.06F, -20);
  const int j = tensor("both", {1, 12, 12, 16}, 0.06F, -20);
  const int p = tensor("pool", {1, 1, 1, 16}, 0.06F, -20);
  const int f = tensor("flat", {1, 16}, 0.06F, -20);
  const int l = tensor("logits", {1, 6}, 0.1F, 10);
  const int s = tensor("softmax", {1, 6}, 1 / 256.0F, -128);
  const int y = m.tensor("numbers", {1, 6}, tfl::float32);
  m.op(tfl::conv,
       {x, weights("w0", {8, 3, 3, 3}, tfl::int8, 0, 0.0005F),
        weights("b0", {8}, tfl::int32, 0, 0.00001F)},
       {a}, window_options(tfl::same, 1, 3, 1));
  m.op(tfl::depthwise,
       {a, weights("w1", {1, 3, 3, 8}, tfl::int8, 3, 0.0005F),
        weights("b1", {8}, tfl::int32, 0, 0.000025F)},
       {b}, window_options(tfl::same, 1, 4, 0));
  m.op(tfl::add, {a, b}, {c}, {{0, flat_byte(0)}});
  m.op(tfl::concatenation, {b, c}, {j}, {{0, flat_number(std::int32_t{3})}});
  m.op(tfl::average_pool, {j}, {p}, window_options(tfl::valid, 1, 5, 0, 12));
  m.op(tfl::reshape, {p, m.list("shape", {1, 16})}, {f});
  m.op(tfl::fully_connected,
       {f, weights("w2", {6, 16}, tfl::int8, 0, 0.002F), m.weights("b2", {6}, tfl::int32)}, {l},
       {{0, flat_byte(0)}});
  m.op(tfl::softmax, {l}, {s});
  m.op(tfl::dequantize, {s}, {y});
  return m.file({x}, {y});
}

}  // namespace tessera::testing
