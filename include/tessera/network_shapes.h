// Shape inference and validation of networks.
//
//   std::string error;
//   if (auto shape = output_shape(op, {{1, 64, 56, 56}, {64, 64, 3, 3}}, error)) std::cout <<
//   shape->size();
//
//   for (const NetworkDefect& defect : check_network(net)) std::cerr << defect.message << '\n';
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api.h"
#include "network.h"

namespace tessera {

/// The maximum number of axes; it keeps regions small values without allocation.
inline constexpr std::size_t max_rank = 8;
/// The maximum extent; it keeps arithmetic on coordinates free of overflow.
inline constexpr Dim max_extent = Dim{1} << 30;

/// The shape of the op's single output. Returns nothing and sets `error` if the inputs do not match
/// the op, or if the op is opaque.
[[nodiscard]] TESSERA_API std::optional<std::vector<Dim>> output_shape(
    const Op& op, const std::vector<std::vector<Dim>>& inputs, std::string& error);

/// The common shape under numpy's broadcasting rules; nothing if the shapes do not match.
[[nodiscard]] TESSERA_API std::optional<std::vector<Dim>> broadcast_shape(
    const std::vector<std::vector<Dim>>& shapes);

/// The part of a network that a defect belongs to.
enum class NetworkPart : std::uint8_t { network, tensor, op };

/// An error of a network.
struct NetworkDefect {
  NetworkPart part = NetworkPart::network;
  std::size_t index = 0;  ///< index of the tensor or op
  std::string message;    ///< a complete sentence with the name
};

/// Lists everything that makes a network invalid.
/// ensure: if the list is empty, names are unique; indices are in range; every activation is
/// produced once and before its uses; shapes agree with output_shape(); ranks, extents and tensor
/// sizes are within the limits; views have as many elements as their sources.
[[nodiscard]] TESSERA_API std::vector<NetworkDefect> check_network(const Network& network);

}  // namespace tessera
