// The accounting of an op, a group or a plan in plan.json.
//
//   object.entry("account") += account_text(plan.accounting.total);
//   plan.accounting.total = read_account(sources, fields.need("account"));
#pragma once

#include <string>

#include "io/tree.h"
#include "tessera/network_plan.h"

namespace tessera::io {

[[nodiscard]] std::string account_text(const PlannedAccount& account);
[[nodiscard]] PlannedAccount read_account(const Sources& sources, const Node& node);

}  // namespace tessera::io
