// An op of any kind as a loop nest that an array can unroll.
//
//   const OpLoops op = loops_of(net, net.ops[3], {1, 64, 14, 56});      // output extents
//   op.nest.K; op.nest.product(); op.stride[0];
//
// Loops: N batch, G groups, K output channels of a group, C input channels of a group, H and W
// output rows and columns (H includes all other spatial axes), R and S kernel rows and columns. A
// matrix product [.., M, K] has K columns, C reduced elements, and its M rows in W. A pooling has
// channels in K and its window in R and S. A mean over all rows and columns is a pooling. Other
// reductions have the reduced elements in S. Ops without either have the rows and columns of
// channels of their output.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/network.h"

namespace tessera::tiling {

struct LoopNest {
  std::int64_t N = 1, G = 1, K = 1, C = 1, H = 1, W = 1, R = 1, S = 1;
  [[nodiscard]] std::int64_t product() const { return N * G * K * C * H * W * R * S; }
};

/// The classes that a mapping can name: the kinds of network.h, and convolutions and products by
/// how machines treat them.
enum class OpClass : std::uint8_t {
  conv,       ///< dense, also transposed
  grouped,    ///< several groups of several channels
  depthwise,  ///< one channel per group
  fc,         ///< a product with one row, or a convolution of a single pixel
  matmul,
  pool,
  other
};

struct OpLoops {
  OpClass op_class = OpClass::other;
  LoopNest nest;
  bool per_channel = false;  ///< an output channel only reads its own input channel
  bool has_weights = false;  ///< C x R x S per output channel
  // Rows and columns read per row and column produced.
  std::array<Dim, 2> stride{1, 1};
  std::array<Dim, 2> dilation{1, 1};
  std::array<Dim, 2> upscale{1, 1};  ///< of a transposed convolution: outputs per input
  /// For a transposed convolution: rows and columns of its kernel, of which `nest` has those that
  /// an output meets. `spread`: its input has zeros between elements (spread()).
  std::array<Dim, 2> taps{1, 1};
  bool spread = false;
  std::array<Dim, 2> input{1, 1};  ///< rows and columns of the whole input tensor
  /// Columns that may be treated as channels, and the number of columns before the kernel's first
  /// one (folded()). 1: not possible.
  Dim folds = 1;
  Dim fold_offset = 0;
  Size input_element = 1;  ///< bytes
  Size weight_bits = 8;
  Size output_element = 1;
};

/// Does the op multiply and add (conv, conv_transpose, matmul)?
[[nodiscard]] bool is_product(const Op& op);

/// require: check_network(network) is empty; `output_extents` are those of the op's first output or
/// of a part of it.
[[nodiscard]] OpLoops loops_of(const Network& network, const Op& op,
                               std::span<const Dim> output_extents);

/// The same op with `folds` columns of its input as channels of one.
[[nodiscard]] OpLoops folded(OpLoops loops);

/// A transposed convolution with zeros inserted into its input, so that all taps are computed.
[[nodiscard]] OpLoops spread(OpLoops loops);

/// For reports, about the whole op: conv, depthwise, fc, pool, elementwise or other.
[[nodiscard]] std::string_view report_kind(const Network& network, const Op& op);

/// The names that mappings may use for an op, from its own name to the most general. At least one.
struct OpNames {
  std::array<std::string_view, 3> texts{};
  std::size_t count = 0;
  OpNames(std::initializer_list<std::string_view> names) : count(names.size()) {
    std::copy(names.begin(), names.end(), texts.begin());
  }
  [[nodiscard]] const std::string_view* begin() const { return texts.data(); }
  [[nodiscard]] const std::string_view* end() const { return texts.data() + count; }
};

/// A depthwise convolution is also a grouped convolution. The texts are static.
[[nodiscard]] OpNames names_of(const Op& op, const OpLoops& loops);

}  // namespace tessera::tiling
