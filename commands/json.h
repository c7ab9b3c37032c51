// Commands as JSON lines, as docs/guide/commands.md describes them.
//
//   out(header_line(context, heights, groups));
//   out(json_line(command, context));
//   out(footer_line(count, bytes));
//
// Private to commands/.
#pragma once

#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/group.h"

namespace tessera::commands {

[[nodiscard]] std::string json_line(const Command& command, const Context& context);

/// `queues`: names of the queues that commands use, and their channels.
struct Queue {
  std::string name;
  int channels = 1;
  bool staging = false;  ///< of the backing memory
};
/// `source`: the value of that key as JSON; empty: none.
[[nodiscard]] std::string header_line(const Context& context, const std::vector<Queue>& queues,
                                      std::size_t buses, const std::string& source);
[[nodiscard]] std::string footer_line(std::int64_t commands, Size bytes);

}  // namespace tessera::commands
