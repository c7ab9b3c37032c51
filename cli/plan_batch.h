// plan --batch: a request a line on the standard input, an answer a line on the standard output.
#pragma once

#include <string>

#include "cli/network_options.h"
#include "cli/session.h"
#include "tessera/plan.h"

namespace tessera::cli {

/// `how` says how ONNX models are read, and the dtype where a line names none; `profile` is the
/// standard one and may be empty. The limits of `params` hold for each plan. Gives the exit code:
/// bad input if any line was wrong, else found.
[[nodiscard]] int run_plan_batch(const NetworkArguments& reading, const std::string& profile,
                                 PlanParams params, Session& session);

}  // namespace tessera::cli
