#include "sat_engine.h"

#include "solver_engine.h"

namespace tessera::encoder {
namespace {

std::unique_ptr<Backend> make_solver(OffsetEncoding encoding, const SolverRequest& request) {
  const bool chains = encoding == OffsetEncoding::automatic || encoding == OffsetEncoding::chains;
  if (encoding == OffsetEncoding::chains) {
    // The solver stores rules of the same size again.
    request.poll.check_memory(chain_bytes_per_atom *
                              static_cast<double>(request.formula.atoms().size()));
    ChainRules rules(request.formula);
    encoding = OffsetEncoding::automatic;
    if (chains && rules.renumber(request.numbers)) encoding = OffsetEncoding::chains;
  } else if (chains && chains_pay(request.formula, request.numbers)) {
    encoding = OffsetEncoding::chains;
  }
  const CadicalParams params{.encoding = encoding, .seed = request.seed};
  std::unique_ptr<Backend> solver =
      encoding == OffsetEncoding::chains ? make_chain_solver(params) : make_cadical(params);
  solver->load(request.formula, request.numbers, request.poll);
  return solver;
}

/// A chain solver needs no offset variables, so it starts at once where an order encoding is large.
/// With the balance clauses it usually decides after few conflicts.
std::unique_ptr<Backend> make_quick_solver(const SolverRequest& request) {
  if (chains_pay(request.formula, request.numbers)) return nullptr;
  // The solver stores rules of the same size again.
  request.poll.check_memory(chain_bytes_per_atom *
                            static_cast<double>(request.formula.atoms().size()));
  ChainRules rules(request.formula);
  if (!rules.renumber(request.numbers)) return nullptr;
  std::unique_ptr<Backend> solver =
      make_chain_solver({.encoding = OffsetEncoding::chains, .seed = request.seed});
  solver->load(request.formula, request.numbers, request.poll);
  return solver;
}

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_sat_engine(const SatParams& params) {
  return make_solver_engine(
      {.engine = "sat",
       .break_symmetry = params.break_symmetry,
       .load_cut = params.load_cut,
       .try_orders = params.try_orders,
       .balance = params.balance,
       .rules = params.rules,
       .make_solver = [encoding = params.encoding](
                          const SolverRequest& request) { return make_solver(encoding, request); },
       .make_quick_solver = params.balance && params.encoding == OffsetEncoding::automatic
                                ? make_quick_solver
                                : nullptr,
       .make_live_solver = make_live_chains});
}

}  // namespace tessera::encoder
