// The text a person reads after `plan`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tessera/pinnable.h"

namespace tessera::cli {

struct PlanReportOptions {
  bool fewest_tiles = false;    ///< no others were asked for
  bool stats = false;           ///< say what the search did
  std::size_t table_width = 0;  ///< no line of the tables is wider: columns are left out
  std::size_t words_width = 0;  ///< no sentence is
};

/// A table of the subgraphs, the totals beside layer by layer, and what is never needed.
[[nodiscard]] std::string plan_report(const NetworkPlan& plan, const Hardware& hardware,
                                      const PlanReportOptions& options);

/// A sentence where the chip has room for all weights and the profile pins none; else nothing.
[[nodiscard]] std::string pinnable_report(const std::optional<PinnableWeights>& pinnable,
                                          std::size_t words_width);

}  // namespace tessera::cli
