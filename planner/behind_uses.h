// What runs read of the memory behind, and make for it, and how long the way takes. Private to
// planner/behind*.
#pragma once

#include <vector>

#include "cost/transfer.h"
#include "planner/behind.h"

namespace tessera::planner {

/// Of each tensor that is a weight, as machines keep it: products multiply by encoded ones. 0 else.
[[nodiscard]] std::vector<Size> weight_sizes(const Network& network, const Hardware& hardware);

[[nodiscard]] Size whole_bursts(Size bytes, Size burst);

/// One transfer of its own between both memories.
[[nodiscard]] std::int64_t cycles_of(Size bytes, const cost::Link& link, bool load = true);

}  // namespace tessera::planner
