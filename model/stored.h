// The bytes a tensor takes in memory, in bricks of channels or encoded.
//
//   Size bytes = stored_bytes(network.tensors[t], on_chip_layout(hardware).brick);
//   ElementBytes weights = multiplied_by(network, op, hardware);       // as the arrays keep them
//
// Activations have the layout of their memory (Layout): the channels of tensors with four axes, and
// of vectors (N, C), are padded to whole bricks. Inputs and outputs of the network have no bricks:
// other software exchanges them, and an image of one channel is rarely padded to sixteen. Weights
// are encoded if the machine decodes them (WeightCoding); each part of a weight takes its share of
// the encoded bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera {

/// Do layouts apply to the shape? To four axes and to (N, C); other shapes are row-major
/// everywhere.
[[nodiscard]] inline bool has_layout(const std::vector<Dim>& shape) {
  return shape.size() == 4 || shape.size() == 2;
}
/// Layouts do not apply to weights.
[[nodiscard]] inline bool has_layout(const Tensor& tensor) {
  return tensor.kind == TensorKind::activation && has_layout(tensor.shape);
}

/// Is it an input or output of the network, or a view of an output?
[[nodiscard]] bool is_outside(const Network& network, TensorIndex storage);

/// The layout without bricks: channels that were adjacent stay adjacent (NHWC).
[[nodiscard]] constexpr Layout unbricked(const Layout& layout) {
  if (layout.brick == 1) return layout;
  Layout same;
  std::size_t next = 0;
  for (const std::uint8_t axis : layout.order)
    if (axis != 1) same.order[next++] = axis;
  same.order[next] = 1;
  return same;
}

/// The channels of a part, padded to whole bricks.
[[nodiscard]] constexpr Dim in_bricks(Dim channels, Dim brick) {
  return brick == 1 ? channels : (channels + brick - 1) / brick * brick;
}

/// Bytes of the whole unencoded tensor, in bricks of this many channels.
/// require: as tensor_bytes().
[[nodiscard]] Size stored_bytes(const Tensor& tensor, Dim brick);

/// Bytes of a part of a tensor as a function of its number of elements.
struct ElementBytes {
  Size bits = 8;         ///< per element
  Size encoded = 0;      ///< bytes of all elements if encoded; else 0
  std::int64_t all = 1;  ///< number of elements
  [[nodiscard]] Size whole() const { return of(all); }
  /// ensure: monotonic in `elements`.
  [[nodiscard]] Size of(std::int64_t elements) const {
    if (encoded == 0) return (elements * bits + 7) / 8;
    if (elements >= all) return encoded;
    return static_cast<Size>(std::ceil(static_cast<double>(elements) / static_cast<double>(all) *
                                       static_cast<double>(encoded)));
  }
};
/// Without encoding.
/// require: check_network() is empty.
[[nodiscard]] ElementBytes bytes_of(const Tensor& tensor);

/// The weight the op multiplies by, encoded if the machine decodes weights. Nothing if the op is
/// not a product of a weight.
struct MultipliedWeight {
  TensorIndex tensor = 0;  ///< with own storage
  ElementBytes bytes;
};
[[nodiscard]] std::optional<MultipliedWeight> multiplied_by(const Network& network, const Op& op,
                                                            const Hardware& hardware);

/// Per tensor, its smallest size among all ops that read it.
[[nodiscard]] std::vector<Size> least_stored(const Network& network, const Hardware& hardware);

/// Does any memory pad channels to bricks?
[[nodiscard]] bool has_bricks(const Hardware& hardware);

/// The layout that all on-chip memories share.
[[nodiscard]] Layout on_chip_layout(const Hardware& hardware);

/// "NHWC", "NCHW32c": axes from the outermost, and the channels of a brick.
[[nodiscard]] std::optional<Layout> layout_from(std::string_view text);
[[nodiscard]] std::string to_string(const Layout& layout);

}  // namespace tessera
