#include "tessera/placement.h"

namespace tessera {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::feasible:
      return "feasible";
    case Status::infeasible:
      return "infeasible";
    case Status::unknown:
      return "unknown";
  }
  return "?";
}

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::completed:
      return "completed";
    case StopReason::time_limit:
      return "time_limit";
    case StopReason::node_limit:
      return "node_limit";
    case StopReason::memory_limit:
      return "memory_limit";
    case StopReason::interrupted:
      return "interrupted";
  }
  return "?";
}

}  // namespace tessera
