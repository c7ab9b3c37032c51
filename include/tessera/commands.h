// The commands of a plan: every transfer and computation with its addresses, in the order of issue.
//
//   NetworkPlan plan = plan_network(net, hardware, {});                                // plan.h
//   write_commands(net, hardware, plan, {}, [&](std::string_view piece) { file << piece; });
//   CommandsVerdict verdict = check_commands(net, hardware, plan, "net.jsonl");
//   for (const std::string& sentence : verdict.wrong) std::cout << sentence << '\n';
//
// docs/guide/commands.md describes the file. The order, the bytes and the cycles are those that the
// plan's metrics count.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "errors.h"
#include "hardware.h"
#include "network.h"
#include "network_plan.h"
#include "profile.h"

namespace tessera {

struct CommandsParams {
  bool fold = false;      ///< repetitions become loops
  std::string c_table{};  ///< a C header whose names begin with this, in place of JSON lines
  /// The profile of the machine and the changes made to it. If given, the file says what it was
  /// made from, and read_commands_source() reads it.
  std::string profile{};
  std::vector<ProfileChange> changes{};
};

/// Writes the commands of a feasible plan in parts; memory does not grow with their number.
/// throws: BadInput if check_plan() reports an error, if the plan is not feasible, or if it has a
/// variant that commands cannot express. Exceptions of `sink` are passed on.
TESSERA_API void write_commands(const Network& network, const Hardware& hardware,
                                const NetworkPlan& plan, const CommandsParams& params,
                                const std::function<void(std::string_view)>& sink);

/// Is it a regular file that begins like a command file?
[[nodiscard]] TESSERA_API bool is_commands_file(const std::string& path);

/// The network and the machine that a command file was made from.
struct CommandsSource {
  Network network;
  Hardware hardware;
};
/// throws: BadInput if the file cannot be read or does not say it.
[[nodiscard]] TESSERA_API CommandsSource read_commands_source(const std::string& path);

/// The result of check_commands().
struct CommandsVerdict {
  std::vector<std::string> wrong{};  ///< sentences; empty: the commands are right
  std::int64_t commands = 0;
  std::int64_t cycles = 0;
  Size bytes = 0;
};

/// Does the file say how to run this plan? Each output element is computed from the right elements
/// of its operands, no access races with another one, all accesses are inside the buffers of the
/// plan, and cycles and bytes are those of the plan. Independent of write_commands().
/// throws: BadInput if the file cannot be read or is not a command file.
[[nodiscard]] TESSERA_API CommandsVerdict check_commands(const Network& network,
                                                         const Hardware& hardware,
                                                         const NetworkPlan& plan,
                                                         const std::string& path);

}  // namespace tessera
