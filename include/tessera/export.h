// The constraints for other solvers, and their answers read back.
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

/// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// format: "dimacs" or "smt2". Satisfiable iff the problem is feasible; soft rules are left out.
/// The text is never in memory as a whole; `sink` gets some ten kilobytes at a time, and what it
/// throws comes out here. Gives the reason where a limit ended it: then the text is not complete.
[[nodiscard]] TESSERA_API std::optional<StopReason> write_formula(const PlacementProblem& problem,
                                                                  const std::string& format,
                                                                  const TextSink& sink,
                                                                  const Limits& limits = {});

/// What another solver printed for write_formula() of this problem. Throws BadInput for text that
/// is no answer. ensure: feasible => placement is set, not yet checked.
[[nodiscard]] TESSERA_API PlacementResult model_result(const PlacementProblem& problem,
                                                       const std::string& path);

}  // namespace tessera
