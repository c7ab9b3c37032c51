#include "decide.h"

#include "hitting.h"
#include "load_cut.h"
#include "optimise.h"
#include "tessera/check.h"

namespace tessera::encoder {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Number of polls per unit of work while rules and clauses are written: about one millisecond
/// (measured: 70 to 90 ns each), the typical interval between two polls of CaDiCaL.
constexpr std::int64_t units_per_work = 12'000;

/// The result of the feasibility query, with the solver that holds the model.
struct Fitted {
  std::unique_ptr<Backend> solver;
  Answer answer = Answer::unknown;
  double solve_seconds = 0;
};
Fitted fit(const DecideParams& params, const SolverRequest& request, const Budget& budget) {
  constexpr std::int64_t quick_conflicts = 60;
  Fitted fitted;
  const auto ask = [&](std::unique_ptr<Backend> solver, const Budget& how_long) {
    const auto start = std::chrono::steady_clock::now();
    fitted.solver = std::move(solver);
    fitted.answer = fitted.solver->solve({}, how_long);
    fitted.solve_seconds += seconds_since(start);
    return fitted.answer != Answer::unknown || budget.exhausted();
  };
  if (params.make_quick_solver && budget.max_nodes > quick_conflicts) {
    Budget quick = budget;
    quick.max_nodes = quick_conflicts;
    std::unique_ptr<Backend> solver = params.make_quick_solver(request);
    if (solver && ask(std::move(solver), quick)) return fitted;
  }
  ask(params.make_solver(request), budget);
  return fitted;
}

class Question {
 public:
  Question(const PlacementProblem& problem, const DecideParams& params,
           const engine::SearchParams& search)
      : problem_(problem), params_(params), search_(search), poll_(search.budget, units_per_work) {}

  engine::SearchResult run() {
    if (params_.load_cut) {
      if (const std::optional<LoadCut> cut = find_load_cut(problem_, poll_)) {
        result_.status = Status::infeasible;
        result_.reason = describe(problem_, *cut);
        return std::move(result_);
      }
    }
    const auto start = std::chrono::steady_clock::now();
    encoding_ = encode(problem_, {.break_symmetry = params_.break_symmetry,
                                  .presence = false,
                                  .goal = search_.goal,
                                  .poll = &poll_});
    if (params_.balance) add_balance(problem_, encoding_, &poll_);
    const Numbers numbers = numbers_of(problem_);
    const SolverRequest request{
        .formula = encoding_.formula, .numbers = numbers, .seed = search_.seed, .poll = poll_};
    const bool fits = search_.goal == Objective::fit;
    Fitted fitted;
    if (fits) {
      fitted = fit(params_, request, search_.budget);
      solver_ = std::move(fitted.solver);
    } else {
      solver_ = params_.make_solver(request);
    }
    result_.stats.push_back({"encode_seconds", seconds_since(start) - fitted.solve_seconds});
    const auto asked = std::chrono::steady_clock::now();
    if (fits) {
      settle(fitted.answer);
      if (result_.status == Status::feasible) result_.placement = read();
    } else {
      best();
    }
    result_.stats.push_back({"solve_seconds", fitted.solve_seconds + seconds_since(asked)});
    solver_->report(result_.stats);
    return std::move(result_);
  }

 private:
  void best() {
    std::optional<Cost> known;
    if (search_.known != nullptr && search_.goal == Objective::cost) {
      known = soft_cost(problem_, *search_.known);
      result_.placement = *search_.known;
    }
    const auto found = [this] { result_.placement = read(); };
    Optimum optimum;
    if (known && !params_.rules.empty()) {
      optimum =
          optimise_by_hitting(*solver_, encoding_, params_.rules, *known, search_.budget, found);
      known = optimum.cost;
    }
    // If there are too many sets to find the cheapest, the counter-based search continues.
    if (!optimum.complete) {
      const Cost bound = optimum.bound;
      optimum = optimise(*solver_, encoding_.soft, search_.budget, found, known);
      optimum.bound = std::max(optimum.bound, bound);
    }
    settle(optimum.answer);
    result_.bound = optimum.bound;
    if (result_.status == Status::feasible && !optimum.complete) {
      result_.stop = stop_reason(search_.budget);
      result_.reason = "a limit ended the search before the optimum was proved";
    }
    result_.stats.push_back({"optimise_cores", optimum.cores});
    result_.stats.push_back({"optimise_calls", optimum.calls});
  }

  void settle(Answer answer) {
    switch (answer) {
      case Answer::yes:
        result_.status = Status::feasible;
        break;
      case Answer::no:
        result_.status = Status::infeasible;
        result_.reason =
            "engine " + params_.engine + " proved that the constraints have no solution";
        break;
      case Answer::unknown:
        result_.status = Status::unknown;
        result_.stop = stop_reason(search_.budget);
        result_.reason =
            "a limit ended the search of engine " + params_.engine + " before a result";
        break;
    }
  }

  [[nodiscard]] Placement read() {
    return decode(
        problem_, encoding_, [this](IntIndex x) { return solver_->value(x); },
        [this](Lit literal) { return solver_->holds(solver_->literal(literal)); });
  }

  const PlacementProblem& problem_;
  const DecideParams& params_;
  const engine::SearchParams& search_;
  Poll poll_;
  Encoding encoding_;
  std::unique_ptr<Backend> solver_;
  engine::SearchResult result_;
};

}  // namespace

engine::SearchResult given_up(const std::string& engine, const BudgetEnded& ended) {
  engine::SearchResult result;
  result.stop = ended.reason;
  result.reason =
      ended.foreseen
          ? "The constraints of engine " + engine + " need more memory than is available."
          : "A limit ended the encoding of the constraints of engine " + engine + ".";
  return result;
}

engine::SearchResult decide(const PlacementProblem& problem, const DecideParams& params,
                            const engine::SearchParams& search) {
  if (const std::optional<StopReason> why = search.budget.exhausted()) {
    engine::SearchResult result;
    result.stop = *why;
    result.reason = "a limit ended the call before the search began";
    return result;
  }
  try {
    return Question(problem, params, search).run();
  } catch (const BudgetEnded& ended) {
    return given_up(params.engine, ended);
  }
}

}  // namespace tessera::encoder
