// Simplifies exported networks to the ops that an accelerator runs.
//
//   Network net = simplified(raw, {.dtype = ElementType::int8});
//
// Each pass preserves the function of the network and the invariants of check_network(); each can
// be disabled.
#pragma once

#include <optional>

#include "model/budget.h"
#include "tessera/network.h"

namespace tessera::io {

struct SimplifyOptions {
  bool recognise = true;         ///< decomposed LayerNorm, GELU, SiLU and the like become one op
  bool fold_batch_norm = true;   ///< into the convolution before it
  bool fuse_activations = true;  ///< fuse elementwise ops of one tensor into the op that makes it
  std::optional<ElementType> dtype;  ///< for every floating tensor
  Budget budget{};                   ///< polled every few ops
};

/// Throws BudgetEnded (model/poll.h). require: check_network(network) is empty. ensure: so it is
/// for the result, which is normalized.
[[nodiscard]] Network simplified(Network network, const SimplifyOptions& options);

}  // namespace tessera::io
