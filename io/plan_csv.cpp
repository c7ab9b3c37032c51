#include "io/plan_csv.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "model/json_write.h"

namespace tessera::io {
namespace {

/// RFC 4180: quoted if the text has a comma, a quote or a line break.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// The accesses that a column adds up.
struct Column {
  std::string name;
  std::function<bool(const PlannedAccess&)> counts;
  double PlannedAccess::*value;
};

/// Per memory: bytes by operand, cycles of its ports by user, energy.
std::vector<Column> access_columns(const std::vector<PlannedAccess>& all) {
  std::vector<Column> columns;
  const auto add = [&](Column column) {
    if (std::ranges::find(columns, column.name, &Column::name) == columns.end())
      columns.push_back(std::move(column));
  };
  for (const PlannedAccess& one : all)
    if (one.user != "fetch")
      add({one.memory + '_' + one.operand + (one.write ? "_written" : "_read"),
           [one](const PlannedAccess& access) {
             return access.memory == one.memory && access.operand == one.operand &&
                    access.write == one.write;
           },
           &PlannedAccess::bytes});
  for (const PlannedAccess& one : all)
    if (one.user != "fetch")
      add({one.memory + '_' + one.user + "_cycles",
           [one](const PlannedAccess& access) {
             return access.memory == one.memory && access.user == one.user;
           },
           &PlannedAccess::cycles});
  for (const PlannedAccess& one : all)
    if (one.user != "fetch")
      add({one.memory + "_pj",
           [one](const PlannedAccess& access) { return access.memory == one.memory; },
           &PlannedAccess::energy_pj});
  return columns;
}

std::string account_cells(const PlannedAccount& account, const std::vector<Column>& columns) {
  std::string cells = ',' + std::to_string(account.macs);
  for (const double value :
       {account.utilisation, account.compute_pj, account.switches_pj, account.static_pj})
    cells += ',' + json_number(value);
  for (const Column& column : columns) {
    double sum = 0;
    for (const PlannedAccess& access : account.accesses)
      if (column.counts(access)) sum += access.*column.value;
    cells += ',' + json_number(sum);
  }
  return cells;
}

}  // namespace

std::string write_plan_csv(const NetworkPlan& plan) {
  std::string out = "op,kind,subgraph,tiles,compute_cycles,cycles,offchip_bytes,energy_pj,bound_by";
  const bool accounted = plan.accounting.layers.size() == plan.layers.size();
  const std::vector<Column> columns = access_columns(plan.accounting.total.accesses);
  if (accounted) out += ",macs,utilisation,compute_pj,switches_pj,static_pj";
  for (const Column& column : columns) out += ',' + cell(column.name);
  out += '\n';
  std::size_t subgraph = 0;
  for (OpIndex op = 0; op < plan.layers.size(); ++op) {
    while (subgraph + 1 < plan.subgraphs.size() && plan.subgraphs[subgraph].ops.last < op)
      ++subgraph;
    const PlannedLayer& layer = plan.layers[op];
    const std::int64_t tiles =
        subgraph < plan.subgraphs.size() ? plan.subgraphs[subgraph].tile_count() : 0;
    out += cell(layer.op) + ',' + layer.kind + ',' + std::to_string(subgraph) + ',' +
           std::to_string(tiles) + ',' + std::to_string(layer.compute_cycles) + ',' +
           std::to_string(layer.cycles) + ',' + std::to_string(layer.offchip_bytes) + ',' +
           json_number(layer.energy_pj) + ',' + layer.bound_by;
    if (accounted) out += account_cells(plan.accounting.layers[op], columns);
    out += '\n';
  }
  return out;
}

}  // namespace tessera::io
