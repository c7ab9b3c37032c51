// Plan requests and results as lines of JSON: the input and output of `plan --batch`.
//
//   PlanRequest request = read_plan_request(
//       R"({"network": "net.onnx", "set": {"memories.sram.capacity": "256 KiB"}})", "stdin:1");
//   Profile profile(request.profile.empty() ? "ethos-u55-256" : request.profile);  // profile.h
//   profile.set(request.changes);
//   NetworkPlan plan = plan_network(net, profile.hardware(), {});                  // plan.h
//   std::cout << plan_line(request, plan);
//
// A request line is a JSON object or a plain path. Its keys are network, profile, dtype and set.
// `set` maps profile keys to values as a profile would have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "errors.h"
#include "network_plan.h"
#include "profile.h"

namespace tessera {

/// A request: which network to plan on which machine.
struct PlanRequest {
  std::size_t line = 0;   ///< the line number, from 1
  std::string network{};  ///< a path
  std::string profile{};  ///< empty: the default profile
  std::string dtype{};    ///< empty: the network's own types
  std::vector<ProfileChange> changes{};
};

/// ensure: throws BadInput that begins with `where` if the line is not a valid request.
[[nodiscard]] TESSERA_API PlanRequest read_plan_request(std::string_view line,
                                                        const std::string& where);

/// One line of JSON: the request, and a summary of the plan or the error message.
[[nodiscard]] TESSERA_API std::string plan_line(const PlanRequest& request,
                                                const NetworkPlan& plan);
[[nodiscard]] TESSERA_API std::string plan_error_line(const PlanRequest& request,
                                                      const std::string& error,
                                                      const std::string& hint);

}  // namespace tessera
