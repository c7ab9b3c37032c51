// An op as a nest of loops, whatever kind it is: what an array unrolls.
//
//   const OpLoops op = loops_of(net, net.ops[3], {1, 64, 14, 56});      // output extents
//   op.nest.K; op.nest.product(); op.stride[0];
//
// Loops: N batch, G groups, K output channels of a group, C input channels of a group, H and W
// output rows and columns (H takes all other spatial axes too), R and S kernel rows and columns. A
// matrix product [.., M, K] has K columns, C reduced elements, and its M rows in W. A pooling has
// channels in K and its window in R and S (a mean over all rows and columns is one), any other
// reduction what it reduces in S. Where an op has
// neither, its output counts as rows and columns of channels.
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

/// What a mapping can name: the kinds of network.h, and of convolutions and products those that
/// machines treat differently.
enum class OpClass : std::uint8_t {
  conv,       ///< dense, also transposed
  grouped,    ///< several groups of several channels
  depthwise,  ///< every channel by itself
  fc,         ///< a product with one row, or a convolution of a single pixel
  matmul,
  pool,
  other
};

struct OpLoops {
  OpClass op_class = OpClass::other;
  LoopNest nest;
  bool per_channel = false;  ///< an output channel reads its own input channel alone
  bool has_weights = false;  ///< of C x R x S for each output channel
  // Rows and columns that it reads for so many that it makes.
  std::array<Dim, 2> stride{1, 1};
  std::array<Dim, 2> dilation{1, 1};
  std::array<Dim, 2> upscale{1, 1};  ///< of a transposed convolution: outputs per input
  /// Of a transposed convolution: rows and columns of its kernel, of which `nest` has those that an
  /// output meets; and does it see its input with zeros between (spread())?
  std::array<Dim, 2> taps{1, 1};
  bool spread = false;
  std::array<Dim, 2> input{1, 1};  ///< rows and columns of the whole input tensor
  /// Columns that may stand side by side as channels, and how many of them the kernel misses before
  /// its first one (folded()); 1: none may.
  Dim folds = 1;
  Dim fold_offset = 0;
  Size input_element = 1;  ///< bytes
  Size weight_bits = 8;
  Size output_element = 1;
};

/// Does the op multiply and add (conv, conv_transpose, matmul)?
[[nodiscard]] bool is_product(const Op& op);

/// require: check_network(network) is empty; extents of the op's (first) output, or of a part.
[[nodiscard]] OpLoops loops_of(const Network& network, const Op& op,
                               std::span<const Dim> output_extents);

/// The same op where `folds` columns of its input are channels of one.
[[nodiscard]] OpLoops folded(OpLoops loops);

/// A transposed convolution where zeros are put between what it reads, and all its taps are
/// computed.
[[nodiscard]] OpLoops spread(OpLoops loops);

/// In a report: conv, depthwise, fc, pool, elementwise or other. Of the whole op.
[[nodiscard]] std::string_view report_kind(const Network& network, const Op& op);

/// What mappings may call an op, from its own name to the most general. At least one.
struct OpNames {
  std::array<std::string_view, 3> texts{};
  std::size_t count = 0;
  OpNames(std::initializer_list<std::string_view> names) : count(names.size()) {
    std::copy(names.begin(), names.end(), texts.begin());
  }
  [[nodiscard]] const std::string_view* begin() const { return texts.data(); }
  [[nodiscard]] const std::string_view* end() const { return texts.data() + count; }
};

/// A depthwise convolution is also a convolution of as many groups. Static texts.
[[nodiscard]] OpNames names_of(const Op& op, const OpLoops& loops);

}  // namespace tessera::tiling
