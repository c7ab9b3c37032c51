// Commands as tables of a C header, as docs/guide/commands.md describes them.
//
//   CTable table("net", context, queues);
//   sink(table.begin());
//   for each array: sink(table.open(array)), table.rows(array, command) per command, sink(close())
//   sink(table.end(count));
//
// Each array is written in a pass of its own over all commands. Private to commands/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/group.h"
#include "commands/json.h"

namespace tessera::commands {

enum class CArray : std::uint8_t { waits, copies, operands, commands };
inline constexpr std::array<CArray, 4> c_arrays{CArray::waits, CArray::copies, CArray::operands,
                                                CArray::commands};

class CTable {
 public:
  CTable(std::string name, const Context& context, std::vector<Queue> queues);

  /// Types and names of memories, tensors, ops and queues.
  [[nodiscard]] std::string begin() const;
  [[nodiscard]] std::string open(CArray array);
  /// The rows of one command, in order.
  [[nodiscard]] std::string rows(CArray array, const Command& command);
  [[nodiscard]] std::string close() const;
  [[nodiscard]] std::string end(std::int64_t commands) const;

 private:
  [[nodiscard]] std::string command_row(const Command& command);
  [[nodiscard]] std::string operand_rows(const Operand& operand) const;

  std::string name_;
  const Context& context_;
  std::vector<Queue> queues_;
  // First rows of the next command in the other arrays.
  std::int64_t waits_ = 0;
  std::int64_t copies_ = 0;
  std::int64_t operands_ = 0;
};

}  // namespace tessera::commands
