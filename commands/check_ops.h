// Do the operands of a compute command belong to its op? Private to commands/.
//
//   OpRules rules(network);
//   if (std::string why = rules.wrong(command); !why.empty()) report(why);
//
// The parts of operands follow from the part of the output (tiling/op_region.h, which random tests
// compare with the definitions of the ops element by element).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/command.h"
#include "tessera/network.h"

namespace tessera::commands {

class OpRules {
 public:
  explicit OpRules(const Network& network);

  /// A sentence about what is wrong with the op, the parts, the padding or the sums; else empty.
  [[nodiscard]] std::string wrong(const Command& command);
  [[nodiscard]] std::optional<OpIndex> find(const std::string& name) const;

 private:
  [[nodiscard]] std::string wrong_parts(const Op& op, const Command& command);
  [[nodiscard]] std::string wrong_operand(const Op& op, const Command& command,
                                          std::size_t position);
  [[nodiscard]] std::string wrong_joined(const Op& op, const Command& command) const;
  [[nodiscard]] std::string wrong_padding(const Op& op, const Command& command) const;
  [[nodiscard]] std::string wrong_region(TensorIndex named, const tiling::Box& region,
                                         const Operand& operand) const;
  [[nodiscard]] std::string wrong_slice(const Op& op, const Command& command, std::size_t position,
                                        tiling::Box& region);

  const Network& network_;
  std::unordered_map<std::string, OpIndex> op_of_;
  std::map<std::string, std::vector<Dim>> ends_;  ///< per split op: channels where parts end
};

}  // namespace tessera::commands
