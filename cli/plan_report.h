// The report of `plan` for people.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tessera/pinnable.h"

namespace tessera::cli {

struct PlanReportOptions {
  bool fewest_tiles = false;    ///< only fewest-tile plans were requested
  bool stats = false;           ///< include the counters of the search
  std::size_t table_width = 0;  ///< maximum width of tables: columns are dropped
  std::size_t words_width = 0;  ///< maximum width of sentences
};

/// A table of the subgraphs, the totals compared with layer by layer, and unused resources.
[[nodiscard]] std::string plan_report(const NetworkPlan& plan, const Hardware& hardware,
                                      const PlanReportOptions& options);

/// A sentence if the chip can hold all weights and the profile pins none; otherwise empty.
[[nodiscard]] std::string pinnable_report(const std::optional<PinnableWeights>& pinnable,
                                          std::size_t words_width);

}  // namespace tessera::cli
