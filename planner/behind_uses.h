// Transfers of groups from and to the backing memory, and their cycles. Private to planner/behind*.
#pragma once

#include <vector>

#include "cost/transfer.h"
#include "planner/behind.h"

namespace tessera::planner {

/// Per tensor, the bytes of a weight as the machine stores it (products use encoded weights); 0 for
/// other tensors.
[[nodiscard]] std::vector<Size> weight_sizes(const Network& network, const Hardware& hardware);

[[nodiscard]] Size whole_bursts(Size bytes, Size burst);

/// Cycles of one transfer between both memories, alone on the channel.
[[nodiscard]] std::int64_t cycles_of(Size bytes, const cost::Link& link, bool load = true);

}  // namespace tessera::planner
