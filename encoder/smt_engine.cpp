#include "smt_engine.h"

#include "solver_engine.h"

namespace tessera::encoder {

std::unique_ptr<engine::PlacementEngine> make_smt_engine(const SmtParams& params) {
  return make_solver_engine({.engine = "smt",
                             .break_symmetry = params.break_symmetry,
                             .load_cut = params.load_cut,
                             .try_orders = params.try_orders,
                             .balance = false,  // Z3's theory of differences needs no such clauses
                             .make_solver =
                                 [theory = params.theory](const SolverRequest& request) {
                                   std::unique_ptr<Backend> solver =
                                       make_z3({.theory = theory, .seed = request.seed});
                                   solver->load(request.formula, request.numbers, request.poll);
                                   return solver;
                                 },
                             .make_live_solver = make_live_z3});
}

}  // namespace tessera::encoder
