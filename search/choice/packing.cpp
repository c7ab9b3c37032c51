#include "search/choice/packing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

namespace tessera::search {

namespace {

constexpr int first_steps = 400;  ///< subgradient steps at the root
constexpr int later_steps = 24;   ///< subgradient steps at each node, from the prices of its parent
constexpr int patience = 12;  ///< steps without a better bound before the step length is reduced

class Packing {
 public:
  Packing(const PackingProblem& problem, Benefit above, const Budget& budget)
      : worth_(problem.worth), budget_(budget), best_worth_(above) {
    load(problem);
  }

  PackingResult run() {
    answer_.bound = 0;
    if (!search())
      for (const Branch& branch : stack_)
        if (!branch.both) answer_.bound = std::max(answer_.bound, branch.bound);
    answer_.bound = std::max(answer_.bound, best_worth_);
    answer_.worth = best_worth_;
    return std::move(answer_);
  }

 private:
  enum State : char { free, in, out };
  struct Entry {
    std::uint32_t other = 0;  ///< the row or the item
    std::int64_t amount = 0;
    double share = 0;  ///< of the initial capacity of the row
  };
  /// A branch whose other side may still have to be tried.
  struct Branch {
    std::uint32_t item = 0;
    State tried = in;
    bool both = false;
    Benefit bound = 0;  ///< of the sides that are left below it
    std::size_t trail = 0;
  };

  void load(const PackingProblem& problem) {
    const std::size_t n = worth_.size();
    state_.assign(n, free);
    for (const Benefit each : worth_) {
      total_ += each;
      common_ = std::gcd(common_, each);
    }
    common_ = std::max<Benefit>(common_, 1);
    std::vector<std::size_t> counts(n + 1, 0);
    for (const PackingRow& row : problem.rows) {
      std::int64_t sum = 0;
      for (const auto& [item, amount] : row.terms) {
        sum += amount;
        if (amount > row.capacity) state_[item] = out;
      }
      if (sum <= row.capacity || row.capacity == 0)
        continue;  // never binding, or nothing can use it
      left_over_.push_back(row.capacity);
      scale_.push_back(1.0 / static_cast<double>(row.capacity));
      row_begin_.push_back(by_row_.size());
      for (const auto& [item, amount] : row.terms) {
        by_row_.push_back({item, amount, static_cast<double>(amount) * scale_.back()});
        ++counts[item + 1];
      }
    }
    row_begin_.push_back(by_row_.size());
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    item_begin_ = counts;
    by_item_.resize(by_row_.size());
    for (std::size_t r = 0; r + 1 < row_begin_.size(); ++r)
      for (std::size_t k = row_begin_[r]; k < row_begin_[r + 1]; ++k)
        by_item_[counts[by_row_[k].other]++] = {static_cast<std::uint32_t>(r), by_row_[k].amount,
                                                by_row_[k].share};
    next_alike_ = next_interchangeable(problem);
    price_.assign(left_over_.size(), 0);
    slack_.resize(left_over_.size());
    reduced_.resize(n);
    best_reduced_.resize(n);
    order_.reserve(n);
  }

  [[nodiscard]] std::size_t rows() const { return left_over_.size(); }
  [[nodiscard]] std::size_t items() const { return worth_.size(); }

  [[nodiscard]] bool fits(std::uint32_t item) const {
    for (std::size_t k = item_begin_[item]; k < item_begin_[item + 1]; ++k)
      if (by_item_[k].amount > left_over_[by_item_[k].other]) return false;
    return true;
  }

  void put(std::uint32_t item, State state) {
    state_[item] = state;
    trail_.push_back(item);
    if (state == in) take(item);
  }
  /// Takes a side of a branch. If an item is out, so are the interchangeable ones after it.
  void decide(std::uint32_t item, State state) {
    put(item, state);
    if (state == in) return;
    for (std::uint32_t next = next_alike_[item]; next != no_next; next = next_alike_[next])
      if (state_[next] == free) put(next, out);
  }
  void take(std::uint32_t item) {
    worth_in_ += worth_[item];
    for (std::size_t k = item_begin_[item]; k < item_begin_[item + 1]; ++k)
      left_over_[by_item_[k].other] -= by_item_[k].amount;
  }
  void give_back(std::uint32_t item) {
    worth_in_ -= worth_[item];
    for (std::size_t k = item_begin_[item]; k < item_begin_[item + 1]; ++k)
      left_over_[by_item_[k].other] += by_item_[k].amount;
  }
  void undo(std::size_t to) {
    while (trail_.size() > to) {
      const std::uint32_t item = trail_.back();
      trail_.pop_back();
      if (state_[item] == in) give_back(item);
      state_[item] = free;
    }
  }

  /// Items that do not fit any longer are out.
  void drop_what_is_too_large() {
    for (std::uint32_t item = 0; item < items(); ++item)
      if (state_[item] == free && !fits(item)) put(item, out);
  }

  /// Improves the bound of this node by changing prices; keeps the reduced worths of the best
  /// prices. `above` is a proved bound.
  /// ensure: returns an upper bound of the packings below this node, also if the budget ended it.
  Benefit bound(int steps, Benefit above) {
    double least = HUGE_VAL;
    Benefit proved = above;
    double length = 1.0;
    int waited = 0;
    best_price_ = price_;
    for (int step = 0; step < steps; ++step) {
      // At least one step, so that there are reduced worths.
      if ((answer_.stop = exhausted()) != StopReason::completed && step > 0) break;
      double norm = 0;
      const double value = lagrangian(norm);
      if (value < least) {
        if (value > least * (1 - 1e-4))
          ++waited;
        else
          waited = 0;
        least = value;
        best_price_ = price_;
        std::swap(best_reduced_, reduced_);
        priced_ = whole(least);
        proved = std::min(proved, priced_);
        if (proved <= best_worth_) break;
      } else {
        ++waited;
      }
      if (waited > patience) {
        length /= 2;
        waited = 0;
        if (length < 1e-3) break;
        price_ = best_price_;
        continue;
      }
      if (norm <= 0) break;  // every row with a price is full: the prices are optimal
      const double target = static_cast<double>(best_worth_);
      const double by = length * std::max(value - target, 1e-9 * std::abs(value)) / norm;
      for (std::size_t r = 0; r < rows(); ++r)
        price_[r] = std::max(0.0, price_[r] - by * slack_[r]);
    }
    price_ = best_price_;
    return proved;
  }

  /// The bound of the current prices. Rows are scaled to an initial capacity of 1.
  double lagrangian(double& norm) {
    for (std::size_t r = 0; r < rows(); ++r)
      slack_[r] = static_cast<double>(left_over_[r]) * scale_[r];
    long double value = static_cast<long double>(worth_in_);
    for (std::size_t r = 0; r < rows(); ++r) value += price_[r] * slack_[r];
    for (std::size_t i = 0; i < items(); ++i) {
      if (state_[i] != free) continue;
      double reduced = static_cast<double>(worth_[i]);
      for (std::size_t k = item_begin_[i]; k < item_begin_[i + 1]; ++k)
        reduced -= price_[by_item_[k].other] * by_item_[k].share;
      reduced_[i] = reduced;
      if (reduced <= 0) continue;
      value += reduced;
      for (std::size_t k = item_begin_[i]; k < item_begin_[i + 1]; ++k)
        slack_[by_item_[k].other] -= by_item_[k].share;
    }
    for (std::size_t r = 0; r < rows(); ++r)
      if (price_[r] > 0 || slack_[r] < 0) norm += slack_[r] * slack_[r];
    return static_cast<double>(value);
  }

  /// The largest integer sum of worths that does not exceed the value, with an allowance for
  /// rounding: each sum has at most this many terms, and none exceeds the given magnitudes.
  [[nodiscard]] Benefit whole(double value) const {
    const double terms = static_cast<double>(items() + rows() + 16);
    const double lost = 4e-16 * terms * (static_cast<double>(total_) + std::abs(value));
    const double most = std::floor(value + lost);
    if (most >= static_cast<double>(total_)) return total_;
    return static_cast<Benefit>(most) / common_ * common_;
  }

  /// Fixes items by reduced cost against the bound of these prices. The parent's bound may be
  /// lower, but has no reduced costs for single items.
  void fix() {
    for (std::uint32_t i = 0; i < items(); ++i) {
      if (state_[i] != free) continue;
      const double away = std::abs(best_reduced_[i]);
      if (whole(static_cast<double>(priced_) + static_cast<double>(common_) - away) > best_worth_)
        continue;
      if (best_reduced_[i] > 0 && !fits(i)) {
        put(i, out);  // neither side is left: the bound shows that
        continue;
      }
      put(i, best_reduced_[i] > 0 ? in : out);
    }
  }

  /// The reduced worth in relation to the worth.
  [[nodiscard]] double share_left(std::uint32_t item) const {
    return best_reduced_[item] / static_cast<double>(std::max<Benefit>(worth_[item], 1));
  }

  /// Packs the free items in the order of their reduced worth.
  void greedy() {
    order_.clear();
    for (std::uint32_t i = 0; i < items(); ++i)
      if (state_[i] == free) order_.push_back(i);
    for (const std::uint32_t i : order_) reduced_[i] = share_left(i);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return reduced_[a] != reduced_[b] ? reduced_[a] > reduced_[b] : a < b;
    });
    const std::size_t before = trail_.size();
    for (const std::uint32_t i : order_)
      if (fits(i)) put(i, in);
    if (worth_in_ > best_worth_) {
      best_worth_ = worth_in_;
      answer_.in.assign(items(), 0);
      for (std::uint32_t i = 0; i < items(); ++i) answer_.in[i] = state_[i] == in ? 1 : 0;
    }
    undo(before);
  }

  /// The item with the smallest reduced worth in absolute value; the first of interchangeable ones.
  [[nodiscard]] std::optional<std::uint32_t> undecided() const {
    std::optional<std::uint32_t> found;
    double least = HUGE_VAL;
    for (std::uint32_t i = 0; i < items(); ++i) {
      if (state_[i] != free) continue;
      const double told = std::abs(share_left(i));
      if (told >= least) continue;
      least = told;
      found = i;
    }
    return found;
  }

  [[nodiscard]] StopReason exhausted() {
    if (answer_.nodes >= budget_.max_nodes) return StopReason::node_limit;
    return budget_.exhausted().value_or(StopReason::completed);
  }

  /// ensure: false if the budget ended it.
  bool search() {
    bool down = true;
    int steps = first_steps;
    while (true) {
      if (down) {
        ++answer_.nodes;
        down = node(steps);
        steps = later_steps;
        if (answer_.stop != StopReason::completed) return false;
        if (down) continue;
      }
      if (!next_side()) return true;
      down = true;
    }
  }

  /// Bounds and branches; false if nothing below is worth more.
  bool node(int steps) {
    drop_what_is_too_large();
    while (true) {
      const Benefit above = stack_.empty() ? total_ : stack_.back().bound;
      const Benefit most = bound(steps, above);
      if (most <= best_worth_) return false;
      if (answer_.stop != StopReason::completed) {  // the rest of this subtree is unresolved
        greedy();
        stack_.push_back({0, in, false, most, trail_.size()});
        return false;
      }
      greedy();
      if (most <= best_worth_) return false;
      const std::size_t before = trail_.size();
      fix();
      if (trail_.size() > before) drop_what_is_too_large();
      const std::optional<std::uint32_t> item = undecided();
      if (!item) {
        greedy();  // everything is decided: compare with the incumbent
        return false;
      }
      // If much was decided, computing the bound again is cheaper than a branch.
      if (trail_.size() - before > items() / 8 + 1 && steps == first_steps) continue;
      const State first = best_reduced_[*item] >= 0 ? in : out;
      stack_.push_back({*item, first, false, most, trail_.size()});
      decide(*item, first);
      return true;
    }
  }

  /// Backtracks to the last branch with an untried side; false if there is none.
  bool next_side() {
    while (!stack_.empty()) {
      Branch& branch = stack_.back();
      undo(branch.trail);
      if (!branch.both && branch.bound > best_worth_) {
        branch.both = true;
        decide(branch.item, branch.tried == in ? out : in);
        return true;
      }
      stack_.pop_back();
    }
    return false;
  }

  std::vector<Benefit> worth_;
  const Budget& budget_;
  Benefit total_ = 0;
  Benefit common_ = 0;  ///< common divisor of all worths
  Benefit best_worth_ = 0;
  Benefit worth_in_ = 0;
  Benefit priced_ = 0;  ///< bound of the best prices of this node

  std::vector<std::size_t> row_begin_;
  std::vector<Entry> by_row_;
  std::vector<std::size_t> item_begin_;
  std::vector<Entry> by_item_;
  std::vector<std::int64_t> left_over_;  ///< remaining capacity per row
  std::vector<double> scale_;

  std::vector<std::uint32_t> next_alike_;  ///< per item, the next interchangeable one
  std::vector<char> state_;
  std::vector<std::uint32_t> trail_;
  std::vector<Branch> stack_;
  std::vector<double> price_, best_price_, slack_, reduced_, best_reduced_;
  std::vector<std::uint32_t> order_;
  PackingResult answer_;
};

}  // namespace

std::vector<std::uint32_t> next_interchangeable(const PackingProblem& problem) {
  using Entry = std::pair<std::uint32_t, std::int64_t>;  // row, amount
  std::vector<std::vector<Entry>> takes(problem.worth.size());
  for (std::uint32_t r = 0; r < problem.rows.size(); ++r)
    for (const auto& [thing, amount] : problem.rows[r].terms) takes[thing].emplace_back(r, amount);
  std::vector<std::uint32_t> order(takes.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(problem.worth[a], takes[a]) < std::tie(problem.worth[b], takes[b]);
  };
  std::stable_sort(order.begin(), order.end(), before);
  std::vector<std::uint32_t> twins(takes.size(), no_next);
  for (std::size_t k = 0; k + 1 < order.size(); ++k)
    if (!before(order[k], order[k + 1])) twins[order[k]] = order[k + 1];
  return twins;
}

PackingResult best_packing(const PackingProblem& problem, Benefit above, const Budget& budget) {
  return Packing(problem, above, budget).run();
}

}  // namespace tessera::search
