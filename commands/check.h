// check_commands() for a text in memory. Private to commands/.
//
//   std::istringstream text(lines);
//   CommandsVerdict verdict = check_text(text, "net.jsonl", network, hardware, plan);
#pragma once

#include <istream>
#include <string>

#include "tessera/commands.h"

namespace tessera::commands {

/// `path` is used in messages.
[[nodiscard]] CommandsVerdict check_text(std::istream& text, const std::string& path,
                                         const Network& network, const Hardware& hardware,
                                         const NetworkPlan& plan);

}  // namespace tessera::commands
