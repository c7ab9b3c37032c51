// Three convolutions and a machine with cycles that can be computed by hand.
//
//   plan_network(testing::small_chain(), testing::small_machine(4096), {});
#pragma once

#include <string>
#include <string_view>

#include "io/hardware_yaml.h"
#include "io/network_yaml.h"
#include "tessera/hardware.h"
#include "tessera/network.h"

namespace tessera::testing {

// Each op has 8 x 8 weights of 64 bytes and takes 8 x 16 x 64 / 16 = 512 cycles.
inline constexpr std::string_view small_chain_text = R"(
tessera: network/1
name: chain
tensors: {x: {shape: [1, 8, 4, 4], dtype: int8}}
inputs: [x]
ops:
  - {name: a, type: conv, inputs: [x], output: t, weights: {shape: [8, 8, 1, 1], dtype: int8}}
  - {name: b, type: conv, inputs: [t], output: u, weights: {shape: [8, 8, 1, 1], dtype: int8}}
  - {name: c, type: conv, inputs: [u], output: y, weights: {shape: [8, 8, 1, 1], dtype: int8}}
outputs: [y]
)";

inline Network small_chain() {
  return io::read_network_yaml(small_chain_text, "chain.yaml").network;
}

// One byte per cycle, plus 10 cycles per transfer.
inline Hardware small_machine(int capacity) {
  const std::string text = R"(
tessera: hardware/1
name: small
clock: 1 GHz
engines:
  mac: {kind: mac_array, dtype: int8, unroll: {C: 2}}
memories:
  sram: {capacity: )" + std::to_string(capacity) +
                           R"(}
  dram: {offchip: true, bandwidth: 1 B/cycle, burst: 1 B, latency: 10}
dma: {outstanding: 16}
tiling: {double_buffer: [false]}
objective: {latency: 1}
)";
  return io::read_hardware_yaml(text, "small.yaml", {});
}

}  // namespace tessera::testing
