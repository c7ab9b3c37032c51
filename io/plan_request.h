// One line of `plan --batch`: JSON in, JSON out.
//
//   PlanRequestText text = read_plan_request_json(R"({"network": "a.onnx"})", "stdin:1");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/profile_edit.h"

namespace tessera::io {

struct PlanRequestText {
  std::string network{};
  std::string profile{};
  std::string dtype{};
  std::vector<KeyChange> changes{};
};

/// `where` replaces file and line in messages. Throws InputError.
[[nodiscard]] PlanRequestText read_plan_request_json(std::string_view text,
                                                     const std::string& where);

}  // namespace tessera::io
