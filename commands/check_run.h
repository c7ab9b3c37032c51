// Runs commands on symbolic memories: every byte is known by the element that it holds.
//
//   SymbolicRun run(network, hardware, plan, header, report);
//   run.add(command);                                            // in the order of the file
//   run.finish();
//
// Private to commands/.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commands/canonical.h"
#include "commands/check_modes.h"
#include "commands/check_ops.h"
#include "commands/contents.h"
#include "commands/group_buffers.h"
#include "commands/order.h"
#include "commands/read.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::commands {

class SymbolicRun {
 public:
  using Report = std::function<void(std::string)>;

  SymbolicRun(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
              const FileHeader& header, Report report);

  void add(const Command& command);
  /// After the last command.
  void finish();

  [[nodiscard]] Size bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t cycles() const { return order_.last_end(); }

 private:
  void place_constants();
  void barrier(const Command& command);
  void end_group(std::size_t group);

  /// What a transfer writes.
  struct Piece {
    std::size_t memory;
    AddressRange to;
    Meaning meaning;
  };
  void transfer(const Command& command);
  void fetch(const Command& command);
  [[nodiscard]] bool take(const Command& command, const Copy& copy, std::vector<Piece>& pieces);
  void put(const Command& command, const Piece& piece);
  void count_bytes(const Command& command);
  [[nodiscard]] const std::vector<Size>& possible_bytes(TensorIndex tensor, const tiling::Box& box,
                                                        Size burst);
  [[nodiscard]] Size bursts(TensorIndex tensor, const tiling::Box& box, Size burst) const;
  [[nodiscard]] Offset home_of(TensorIndex tensor, const Operand& place) const;
  [[nodiscard]] static Size bursts_of(const Operand& place, const tiling::Box& inside, Offset home,
                                      Size burst);
  void compute(const Command& command);
  void each_part(const Command& command, const Operand& operand,
                 const std::function<void(const Part&)>& see);
  void read(const Command& command, const Operand& operand, std::int64_t sums);
  void write(const Command& command, const Operand& operand, std::int64_t sums);
  [[nodiscard]] bool in_mode(const Command& command, const BankModes::Access& access);

  [[nodiscard]] bool in_memory(const Command& command, std::size_t memory, AddressRange range,
                               const std::string& buffer);
  [[nodiscard]] bool names_buffer(const Command& command, const std::string& buffer,
                                  TensorIndex tensor);
  void race(const Command& command, const Stored& stored, bool writes, CommandId from);
  void wrong(const Command& command, const std::string& what);

  const Network& network_;
  const Hardware& hardware_;
  const NetworkPlan& plan_;
  const FileHeader& header_;
  Report report_;
  Canonical canonical_;
  Contents contents_;
  Order order_;
  OpRules rules_;
  BankModes modes_;
  GroupBuffers buffers_;  ///< of the group
  /// A transfer of one or two commands.
  struct Transfer {
    std::vector<Size> expected;  ///< possible bytes on the bus
    Size counted = 0;            ///< as commands state
    Size moved = 0;              ///< without the rest of bursts
    Size burst = 0;              ///< of encoded data, whose bytes follow from `moved`; else 0
  };
  std::map<CommandId, Transfer> transfers_;  ///< of the group
  /// Per tensor and extents of a part: the bytes of parts of the group with these extents.
  std::map<std::pair<TensorIndex, std::vector<Dim>>, std::vector<Size>> counted_;
  std::map<OpIndex, std::int64_t> computed_;
  std::map<CommandId, std::string> begun_;  ///< begins of ops of two commands
  std::size_t group_ = 0;
  bool inside_group_ = false;  ///< after its first command
  std::int64_t group_begin_ = 0;
  Size group_bytes_ = 0;
  Size bytes_ = 0;
  CommandId next_ = 0;
};

}  // namespace tessera::commands
