// Positions in a memory of the elements of a part of a tensor.
//
//   const Place off = laid_out({.memory = 1, .address = 4096}, tensor, whole(tensor.shape),
//   layout); const Place on = laid_out({.memory = 0, .address = 0}, tensor, tile_box, layout);
//   Copies copies = transfer(off, on, box);          // strided copies that move `box`
//
// Private to commands/.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tiling/box.h"

namespace tessera::commands {

/// The first byte of a place, in an absolute address of a memory of the profile.
struct Spot {
  std::size_t memory = 0;  ///< in Hardware::memories
  Offset address = 0;
};

/// A box of a tensor, stored with regular strides.
struct Place {
  Spot at;
  tiling::Box content;                   ///< what is stored there
  std::array<Size, max_rank> strides{};  ///< bytes, per axis
  Brick brick{};                         ///< of axis 1
  Size element = 1;                      ///< bytes
  Size bits = 8;                         ///< per element; 4: packed, row-major
  Size encoded = 0;                      ///< bytes of the content, if it is opaque
  std::string buffer;                    ///< name of the on-chip buffer
};

/// `content` of a tensor in the order of a layout, without gaps. Tensors to which layouts do not
/// apply are row-major.
[[nodiscard]] Place laid_out(const Spot& spot, const Tensor& tensor, const tiling::Box& content,
                             const Layout& layout);

/// The part of a place that holds `box`.
/// throws: Unsupported if a packed part begins inside a byte, or if the place does not hold the
/// box.
[[nodiscard]] Part part_at(const Place& place, const tiling::Box& box);

/// Strided copies of `box` from one place to the other. Bricks of one size move whole if the box
/// does not share them with other parts.
/// require: both places hold the box, as elements of one tensor
[[nodiscard]] std::vector<Copy> transfer(const Place& from, const Place& to,
                                         const tiling::Box& box);

/// One side of a transfer alone, for engines that move data themselves.
[[nodiscard]] Side side_of(const Place& place, const tiling::Box& box);

}  // namespace tessera::commands
