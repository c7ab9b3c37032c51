// Writes the constraints for other solvers, and reads their results.
//
//   if (write_formula(problem, "dimacs", [&](std::string_view piece) { file << piece; }))
//     std::cout << "a limit ended it\n";
//   PlacementResult result = model_result(problem, "cadical.out");   // check it: check_result.h
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api.h"
#include "limits.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// Receives a text in parts.
using TextSink = std::function<void(std::string_view)>;

/// Writes the problem as `format` "dimacs" or "smt2". The formula is satisfiable if and only if the
/// problem is feasible; soft rules are left out. `sink` receives some ten kilobytes at a time, so
/// the text never is in memory as a whole. Exceptions of `sink` are passed on.
/// ensure: returns the reason if a limit ended it; then the text is incomplete.
[[nodiscard]] TESSERA_API std::optional<StopReason> write_formula(const PlacementProblem& problem,
                                                                  const std::string& format,
                                                                  const TextSink& sink,
                                                                  const Limits& limits = {});

/// Reads the output of another solver for write_formula() of this problem.
/// ensure: feasible => placement is set and not yet checked. Throws BadInput if the text is not a
/// solver's output.
[[nodiscard]] TESSERA_API PlacementResult model_result(const PlacementProblem& problem,
                                                       const std::string& path);

}  // namespace tessera
