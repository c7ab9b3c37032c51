// The constraints for other solvers, and their answers read back.
//
//   write_output("net.cnf", formula_text(problem, "dimacs"));
//   PlacementResult result = model_result(problem, "cadical.out");   // check it: check_result.h
#pragma once

#include <string>

#include "../model/api.h"
#include "../model/placement.h"
#include "../model/problem.h"

namespace tessera {

/// format: "dimacs" or "smt2". Satisfiable iff the problem is feasible; soft rules are left out.
[[nodiscard]] TESSERA_API std::string formula_text(const PlacementProblem& problem,
                                                   const std::string& format);

/// What another solver printed for formula_text() of this problem. Throws BadInput for text that is
/// no answer.
/// ensure: feasible => placement is set, not yet checked.
[[nodiscard]] TESSERA_API PlacementResult model_result(const PlacementProblem& problem,
                                                       const std::string& path);

}  // namespace tessera
