// plan --batch: one request per line on the standard input, one result per line on the standard
// output.
#pragma once

#include <string>

#include "cli/network_options.h"
#include "cli/session.h"
#include "tessera/plan.h"

namespace tessera::cli {

/// `how` determines how ONNX models are read, and the dtype if a line names none; `profile` is the
/// default and may be empty. The limits of `params` apply to each plan. Returns the exit code: bad
/// input if any line was wrong, otherwise found.
[[nodiscard]] int run_plan_batch(const NetworkArguments& reading, const std::string& profile,
                                 PlanParams params, Session& session);

}  // namespace tessera::cli
