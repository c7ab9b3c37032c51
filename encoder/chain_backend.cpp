#include "chain_backend.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::encoder {
namespace {

constexpr std::size_t most_chains_per_round = 100;
constexpr std::int64_t round_cost = 10;  // in conflicts

/// Counts conflicts, too: each of them makes one learned clause.
class Watch final : public BudgetTerminator, public CaDiCaL::Learner {
 public:
  using BudgetTerminator::BudgetTerminator;
  bool learning(int) override {
    ++conflicts;
    return false;
  }
  void learn(int) override {}
  std::int64_t conflicts = 0;
};

}  // namespace

void ChainBackend::load(const Formula& formula, const Numbers& numbers, Poll& poll) {
  load_structure(formula, poll);
  if (!rules_->renumber(numbers)) throw std::logic_error("chains do not suit these numbers");
  for (Chain& chain : rules_->single_links()) {
    poll();
    lemma(std::move(chain));
  }
}

void ChainBackend::load_structure(const Formula& formula, Poll& poll) {
  poll.check();
  poll.check_memory(chain_bytes_per_atom * static_cast<double>(formula.atoms().size()));
  rules_.emplace(formula);
  atoms_.assign(formula.atoms().size(), 0);
  atoms_[0] = always;
  if (formula.has_empty_clause()) add({});
  for (const ClauseList* list : {&formula.clauses(), &formula.tautologies()}) {
    for (std::size_t c = 0; c < list->size(); ++c) {
      poll(2);
      say((*list)[c], 0);
    }
  }
  poll.check();
}

int ChainBackend::translate(Lit literal) {
  int& variable = atoms_[atom_of(literal)];
  if (variable == 0) {
    variable = fresh();
    solver_.freeze(variable);
  }
  return literal < 0 ? -variable : variable;
}

void ChainBackend::lemma(Chain chain) {
  const std::vector<Lit> literals = chain.clause();
  // An atom that does not occur is never true.
  if (!occurs(literals)) return;
  ++lemmas_;
  say(literals, 0);
}

void ChainBackend::say(std::span<const Lit> literals, int guard) {
  said_.clear();
  if (guard != 0) said_.push_back(guard);
  for (const Lit literal : literals) said_.push_back(translate(literal));
  clause(std::span<const int>(said_));
}

bool ChainBackend::occurs(std::span<const Lit> literals) const {
  return std::ranges::all_of(literals,
                             [this](Lit literal) { return atoms_[atom_of(literal)] != 0; });
}

Answer ChainBackend::solve(std::span<const int> assumptions, const Budget& budget) {
  if (!possible(assumptions)) return Answer::no;
  assumed_.assign(assumptions.begin(), assumptions.end());
  return run(budget);
}

Answer ChainBackend::run(const Budget& budget) {
  Watch watch(budget);
  solver_.connect_terminator(&watch);
  solver_.connect_learner(&watch);
  const Answer answer = rounds(budget, watch.conflicts);
  solver_.disconnect_learner();
  solver_.disconnect_terminator();
  return answer;
}

Answer ChainBackend::rounds(const Budget& budget, const std::int64_t& spent) {
  for (std::int64_t round = 0;; ++round) {
    if (budget.exhausted()) return Answer::unknown;
    assume(assumed_);
    if (budget.max_nodes < std::numeric_limits<int>::max()) {
      // Rounds without conflicts count a minimum cost.
      const std::int64_t left = budget.max_nodes - spent - round_cost * round;
      if (left <= 0) return Answer::unknown;
      solver_.limit("conflicts", static_cast<int>(left));
    }
    ++calls_;
    const int answer = solver_.solve();
    if (answer == 20) return Answer::no;
    if (answer == 0) return Answer::unknown;
    truth_.assign(atoms_.size(), 0);
    for (std::size_t i = 1; i < atoms_.size(); ++i) {
      if (atoms_[i] == 0) continue;
      truth_[i] = solver_.val(atoms_[i]) > 0 ? 1 : -1;
    }
    if (rules_->push_down(truth_)) return Answer::yes;
    for (Chain& chain : rules_->broken(most_chains_per_round)) lemma(std::move(chain));
  }
}

void ChainBackend::report(Stats& stats) const {
  stats.push_back({"sat_encoding", std::string("chains")});
  stats.push_back({"sat_variables", std::int64_t{variables_}});
  stats.push_back({"sat_clauses", clauses_});
  stats.push_back({"sat_chains", lemmas_});
  stats.push_back({"sat_calls", calls_});
}

std::unique_ptr<Backend> make_chain_solver(const CadicalParams& params) {
  return std::make_unique<ChainBackend>(params.seed);
}

}  // namespace tessera::encoder
