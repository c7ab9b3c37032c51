// Common engine of `sat` and `smt`, parameterised by a function that makes the solver.
//
//   return make_solver_engine({.engine = "smt", .make_solver = [](const SolverRequest& request) {
//     auto solver = make_z3({.seed = request.seed});
//     solver->load(request.formula, request.numbers);
//     return solver;
//   }});
#pragma once

#include <memory>

#include "decide.h"

namespace tessera::encoder {

[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_solver_engine(DecideParams params);

}  // namespace tessera::encoder
