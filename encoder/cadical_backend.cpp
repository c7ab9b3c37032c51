#include <algorithm>

#include "cadical_base.h"

namespace tessera::encoder {
namespace {

class CadicalBackend final : public CadicalBase {
 public:
  explicit CadicalBackend(const CadicalParams& params)
      : CadicalBase(params.seed), params_(params) {}

  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    const OffsetEncoding encoding = params_.encoding == OffsetEncoding::automatic
                                        ? choose_encoding(formula, numbers)
                                        : params_.encoding;
    poll.check();
    poll.check_memory(bytes_per_clause * expected_clauses(formula, numbers, encoding));
    layout_ = write_cnf(formula, numbers, encoding, [this, &poll](std::span<const int> literals) {
      poll(2);
      add(literals);
    });
  }
  int literal(Lit of) const override { return layout_.literal(of); }
  int fresh() override { return ++layout_.variables; }

  Answer solve(std::span<const int> assumptions, const Budget& budget) override {
    if (budget.exhausted()) return Answer::unknown;
    if (!possible(assumptions)) return Answer::no;
    assume(assumptions);
    if (budget.max_nodes < std::numeric_limits<int>::max()) {
      solver_.limit("conflicts", static_cast<int>(std::max<std::int64_t>(0, budget.max_nodes)));
    }
    BudgetTerminator terminator(budget);  // CaDiCaL keeps a pointer to it during solve() only
    solver_.connect_terminator(&terminator);
    const int answer = solver_.solve();
    solver_.disconnect_terminator();
    ++calls_;
    if (answer == 0) return Answer::unknown;
    return answer == 10 ? Answer::yes : Answer::no;
  }

  Size value(IntIndex x) override {
    return layout_.value(x, [this](int literal) { return holds(literal); });
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

  CadicalParams params_;
  CnfLayout layout_;
};

}  // namespace

std::unique_ptr<Backend> make_cadical(const CadicalParams& params) {
  return std::make_unique<CadicalBackend>(params);
}

StopReason stop_reason(const Budget& budget) {
  return budget.exhausted().value_or(StopReason::node_limit);
}

}  // namespace tessera::encoder
