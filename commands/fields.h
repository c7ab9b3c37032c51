// Fields of a command line that may change from round to round of a loop: all numbers, and names of
// buffers.
//
//   each_field(line, [&](std::string_view field) { ... });     // `9216`, `"x.ping"`
//   field_pointers(line);                                       // "/src/address", "/buffer"
//
// Private to commands/.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::commands {

/// require: the line is JSON without spaces
void each_field(std::string_view line, const std::function<void(std::string_view)>& see);

/// The JSON pointers of the fields, in the same order.
[[nodiscard]] std::vector<std::string> field_pointers(std::string_view line);

}  // namespace tessera::commands
