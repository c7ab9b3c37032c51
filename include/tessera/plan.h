// Where to cut a network, how to tile each piece, where every buffer lies.
//
//   Network net = read_network("resnet50.onnx", {.dtype = ElementType::int8}).network;  // import.h
//   Hardware hardware = load_profile("ethos-u65-like");                                 // files.h
//   NetworkPlan plan = plan_network(net, hardware, {.limits = {.timeout = 60s}});
//   std::cout << plan.score << " of what " << plan.reference.profile << " costs, layer by layer\n";
//
// Every run of consecutive ops is a candidate. A candidate is tiled in every variant the profile
// allows (double buffering, weights resident or fetched again, halo), the largest tile that fits is
// placed and simulated, and the best cover of all ops by candidates is found exactly. For the runs
// of the best cover smaller tiles are looked at, which may be cheaper. The plan is
// checked before it is returned: coverage, every placement, metrics recomputed.
// The same arguments give the same plan whatever the number of threads, unless a limit ends it.
#pragma once

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

struct PlanProgress {
  double best_score = std::numeric_limits<double>::infinity();
  double bound = 0;
  std::int64_t solved = 0;
};

/// Answers to candidates, kept from plan to plan: a search over hardware or networks hands the
/// same memory to every call. Plans are the same with it and without, but for how many of the
/// answers were there before. Thread-safe.
class PlanMemory;
[[nodiscard]] TESSERA_API std::shared_ptr<PlanMemory> make_plan_memory();

struct PlanParams {
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest run of ops
  Limits limits{};
  /// Search nodes one placement question may take; more is `unknown`, counted and reported.
  std::int64_t nodes_per_question = nodes_per_plan_question;
  /// Tile shapes that are costed of each variant of a run, where the run is part of a best cover:
  /// more tiles than the fewest may be cheaper. 0: the fewest tiles alone.
  std::int64_t tile_shapes = 64;
  /// So many are costed at last to prove that no plan is better, or to find one that is: every
  /// shape in every variant that might be part of it. 0: what bounds tell.
  std::int64_t proof_shapes = 20000;
  /// Replace all weights of the profile: ("latency", 0.7). Scaled to sum 1; what is not named is 0.
  std::vector<std::pair<std::string, double>> weights{};
  /// Tensors over cuts may stay on the chip where they could be stored as well, if that scores less
  /// (PlannedSubgraph::kept), and weights come early where TilingOptions::early says so.
  bool residency = true;
  /// Of the placements that cost no more, those that use the fewest distinct modes, of all
  /// subgraphs together (NetworkPlan::objectives).
  bool fewest_modes = false;
  /// No subgraph may exceed these: ("peak_memory", 524288), ("peak_bandwidth", bytes per cycle).
  std::vector<std::pair<std::string, double>> peak_limits{};
  /// What the score is relative to, in place of what the profile says: layer_by_layer() of another
  /// machine, say, or what another plan costs. Nothing: the profile's reference, or its own
  /// machine.
  std::optional<PlanReference> reference{};
  std::shared_ptr<PlanMemory> memory{};  ///< nothing: this call alone
  std::function<void(const PlanProgress&)> progress{};
};

/// Throws BadInput for a network that check_network() and a profile that check_hardware() finds
/// wrong, for a profile that cannot be simulated (no clock, no off-chip memory, no engine) and for
/// weights or limits that name no metric.
[[nodiscard]] TESSERA_API NetworkPlan plan_network(const Network& network, const Hardware& hardware,
                                                   const PlanParams& params);

/// The network on a machine, each op alone in the cheapest of its variants, cut into the fewest
/// tiles that fit: a reference for plans. Of the params the limits, the effort and the memory
/// matter. Nothing where a limit struck before it was known. Throws BadInput, also where some op
/// fits with no tile.
[[nodiscard]] TESSERA_API std::optional<PlanReference> layer_by_layer(const Network& network,
                                                                      const Hardware& hardware,
                                                                      const PlanParams& params);

/// Everything wrong with a plan, as sentences: an op missing or twice, a placement the checker
/// refuses, a tile no placement holds, metrics that do not come out the same. Empty: it is right.
[[nodiscard]] TESSERA_API std::vector<std::string> check_plan(const Network& network,
                                                              const Hardware& hardware,
                                                              const NetworkPlan& plan);

/// Where everything of a plan may lie off the chip, as a question for place(): a buffer per tensor
/// that crosses a cut, or is an input or a result, with its tiles as parts, and one for all
/// weights. Without buffers where nothing lies there. Throws BadInput for a plan that is not
/// feasible, or in which check_plan() finds something wrong.
[[nodiscard]] TESSERA_API PlacementProblem offchip_problem(const Network& network,
                                                           const Hardware& hardware,
                                                           const NetworkPlan& plan);

struct PlanVerdict {
  NetworkPlan plan{};
  std::vector<std::string> wrong{};    ///< sentences; empty: it is right
  std::vector<std::string> claimed{};  ///< what the file says and nobody here has checked
};
/// The same of a file's text, and of everything it claims: what can be made again is compared (the
/// baseline among it), the rest is listed. `path` is for messages. Throws BadInput for what is no
/// plan.
[[nodiscard]] TESSERA_API PlanVerdict check_plan_text(std::string_view text,
                                                      const std::string& path,
                                                      const Network& network,
                                                      const Hardware& hardware,
                                                      const Limits& limits = {});

/// plan.json out and in. Reading derives each subgraph's problem again; throws BadInput, and
/// WrongAnswer where the file reads well but its subgraphs, tiles or buffers are not the network's.
[[nodiscard]] TESSERA_API std::string plan_json(const NetworkPlan& plan);
struct PlanFileHeader {
  bool is_plan = false;   ///< else: some other file
  std::string network{};  ///< what the file says it is of, and for
  std::string profile{};
  std::string dtype{};  ///< the element type the network was read with; empty: its own
  std::string text{};   ///< of the whole file: the standard input cannot be read twice
  /// What it costs, where it is a plan that was found: other plans may be relative to it.
  std::optional<PlanReference> costs{};
};
/// "-" is the standard input.
[[nodiscard]] TESSERA_API PlanFileHeader plan_file_header(const std::string& path);
/// `path` is for messages.
[[nodiscard]] TESSERA_API NetworkPlan load_plan_text(std::string_view text, const std::string& path,
                                                     const Network& network,
                                                     const Hardware& hardware);
[[nodiscard]] TESSERA_API NetworkPlan load_plan(const std::string& path, const Network& network,
                                                const Hardware& hardware);

/// One line per op of a feasible plan: what it is, its cycles, traffic, energy and what bounds it.
[[nodiscard]] TESSERA_API std::string plan_csv(const NetworkPlan& plan);

/// A header for C and C++: a table of places per run and per memory off the chip, all of whose
/// names begin with `name`. Of a feasible plan.
[[nodiscard]] TESSERA_API std::string plan_c_header(const NetworkPlan& plan, std::string_view name);

/// The whole plan in the Trace Event Format of Chrome: a lane per engine and DMA channel, and
/// counters: bytes in use in each memory, bytes per cycle on the bus off the chip, power. Throws
/// BadInput for a plan in which check_plan() finds something wrong.
[[nodiscard]] TESSERA_API std::string plan_trace(const Network& network, const Hardware& hardware,
                                                 const NetworkPlan& plan);
/// The whole plan as an SVG picture: ops, addresses in each memory and traffic over time. Throws
/// BadInput for a plan that is not feasible, or in which check_plan() finds something wrong.
[[nodiscard]] TESSERA_API std::string plan_picture(const Network& network, const Hardware& hardware,
                                                   const NetworkPlan& plan);

}  // namespace tessera
