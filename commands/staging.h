// Fetches of weights from a backing memory, in the order in which their channel moves them.
//
//   Staging staging(context);
//   staging.begin_group(2, state, sink);   // barriers and fetches before the commands of group 2
//
// A fetch begins once the group before PlannedFetch::from has ended and the channel is free; its
// group waits for it. So a group begins with a barrier for the end of the group before, then come
// fetches that wait for this or an earlier barrier, then a barrier that waits for the group's own
// fetches. Private to commands/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/group.h"
#include "commands/issue.h"
#include "commands/json.h"

namespace tessera::commands {

/// The queue of the backing memory. Barriers do not wait for its commands unless `after` says so.
[[nodiscard]] std::optional<Queue> staging_queue(const Hardware& hardware);

class Staging {
 public:
  explicit Staging(const Context& context);

  void begin_group(std::size_t group, IssueState& state, const Sink& sink);

 private:
  [[nodiscard]] Command fetch(std::size_t number, std::size_t group) const;

  const Context& context_;
  std::string queue_;                ///< empty: there is no backing memory
  std::size_t next_ = 0;             ///< in PlannedBehind::fetches
  std::vector<CommandId> issued_;    ///< per fetch
  std::vector<CommandId> barriers_;  ///< per group: the end of the group before; -1: none
};

}  // namespace tessera::commands
