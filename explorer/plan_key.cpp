#include "explorer/plan_key.h"

#include "explorer/fingerprint.h"
#include "model/json_text.h"
#include "tessera/version.h"

namespace tessera::explorer {
namespace {

/// Incremented with every change that changes the plan for some query: within one version, a store
/// may be older than the program.
constexpr int revision_of_plans = 15;

}  // namespace

std::string plan_key(const std::string& machine, const std::string& network,
                     const PlanParams& params) {
  // The structured binding names every field: a new field does not compile until it is handled
  // here.
  const auto& [max_ops, limits, engine, question_timeout, nodes_per_question, effort, tile_shapes,
               proof_shapes, weights, residency, fewest_modes, peak_limits, reference, start,
               memory, progress] = params;
  const auto& [timeout, work, bytes, threads, seed, stop] = limits;
  static_cast<void>(memory), static_cast<void>(progress), static_cast<void>(timeout);
  static_cast<void>(bytes), static_cast<void>(threads), static_cast<void>(stop);
  std::string text = "plan of Tessera " + std::string(version()) + " revision " +
                     std::to_string(revision_of_plans) + '\n' + machine + '\n' + network + '\n';
  for (const auto& [name, value] : weights) text += name + '=' + json_number(value) + '\n';
  for (const auto& [name, value] : peak_limits)
    text += "limit " + name + '=' + json_number(value) + '\n';
  const Metrics& costs = reference.value().totals;
  text += json_number(reference->clock_hz) + ' ' + std::to_string(costs.latency_cycles) + ' ' +
          json_number(costs.energy_pj) + ' ' + std::to_string(costs.dram_bytes) + ' ' +
          std::to_string(costs.peak_bytes) + '\n';
  text += "nodes " + std::to_string(nodes_per_question) + " of " + std::to_string(work) + " seed " +
          std::to_string(seed) + " effort " + std::to_string(effort) + '\n';
  text += "shapes " + std::to_string(tile_shapes) + " and " + std::to_string(proof_shapes) +
          " ops " + std::to_string(max_ops) + '\n';
  if (!residency) text += "no residency\n";
  if (fewest_modes) text += "fewest modes\n";
  if (start) text += "start " + fingerprint(plan_json(*start)) + '\n';
  if (engine != "auto") text += "engine " + engine + '\n';
  if (question_timeout)
    text += "question timeout " + std::to_string(question_timeout->count()) + " ns\n";
  return fingerprint(text);
}

}  // namespace tessera::explorer
