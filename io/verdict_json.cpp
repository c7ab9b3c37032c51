#include "io/verdict_json.h"

namespace tessera::io {

void write_verdict(JsonObject& object, Status status, StopReason stop, const std::string& reason) {
  object.text("status", to_string(status));
  object.text("stop", to_string(stop));
  if (!reason.empty()) object.text("reason", reason);
}

Status read_status(const Sources& sources, Fields& fields) {
  return static_cast<Status>(as_one_of(
      sources, fields.need("status"), "status",
      {to_string(Status::feasible), to_string(Status::infeasible), to_string(Status::unknown)}));
}

StopReason read_stop(const Sources& sources, Fields& fields) {
  const Node* node = fields.find("stop");
  if (node == nullptr) return StopReason::completed;
  return static_cast<StopReason>(
      as_one_of(sources, *node, "stop",
                {to_string(StopReason::completed), to_string(StopReason::time_limit),
                 to_string(StopReason::node_limit), to_string(StopReason::memory_limit),
                 to_string(StopReason::interrupted)}));
}

}  // namespace tessera::io
