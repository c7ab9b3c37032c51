#include "io/plan_csv.h"

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

}  // namespace

std::string write_plan_csv(const NetworkPlan& plan) {
  std::string out =
      "op,kind,subgraph,tiles,compute_cycles,cycles,offchip_bytes,energy_pj,bound_by\n";
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
           json_number(layer.energy_pj) + ',' + layer.bound_by + '\n';
  }
  return out;
}

}  // namespace tessera::io
