// The placement problem as a linear program with integers, for CBC.
#include <algorithm>
#include <array>
#include <chrono>
#include <coin/CbcEventHandler.hpp>
#include <coin/CbcHeuristic.hpp>
#include <coin/CbcHeuristicDiveCoefficient.hpp>
#include <coin/CbcHeuristicFPump.hpp>
#include <coin/CbcModel.hpp>
#include <coin/CglGomory.hpp>
#include <coin/CglProbing.hpp>
#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "baselines/baseline.h"
#include "baselines/engines.h"

namespace tessera::baselines {

namespace {

constexpr std::int64_t most_binaries = 1 << 17;
/// Up to this size, an integrality tolerance of 1e-6 times a big M is far below half a unit.
constexpr std::int64_t safe_numbers = 100'000;
/// Above this size, doubles cannot distinguish neighbouring positions next to a big M.
constexpr std::int64_t most_columns = std::int64_t{1} << 40;
/// Of a coarsened model: maximum number of retries, each with the conflict of the last one.
constexpr int most_rounds = 1000;

/// Polled by CBC between nodes and by its simplex solver between iterations.
class Watch {
 public:
  /// `done`: nodes of previous programs.
  Watch(const Budget& budget, std::int64_t done) : budget_(budget), done_(done) {}
  bool over() {
    if (!stop_) stop_ = budget_.exhausted();
    return stop_.has_value();
  }
  bool count_nodes(std::int64_t of_this) {
    const std::int64_t nodes = done_ + of_this;
    if (budget_.meter != nullptr) {
      budget_.meter->done.store(nodes, std::memory_order_relaxed);
      if (nodes >= budget_.meter->limit.load(std::memory_order_relaxed) && !stop_)
        stop_ = StopReason::node_limit;
    }
    if (nodes >= budget_.max_nodes && !stop_) stop_ = StopReason::node_limit;
    return over();
  }
  [[nodiscard]] std::optional<StopReason> stopped() const { return stop_; }

 private:
  const Budget& budget_;
  std::int64_t done_;
  std::optional<StopReason> stop_;
};

class NodeHandler final : public CbcEventHandler {
 public:
  explicit NodeHandler(Watch& watch) : watch_(&watch) {}
  CbcEventHandler* clone() const override { return new NodeHandler(*this); }
  CbcAction event(CbcEvent /*event*/) override {
    const CbcModel* const model = getModel();
    const bool over =
        model != nullptr ? watch_->count_nodes(model->getNodeCount()) : watch_->over();
    return over ? stop : noAction;
  }

 private:
  Watch* watch_;
};

class SimplexHandler final : public ClpEventHandler {
 public:
  explicit SimplexHandler(Watch& watch) : watch_(&watch) {}
  ClpEventHandler* clone() const override { return new SimplexHandler(*this); }
  int event(Event which) override {
    if (which != endOfIteration && which != endOfFactorization) return -1;
    if (++calls_ % 64 != 0 && which == endOfIteration) return -1;
    return watch_->over() ? 5 : -1;
  }

 private:
  Watch* watch_;
  unsigned calls_ = 0;
};

/// None without a deadline.
std::optional<double> seconds_left(const Budget& budget) {
  if (budget.deadline == std::chrono::steady_clock::time_point::max()) return std::nullopt;
  const std::chrono::duration<double> left = budget.deadline - std::chrono::steady_clock::now();
  return std::max(0.0, left.count());
}

/// "This body ends below the other one" or the opposite, as one column.
struct Choice {
  std::uint32_t first = 0;
  std::uint32_t second = 0;  ///< a body; indices from the number of bodies on are reserved ranges
  int column = 0;
};

/// The model with all numbers divided and rounded down. A placement of the model is one of the
/// coarser model, so if the coarser model has no solution, neither has the model.
Model coarser(const Model& model, std::int64_t by) {
  Model coarse = model;
  for (Body& body : coarse.bodies) {
    body.size /= by;
    body.stride = 1;
    body.low /= by;
    body.high /= by;
  }
  for (Range& reserved : coarse.reserved) reserved = {reserved.begin / by, reserved.end / by};
  coarse.largest /= by;
  return coarse;
}

class Program {
 public:
  /// `exact`: defines orders and positions; `model`: the same with numbers for the solver.
  Program(const Model& exact, const Model& model, Poll& poll) : exact_(exact), model_(model) {
    const std::size_t n = model.bodies.size();
    for (const Body& body : model.bodies) {
      poll();
      // In units of the stride, so that a whole number is an aligned offset.
      add_column(static_cast<double>(body.low / body.stride),
                 static_cast<double>(body.high / body.stride), body.stride > 1);
    }
    for (const auto& [a, b] : model.pairs) {
      poll(16);
      choose(a, b);
    }
    for (std::uint32_t r = 0; r < model.reserved.size(); ++r)
      for (std::uint32_t k = 0; k < n; ++k) {
        poll(16);
        choose(k, static_cast<std::uint32_t>(n) + r);
      }
  }

  void load(OsiClpSolverInterface& solver, Poll& poll) const {
    std::vector<int> row_of, column_of;
    std::vector<double> factor_of, least, most;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      poll(4);
      for (std::size_t k = 0; k < static_cast<std::size_t>(row.count); ++k) {
        row_of.push_back(static_cast<int>(r));
        column_of.push_back(row.column[k]);
        factor_of.push_back(row.factor[k]);
      }
      least.push_back(-COIN_DBL_MAX);
      most.push_back(row.most);
    }
    int count = static_cast<int>(rows_.size());
    for (const Forbidden& row : forbidden_) {
      poll(static_cast<std::int64_t>(row.columns.size()));
      double before = static_cast<double>(row.columns.size()) - 1;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        row_of.push_back(count);
        column_of.push_back(row.columns[k]);
        factor_of.push_back(row.was[k] != 0 ? 1 : -1);
        if (row.was[k] == 0) before -= 1;
      }
      least.push_back(-COIN_DBL_MAX);
      most.push_back(before);
      ++count;
    }
    const std::vector<double> objective(low_.size(), 0);
    CoinPackedMatrix matrix(false, row_of.data(), column_of.data(), factor_of.data(),
                            static_cast<CoinBigIndex>(row_of.size()));
    matrix.setDimensions(count, static_cast<int>(low_.size()));
    poll.check();
    solver.loadProblem(matrix, low_.data(), high_.data(), objective.data(), least.data(),
                       most.data());
    for (std::size_t c = 0; c < low_.size(); ++c)
      if (integer_[c] != 0) solver.setInteger(static_cast<int>(c));
    poll.check();
  }

  struct Positions {
    std::vector<std::int64_t> at;  ///< empty: the orders have no placement
    /// then: choices that contradict each other or exceed the capacity
    std::vector<std::size_t> why;
  };

  /// Exact positions from the chosen orders.
  [[nodiscard]] Positions positions(const double* values) const {
    const std::size_t n = exact_.bodies.size();
    constexpr std::size_t nothing = ~std::size_t{0};
    Positions found;
    std::vector<std::int64_t>& at = found.at;
    for (const Body& body : exact_.bodies) at.push_back(body.low);
    std::vector<std::size_t> raised_by(n, nothing);  // index of a choice
    // Longest paths: each round fixes the bodies whose predecessors are all fixed.
    std::size_t wrong = nothing;
    for (std::size_t round = 0; wrong == nothing; ++round) {
      bool moved = false;
      const auto raise = [&](std::uint32_t k, std::int64_t least, std::size_t choice) {
        const std::int64_t stride = exact_.bodies[k].stride;
        least = (least + stride - 1) / stride * stride;
        if (at[k] >= least) return;
        at[k] = least;
        raised_by[k] = choice;
        moved = true;
        if (least > exact_.bodies[k].high) wrong = k;
      };
      for (std::size_t c = 0; c < choices_.size() && wrong == nothing; ++c) {
        const Choice& each = choices_[c];
        if (each.second >= n) {
          const Range& reserved = exact_.reserved[each.second - n];
          if (!is_below(each, values))
            raise(each.first, reserved.end, c);
          else if (at[each.first] + exact_.bodies[each.first].size > reserved.begin)
            wrong = each.first;
          if (wrong == each.first && is_below(each, values)) found.why.push_back(c);
        } else if (is_below(each, values)) {
          raise(each.second, at[each.first] + exact_.bodies[each.first].size, c);
        } else {
          raise(each.first, at[each.second] + exact_.bodies[each.second].size, c);
        }
      }
      if (!moved && wrong == nothing) return found;
    }
    at.clear();
    // Follow the chain down to a body on a fixed address, or around a cycle.
    std::vector<char> seen(choices_.size(), 0);
    for (std::size_t k = wrong; k < n && raised_by[k] != nothing && seen[raised_by[k]] == 0;) {
      const std::size_t c = raised_by[k];
      seen[c] = 1;
      found.why.push_back(c);
      k = choices_[c].first == k ? choices_[c].second : choices_[c].first;
    }
    return found;
  }

  /// Forbids this combination of choices. ensure: false if it contains no choice.
  bool forbid(const std::vector<std::size_t>& choices, const double* values) {
    Forbidden row;
    for (const std::size_t c : choices) {
      if (choices_[c].column < 0) continue;
      row.columns.push_back(choices_[c].column);
      row.was.push_back(is_below(choices_[c], values) ? 1 : 0);
    }
    if (row.columns.empty()) return false;
    forbidden_.push_back(std::move(row));
    return true;
  }

 private:
  static constexpr int first_below = -1;
  static constexpr int first_above = -2;

  struct Row {
    std::array<int, 3> column;
    std::array<double, 3> factor;
    int count;
    double most;
  };

  /// A forbidden combination of choices.
  struct Forbidden {
    std::vector<int> columns;
    std::vector<char> was;
  };

  [[nodiscard]] static bool is_below(const Choice& each, const double* values) {
    return each.column < 0 ? each.column == first_below : values[each.column] > 0.5;
  }

  int add_column(double low, double high, bool integer) {
    low_.push_back(low);
    high_.push_back(high);
    integer_.push_back(integer ? 1 : 0);
    return static_cast<int>(low_.size()) - 1;
  }

  /// offset(below) + size <= offset(above), unless the binary disables it.
  void add_order(std::uint32_t below, std::uint32_t above, int column, bool when) {
    const std::size_t n = model_.bodies.size();
    Row row{{}, {}, 0, 0};
    std::int64_t most = 0;   // maximum of left side minus right side
    std::int64_t known = 0;  // constant on the right side
    const auto term = [&](std::uint32_t k, double sign) {
      const auto index = static_cast<std::size_t>(row.count++);
      row.column[index] = static_cast<int>(k);
      row.factor[index] = sign * static_cast<double>(model_.bodies[k].stride);
    };
    if (below < n) {
      term(below, 1);
      most += model_.bodies[below].high + model_.bodies[below].size;
      known -= model_.bodies[below].size;
    } else {
      most += model_.reserved[below - n].end;
      known -= model_.reserved[below - n].end;
    }
    if (above < n) {
      term(above, -1);
      most -= model_.bodies[above].low;
    } else {
      most -= model_.reserved[above - n].begin;
      known += model_.reserved[above - n].begin;
    }
    if (most <= 0) return;  // always satisfied
    row.most = static_cast<double>(known);
    if (column >= 0) {
      const auto big = static_cast<double>(most);
      const auto index = static_cast<std::size_t>(row.count++);
      row.column[index] = column;
      row.factor[index] = when ? big : -big;
      if (when) row.most += big;
    }
    rows_.push_back(row);
  }

  /// Can it end at or below the begin of the other one?
  [[nodiscard]] bool possible(std::uint32_t below, std::uint32_t above) const {
    const std::size_t n = exact_.bodies.size();
    const std::int64_t end = below < n ? exact_.bodies[below].low + exact_.bodies[below].size
                                       : exact_.reserved[below - n].end;
    const std::int64_t begin =
        above < n ? exact_.bodies[above].high : exact_.reserved[above - n].begin;
    return end <= begin;
  }

  void choose(std::uint32_t a, std::uint32_t b) {
    const bool under = possible(a, b);
    const bool over = possible(b, a);
    Choice choice{a, b, under ? first_below : first_above};
    if (under && over) choice.column = add_column(0, 1, true);
    // If neither is possible, one of the two rows contradicts the bounds, and the program is
    // infeasible.
    if (under) add_order(a, b, choice.column, true);
    if (over || !under) add_order(b, a, choice.column, false);
    choices_.push_back(choice);
  }

  const Model& exact_;
  const Model& model_;
  std::vector<Forbidden> forbidden_;
  std::vector<double> low_, high_;
  std::vector<char> integer_;
  std::vector<Row> rows_;
  std::vector<Choice> choices_;
};

class Ilp final : public Baseline {
 public:
  Ilp()
      : Baseline({.name = "ilp",
                  .method = "The integer program",
                  .written = "the integer program was",
                  .most_pairs = most_binaries,
                  // Rows, columns, and copies of both: measured on problems with 50 to 400 buffers.
                  .bytes_per_pair = 2500,
                  .most_size = max_address,
                  .too_large = "The addresses are too large for the integer program.",
                  .counted = {"nodes", "iterations", "pairs"}}) {}

 private:
  MemoryResult place(const Model& model, const engine::SearchParams& params, Poll& poll,
                     std::span<std::int64_t> counts) const override {
    counts[2] += static_cast<std::int64_t>(model.pairs.size());
    // Placements are recomputed exactly, so the size of the numbers does not matter.
    if (model.largest <= most_columns) {
      Program program(model, model, poll);
      Asked asked = ask(program, params, poll, counts);
      const bool counts_as_it_is = model.largest <= safe_numbers ||
                                   asked.answer.status == Status::feasible ||
                                   asked.answer.stop != StopReason::completed;
      if (counts_as_it_is && !asked.again) return std::move(asked.answer);
    }
    // The solver chooses orders in coarse numbers; positions follow in exact arithmetic. If they do
    // not fit, the conflict is added to the program, which is solved again.
    const Model coarse = coarser(
        model, std::max<std::int64_t>(1, (model.largest + safe_numbers - 1) / safe_numbers));
    Program program(model, coarse, poll);
    for (int round = 0; round < most_rounds; ++round) {
      Asked asked = ask(program, params, poll, counts);
      if (!asked.again) return std::move(asked.answer);
    }
    return MemoryResult::given_up(
        StopReason::completed,
        "The integer program repeatedly chose orders that do not fit: the sizes exceed its "
        "floating-point precision. This is not a proof.");
  }

  struct Asked {
    MemoryResult answer;
    bool again = false;  ///< a constraint was added
  };
  static Asked ask(Program& program, const engine::SearchParams& params, Poll& poll,
                   std::span<std::int64_t> counts) {
    OsiClpSolverInterface solver;
    solver.messageHandler()->setLogLevel(0);
    program.load(solver, poll);
    Watch watch(params.budget, counts[0]);
    SimplexHandler between_iterations(watch);
    solver.getModelPtr()->passInEventHandler(&between_iterations);
    // Some inner solvers do not poll; they check their own clock.
    const auto left = seconds_left(params.budget);
    if (left) solver.getModelPtr()->setMaximumSeconds(*left);
    CbcModel search(solver);
    if (left) search.setMaximumSeconds(*left);
    search.messageHandler()->setLogLevel(0);
    search.setLogLevel(0);
    NodeHandler between_nodes(watch);
    search.passInEventHandler(&between_nodes);
    search.setRandomSeed(static_cast<int>(params.seed % 1'000'000) + 1);
    search.setMaximumSolutions(1);  // feasibility only
    search.setNumberStrong(5);
    search.setNumberBeforeTrust(5);
    CglProbing probing;
    probing.setMaxPass(1);
    probing.setMaxProbe(10);
    CglGomory gomory;
    search.addCutGenerator(&probing, -1, "probing");
    search.addCutGenerator(&gomory, -1, "gomory");
    CbcRounding rounding(search);
    search.addHeuristic(&rounding);
    CbcHeuristicFPump pump(search);
    pump.setMaximumPasses(30);
    search.addHeuristic(&pump);
    CbcHeuristicDiveCoefficient dive(search);
    search.addHeuristic(&dive);
    search.initialSolve();
    if (!watch.over()) search.branchAndBound();
    watch.over();
    counts[0] += search.getNodeCount();
    counts[1] += search.getIterationCount();
    if (const double* const best = search.bestSolution()) {
      Program::Positions found = program.positions(best);
      if (!found.at.empty()) return {MemoryResult::placed(std::move(found.at))};
      if (!watch.stopped() && program.forbid(found.why, best)) return {{}, true};
      return {MemoryResult::given_up(watch.stopped().value_or(StopReason::completed),
                                     "The orders chosen by the integer program do not fit exactly, "
                                     "within its tolerance. This is not a proof.")};
    }
    if (const auto stopped = watch.stopped())
      return {
          MemoryResult::given_up(*stopped, "A limit stopped the integer program before a result.")};
    if (!search.isProvenInfeasible())
      return {MemoryResult::given_up(StopReason::completed,
                                     "The integer program ended without a result.")};
    return {MemoryResult::refuted("The integer program has no solution.")};
  }
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_ilp_engine() {
  return std::make_unique<Ilp>();
}

}  // namespace tessera::baselines
