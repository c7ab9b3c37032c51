// Which commands are certain to have ended before another one begins, and when each ends.
//
//   Order order(queues, buses);
//   order.add(command);                          // in the order of the file
//   order.is_before(3, 7);                       // command 3 ends before command 7 begins
//
// docs/guide/commands.md, "Waits and time". Private to commands/.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/read.h"

namespace tessera::commands {

class Order {
 public:
  Order(const std::vector<FileQueue>& queues, std::int64_t buses);

  /// Returns a sentence if the command cannot be ordered: an unknown queue, bus or id.
  /// require: ids are 0, 1, 2, ...
  [[nodiscard]] std::string add(const Command& command);

  /// require: both are added, earlier < later
  [[nodiscard]] bool is_before(CommandId earlier, CommandId later) const;

  [[nodiscard]] std::int64_t last_end() const { return last_end_; }
  /// The time of the last barrier.
  [[nodiscard]] std::int64_t barrier() const { return barrier_; }

  /// A command of the queue of a backing memory, which barriers do not wait for by themselves.
  struct Staged {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    CommandId from = -1;               ///< the barrier that it waits for; -1: none
    std::optional<CommandId> awaited;  ///< the first barrier that waits for it
  };
  [[nodiscard]] const std::map<CommandId, Staged>& staged() const { return staged_; }

 private:
  struct Known {
    std::int64_t end = 0;
    /// Commands since the last barrier that may run beside this one, among those before it.
    std::vector<CommandId> beside;
  };
  struct Queue {
    std::vector<std::int64_t> free;  ///< per channel
    CommandId last = -1;             ///< that occupied it
    bool staging = false;
  };
  [[nodiscard]] std::string place(const Command& command);
  [[nodiscard]] std::string end_all(const Command& barrier);
  [[nodiscard]] std::string stage(const Command& command, Queue& queue);
  void find_beside(const Command& command, std::vector<CommandId> before, Known& known) const;
  void find_end(const Command& command, Queue& queue, Known& known);
  [[nodiscard]] const Known& known(CommandId id) const {
    return known_[static_cast<std::size_t>(id - first_)];
  }

  std::map<std::string, Queue> queues_;
  std::vector<std::int64_t> bus_free_;
  std::deque<Known> known_;   ///< since the last barrier, from first_ on
  CommandId first_ = 0;       ///< everything before has ended
  std::int64_t barrier_ = 0;  ///< when it ended
  std::int64_t last_end_ = 0;
  std::map<CommandId, Staged> staged_;
  std::map<CommandId, std::int64_t> barriers_;  ///< their times
};

}  // namespace tessera::commands
