// Work, bytes and parts of the energy of a group's ops, op by op. Made once for a complete plan.
//
//   std::vector<Account> ops = group_accounts(run);            // per step; the caller adds cycles
//   Account all; for (const Account& op : ops) all.add(op);
//   PlannedAccount shown = planned(all, hardware, latency);    // with names, energies and port use
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "cost/tile_cost.h"
#include "cost/tiled_group.h"
#include "tessera/hardware.h"
#include "tessera/network_plan.h"

namespace tessera::cost {

/// Who accesses which memory. Users are numbered: engines as in the hardware, then DMA and fetches.
struct AccessKey {
  std::size_t memory = 0;
  std::size_t user = 0;
  TileAccess::Operand operand = TileAccess::Operand::input;
  bool write = false;
  friend auto operator<=>(const AccessKey&, const AccessKey&) = default;
};
[[nodiscard]] std::size_t dma_user(const Hardware& hardware);
[[nodiscard]] std::size_t fetch_user(const Hardware& hardware);

struct Account {
  std::int64_t macs = 0;
  Cycles cycles = 0;  ///< that pay static power; of an op its share of the group's
  double ideal_cycles = 0;
  double compute_pj = 0;
  std::int64_t mode_switches = 0;
  std::map<AccessKey, double> bytes;
  void add(const Account& other);
};

/// Per step of the group, without cycles.  require: as group_cost().
[[nodiscard]] std::vector<Account> group_accounts(const TiledGroup& run);

/// `latency`: the cycles to which utilisation refers.
[[nodiscard]] PlannedAccount planned(const Account& account, const Hardware& hardware,
                                     Cycles latency);

}  // namespace tessera::cost
