// Many plans asked for line by line, and answered line by line: what `plan --batch` reads and
// writes.
//
//   PlanRequest request = read_plan_request(
//       R"({"network": "net.onnx", "set": {"memories.sram.capacity": "256 KiB"}})", "stdin:1");
//   Profile profile(request.profile.empty() ? "ethos-u55-256" : request.profile);  // profile.h
//   profile.set(request.changes);
//   NetworkPlan plan = plan_network(net, profile.hardware(), {});                  // plan.h
//   std::cout << plan_line(request, plan);
//
// A line is a JSON object, or a path alone. Keys are network, profile, dtype and set; what stands
// under set is one change of the profile each, its value as the profile would have it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "errors.h"
#include "network_plan.h"
#include "profile.h"

namespace tessera {

struct PlanRequest {
  std::size_t line = 0;   ///< which one it was, from 1
  std::string network{};  ///< a path
  std::string profile{};  ///< empty: whichever is the standard
  std::string dtype{};    ///< likewise
  std::vector<ProfileChange> changes{};
};

/// Throws BadInput that begins with `where`.
[[nodiscard]] TESSERA_API PlanRequest read_plan_request(std::string_view line,
                                                        const std::string& where);

/// One line of JSON each: what was asked, and the plan's summary or what was wrong.
[[nodiscard]] TESSERA_API std::string plan_line(const PlanRequest& request,
                                                const NetworkPlan& plan);
[[nodiscard]] TESSERA_API std::string plan_error_line(const PlanRequest& request,
                                                      const std::string& error,
                                                      const std::string& hint);

}  // namespace tessera
