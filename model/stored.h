// How many bytes a tensor takes where it is stored: in bricks of channels, or encoded.
//
//   Size bytes = stored_bytes(network.tensors[t], on_chip_layout(hardware).brick);
//   ElementBytes weights = multiplied_by(network, op, hardware);       // as its arrays keep them
//
// Activations lie in the layout of their memory (Layout): the channels of tensors with four axes,
// and of vectors (N, C), are filled up to whole bricks. What comes from outside the network or is a
// result has no bricks: others hand it over, and few machines would have an image of one channel
// filled up to sixteen. Weights are encoded where a machine decodes
// them (WeightCoding); every part of one takes its share of the bytes of all.
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

/// Does a layout say how it lies? Four axes, or N and C; other shapes lie row by row everywhere.
[[nodiscard]] inline bool has_layout(const std::vector<Dim>& shape) {
  return shape.size() == 4 || shape.size() == 2;
}
/// And weights do.
[[nodiscard]] inline bool has_layout(const Tensor& tensor) {
  return tensor.kind == TensorKind::activation && has_layout(tensor.shape);
}

/// Is it an input of the network, or a result, or a view of one?
[[nodiscard]] bool is_outside(const Network& network, TensorIndex storage);

/// Without bricks: channels that lay side by side still do, NHWC.
[[nodiscard]] constexpr Layout unbricked(const Layout& layout) {
  if (layout.brick == 1) return layout;
  Layout same;
  std::size_t next = 0;
  for (const std::uint8_t axis : layout.order)
    if (axis != 1) same.order[next++] = axis;
  same.order[next] = 1;
  return same;
}

/// Axis 1 of a part, filled up to whole bricks.
[[nodiscard]] constexpr Dim in_bricks(Dim channels, Dim brick) {
  return brick == 1 ? channels : (channels + brick - 1) / brick * brick;
}

/// Of the whole tensor as its elements are, in bricks of so many channels.
/// require: as tensor_bytes().
[[nodiscard]] Size stored_bytes(const Tensor& tensor, Dim brick);

/// What parts of a tensor take, by how many elements they have.
struct ElementBytes {
  Size bits = 8;         ///< of each
  Size encoded = 0;      ///< or else of all of them
  std::int64_t all = 1;  ///< which are so many
  [[nodiscard]] Size whole() const { return of(all); }
  /// ensure: never less for more elements.
  [[nodiscard]] Size of(std::int64_t elements) const {
    if (encoded == 0) return (elements * bits + 7) / 8;
    if (elements >= all) return encoded;
    return static_cast<Size>(std::ceil(static_cast<double>(elements) / static_cast<double>(all) *
                                       static_cast<double>(encoded)));
  }
};
/// As the elements are. require: check_network() is empty.
[[nodiscard]] ElementBytes bytes_of(const Tensor& tensor);

/// The weight that the op multiplies by, encoded where the machine decodes weights; nothing where
/// the op is no product, or no weight.
struct MultipliedWeight {
  TensorIndex tensor = 0;  ///< with memory of its own
  ElementBytes bytes;
};
[[nodiscard]] std::optional<MultipliedWeight> multiplied_by(const Network& network, const Op& op,
                                                            const Hardware& hardware);

/// Per tensor the least that any op which reads it finds it stored in.
[[nodiscard]] std::vector<Size> least_stored(const Network& network, const Hardware& hardware);

/// Does any memory fill channels up to bricks?
[[nodiscard]] bool has_bricks(const Hardware& hardware);

/// Of the memories on the chip, which all have the same one.
[[nodiscard]] Layout on_chip_layout(const Hardware& hardware);

/// "NHWC", "NCHW32c": axes, the outermost first, and how many channels make a brick.
[[nodiscard]] std::optional<Layout> layout_from(std::string_view text);
[[nodiscard]] std::string to_string(const Layout& layout);

}  // namespace tessera
