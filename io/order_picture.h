// A picture of live bytes over time for several orders of the same ops, one panel each.
//
//   std::string text = order_svg({{"order of the file", before}, {"this order", after}}, "cells");
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/units.h"

namespace tessera::io {

/// Per order its name and the live bytes while each op runs.
using LiveCurves = std::vector<std::pair<std::string, std::vector<Size>>>;

[[nodiscard]] std::string order_svg(const LiveCurves& curves, const std::string& title);

}  // namespace tessera::io
