// Places buffers: assigns a memory and an offset to each.
//
//   PlacementProblem problem = load_input("net.csv", {.capacity = 1 << 20}).problem;  // files.h
//   PlacementResult result = place(problem, {.limits = {.timeout = 10s}});
//   switch (result.status) {
//     case Status::feasible: use(result.placement->places); break;
//     case Status::infeasible: std::cout << result.reason; break;        // proved
//     case Status::unknown: std::cout << to_string(result.stop); break;  // a limit, not a "no"
//   }
//
// The engine "auto" runs bounds (a step with more live bytes than the capacity proves
// infeasibility), "greedy", and then "canonical", which is complete. If that takes long, the
// complete solver "learning" runs too, in turns or concurrently. For very many buffers, "boxing"
// runs before and beside these two. A problem that these refuse goes to a solver that takes it,
// such as "sat". engines.h lists the solvers. The checker of check.h accepts every placement
// before it is returned.
//
// Equal problems, parameters and seeds give equal placements, unless a time limit, a memory limit
// or the stop token ends the search. Calls share no state; threads may call place() at the same
// time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "errors.h"
#include "limits.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// The state of a running search.
struct PlaceProgress {
  std::string_view phase;        ///< "bounds", "greedy", "canonical", "race", "minimize", ...
  std::optional<Size> height{};  ///< of the best placement so far
  std::optional<Size> lower_bound{};
  std::optional<Benefit> benefit{};  ///< of the best placement so far
  std::optional<Benefit> benefit_bound{};
};

/// Parameters of place().
struct PlaceParams {
  std::string engine = "auto";  ///< or a name from engine_list() (engines.h)
  /// Optimise this alone, whatever the problem's objectives are. `fit`: nothing; every optional
  /// buffer has to be placed. std::nullopt: the problem's objectives in order; if they are `fit`,
  /// the benefit if a buffer has one, else the cost if a relation is soft, else the height.
  std::optional<Objective> minimize = Objective::fit;
  /// If the height is minimised: ends the search as soon as each memory's height exceeds its lower
  /// bound by at most this share of the height. At least 0, below 1.
  double gap = 0;
  /// Settings of solver switches, such as "learning.balance=off" (switches.h).
  std::vector<std::string> switches{};
  Limits limits{};
  /// Path of a certificate to write: of infeasibility, or of the proved bounds. Empty: none. If the
  /// file can be opened but not written, place() returns its result, and `certificate_error` has
  /// the reason.
  std::filesystem::path proof{};
  /// Options with which the problem was read, for the certificate: ("profile", "nvdla-like").
  std::vector<std::pair<std::string, std::string>> proof_read{};
  /// Called from the searching threads, one at a time; must be quick.
  std::function<void(const PlaceProgress&)> progress{};
};

/// Searches for a placement.
/// ensure: feasible => placement is set and passes check(); infeasible => proved; unknown => `stop`
/// or `reason` has the cause. lower_bounds are proved in every case.
/// throws: BadInput if validate(problem) is not empty, if the engine or a switch is unknown or does
/// not support the problem, or if `proof` cannot be written; InternalError if a solver's placement
/// fails the checker.
[[nodiscard]] TESSERA_API PlacementResult place(const PlacementProblem& problem,
                                                const PlaceParams& params);

/// The first objective of place() for this problem if PlaceParams::minimize is `asked`.
[[nodiscard]] TESSERA_API Objective resolve_minimize(std::optional<Objective> asked,
                                                     const PlacementProblem& problem);

/// All objectives of place() in order. Several only if `asked` is empty and the problem has
/// next_objectives.
/// ensure: not empty.
[[nodiscard]] TESSERA_API std::vector<Objective> resolve_objectives(
    std::optional<Objective> asked, const PlacementProblem& problem);

}  // namespace tessera
