// The common beginning of results and plans: status, stop reason, explanation. Private to io/.
//
//   write_verdict(object, result.status, result.stop, result.reason);
//   result.status = read_status(sources, fields);
#pragma once

#include <string>

#include "io/tree.h"
#include "model/json_write.h"
#include "tessera/placement.h"

namespace tessera::io {

void write_verdict(JsonObject& object, Status status, StopReason stop, const std::string& reason);

[[nodiscard]] Status read_status(const Sources& sources, Fields& fields);

/// ensure: completed if the key is missing.
[[nodiscard]] StopReason read_stop(const Sources& sources, Fields& fields);

}  // namespace tessera::io
