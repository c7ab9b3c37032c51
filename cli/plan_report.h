// The text a person reads after `plan`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tessera/hardware.h"
#include "tessera/network_plan.h"
#include "tessera/pinnable.h"

namespace tessera::cli {

/// A table of the subgraphs, the totals beside layer by layer, what is never needed, and what the
/// search did. No line of the tables is wider than `width`, none of the sentences than
/// `words_width`. `fewest_tiles`: no others were asked for.
[[nodiscard]] std::string plan_report(const NetworkPlan& plan, const Hardware& hardware,
                                      bool fewest_tiles, std::size_t width,
                                      std::size_t words_width);

/// A sentence where the chip has room for all weights and the profile pins none; else nothing.
[[nodiscard]] std::string pinnable_report(const std::optional<PinnableWeights>& pinnable,
                                          std::size_t words_width);

}  // namespace tessera::cli
