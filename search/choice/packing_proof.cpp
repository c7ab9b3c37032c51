#include "search/choice/packing_proof.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::search {

namespace {

__extension__ typedef __int128 Whole;  // sums of products of 64-bit numbers

constexpr int root_steps = 600;  ///< subgradient steps at the root
constexpr int node_steps = 40;   ///< subgradient steps at each node, from the prices of its parent
constexpr int steps_without_gain = 12;  ///< before the step length is reduced
constexpr int finest = 39;              ///< the largest multiplier stays below 2^40
constexpr std::size_t most_steps = 4'000'000;

class Prover {
 public:
  Prover(const PackingProblem& problem, Benefit most, const Budget& budget)
      : worth_(problem.worth), budget_(budget), state_(worth_.size(), free) {
    Benefit common = 0;
    for (const Benefit each : worth_) common = std::gcd(common, each);
    common = std::max<Benefit>(common, 1);
    above_ = most < 0 ? 0 : (most / common + 1) * common;
    load(problem);
    next_alike_ = next_interchangeable(problem);
  }

  std::optional<std::vector<PackingStep>> run() {
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (rows_[r].capacity < 0) return std::vector<PackingStep>{step(Step::over, r)};
    int steps = root_steps;
    while (true) {
      if (budget_.exhausted() || tree_.size() > most_steps) return std::nullopt;
      const Outcome outcome = node(steps);
      steps = node_steps;
      if (outcome == Outcome::unresolved) return std::nullopt;
      if (outcome == Outcome::branched) continue;
      if (!next_side()) return std::move(tree_);
    }
  }

 private:
  using Step = PackingStep::Kind;
  enum State : char { free, in, out };
  enum class Outcome : std::uint8_t { closed, branched, unresolved };
  struct Row {
    std::vector<std::pair<std::uint32_t, std::int64_t>> terms;
    std::int64_t capacity = 0;  ///< remaining capacity
    double scale = 0;           ///< scales the initial capacity to 1
  };
  struct Entry {
    std::uint32_t row = 0;
    std::int64_t amount = 0;
  };
  struct Branch {
    std::uint32_t thing = 0;
    bool both = false;
    std::size_t trail = 0;
  };

  static PackingStep step(Step kind, std::uint32_t number) {
    return {.kind = kind, .number = number, .like = 0, .denominator = 1, .multipliers = {}};
  }

  void load(const PackingProblem& problem) {
    of_thing_.resize(worth_.size());
    for (std::uint32_t r = 0; r < problem.rows.size(); ++r) {
      Row row{problem.rows[r].terms, problem.rows[r].capacity, 0};
      std::int64_t common = 0;
      for (const auto& [thing, amount] : row.terms) common = std::gcd(common, amount);
      if (common > 1) {
        for (auto& [thing, amount] : row.terms) amount /= common;
        row.capacity = row.capacity / common - (row.capacity % common < 0 ? 1 : 0);
      }
      row.scale = 1.0 / static_cast<double>(std::max<std::int64_t>(row.capacity, 1));
      for (const auto& [thing, amount] : row.terms) of_thing_[thing].push_back({r, amount});
      first_capacity_.push_back(row.capacity);
      rows_.push_back(std::move(row));
    }
    price_.assign(rows_.size(), 0);
    reduced_.assign(worth_.size(), 0);
  }

  void put(std::uint32_t thing, State state) {
    state_[thing] = state;
    trail_.push_back(thing);
    if (state != in) return;
    worth_in_ += worth_[thing];
    for (const Entry& each : of_thing_[thing]) rows_[each.row].capacity -= each.amount;
  }
  /// Takes a side of a branch. If an item is out, so are the interchangeable ones after it.
  void decide(std::uint32_t thing, State state) {
    put(thing, state);
    if (state == in) return;
    for (std::uint32_t next = next_alike_[thing]; next != no_next; next = next_alike_[next]) {
      if (state_[next] != free) continue;
      tree_.push_back(step(Step::twin, next));
      tree_.back().like = thing;
      put(next, out);
    }
  }
  void undo(std::size_t to) {
    for (; trail_.size() > to; trail_.pop_back()) {
      const std::uint32_t thing = trail_.back();
      if (state_[thing] == in) {
        worth_in_ -= worth_[thing];
        for (const Entry& each : of_thing_[thing]) rows_[each.row].capacity += each.amount;
      }
      state_[thing] = free;
    }
  }

  /// A row whose capacity the item would exceed.
  [[nodiscard]] std::optional<std::uint32_t> in_its_way(std::uint32_t thing) const {
    for (const Entry& each : of_thing_[thing])
      if (each.amount > rows_[each.row].capacity) return each.row;
    return std::nullopt;
  }

  /// Items that do not fit are left out of sums; they enter the tree when it matters.
  [[nodiscard]] bool counts(std::uint32_t thing) const {
    return state_[thing] == free && !in_its_way(thing);
  }

  /// Subgradient steps.
  /// ensure: the prices are those of the lowest bound seen; false if it is too high to be rounded.
  bool improve_prices(int steps) {
    std::vector<char> counted(worth_.size());
    for (std::uint32_t i = 0; i < worth_.size(); ++i) counted[i] = counts(i) ? 1 : 0;
    std::vector<double> slack(rows_.size());
    std::vector<double> best = price_;
    double least = HUGE_VAL;
    double length = 1;
    int waited = 0;
    const auto target = static_cast<double>(above_);
    for (int k = 0; k < steps && !budget_.exhausted(); ++k) {
      double value = static_cast<double>(worth_in_);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        slack[r] = static_cast<double>(rows_[r].capacity) * rows_[r].scale;
        value += price_[r] * slack[r];
      }
      for (std::uint32_t i = 0; i < worth_.size(); ++i) {
        if (counted[i] == 0) continue;
        auto reduced = static_cast<double>(worth_[i]);
        for (const Entry& each : of_thing_[i])
          reduced -= price_[each.row] * static_cast<double>(each.amount) * rows_[each.row].scale;
        if (reduced <= 0) continue;
        value += reduced;
        for (const Entry& each : of_thing_[i])
          slack[each.row] -= static_cast<double>(each.amount) * rows_[each.row].scale;
      }
      if (value < least) {
        waited = value > least * (1 - 1e-4) ? waited + 1 : 0;
        least = value;
        best = price_;
        // Slightly below the target, because rounding weakens the bound.
        if (least < target - 1e-9 * std::abs(target) - 0.25) break;
      } else {
        ++waited;
      }
      if (waited > steps_without_gain) {
        length /= 2;
        waited = 0;
        if (length < 1e-4) break;
        price_ = best;
        continue;
      }
      double norm = 0;
      for (std::size_t r = 0; r < rows_.size(); ++r)
        if (price_[r] > 0 || slack[r] < 0) norm += slack[r] * slack[r];
      if (norm <= 0) break;
      const double by = length * std::max(value - target + 1, 1e-9 * std::abs(value)) / norm;
      for (std::size_t r = 0; r < rows_.size(); ++r)
        price_[r] = std::max(0.0, price_[r] - by * slack[r]);
    }
    price_ = std::move(best);
    return least < HUGE_VAL;
  }

  /// The prices as integer multipliers with a common denominator.
  [[nodiscard]] PackingStep rounded() const {
    PackingStep prices = step(Step::prices, 0);
    double largest = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      largest = std::max(largest, price_[r] * rows_[r].scale);
    if (largest > 0) {
      const int shift =
          std::clamp(finest - 1 - static_cast<int>(std::ceil(std::log2(largest))), 0, finest);
      prices.denominator = std::int64_t{1} << static_cast<unsigned>(shift);
    }
    const double most = std::ldexp(1.0, finest);
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      const double exact = price_[r] * rows_[r].scale * static_cast<double>(prices.denominator);
      const auto multiplier = static_cast<std::int64_t>(std::llround(std::min(exact, most)));
      if (multiplier > 0) prices.multipliers.emplace_back(r, multiplier);
    }
    return prices;
  }

  /// Emits the current multipliers to the tree; leaves the reduced worths and the bound.
  void announce() {
    PackingStep prices = rounded();
    if (!announced_ || announced_->denominator != prices.denominator ||
        announced_->multipliers != prices.multipliers) {
      const Whole whole = prices.denominator;
      for (std::size_t i = 0; i < worth_.size(); ++i) reduced_[i] = whole * worth_[i];
      constant_ = 0;
      for (const auto& [r, multiplier] : prices.multipliers) {
        constant_ += Whole{multiplier} * first_capacity_[r];
        for (const auto& [thing, amount] : rows_[r].terms)
          reduced_[thing] -= Whole{multiplier} * amount;
      }
      needed_ = whole * above_;
      announced_ = prices;
      tree_.push_back(std::move(prices));
    }
    bound_ = constant_;
    for (std::uint32_t i = 0; i < worth_.size(); ++i) {
      if (state_[i] == in) bound_ += reduced_[i];
      if (state_[i] != free || reduced_[i] <= 0) continue;
      if (const auto row = in_its_way(i))
        refuse(i, *row);
      else
        bound_ += reduced_[i];
    }
  }

  /// The item does not fit: closes one side at once.
  void refuse(std::uint32_t thing, std::uint32_t row) {
    tree_.push_back(step(Step::in, thing));
    tree_.push_back(step(Step::over, row));
    put(thing, out);
  }

  /// Fixes items by reduced cost: the other side becomes a leaf.
  /// ensure: false if neither side is left.
  bool fix() {
    for (std::uint32_t i = 0; i < worth_.size(); ++i) {
      if (state_[i] != free) continue;
      const Whole away = reduced_[i] > 0 ? reduced_[i] : -reduced_[i];
      if (bound_ - away >= needed_) continue;
      const State other = reduced_[i] > 0 ? out : in;
      const auto row = in_its_way(i);
      if (other == in && row) {
        // An item that does not fit is out in any case and adds nothing.
        continue;
      }
      tree_.push_back(step(other == in ? Step::in : Step::out, i));
      tree_.push_back(step(Step::leaf, 0));
      if (other == out && row) {
        tree_.push_back(step(Step::over, *row));
        return false;
      }
      put(i, other == in ? out : in);
    }
    return true;
  }

  Outcome node(int steps) {
    while (true) {
      improve_prices(steps);
      announce();
      if (bound_ < needed_) {
        tree_.push_back(step(Step::leaf, 0));
        return Outcome::closed;
      }
      const std::size_t before = trail_.size();
      if (!fix()) return Outcome::closed;
      // Reduced capacity may exclude other items and lower the bound.
      if (trail_.size() > before) {
        announce();
        if (bound_ < needed_) {
          tree_.push_back(step(Step::leaf, 0));
          return Outcome::closed;
        }
        if (trail_.size() - before > worth_.size() / 8 + 1) {
          steps = node_steps;
          continue;
        }
      }
      const std::optional<std::uint32_t> thing = undecided();
      if (!thing) return all_decided();
      branches_.push_back({*thing, false, trail_.size()});
      const bool first_in = reduced_[*thing] >= 0;
      tree_.push_back(step(first_in ? Step::in : Step::out, *thing));
      decide(*thing, first_in ? in : out);
      return Outcome::branched;
    }
  }

  /// All items are decided: their worth is low enough, or the claim is wrong.
  Outcome all_decided() {
    const std::vector<double> kept = price_;
    std::fill(price_.begin(), price_.end(), 0.0);
    announce();
    price_ = kept;
    if (bound_ >= needed_) return Outcome::unresolved;
    tree_.push_back(step(Step::leaf, 0));
    return Outcome::closed;
  }

  /// Among the items that fit and have a worth, the one with the smallest reduced worth in absolute
  /// value.
  [[nodiscard]] std::optional<std::uint32_t> undecided() const {
    std::optional<std::uint32_t> found;
    double least = HUGE_VAL;
    for (std::uint32_t i = 0; i < worth_.size(); ++i) {
      if (worth_[i] == 0 || !counts(i)) continue;
      const double told =
          std::abs(static_cast<double>(reduced_[i])) / static_cast<double>(worth_[i]);
      if (told >= least) continue;
      least = told;
      found = i;
    }
    return found;
  }

  /// Backtracks to the last branch with an untried side; false if there is none.
  bool next_side() {
    for (; !branches_.empty(); branches_.pop_back()) {
      Branch& branch = branches_.back();
      const State tried = state_[branch.thing];
      undo(branch.trail);
      if (branch.both) continue;
      branch.both = true;
      decide(branch.thing, tried == in ? out : in);
      return true;
    }
    return false;
  }

  std::vector<Benefit> worth_;
  const Budget& budget_;
  Whole above_ = 0;  ///< the least sum of worths that violates the claim
  std::vector<Row> rows_;
  std::vector<std::int64_t> first_capacity_;
  std::vector<std::vector<Entry>> of_thing_;
  std::vector<State> state_;
  std::vector<std::uint32_t> next_alike_;
  std::vector<std::uint32_t> trail_;
  std::vector<Branch> branches_;
  Benefit worth_in_ = 0;
  std::vector<double> price_;
  std::optional<PackingStep> announced_;
  std::vector<Whole> reduced_;
  Whole constant_ = 0;
  Whole bound_ = 0;
  Whole needed_ = 0;
  std::vector<PackingStep> tree_;
};

}  // namespace

std::optional<std::vector<PackingStep>> prove_packing(const PackingProblem& problem, Benefit most,
                                                      const Budget& budget) {
  return Prover(problem, most, budget).run();
}

}  // namespace tessera::search
