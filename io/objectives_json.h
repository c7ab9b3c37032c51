// The list `objectives` of a result: objectives in order, with values and bounds. Private to io/.
//
//   write_objectives(object, result.objectives);               // nothing if the list is empty
//   result.objectives = read_objectives(sources, fields);
#pragma once

#include <string_view>
#include <vector>

#include "io/tree.h"
#include "model/json_write.h"
#include "tessera/placement.h"

namespace tessera::io {

void write_objectives(JsonObject& object, const std::vector<ObjectiveValue>& objectives);

[[nodiscard]] std::vector<ObjectiveValue> read_objectives(const Sources& sources, Fields& fields);

/// A number with up to three decimals, in thousandths.
[[nodiscard]] Benefit as_benefit(const Sources& sources, const Node& node, std::string_view key);

}  // namespace tessera::io
