// Large synthetic instances that resemble traces of real programs.
//
//   PlacementProblem heap = generate_trace({.kind = TraceKind::malloc, .buffers = 1'000'000});
//   PlacementProblem net = generate_trace({.kind = TraceKind::training, .buffers = 30'000});
//
// Reproducible: equal parameters give equal problems on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tessera/problem.h"

namespace tessera::validation {

enum class TraceKind : std::uint8_t {
  /// Heap of a program: one event per step, sizes and lifetimes with power-law tails, a few sizes
  /// far more frequent than others, phases whose buffers die together.
  malloc,
  /// Training step. Weights and optimiser state live for the whole step. Activations are made in
  /// the forward pass, and consumed by the backward pass in reverse order. In addition: temporaries
  /// of single layers, and gradients that live until the update.
  training,
};

struct TraceParams {
  TraceKind kind = TraceKind::malloc;
  std::int64_t buffers = 1000;  ///< exact number
  std::uint64_t seed = 0;
  Size max_size = Size{1} << 24;  ///< of the largest size classes, in bytes
  /// The exponent of the tails (of sizes and lifetimes): P(X > x) ~ x^-tail. Lower is heavier.
  double tail = 1.1;
  Size alignment = 1;  ///< of every buffer
};

[[nodiscard]] std::string_view to_string(TraceKind kind);
[[nodiscard]] std::optional<TraceKind> trace_kind_from(std::string_view text);

/// One memory without a capacity, objective minimize_height.
/// require: 1 <= buffers <= 100'000'000, max_size in [1, 2^32], 0.2 <= tail <= 10,
/// alignment in [1, 2^20].
/// ensure: validate() of the result is empty.
[[nodiscard]] PlacementProblem generate_trace(const TraceParams& params);

}  // namespace tessera::validation
