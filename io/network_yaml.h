// `tessera: network/1`: networks written by hand or by `tessera import`.
//
//   NetworkYaml read = read_network_yaml(text, "toy.yaml");
//   std::string same = write_network_yaml(read.network);        // reads back equal
//
// Tensors that an op makes need not be declared: their shape follows from the op, their type from
// its first input. docs/reference/networks.md lists the keys of every op.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "tessera/network.h"

namespace tessera::io {

struct NetworkYaml {
  Network network;
  std::vector<std::size_t> op_lines;  ///< line of each op
};

/// Throws InputError. `file` is only for messages. ensure: check_network(result.network) is empty,
/// result.network == normalized(result.network).
[[nodiscard]] NetworkYaml read_network_yaml(std::string_view text, const std::string& file);

/// require: check_network(network) is empty. ensure: reads back as normalized(network).
[[nodiscard]] std::string write_network_yaml(const Network& network);

/// Values of `type` in addition to to_string(OpKind): the functions of elementwise ops.
[[nodiscard]] const std::vector<std::string_view>& elementwise_functions();

}  // namespace tessera::io
