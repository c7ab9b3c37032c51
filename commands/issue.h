// The commands of one group in the order of issue, with what each waits for.
//
//   Issuer issuer(group, state, [&](Command command) { write(command); });
//   issuer.run();
//
// The order, the dependencies, the cycles and the bytes are those of the simulated pipeline
// (cost/tiled_group.h). A task of the pipeline becomes no command, one, or several that follow each
// other: mode switches and on-chip copies before an op, and copies of reused halos after it.
// Private to commands/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/group.h"

namespace tessera::commands {

/// State that continues from group to group.
struct IssueState {
  CommandId next = 0;
  std::vector<std::string> modes;  ///< per on-chip memory; empty: none yet
};

using Sink = std::function<void(Command)>;

class Issuer {
 public:
  Issuer(const Group& group, IssueState& state, Sink sink);
  void run();

 private:
  using Ids = std::vector<CommandId>;

  void issue(std::size_t task, std::int64_t tile);
  [[nodiscard]] Ids waits(std::size_t task, std::int64_t tile, bool for_moves = true) const;
  [[nodiscard]] Ids& ends(std::size_t task, std::int64_t tile);
  [[nodiscard]] const TileAt& tile(std::int64_t index);
  void forget_before(std::int64_t tile);

  void issue_move(std::size_t task, const TileAt& tile);
  void issue_op(std::size_t task, const TileAt& tile);
  void issue_switching(const TileAt& tile, Step step, std::int64_t cycles);
  void issue_modes(const TileAt& tile, Step step, std::int64_t& cycles);
  void issue_copies(const TileAt& tile, Step step);
  void issue_halos(const TileAt& tile, Step step);
  void issue_service(std::size_t task, const TileAt& tile);

  /// A command of the current task, which comes after those before it.
  CommandId put(Command command);
  [[nodiscard]] Command begin(CommandKind kind, std::size_t task, const TileAt& tile) const;
  [[nodiscard]] std::int64_t cycles(std::size_t task, const TileAt& tile) const;
  void add_copies(const cost::Move& move, const TileAt& tile, const tiling::Box& box,
                  Command& command) const;
  void take_share(const cost::Move& move, const TileAt& tile, bool rest, Command& command) const;

  const Group& group_;
  IssueState& state_;
  Sink sink_;
  std::int64_t window_ = 1;
  int max_lead_ = 0;
  std::vector<Ids> ends_;  ///< by tile modulo the window, and task
  std::map<std::int64_t, TileAt> known_;
  Ids after_;                ///< of the next command of the current task
  Ids slot_modes_;           ///< mode commands at the begin of the last slot
  std::size_t current_ = 0;  ///< task
  std::vector<std::vector<CommandId>>
      begun_;  ///< by tile modulo the window, and task: its last command
};

}  // namespace tessera::commands
