// Where does every buffer go?
//
//   PlacementProblem problem = load_input("net.csv", {.capacity = 1 << 20}).problem;  // files.h
//   PlacementResult result = place(problem, {.limits = {.timeout = 10s}});
//   switch (result.status) {
//     case Status::feasible: use(result.placement->places); break;
//     case Status::infeasible: std::cout << result.reason; break;        // proved
//     case Status::unknown: std::cout << to_string(result.stop); break;  // a limit, not a "no"
//   }
//
// With the engine "auto": bounds (the load of one step may already say no), greedy placement,
// canonical search for a while (for very many buffers: boxing), then a second complete engine with
// it, in turns or side by side (for very many buffers: boxing as the third). Nothing is returned
// before the checker of check.h has accepted it. The same problem, parameters and seed give the
// same placement, unless a limit ends the search.
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

/// What a search in progress can say about itself.
struct PlaceProgress {
  std::string_view
      phase;  ///< "bounds", "greedy", "canonical", "race", "minimize", "check", "certificate", ...
  std::optional<Size> height{};  ///< best so far
  std::optional<Size> lower_bound{};
  std::optional<Benefit> benefit{};  ///< best so far
  std::optional<Benefit> benefit_bound{};
};

struct PlaceParams {
  std::string engine = "auto";  ///< or a name of engine_list() (engines.h)
  /// Nothing: what the problem's objectives say, one after the other; where they say `fit`, the
  /// benefit if there is any, else the cost if there is any, else the height.
  std::optional<Objective> minimize = Objective::fit;
  /// Rules of engines that are to be as said: "learning.balance=off" (switches.h).
  std::vector<std::string> switches{};
  Limits limits{};
  /// Where to write a certificate of what was proved: that there is no placement, or each bound of
  /// what was minimised. Empty: none. Where that fails the answer stands, and `certificate_error`
  /// says why.
  std::filesystem::path proof{};
  /// How the problem was read, for whoever checks the certificate: ("profile", "nvdla-like").
  std::vector<std::pair<std::string, std::string>> proof_read{};
  /// Called from the searching threads, one at a time; must be quick.
  std::function<void(const PlaceProgress&)> progress{};
};

/// ensure: feasible => placement is set and passes check(); infeasible => proved; unknown => `stop`
/// or `reason` says why. lower_bounds are proved in every case.
/// throws: BadInput if validate(problem) is not empty, the engine or a switch is not known or
/// cannot take the problem, or `proof` is no place to write to; InternalError if an engine's answer
/// does not pass the checker.
[[nodiscard]] TESSERA_API PlacementResult place(const PlacementProblem& problem,
                                                const PlaceParams& params);

/// What `minimize` comes down to for this problem: what is asked for first.
[[nodiscard]] TESSERA_API Objective resolve_minimize(std::optional<Objective> asked,
                                                     const PlacementProblem& problem);

/// All that is asked for, in its order: more than one where the problem has a list of objectives
/// and nothing is `asked`. Never empty.
[[nodiscard]] TESSERA_API std::vector<Objective> resolve_objectives(
    std::optional<Objective> asked, const PlacementProblem& problem);

}  // namespace tessera
