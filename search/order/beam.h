// A beam search for an order below a limit.
//
//   if (auto order = beam_order(tables, limit, 64, poll)) use(*order);      // peak <= limit
//
// Level by level, in the number of ops that ran, the down-sets with the fewest live bytes are kept.
// Finding nothing proves nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/order/walk.h"

namespace tessera::search {

struct BeamWork {
  std::int64_t steps = 0;        ///< made so far
  std::function<bool()> stop{};  ///< polled; empty: never
};

[[nodiscard]] std::optional<std::vector<OpId>> beam_order(const OpTables& tables, Size limit,
                                                          std::size_t width, BeamWork& work);

}  // namespace tessera::search
