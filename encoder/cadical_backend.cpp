#include <algorithm>
#include <cadical.hpp>

#include "backend.h"

namespace tessera::encoder {
namespace {

class BudgetTerminator final : public CaDiCaL::Terminator {
 public:
  explicit BudgetTerminator(const Budget& budget) : budget_(budget) {}
  /// CaDiCaL asks at points of its search that do not depend on time: they count as work.
  bool terminate() override {
    if (budget_.meter != nullptr) {
      const std::int64_t done = budget_.meter->done.fetch_add(1, std::memory_order_relaxed) + 1;
      if (done >= budget_.meter->limit.load(std::memory_order_relaxed)) return true;
    }
    return budget_.exhausted().has_value();
  }

 private:
  const Budget& budget_;
};

class CadicalBackend final : public Backend {
 public:
  explicit CadicalBackend(const CadicalParams& params) : params_(params) {
    solver_.set("quiet", 1);
    solver_.set("seed", static_cast<int>(params.seed % 2'000'000'000U));
  }
  // CaDiCaL keeps a pointer to the terminator of the running solve() only.

  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    const OffsetEncoding encoding = params_.encoding == OffsetEncoding::automatic
                                        ? choose_encoding(formula, numbers)
                                        : params_.encoding;
    poll.look();
    poll.room(bytes_per_clause * expected_clauses(formula, numbers, encoding));
    layout_ = write_cnf(formula, numbers, encoding, [this, &poll](std::span<const int> literals) {
      poll(2);
      add(literals);
    });
  }
  int literal(Lit of) const override { return layout_.literal(of); }
  int fresh() override { return ++layout_.variables; }

  void clause(std::span<const int> literals) override {
    scratch_.clear();
    for (const int literal : literals) {
      if (literal == always) return;
      if (literal != never) scratch_.push_back(literal);
    }
    add(scratch_);
  }

  Answer solve(std::span<const int> assumptions, const Budget& budget) override {
    if (budget.exhausted()) return Answer::unknown;
    false_assumption_ =
        std::find(assumptions.begin(), assumptions.end(), never) != assumptions.end();
    if (false_assumption_) return Answer::no;
    for (const int literal : assumptions) {
      if (literal != always) solver_.assume(literal);
    }
    if (budget.max_nodes < std::numeric_limits<int>::max()) {
      solver_.limit("conflicts", static_cast<int>(std::max<std::int64_t>(0, budget.max_nodes)));
    }
    BudgetTerminator terminator(budget);
    solver_.connect_terminator(&terminator);
    const int answer = solver_.solve();
    solver_.disconnect_terminator();
    ++calls_;
    if (answer == 0) return Answer::unknown;
    return answer == 10 ? Answer::yes : Answer::no;
  }

  bool holds(int literal) override {
    if (literal == always || literal == never) return literal == always;
    // A variable no clause mentions has no value; any will do.
    return std::abs(literal) <= solver_.vars() && solver_.val(literal) > 0;
  }
  Size value(IntIndex x) override {
    return layout_.value(x, [this](int literal) { return holds(literal); });
  }
  bool failed(int assumption) override {
    if (false_assumption_) return assumption == never;
    return assumption != always && assumption != never && solver_.failed(assumption);
  }

  void report(Stats& stats) const override {
    stats.push_back({"sat_encoding",
                     std::string(layout_.encoding == OffsetEncoding::order ? "order" : "binary")});
    stats.push_back({"sat_unit", layout_.grid.unit});
    stats.push_back({"sat_variables", std::int64_t{layout_.variables}});
    stats.push_back({"sat_clauses", clauses_});
    stats.push_back({"sat_calls", calls_});
  }

 private:
  /// What CaDiCaL keeps of a short clause, with its watches and its share of the variables.
  static constexpr double bytes_per_clause = 90;

  void add(std::span<const int> literals) {
    for (const int literal : literals) solver_.add(literal);
    solver_.add(0);
    ++clauses_;
  }

  CadicalParams params_;
  CaDiCaL::Solver solver_;
  CnfLayout layout_;
  std::vector<int> scratch_;
  bool false_assumption_ = false;
  std::int64_t clauses_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_cadical(const CadicalParams& params) {
  return std::make_unique<CadicalBackend>(params);
}

StopReason stop_reason(const Budget& budget) {
  return budget.exhausted().value_or(StopReason::node_limit);
}

}  // namespace tessera::encoder
