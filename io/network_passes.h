// From what an exporter wrote to what an accelerator runs.
//
//   Network net = simplified(raw, {.dtype = ElementType::int8});
//
// Each pass keeps what the network computes and check_network() happy; each can be switched off.
#pragma once

#include <optional>

#include "model/budget.h"
#include "tessera/network.h"

namespace tessera::io {

struct SimplifyOptions {
  bool recognise = true;         ///< decomposed LayerNorm, GELU, SiLU and the like become one op
  bool fold_batch_norm = true;   ///< into the convolution before it
  bool fuse_activations = true;  ///< elementwise ops of one tensor join the op that makes it
  std::optional<ElementType> dtype;  ///< for every floating tensor
  Budget budget{};                   ///< looked at every few ops
};

/// Throws BudgetEnded (model/poll.h).
/// require: check_network(network) is empty. ensure: so it is of the result, which is normalized.
[[nodiscard]] Network simplified(Network network, const SimplifyOptions& options);

}  // namespace tessera::io
