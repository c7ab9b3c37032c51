#include <algorithm>
#include <array>
#include <optional>

#include "io/account_json.h"
#include "io/objectives_json.h"
#include "io/placement_json.h"
#include "io/plan_json.h"
#include "io/plan_words.h"
#include "io/verdict_json.h"
#include "model/json_write.h"
#include "tessera/check.h"

namespace tessera::io {
namespace {

void write_metrics(std::string& out, const Metrics& metrics, std::optional<double> score = {},
                   const PlanReference* of = nullptr) {
  JsonObject object(out);
  if (score) object.real("score", *score);
  if (of != nullptr) {
    object.text("profile", of->profile);
    object.real("clock_hz", of->clock_hz);
  }
  object.number("latency_cycles", metrics.latency_cycles);
  object.real("energy_pj", metrics.energy_pj);
  object.number("dram_bytes", metrics.dram_bytes);
  object.number("peak_bytes", metrics.peak_bytes);
  object.real("peak_bandwidth", metrics.peak_bandwidth);
  object.close();
}

void write_axes(std::string& out, const std::array<Dim, 3>& values) {
  JsonObject object(out);
  for (std::size_t axis = 0; axis < values.size(); ++axis)
    object.number(tile_axis_names[axis], values[axis]);
  object.close();
}

std::string placement_text(const PlannedPlacement& planned) {
  PlacementResult result;
  result.status = Status::feasible;
  result.placement = planned.placement;
  result.engine = planned.engine;
  result.heights = heights(planned.problem, planned.placement);
  for (const Size height : result.heights) result.height = std::max(result.height, height);
  std::string text = write_placement_json(planned.problem, result);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The entry of the op or group `index`; none in a plan without accounting.
void write_account(JsonObject& object, const std::vector<PlannedAccount>& accounts,
                   std::size_t index) {
  if (index < accounts.size()) object.entry("account") += account_text(accounts[index]);
}

void write_bound(JsonObject& object, const GroupBound& bound) {
  object.real("score", bound.score);
  JsonObject least(object.entry("bound"));
  least.real("score", bound.bound);
  least.number("latency_cycles", bound.least.latency_cycles);
  least.real("energy_pj", bound.least.energy_pj);
  least.number("dram_bytes", bound.least.dram_bytes);
  least.close();
}

std::string subgraph_text(const NetworkPlan& plan, const PlannedSubgraph& subgraph) {
  std::string out;
  JsonObject object(out);
  object.number("first_op", static_cast<std::int64_t>(subgraph.ops.first));
  object.number("last_op", static_cast<std::int64_t>(subgraph.ops.last));
  write_list(object.entry("ops"), subgraph.names, ", ",
             [](const std::string& name) { return json_string(name); });
  {
    JsonObject tiles(object.entry("tiles"));
    tiles.number("count", subgraph.tile_count());
    write_axes(tiles.entry("shape"), subgraph.extent);
    write_axes(tiles.entry("grid"), subgraph.counts);
    write_list(tiles.entry("order"), order_of(subgraph.variant.stationary), ", ",
               [](const std::string& axis) { return json_string(axis); });
    tiles.close();
  }
  {
    JsonObject variant(object.entry("variant"));
    variant.truth("double_buffer", subgraph.variant.double_buffer);
    variant.text("weights", word(subgraph.variant.weights));
    variant.text("halo", word(subgraph.variant.halo));
    variant.text("stationary", word(subgraph.variant.stationary));
    if (subgraph.variant.one_copy != OneCopy::none)
      variant.text("one_copy", word(subgraph.variant.one_copy));
    if (subgraph.variant.reduction != 1) variant.number("reduction", subgraph.variant.reduction);
    if (subgraph.variant.direct != Direct::none)
      variant.text("direct", word(subgraph.variant.direct));
    if (subgraph.variant.trailing != 0) variant.number("trailing", subgraph.variant.trailing);
    variant.close();
  }
  const auto names = [&](const char* key, const std::vector<std::string>& listed) {
    if (!listed.empty()) write_list(object.entry(key), listed, ", ", json_string);
  };
  names("kept", subgraph.kept);
  names("early", subgraph.early);
  names("ahead", subgraph.ahead);
  names("passing", subgraph.passing);
  object.entry("placement") += placement_text(subgraph.placements.at(0));
  if (subgraph.placements.size() > 1) {
    const std::vector<PlannedPlacement> more(subgraph.placements.begin() + 1,
                                             subgraph.placements.end());
    write_list(object.entry("more_placements"), more, ",\n", placement_text);
  }
  write_metrics(object.entry("metrics"), subgraph.metrics);
  if (!plan.group_bounds.empty())
    write_bound(object,
                plan.group_bounds[static_cast<std::size_t>(&subgraph - plan.subgraphs.data())]);
  object.real("utilisation", subgraph.utilisation);
  object.number("mode_switches", subgraph.mode_switches);
  write_account(object, plan.accounting.groups,
                static_cast<std::size_t>(&subgraph - plan.subgraphs.data()));
  object.close();
  return out;
}

std::string layer_text(const NetworkPlan& plan, const PlannedLayer& layer) {
  std::string out;
  JsonObject object(out);
  object.text("op", layer.op);
  object.text("kind", layer.kind);
  object.number("compute_cycles", layer.compute_cycles);
  object.number("cycles", layer.cycles);
  object.number("offchip_bytes", layer.offchip_bytes);
  object.real("energy_pj", layer.energy_pj);
  object.text("bound_by", layer.bound_by);
  write_account(object, plan.accounting.layers,
                static_cast<std::size_t>(&layer - plan.layers.data()));
  object.close();
  return out;
}

std::string join_text(const PlannedJoin& join) {
  return json_object([&](JsonObject& object) {
    object.text("tensor", join.tensor);
    object.text("in", join.whole);
    object.entry("channels") += "[" + json_number(join.begin) + ", " + json_number(join.end) + "]";
  });
}

std::string pin_text(const PlannedPin& pin) {
  return json_object([&](JsonObject& object) {
    object.text("weight", pin.weight);
    object.text("memory", pin.memory);
    object.number("offset", pin.offset);
    object.number("bytes", pin.bytes);
  });
}

std::string offchip_text(const OffchipMemory& memory) {
  std::string out;
  JsonObject object(out);
  object.text("memory", memory.memory);
  object.number("height", memory.height);
  object.number("lower_bound", memory.lower_bound);
  object.number("whole_tensors", memory.whole_tensors);
  object.list(
      "buffers", memory.buffers,
      [&](const OffchipBuffer& buffer) {
        return json_object([&](JsonObject& each) {
          each.text("id", buffer.id);
          each.number("offset", buffer.offset);
          if (memory.base != 0) each.number("address", memory.base + buffer.offset);
          each.number("size", buffer.size);
          each.entry("live") +=
              "[[" + json_number(buffer.live.lower) + ", " + json_number(buffer.live.upper) + "]]";
          if (buffer.weights) each.text("kind", "weight");
        });
      },
      ",\n  ");
  object.close();
  return out;
}

void write_scope(JsonObject& object, const PlanScope& scope) {
  write_list(object.entry("scope"), words_of(scope), ", ", json_string);
}

/// `proved_over` and `looked_at` are the old names of `scope` and `explored`.
void write_claims(JsonObject& object, const NetworkPlan& plan) {
  object.real("bound", plan.bound);
  object.real("gap", gap_of(plan));
  object.truth("proven_optimal", plan.optimal);
  if (const std::string text = to_text(plan.scope); !text.empty()) {
    write_scope(object, plan.scope);
    object.text("proved_over", text);
  }
  if (const std::string text = to_text(plan.explored.scope); !text.empty()) {
    JsonObject explored(object.entry("explored"));
    write_scope(explored, plan.explored.scope);
    explored.real("bound", plan.explored.bound);
    explored.truth("proven_optimal", plan.explored.optimal);
    explored.close();
    if (plan.explored == PlanClaim{plan.bound, plan.optimal, plan.scope}) return;
    JsonObject looked(object.entry("looked_at"));
    looked.real("bound", plan.explored.bound);
    looked.truth("proven_optimal", plan.explored.optimal);
    looked.text("proved_over", text);
    looked.close();
  }
}

std::string behind_text(const PlannedBehind& behind) {
  return json_object([&](JsonObject& object) {
    object.text("memory", behind.memory);
    object.number("bytes", behind.bytes);
    object.number("waiting_cycles", behind.waiting_cycles);
    object.real("energy_pj", behind.energy_pj);
    write_list(object.entry("begins"), behind.begins, ", ",
               [](std::int64_t begin) { return json_number(begin); });
    write_list(object.entry("resident"), behind.resident, ", ",
               [](const std::string& name) { return json_string(name); });
    if (!behind.away.empty())
      write_list(object.entry("away"), behind.away, ", ",
                 [](const std::string& name) { return json_string(name); });
    object.list(
        "fetches", behind.fetches,
        [](const PlannedFetch& fetch) {
          return json_object([&](JsonObject& each) {
            each.text("tensor", fetch.tensor);
            if (fetch.at != 0) each.number("at", fetch.at);
            each.number("from", static_cast<std::int64_t>(fetch.from));
            each.number("subgraph", static_cast<std::int64_t>(fetch.subgraph));
            if (fetch.passes) each.truth("passes", true);
            if (fetch.loops != 0) each.number("loops", fetch.loops);
            if (fetch.copies != 2) each.number("copies", fetch.copies);
            if (fetch.writes) each.truth("writes", true);
            each.number("room", fetch.room);
            each.number("bytes", fetch.bytes);
            each.number("begin", fetch.begin);
            each.number("end", fetch.end);
          });
        },
        ",\n  ");
  });
}

void write_name_lists(std::string& out, const std::vector<std::vector<std::string>>& lists) {
  write_list(out, lists, ", ", [](const std::vector<std::string>& names) {
    std::string text;
    write_list(text, names, ", ", [](const std::string& name) { return json_string(name); });
    return text;
  });
}

}  // namespace

std::string write_plan_json(const NetworkPlan& plan) {
  std::string out;
  JsonObject object(out);
  object.text("tessera", "plan/1");
  write_verdict(object, plan.status, plan.stop, plan.reason);
  object.text("network", plan.network);
  object.text("profile", plan.profile);
  object.real("clock_hz", plan.clock_hz);
  if (!plan.dtype.empty()) object.text("dtype", plan.dtype);
  object.real("score", plan.score);
  write_claims(object, plan);
  object.truth("limit_mattered", plan.limit_mattered);
  write_objectives(object, plan.objectives);
  {
    JsonObject weights(object.entry("weights"));
    weights.real("latency", plan.weights.latency);
    weights.real("energy", plan.weights.energy);
    weights.real("dram_bytes", plan.weights.dram_bytes);
    weights.real("peak_memory", plan.weights.peak_memory);
    weights.real("peak_bandwidth", plan.weights.peak_bandwidth);
    weights.close();
  }
  write_metrics(object.entry("totals"), plan.totals);
  write_metrics(object.entry("baseline"), plan.baseline, plan.baseline_score);
  write_metrics(object.entry("reference"), plan.reference.totals, {}, &plan.reference);
  if (!plan.accounting.layers.empty())
    object.entry("account") += account_text(plan.accounting.total);
  write_list(object.entry("subgraphs"), plan.subgraphs, ",\n",
             [&](const PlannedSubgraph& subgraph) { return subgraph_text(plan, subgraph); });
  write_list(object.entry("layers"), plan.layers, ",\n",
             [&](const PlannedLayer& layer) { return layer_text(plan, layer); });
  if (!plan.behind.memory.empty()) object.entry("behind") += behind_text(plan.behind);
  if (!plan.joined.empty()) write_list(object.entry("joined"), plan.joined, ",\n", join_text);
  if (!plan.pinned.empty()) write_list(object.entry("pinned"), plan.pinned, ",\n", pin_text);
  if (!plan.offchip.empty()) write_list(object.entry("offchip"), plan.offchip, ",\n", offchip_text);
  write_name_lists(object.entry("unused_modes"), plan.unused_modes);
  write_name_lists(object.entry("idle_banks"), plan.idle_banks);
  {
    JsonObject search(object.entry("search"));
    search.number("candidates", plan.search.candidates);
    search.number("solved", plan.search.solved);
    search.number("infeasible", plan.search.infeasible);
    search.number("unknown", plan.search.unknown);
    search.number("reused", plan.search.reused);
    search.number("pruned", plan.search.pruned);
    search.number("shapes", plan.search.shapes);
    search.number("nodes_per_question", plan.search.nodes_per_question);
    search.real("seconds", plan.search.seconds);
    search.close();
  }
  object.entry("seed") += std::to_string(plan.seed);
  object.close();
  out += '\n';
  return out;
}

}  // namespace tessera::io
