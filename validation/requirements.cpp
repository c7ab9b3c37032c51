#include "validation/requirements.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include "model/derived.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/hardware_check.h"
#include "tessera/network_shapes.h"
#include "tessera/placement.h"
#include "tessera/validate.h"

namespace tessera::validation {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw BadInput(what);
}

void require_metrics(const Metrics& metrics) {
  if (metrics.latency_cycles < 0 || metrics.dram_bytes < 0 || metrics.peak_bytes < 0 ||
      !(metrics.energy_pj >= 0) || !(metrics.peak_bandwidth >= 0))
    refuse("a plan has metrics that are negative or not numbers");
}

}  // namespace

void require_valid(const PlacementProblem& problem) {
  const auto defects = validate(problem);
  if (!defects.empty()) refuse(defects.front().message);
}

void require_valid(const Network& network) {
  const auto defects = check_network(network);
  if (!defects.empty()) refuse("the network is wrong: " + defects.front().message);
}

void require_valid(const Hardware& hardware) {
  const auto defects = check_hardware(hardware);
  if (!defects.empty()) refuse(defects.front().message);
}

void require_right(const PlacementProblem& problem, const Placement& placement,
                   const std::string& engine) {
  const std::vector<Violation> wrong = check(problem, placement, 5);
  if (wrong.empty()) return;
  std::ostringstream text;
  text << "engine " << engine << " returned a wrong placement: " << wrong.front().message;
  for (const Violation& violation : wrong) {
    text << "\n  " << to_string(violation.rule) << ": " << violation.message;
    for (const BufferIndex b : violation.buffers) {
      if (b >= problem.buffers.size() || b >= placement.places.size()) continue;
      text << "\n    " << problem.buffers[b].id << " of size " << problem.buffers[b].size
           << " at offset " << placement.places[b].offset << " of memory "
           << placement.places[b].memory;
    }
  }
  throw InternalError(text.str());
}

void require_placed(const PlacementProblem& problem, const Placement& placement) {
  if (placement.places.size() != problem.buffers.size())
    refuse("the placement has " + std::to_string(placement.places.size()) + " addresses for " +
           std::to_string(problem.buffers.size()) + " buffers");
  for (const BufferIndex b : placement.left_out)
    if (b >= problem.buffers.size()) refuse("the placement leaves out an unknown buffer");
  if (std::ranges::adjacent_find(placement.left_out, std::greater_equal<>()) !=
      placement.left_out.end())
    refuse("the placement does not list left-out buffers in order");
  for (BufferIndex b = 0; b < placement.places.size(); ++b) {
    const BufferPlace& place = placement.places[b];
    if (place.memory >= problem.memories.size())
      refuse("the placement puts buffer '" + problem.buffers[b].id + "' into an unknown memory");
    if (place.offset < -max_address || place.offset > max_address)
      refuse("the placement puts buffer '" + problem.buffers[b].id + "' at offset " +
             std::to_string(place.offset) + ", which is out of range");
  }
}

void require_result(const PlacementProblem& problem, const PlacementResult& result) {
  require_valid(problem);
  if (result.status > Status::unknown || result.stop > StopReason::interrupted)
    refuse("the result has an unknown status");
  if (result.placement) require_placed(problem, *result.placement);
}

void require_reference(const PlanReference& reference) {
  require_metrics(reference.totals);
  if (!(reference.clock_hz >= 0) || !std::isfinite(reference.clock_hz))
    refuse("the reference of a plan has a clock that is negative or not a number");
}

void require_plan(const NetworkPlan& plan) {
  if (plan.status > Status::unknown || plan.stop > StopReason::interrupted)
    refuse("the plan has an unknown status");
  for (const PlannedSubgraph& s : plan.subgraphs) {
    if (s.ops.first > s.ops.last || s.ops.last - s.ops.first >= s.names.max_size())
      refuse("a subgraph of the plan ends before it begins");
    if (s.placements.empty()) refuse("a subgraph of the plan has no placement");
    if (s.variant.weights > WeightPolicy::refetch || s.variant.halo > HaloPolicy::keep ||
        s.variant.stationary > Stationary::inputs ||
        s.variant.one_copy > OneCopy::outputs_weights || s.variant.reduction < 1 ||
        s.variant.direct > Direct::inputs_outputs || s.variant.trailing < 0)
      refuse("a subgraph of the plan has an unknown variant");
    Dim tiles = 1;
    for (const Dim count : s.counts) {
      const auto all = count < 1 ? std::nullopt : checked_mul(tiles, count);
      if (!all) refuse("a subgraph of the plan has no tiles, or too many");
      tiles = *all;
    }
    for (const PlannedPlacement& placed : s.placements) {
      require_valid(placed.problem);
      require_placed(placed.problem, placed.placement);
    }
    require_metrics(s.metrics);
  }
  require_metrics(plan.totals);
  require_metrics(plan.baseline);
  require_reference(plan.reference);
}

}  // namespace tessera::validation
