#include "optimise.h"

#include <algorithm>
#include <map>

#include "totalizer.h"

namespace tessera::encoder {
namespace {

class CoreGuided {
 public:
  CoreGuided(Backend& solver, const std::vector<Soft>& soft, const Budget& budget,
             const std::function<void()>& found, std::optional<Cost> known)
      : solver_(solver), budget_(budget), found_(found), known_(known) {
    for (const Soft& each : soft) {
      const int literal = solver.literal(each.literal);
      // A literal without clauses can be false, as can one that is never true.
      if (literal == never || literal == 0) continue;
      if (literal == always) {
        constant_ += each.weight;
        continue;
      }
      paid_[literal] += each.weight;
    }
    weight_ = paid_;
  }

  Optimum run() {
    best_.bound = constant_;
    if (known_) {
      best_.cost = *known_;
    } else if (const Answer first = ask({}); first != Answer::yes) {
      best_.answer = first;
      best_.complete = first == Answer::no;
      return best_;
    }
    best_.answer = Answer::yes;
    Cost level = heaviest(unlimited);
    while (best_.bound < best_.cost && level > 0) {
      const std::vector<int> assumptions = at_least_as_heavy_as(level);
      const Answer answer = ask(assumptions);
      if (answer == Answer::unknown) return best_;
      if (answer == Answer::yes) {
        // All literals of this weight or more cost no more than the bound.
        level = heaviest(level);
        continue;
      }
      std::vector<int> core;
      for (const int assumption : assumptions) {
        if (solver_.failed(assumption)) core.push_back(-assumption);
      }
      if (core.empty()) break;  // no model at all: none is cheaper than the known one
      shrink(core);
      relax(core);
    }
    best_.bound = best_.cost;
    best_.complete = true;
    return best_;
  }

 private:
  static constexpr Cost unlimited = std::numeric_limits<Cost>::max();

  Answer ask(const std::vector<int>& assumptions) {
    ++best_.calls;
    const Answer answer = solver_.solve(assumptions, budget_);
    if (answer == Answer::yes) {
      Cost cost = constant_;
      for (const auto& [literal, weight] : paid_) {
        if (solver_.holds(literal)) cost += weight;
      }
      if ((best_.calls == 1 && !known_) || cost < best_.cost) {
        best_.cost = cost;
        found_();
      }
    }
    return answer;
  }

  [[nodiscard]] Cost heaviest(Cost below) const {
    Cost result = 0;
    for (const auto& [literal, weight] : weight_) {
      if (weight < below) result = std::max(result, weight);
    }
    return result;
  }

  [[nodiscard]] std::vector<int> at_least_as_heavy_as(Cost level) const {
    std::vector<int> result;
    for (const auto& [literal, weight] : weight_) {
      if (weight >= level) result.push_back(-literal);
    }
    return result;
  }

  /// Drops members one by one while a small budget is sufficient to refute the rest.
  void shrink(std::vector<int>& core) {
    constexpr std::int64_t conflicts_per_try = 1000;
    if (core.size() > 60) return;
    Budget small = budget_;
    small.max_nodes = conflicts_per_try;
    for (std::size_t i = 0; i < core.size() && core.size() > 1;) {
      std::vector<int> rest;
      for (std::size_t k = 0; k < core.size(); ++k) {
        if (k != i) rest.push_back(-core[k]);
      }
      ++best_.calls;
      if (solver_.solve(rest, small) != Answer::no) {
        ++i;
        continue;
      }
      std::vector<int> kept;
      for (const int assumption : rest) {
        if (solver_.failed(assumption)) kept.push_back(-assumption);
      }
      // Members before i were necessary for a larger set, hence for this one.
      core = std::move(kept);
      i = std::min(i, core.size());
    }
  }

  void relax(const std::vector<int>& core) {
    ++best_.cores;
    solver_.clause(core);
    Cost least = unlimited;
    for (const int literal : core) least = std::min(least, weight_.at(literal));
    if (core.empty()) least = 0;
    best_.bound += least;
    for (const int literal : core) {
      if ((weight_[literal] -= least) == 0) weight_.erase(literal);
      // If the k-th of an older core pays, one more of it may pay.
      if (const auto counter = next_.find(literal); counter != next_.end()) {
        weight_[counter->second.second] += counter->second.first;
        next_.erase(counter);
      }
    }
    if (core.size() < 2) return;
    const std::vector<int> sums = count(solver_, core);
    weight_[sums[1]] += least;
    for (std::size_t k = 2; k < sums.size(); ++k) next_[sums[k - 1]] = {least, sums[k]};
  }

  Backend& solver_;
  const Budget& budget_;
  const std::function<void()>& found_;
  const std::optional<Cost> known_;
  std::map<int, Cost> paid_;                  ///< the original cost of a literal
  std::map<int, Cost> weight_;                ///< its remaining cost after the cores so far
  std::map<int, std::pair<Cost, int>> next_;  ///< counter output -> weight and next output
  Cost constant_ = 0;
  Optimum best_;
};

}  // namespace

Optimum optimise(Backend& solver, const std::vector<Soft>& soft, const Budget& budget,
                 const std::function<void()>& found, std::optional<Cost> known) {
  return CoreGuided(solver, soft, budget, found, known).run();
}

}  // namespace tessera::encoder
