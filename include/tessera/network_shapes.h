// Shapes: what an op makes of its inputs, and what is wrong with a network.
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

/// Tensors have at most this many axes, so that a region is a small value without allocation.
inline constexpr std::size_t max_rank = 8;
/// No extent exceeds this, so that arithmetic on coordinates cannot wrap.
inline constexpr Dim max_extent = Dim{1} << 30;

/// Shape of the only output; nothing (and a clause in `error`) where the op and its inputs do not
/// go together. An opaque op has no rule: nothing, with `error` saying so.
[[nodiscard]] TESSERA_API std::optional<std::vector<Dim>> output_shape(
    const Op& op, const std::vector<std::vector<Dim>>& inputs, std::string& error);

/// The shape numpy's rules give several operands; nothing where they do not go together.
[[nodiscard]] TESSERA_API std::optional<std::vector<Dim>> broadcast_shape(
    const std::vector<std::vector<Dim>>& shapes);

enum class NetworkPart : std::uint8_t { network, tensor, op };

struct NetworkDefect {
  NetworkPart part = NetworkPart::network;
  std::size_t index = 0;  ///< of the tensor or op
  std::string message;    ///< a whole sentence that names it
};

/// Everything that makes a network ill-formed; empty means: names unique, indices in range, every
/// activation made once and before it is used, shapes as output_shape() says, ranks and extents
/// within the limits, no tensor larger than max_address, views with their source's elements.
[[nodiscard]] TESSERA_API std::vector<NetworkDefect> check_network(const Network& network);

}  // namespace tessera
