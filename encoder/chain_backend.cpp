// CaDiCaL on the clauses of the formula alone, with chains of orders as lemmas: whatever it
// answers is pushed down, and where a chain ends too high its lemma is added and it is asked again.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "cadical_base.h"
#include "chains.h"

namespace tessera::encoder {
namespace {

/// Counts conflicts, too: each makes one learned clause.
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

class ChainBackend final : public CadicalBase {
 public:
  ChainBackend(const CadicalParams& params, ChainStore* store)
      : CadicalBase(params.seed), store_(store) {}

  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    poll.check();
    poll.check_memory(chain_bytes_per_atom * static_cast<double>(formula.atoms().size()));
    rules_.emplace(formula);
    atoms_.assign(formula.atoms().size(), 0);
    atoms_[0] = always;
    std::vector<int> literals;
    if (formula.has_empty_clause()) add({});
    for (const ClauseList* list : {&formula.clauses(), &formula.tautologies()}) {
      for (std::size_t c = 0; c < list->size(); ++c) {
        poll(2);
        literals.clear();
        for (const Lit literal : (*list)[c]) literals.push_back(translate(literal));
        clause(std::span<const int>(literals));
      }
    }
    poll.check();
    if (!rules_->renumber(numbers)) throw std::logic_error("chains do not suit these numbers");
    for (const Chain& chain : rules_->single_links()) {
      poll();
      say(chain);
    }
    if (store_ == nullptr) return;
    for (const Chain& chain : store_->chains) {
      if (rules_->excess(chain) <= 0) continue;
      say(chain);
      ++kept_;
    }
  }
  int literal(Lit of) const override {
    const int value = atoms_[static_cast<std::size_t>(of < 0 ? -of : of) - 1];
    return of < 0 ? -value : value;
  }
  int fresh() override { return ++variables_; }

  Answer solve(std::span<const int> assumptions, const Budget& budget) override {
    if (!possible(assumptions)) return Answer::no;
    Watch watch(budget);
    solver_.connect_terminator(&watch);
    solver_.connect_learner(&watch);
    const Answer answer = rounds(assumptions, budget, watch);
    solver_.disconnect_learner();
    solver_.disconnect_terminator();
    return answer;
  }

  Size value(IntIndex x) override { return rules_->value(x); }
  void report(Stats& stats) const override {
    stats.push_back({"sat_encoding", std::string("chains")});
    stats.push_back({"sat_variables", std::int64_t{variables_}});
    stats.push_back({"sat_clauses", clauses_});
    stats.push_back({"sat_chains", chains_});
    stats.push_back({"sat_chains_kept", kept_});
    stats.push_back({"sat_calls", calls_});
  }

 private:
  static constexpr std::size_t most_chains_per_round = 100;
  static constexpr std::int64_t round_cost = 10;  // in conflicts

  Answer rounds(std::span<const int> assumptions, const Budget& budget, Watch& watch) {
    for (std::int64_t round = 0;; ++round) {
      if (budget.exhausted()) return Answer::unknown;
      assume(assumptions);
      if (budget.max_nodes < std::numeric_limits<int>::max()) {
        // A round that ends without conflicts has cost something, too.
        const std::int64_t left = budget.max_nodes - watch.conflicts - round_cost * round;
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
      for (Chain& chain : rules_->broken(most_chains_per_round)) {
        say(chain);
        keep(std::move(chain));
      }
    }
  }

  int translate(Lit literal) {
    const auto index = static_cast<std::size_t>(literal < 0 ? -literal : literal) - 1;
    if (atoms_[index] == 0) {
      atoms_[index] = fresh();
      solver_.freeze(atoms_[index]);
    }
    return literal < 0 ? -atoms_[index] : atoms_[index];
  }

  void say(const Chain& chain) {
    std::vector<int> literals;
    for (const Lit literal : chain.clause()) {
      if (atoms_[static_cast<std::size_t>(std::abs(literal)) - 1] == 0) return;
      literals.push_back(translate(literal));
    }
    ++chains_;
    clause(std::span<const int>(literals));
  }

  void keep(Chain chain) {
    if (store_ == nullptr || !chain.only_of(store_->atoms)) return;
    if (store_->chains.size() >= ChainStore::most) {
      store_->chains.erase(store_->chains.begin(), store_->chains.begin() + ChainStore::most / 2);
    }
    store_->chains.push_back(std::move(chain));
  }

  ChainStore* store_;
  std::optional<ChainRules> rules_;
  std::vector<int> atoms_;
  std::vector<signed char> truth_;
  int variables_ = 0;
  std::int64_t chains_ = 0;
  std::int64_t kept_ = 0;  ///< of these, from earlier questions
};

}  // namespace

std::unique_ptr<Backend> make_chain_solver(const CadicalParams& params, ChainStore* store) {
  return std::make_unique<ChainBackend>(params, store);
}

}  // namespace tessera::encoder
