// What a command file was made from: network and profile, as texts in its header.
//
//   header_line(context, queues, buses, source_json(network, params));
//   CommandsSource source = read_commands_source("net.jsonl");          // tessera/commands.h
//
// Private to commands/.
#pragma once

#include <string>

#include "tessera/commands.h"
#include "tessera/network.h"

namespace tessera::commands {

/// The value of the key `source`; empty if `params` has no profile.
[[nodiscard]] std::string source_json(const Network& network, const CommandsParams& params);

}  // namespace tessera::commands
