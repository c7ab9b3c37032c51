#include "encoder/advisor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "encoder/backend.h"
#include "encoder/encoding.h"

namespace tessera::encoder {

namespace {

/// "The first of these two lies below the second."
struct OrderAtom {
  BufferIndex below = 0;
  BufferIndex above = 0;
  int literal = 0;
};

/// Chain solver if the numbers allow it.
std::unique_ptr<Backend> solver_of(AdvisingSolver which, std::uint64_t seed, const Formula& formula,
                                   const Numbers& numbers) {
#ifndef TESSERA_WITHOUT_Z3
  if (which == AdvisingSolver::z3) return make_z3({.theory = SmtTheory::automatic, .seed = seed});
#endif
  if (which == AdvisingSolver::chains && ChainRules(formula).renumber(numbers))
    return make_chain_solver({.encoding = OffsetEncoding::automatic, .seed = seed});
  return make_cadical({.encoding = OffsetEncoding::automatic, .seed = seed});
}

class SolverAdvisor final : public engine::Advisor {
 public:
  SolverAdvisor(const PlacementProblem& problem, const SolverAdvisorParams& params,
                std::uint64_t seed, Poll& poll)
      : problem_(problem),
        conflicts_(params.conflicts),
        encoding_(encode(problem, {.poll = &poll})),
        solver_(solver_of(params.solver, seed, encoding_.formula, numbers_of(problem))) {
    solver_->load(encoding_.formula, numbers_of(problem), poll);
    std::vector<BufferIndex> whose(encoding_.formula.integers().size(), problem.buffers.size());
    for (BufferIndex b = 0; b < encoding_.offset.size(); ++b) whose[encoding_.offset[b]] = b;
    const std::vector<Atom>& atoms = encoding_.formula.atoms();
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      const Atom& atom = atoms[k];
      if (atom.kind != AtomKind::before) continue;
      const BufferIndex below = whose[atom.x];
      const BufferIndex above = whose[atom.y];
      if (below >= problem.buffers.size() || above >= problem.buffers.size() ||
          !(atom.amount == size_of(below)))
        continue;
      const int literal = solver_->literal(static_cast<Lit>(k) + 1);
      if (literal != 0 && literal != always && literal != never)
        orders_.push_back({below, above, literal});
    }
    offset_.resize(problem.buffers.size());
  }

  std::optional<std::vector<BufferIndex>> refutes(std::span<const engine::Placed> placed,
                                                  const Budget& budget) override {
    std::fill(offset_.begin(), offset_.end(), nowhere);
    for (const engine::Placed& each : placed) offset_[each.buffer] = each.offset;
    assumed_.clear();
    literals_.clear();
    for (const OrderAtom& order : orders_) {
      const Offset below = offset_[order.below];
      const Offset above = offset_[order.above];
      if (below == nowhere || above == nowhere) continue;
      if (below + problem_.buffers[order.below].size > above) continue;
      assumed_.push_back(&order);
      literals_.push_back(order.literal);
    }
    Budget own = budget;
    own.meter = nullptr;
    own.max_nodes = conflicts_;
    if (solver_->solve(literals_, own) != Answer::no) return std::nullopt;
    std::vector<BufferIndex> because;
    for (const OrderAtom* order : assumed_)
      if (solver_->failed(order->literal)) {
        because.push_back(order->below);
        because.push_back(order->above);
      }
    std::sort(because.begin(), because.end());
    because.erase(std::unique(because.begin(), because.end()), because.end());
    return because;
  }

 private:
  static constexpr Offset nowhere = -1;

  const PlacementProblem& problem_;
  std::int64_t conflicts_;
  Encoding encoding_;
  std::unique_ptr<Backend> solver_;
  std::vector<OrderAtom> orders_;
  std::vector<Offset> offset_;
  std::vector<const OrderAtom*> assumed_;
  std::vector<int> literals_;
};

}  // namespace

engine::MakeAdvisor make_solver_advisor(const SolverAdvisorParams& params) {
  return [params](const PlacementProblem& problem, const engine::SearchParams& search,
                  Poll& poll) -> std::unique_ptr<engine::Advisor> {
    if (problem.memories.size() != 1) return nullptr;
#ifdef TESSERA_WITHOUT_Z3
    if (params.solver == AdvisingSolver::z3) return nullptr;
#endif
    return std::make_unique<SolverAdvisor>(problem, params, search.seed, poll);
  };
}

}  // namespace tessera::encoder
