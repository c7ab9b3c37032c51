// The malformed inputs of tests/usage/malformed, by reader; README.md there describes the file
// format.
//
//   for (const MalformedCase& each : malformed_cases("problem_yaml")) read(each.data);
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {

struct MalformedCase {
  std::string name;
  std::string data;
  std::string error;  ///< with FILE for the path
  std::string hint;   ///< may be empty
};

/// The formats that have a case file.
[[nodiscard]] std::vector<std::string> malformed_formats();

/// Throws std::runtime_error if the file is malformed.
[[nodiscard]] std::vector<MalformedCase> malformed_cases(std::string_view format);

}  // namespace tessera::testing
