// Plans a network: partitions it into groups of ops, tiles each group, and places all buffers.
//
//   Network net = read_network("resnet50.onnx", {.dtype = ElementType::int8}).network;  // import.h
//   Hardware hardware = load_profile("ethos-u65-like");                                 // files.h
//   NetworkPlan plan = plan_network(net, hardware, {.limits = {.timeout = 60s}});
//   std::cout << plan.score << " of what " << plan.reference.profile << " costs, layer by layer\n";
//
// Every group of consecutive ops is a candidate. A candidate is tiled in every variant that the
// profile permits (double buffering, resident or refetched weights, halo); the largest tile that
// fits is placed and simulated. The best partition of the network into candidates is found exactly.
// For the groups of the best partition, smaller tiles are also evaluated, because they may be
// cheaper. Before it is returned, the plan is checked: all ops covered, every placement valid, all
// metrics recomputed. Equal arguments give equal plans for any number of threads, unless a limit
// ends the search.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "effort.h"
#include "errors.h"
#include "hardware.h"
#include "limits.h"
#include "network.h"
#include "network_plan.h"
#include "problem.h"

namespace tessera {

/// The state of a running search.
struct PlanProgress {
  double best_score = std::numeric_limits<double>::infinity();
  double bound = 0;
  std::int64_t solved = 0;
};

/// A cache of candidate results for several plans. A search over machines or networks passes the
/// same memory to every call. Plans do not depend on it, except for the counters of reused results.
/// Thread-safe.
class PlanMemory;
[[nodiscard]] TESSERA_API std::shared_ptr<PlanMemory> make_plan_memory();

/// Parameters of plan_network().
struct PlanParams {
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest group of ops
  Limits limits{};
  /// "auto": a combination that suits the machine's rules; or a name of engine_list() (engines.h).
  std::string engine = "auto";
  std::optional<std::chrono::nanoseconds> question_timeout{};  ///< per placement query
  /// Limit on search nodes per placement query; a query above it is `unknown`, and is counted.
  std::int64_t nodes_per_question = nodes_per_plan_question;
  /// Work after which the search returns its best plan, the same for any number of threads
  /// (effort.h).
  std::int64_t effort = normal_plan_effort;
  /// Tile shapes to cost per variant of a group in a best partition, because more tiles than the
  /// fewest may be cheaper. 0: only the fewest tiles.
  std::int64_t tile_shapes = 64;
  /// Limit on shapes simulated for the lower bound, beside `effort`. 0: it follows from the sizes
  /// of the tensors alone.
  std::int64_t proof_shapes = std::numeric_limits<std::int64_t>::max();
  /// Replaces all weights of the profile: ("latency", 0.7). Weights are scaled to sum 1; missing
  /// ones are 0.
  std::vector<std::pair<std::string, double>> weights{};
  /// Permit resident tensors between groups if that scores less (PlannedSubgraph::kept), and weight
  /// prefetch if TilingOptions::early permits it.
  bool residency = true;
  /// Among placements of equal score, use the fewest distinct modes over all subgraphs
  /// (NetworkPlan::objectives).
  bool fewest_modes = false;
  /// Limits for each subgraph: ("peak_memory", 524288), ("peak_bandwidth", bytes per cycle).
  std::vector<std::pair<std::string, double>> peak_limits{};
  /// The reference of the score, instead of the profile's reference: for example
  /// layer_by_layer() of another machine, or the cost of another plan. Empty: the profile's
  /// reference, or its own machine.
  std::optional<PlanReference> reference{};
  /// A known plan of this network, for this machine or another one: the search starts with the
  /// tiles and resident tensors of its groups. A plan for this machine is returned if none better
  /// is found.
  std::shared_ptr<const NetworkPlan> start{};
  std::shared_ptr<PlanMemory> memory{};  ///< null: a cache for this call only
  std::function<void(const PlanProgress&)> progress{};
};

/// Searches for the best plan.
/// throws: BadInput if check_network() or check_hardware() reports an error, if the profile cannot
/// be simulated (no clock, no off-chip memory, no engine), or if a weight or limit names no metric.
[[nodiscard]] TESSERA_API NetworkPlan plan_network(const Network& network, const Hardware& hardware,
                                                   const PlanParams& params);

/// The layer-by-layer cost on a machine, as a reference for plans: each op alone in its cheapest
/// variant with the fewest tiles that fit. Of the params, the limits, the effort and the memory
/// apply. Nothing if a limit ended the computation.
/// throws: BadInput, also if an op fits with no tile.
[[nodiscard]] TESSERA_API std::optional<PlanReference> layer_by_layer(const Network& network,
                                                                      const Hardware& hardware,
                                                                      const PlanParams& params);

/// Lists the errors of a plan as sentences: a missing or duplicate op, a placement that the checker
/// rejects, a tile without placement, metrics that differ when recomputed.
/// ensure: the list is empty if and only if the plan is right.
[[nodiscard]] TESSERA_API std::vector<std::string> check_plan(const Network& network,
                                                              const Hardware& hardware,
                                                              const NetworkPlan& plan);

/// The off-chip placement of a plan as a problem for place(). Each tensor between groups, input and
/// output of the network is a buffer with its tiles as parts; all weights are one buffer. The
/// problem is without buffers if nothing is off-chip.
/// throws: BadInput if the plan is not feasible or check_plan() reports an error.
[[nodiscard]] TESSERA_API PlacementProblem offchip_problem(const Network& network,
                                                           const Hardware& hardware,
                                                           const NetworkPlan& plan);

/// The result of check_plan_text().
struct PlanVerdict {
  NetworkPlan plan{};
  std::vector<std::string> wrong{};    ///< sentences; empty: the plan is right
  std::vector<std::string> claimed{};  ///< statements of the file that were not checked
};
/// The same for the text of a plan file and all its statements. Values that can be recomputed are
/// compared, including the baseline; the others are listed. `path` is used in messages.
/// throws: BadInput if the text is not a plan.
[[nodiscard]] TESSERA_API PlanVerdict check_plan_text(std::string_view text,
                                                      const std::string& path,
                                                      const Network& network,
                                                      const Hardware& hardware,
                                                      const Limits& limits = {});

/// Writes and reads plan.json. Reading derives each subgraph's problem again.
/// throws: BadInput; WrongAnswer if the file is valid but its subgraphs, tiles or buffers are not
/// those of the network.
[[nodiscard]] TESSERA_API std::string plan_json(const NetworkPlan& plan);
/// The result of plan_file_header().
struct PlanFileHeader {
  bool is_plan = false;   ///< false: another kind of file
  std::string network{};  ///< the network and the profile that the file names
  std::string profile{};
  std::string dtype{};  ///< the element type of the network; empty: its own
  std::string text{};   ///< the whole file, because the standard input cannot be read twice
  /// Its cost if it is a feasible plan, as a reference for other plans.
  std::optional<PlanReference> costs{};
};
/// `path` "-" reads the standard input.
[[nodiscard]] TESSERA_API PlanFileHeader plan_file_header(const std::string& path);
/// `path` is used in messages.
[[nodiscard]] TESSERA_API NetworkPlan load_plan_text(std::string_view text, const std::string& path,
                                                     const Network& network,
                                                     const Hardware& hardware);
[[nodiscard]] TESSERA_API NetworkPlan load_plan(const std::string& path, const Network& network,
                                                const Hardware& hardware);

/// One line per op of a feasible plan: kind, cycles, traffic, energy and what bounds it.
[[nodiscard]] TESSERA_API std::string plan_csv(const NetworkPlan& plan);

/// A header for C and C++ with a table of places per group and per off-chip memory. All names begin
/// with `name`.
/// require: the plan is feasible.
[[nodiscard]] TESSERA_API std::string plan_c_header(const NetworkPlan& plan, std::string_view name);

/// The plan in Chrome's Trace Event Format: a lane per engine and DMA channel, and counters of
/// bytes in use per memory, off-chip bytes per cycle and power.
/// throws: BadInput if check_plan() reports an error.
[[nodiscard]] TESSERA_API std::string plan_trace(const Network& network, const Hardware& hardware,
                                                 const NetworkPlan& plan);
/// The plan as an SVG picture: ops, addresses in each memory, and traffic over time.
/// throws: BadInput if the plan is not feasible or check_plan() reports an error.
[[nodiscard]] TESSERA_API std::string plan_picture(const Network& network, const Hardware& hardware,
                                                   const NetworkPlan& plan);
/// A roofline picture of a plan as SVG: MACs per cycle of ops and groups over MACs per off-chip
/// byte. throws: BadInput if the plan is not feasible or has no accounting.
[[nodiscard]] TESSERA_API std::string plan_roofline(const Hardware& hardware,
                                                    const NetworkPlan& plan);

}  // namespace tessera
