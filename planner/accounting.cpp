#include "planner/accounting.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cost/account.h"
#include "cost/mapping.h"
#include "io/roofline.h"
#include "model/off_chip.h"
#include "model/parallel.h"
#include "planner/piece.h"
#include "tessera/plan.h"

namespace tessera::planner {
namespace {

/// Per op of the group; the parts of a sum are one op.
std::vector<cost::Account> op_accounts(const Network& network, const Hardware& hardware,
                                       const PlannedSubgraph& group,
                                       const std::vector<std::optional<OpIndex>>& readers) {
  const Piece piece = make_piece(network, hardware, group, readers);
  const std::vector<cost::Account> steps =
      cost::group_accounts(piece_run(piece, hardware, group.placements));
  std::vector<cost::Account> ops(group.ops.size());
  for (std::size_t k = 0; k < steps.size(); ++k)
    ops[piece.part.planned_op(static_cast<Step>(k))].add(steps[k]);
  return ops;
}

/// Fetches read one of two memories and write the other one.
void add_fetches(const Network& network, const Hardware& hardware, const PlannedBehind& behind,
                 cost::Account& account) {
  for (const PlannedFetch& fetch : behind.fetches) {
    const auto tensor = std::ranges::find(network.tensors, fetch.tensor, &Tensor::name);
    using Operand = cost::TileAccess::Operand;
    const bool weight = tensor != network.tensors.end() && tensor->kind == TensorKind::weight;
    cost::AccessKey key{.memory = off_chip::index_of(hardware, *off_chip::backing(hardware)),
                        .user = cost::fetch_user(hardware),
                        .operand = weight         ? Operand::weights
                                   : fetch.writes ? Operand::output
                                                  : Operand::input,
                        .write = fetch.writes};
    account.bytes[key] += static_cast<double>(fetch.bytes);
    key.memory = off_chip::index_of(hardware, *off_chip::weights(hardware));
    key.write = !fetch.writes;
    account.bytes[key] += static_cast<double>(fetch.bytes);
  }
}

/// Sums in another order differ in the last digits.
bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

bool is_near(const PlannedAccess& a, const PlannedAccess& b) {
  return a.memory == b.memory && a.user == b.user && a.operand == b.operand && a.write == b.write &&
         is_near(a.bytes, b.bytes) && is_near(a.cycles, b.cycles) &&
         is_near(a.energy_pj, b.energy_pj);
}

bool is_near(const PlannedAccount& a, const PlannedAccount& b) {
  return a.macs == b.macs && is_near(a.ideal_cycles, b.ideal_cycles) &&
         is_near(a.utilisation, b.utilisation) && is_near(a.compute_pj, b.compute_pj) &&
         is_near(a.switches_pj, b.switches_pj) && is_near(a.static_pj, b.static_pj) &&
         std::ranges::equal(
             a.accesses, b.accesses,
             [](const PlannedAccess& x, const PlannedAccess& y) { return is_near(x, y); });
}

}  // namespace

PlanAccounting accounting_of(const Network& network, const Hardware& hardware,
                             const NetworkPlan& plan, int threads) {
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  std::vector<std::vector<cost::Account>> ops(plan.subgraphs.size());
  each_together(threads, ops.size(), [&](std::size_t k) {
    ops[k] = op_accounts(network, hardware, plan.subgraphs[k], readers);
  });
  PlanAccounting all;
  cost::Account total;
  for (std::size_t k = 0; k < ops.size(); ++k) {
    cost::Account group;
    for (cost::Account& op : ops[k]) {
      op.cycles = plan.layers[all.layers.size()].cycles;
      all.layers.push_back(cost::planned(op, hardware, op.cycles));
      group.add(op);
    }
    all.groups.push_back(cost::planned(group, hardware, group.cycles));
    total.add(group);
  }
  if (!plan.behind.memory.empty()) add_fetches(network, hardware, plan.behind, total);
  all.total = cost::planned(total, hardware, plan.totals.latency_cycles);
  return all;
}

std::vector<std::string> accounting_wrong(const PlanAccounting& right, const PlanAccounting& said) {
  std::vector<std::string> wrong;
  const auto list = [&](const std::string& what, const std::vector<PlannedAccount>& a,
                        const std::vector<PlannedAccount>& b) {
    if (a.size() != b.size())
      return wrong.push_back(std::to_string(b.size()) + " of " + std::to_string(a.size()) + " " +
                             what + "s have an `account`");
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!is_near(a[k], b[k]))
        wrong.push_back("the accounting of " + what + " " + std::to_string(k) +
                        " differs from its recomputation");
  };
  list("layer", right.layers, said.layers);
  list("group", right.groups, said.groups);
  list("total", {right.total}, {said.total});
  return wrong;
}

}  // namespace tessera::planner

namespace tessera {

std::string plan_roofline(const Hardware& hardware, const NetworkPlan& plan) {
  if (plan.status != Status::feasible || plan.accounting.groups.size() != plan.subgraphs.size() ||
      plan.accounting.layers.size() != plan.layers.size())
    throw BadInput("the plan has no accounting, so it has no roofline picture");
  io::Roofs roofs{.macs_per_cycle = 1, .bytes_per_cycle = 0};
  for (const Engine& engine : hardware.engines)
    if (engine.kind == EngineKind::mac_array)
      roofs.macs_per_cycle = std::max(roofs.macs_per_cycle, cost::peak_macs(engine));
  for (const std::size_t m : off_chip::memories(hardware))
    roofs.bytes_per_cycle += hardware.memories[m].bandwidth->bytes_per_cycle(hardware.clock_hz);
  return io::roofline_svg(plan, roofs);
}

}  // namespace tessera
