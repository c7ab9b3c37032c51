// The modes of memories with banks while commands run, and whether they permit an access.
//
//   BankModes modes(hardware, order);
//   std::string why = modes.switch_to(command);        // a mode command; a sentence if it is wrong
//   why = modes.permit({.memory = 0, .range = {0, 64}, .reads = true, .from = 7, .until = 7});
//
// A mode may be in force from the begin of its command until the next one has ended. Private to
// commands/.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "commands/command.h"
#include "commands/order.h"
#include "tessera/hardware.h"
#include "tessera/problem.h"

namespace tessera::commands {

class BankModes {
 public:
  /// Both outlive it.
  BankModes(const Hardware& hardware, const Order& order) : hardware_(hardware), order_(order) {}

  [[nodiscard]] std::string switch_to(const Command& command);

  struct Access {
    std::size_t memory = 0;
    AddressRange range;
    bool reads = false;
    bool weight = false;
    CommandId from = 0;   ///< it begins with that command, ...
    CommandId until = 0;  ///< ... and ends with this one
  };
  [[nodiscard]] std::string permit(const Access& access);

 private:
  /// Accesses that need the same roles of a bank.
  struct Use {
    std::size_t bank = 0;
    bool reads = false;
    bool weight = false;
    [[nodiscard]] auto key() const { return std::tuple(bank, reads, weight); }
    friend bool operator<(const Use& a, const Use& b) { return a.key() < b.key(); }
  };
  struct Held {
    CommandId since = 0;
    const Mode* mode = nullptr;
  };
  struct State {
    std::vector<Held> held;                         ///< modes that may be in force, in order
    std::map<Use, std::vector<CommandId>> running;  ///< accesses that may not have ended
  };

  [[nodiscard]] const Mode* find(const Memory& memory, const std::string& name);
  [[nodiscard]] static bool permits(const Mode& mode, const Use& use);
  [[nodiscard]] std::string refused(const Memory& memory, const Use& use, const Mode& mode) const;

  const Hardware& hardware_;
  const Order& order_;
  std::map<std::string, State> states_;  ///< by memory
  std::map<std::string, Mode> named_;    ///< modes named by their roles
};

}  // namespace tessera::commands
