#include "cost/account.h"

#include <optional>
#include <string>

#include "cost/group_parts.h"
#include "cost/group_tasks.h"
#include "cost/mapping.h"
#include "cost/transfer.h"
#include "tiling/walk.h"

namespace tessera::cost {
namespace {

/// Operations per cycle of an engine whose units all work.
double peak_of(const Engine& engine) {
  return engine.kind == EngineKind::mac_array ? peak_macs(engine)
                                              : static_cast<double>(engine.lanes);
}

void add_accesses(const Hardware& hardware, const std::vector<TileAccess>& list, double times,
                  Account& account) {
  for (const TileAccess& access : list)
    if (access.bytes > 0)
      account.bytes[{.memory = access.memory,
                     .user = access.engine.value_or(dma_user(hardware)),
                     .operand = access.operand,
                     .write = access.write}] += access.bytes * times;
}

const char* word_of(TileAccess::Operand operand) {
  switch (operand) {
    case TileAccess::Operand::input:
      return "input";
    case TileAccess::Operand::weights:
      return "weights";
    case TileAccess::Operand::output:
      return "output";
  }
  return "input";
}

std::string user_name(const Hardware& hardware, std::size_t user) {
  if (user < hardware.engines.size()) return hardware.engines[user].name;
  return user == dma_user(hardware) ? "dma" : "fetch";
}

PlannedAccess planned_access(const Hardware& hardware, const AccessKey& key, double bytes) {
  const HardwareMemory& memory = hardware.memories[key.memory];
  const std::optional<Bandwidth>& bandwidth =
      key.write && memory.write_bandwidth ? memory.write_bandwidth : memory.bandwidth;
  return {.memory = memory.space.name,
          .user = user_name(hardware, key.user),
          .operand = word_of(key.operand),
          .write = key.write,
          .bytes = bytes,
          .cycles = bandwidth ? bytes / bandwidth->bytes_per_cycle(hardware.clock_hz) : 0,
          .energy_pj = bytes * (key.write ? memory.energy.write_pj : memory.energy.read_pj)};
}

}  // namespace

std::size_t dma_user(const Hardware& hardware) {
  return hardware.engines.size();
}

std::size_t fetch_user(const Hardware& hardware) {
  return hardware.engines.size() + 1;
}

void Account::add(const Account& other) {
  macs += other.macs;
  cycles += other.cycles;
  ideal_cycles += other.ideal_cycles;
  compute_pj += other.compute_pj;
  mode_switches += other.mode_switches;
  for (const auto& [key, moved] : other.bytes) bytes[key] += moved;
}

std::vector<Account> group_accounts(const TiledGroup& run) {
  const Hardware& hardware = *run.hardware;
  const Links links = links_of(hardware);
  const GroupTasks tasks = group_tasks(run);
  const tiling::TileWalk walk(*run.grid, *run.lowering);
  std::vector<TileCost> costs;
  std::vector<TileAccesses> accesses;
  for (std::size_t tile = 0; tile < run.grid->tiles.size(); ++tile) {
    costs.push_back(tile_cost(run, tasks, tile, links));
    accesses.push_back(tile_accesses(run, tasks, tile, costs.back(), links));
  }
  std::vector<Account> accounts(static_cast<std::size_t>(tasks.steps));
  for (const tiling::TileVisit& visit : walk.visits()) {
    const auto times = static_cast<double>(visit.times);
    const std::vector<std::int64_t> switches = mode_switches(run, visit.tile);
    for (std::size_t k = 0; k < accounts.size(); ++k) {
      const OpCost& op = costs[visit.tile].ops[k];
      accounts[k].macs += op.work * visit.times;
      accounts[k].ideal_cycles +=
          static_cast<double>(op.work) * times / peak_of(hardware.engines[op.engine]);
      accounts[k].compute_pj += accesses[visit.tile].compute_pj[k] * times;
      accounts[k].mode_switches += switches[k] * visit.times;
      add_accesses(hardware, accesses[visit.tile].ops[k], times, accounts[k]);
    }
    for (std::size_t m = 0; m < tasks.moves.size(); ++m)
      if (is_moved(walk, tasks.moves[m], visit))
        add_accesses(hardware, accesses[visit.tile].moves[m], times,
                     accounts[static_cast<std::size_t>(tasks.moves[m].use)]);
  }
  if (tasks.line.any_trails())  // the trailing ops of the last tile have a slot of their own
    accounts[static_cast<std::size_t>(tasks.line.leading)].mode_switches +=
        mode_switches(run, 0).front();
  return accounts;
}

PlannedAccount planned(const Account& account, const Hardware& hardware, Cycles latency) {
  PlannedAccount shown{
      .macs = account.macs,
      .ideal_cycles = account.ideal_cycles,
      .utilisation = latency > 0 ? account.ideal_cycles / static_cast<double>(latency) : 0,
      .compute_pj = account.compute_pj,
      .switches_pj = static_cast<double>(account.mode_switches) * hardware.mode_switch.energy_pj,
      .static_pj = static_energy(hardware, account.cycles)};
  for (const auto& [key, bytes] : account.bytes)
    shown.accesses.push_back(planned_access(hardware, key, bytes));
  return shown;
}

}  // namespace tessera::cost
