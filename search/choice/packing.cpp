#include "search/choice/packing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

namespace tessera::search {

namespace {

constexpr int first_steps = 400;  ///< of the subgradient method, where the search begins
constexpr int later_steps = 24;   ///< and at each node, from the prices of the node before
constexpr int patience = 12;      ///< steps without a better bound before they get shorter

class Packing {
 public:
  Packing(const PackingProblem& problem, Benefit above, const Budget& budget)
      : worth_(problem.worth), budget_(budget), best_worth_(above) {
    load(problem);
  }

  PackingAnswer run() {
    answer_.bound = 0;
    if (!search())
      for (const Open& open : stack_)
        if (!open.both) answer_.bound = std::max(answer_.bound, open.bound);
    answer_.bound = std::max(answer_.bound, best_worth_);
    answer_.worth = best_worth_;
    return std::move(answer_);
  }

 private:
  enum State : char { free, in, out };
  struct Entry {
    std::uint32_t other = 0;  ///< the row, or the thing
    std::int64_t amount = 0;
    double share = 0;  ///< of the room that the row had at first
  };
  /// A decision whose other side may still have to be tried.
  struct Open {
    std::uint32_t item = 0;
    State tried = in;
    bool both = false;
    Benefit bound = 0;  ///< of what is left to be tried below it
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
        if (amount > row.room) state_[item] = out;
      }
      if (sum <= row.room || row.room == 0) continue;  // never met; nothing of it may go in
      room_.push_back(row.room);
      scale_.push_back(1.0 / static_cast<double>(row.room));
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
    twin_ = next_twins(problem);
    price_.assign(room_.size(), 0);
    slack_.resize(room_.size());
    reduced_.resize(n);
    best_reduced_.resize(n);
    order_.reserve(n);
  }

  [[nodiscard]] std::size_t rows() const { return room_.size(); }
  [[nodiscard]] std::size_t items() const { return worth_.size(); }

  [[nodiscard]] bool fits(std::uint32_t item) const {
    for (std::size_t k = item_begin_[item]; k < item_begin_[item + 1]; ++k)
      if (by_item_[k].amount > room_[by_item_[k].other]) return false;
    return true;
  }

  void put(std::uint32_t item, State state) {
    state_[item] = state;
    trail_.push_back(item);
    if (state == in) take(item);
  }
  /// A side of a branch. Where a thing stays out, so do its twins behind it.
  void decide(std::uint32_t item, State state) {
    put(item, state);
    if (state == in) return;
    for (std::uint32_t next = twin_[item]; next != no_twin; next = twin_[next])
      if (state_[next] == free) put(next, out);
  }
  void take(std::uint32_t item) {
    worth_in_ += worth_[item];
    for (std::size_t k = item_begin_[item]; k < item_begin_[item + 1]; ++k)
      room_[by_item_[k].other] -= by_item_[k].amount;
  }
  void give_back(std::uint32_t item) {
    worth_in_ -= worth_[item];
    for (std::size_t k = item_begin_[item]; k < item_begin_[item + 1]; ++k)
      room_[by_item_[k].other] += by_item_[k].amount;
  }
  void undo(std::size_t to) {
    while (trail_.size() > to) {
      const std::uint32_t item = trail_.back();
      trail_.pop_back();
      if (state_[item] == in) give_back(item);
      state_[item] = free;
    }
  }

  /// What no longer fits is out.
  void drop_what_is_too_large() {
    for (std::uint32_t item = 0; item < items(); ++item)
      if (state_[item] == free && !fits(item)) put(item, out);
  }

  /// Lowers the bound of this node by changing prices; leaves reduced worths of the best prices.
  /// `above` is proved already. ensure: what no packing below this node is worth more than, also
  /// where the budget ended it.
  Benefit bound(int steps, Benefit above) {
    double least = HUGE_VAL;
    Benefit proved = above;
    double length = 1.0;
    int waited = 0;
    best_price_ = price_;
    for (int step = 0; step < steps; ++step) {
      // One step at least, so that there are reduced worths.
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
      if (norm <= 0) break;  // every row with a price is exactly full: no prices are better
      const double target = static_cast<double>(best_worth_);
      const double by = length * std::max(value - target, 1e-9 * std::abs(value)) / norm;
      for (std::size_t r = 0; r < rows(); ++r)
        price_[r] = std::max(0.0, price_[r] - by * slack_[r]);
    }
    price_ = best_price_;
    return proved;
  }

  /// The bound of the present prices. Rows are scaled so that each had room for 1 at first.
  double lagrangian(double& norm) {
    for (std::size_t r = 0; r < rows(); ++r) slack_[r] = static_cast<double>(room_[r]) * scale_[r];
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

  /// The largest sum of worths that is not above the value, whatever was lost in rounding: each of
  /// the sums has at most so many terms, none of them larger than what stands beside.
  [[nodiscard]] Benefit whole(double value) const {
    const double terms = static_cast<double>(items() + rows() + 16);
    const double lost = 4e-16 * terms * (static_cast<double>(total_) + std::abs(value));
    const double most = std::floor(value + lost);
    if (most >= static_cast<double>(total_)) return total_;
    return static_cast<Benefit>(most) / common_ * common_;
  }

  /// What is decided by what it would take away from the bound of the prices (that of the node
  /// above may be lower, and says nothing of single things).
  void fix() {
    for (std::uint32_t i = 0; i < items(); ++i) {
      if (state_[i] != free) continue;
      const double away = std::abs(best_reduced_[i]);
      if (whole(static_cast<double>(priced_) + static_cast<double>(common_) - away) > best_worth_)
        continue;
      if (best_reduced_[i] > 0 && !fits(i)) {
        put(i, out);  // neither side is left: the bound will say so
        continue;
      }
      put(i, best_reduced_[i] > 0 ? in : out);
    }
  }

  /// Of its worth, beside the prices of what it takes.
  [[nodiscard]] double share_left(std::uint32_t item) const {
    return best_reduced_[item] / static_cast<double>(std::max<Benefit>(worth_[item], 1));
  }

  /// Packs what is free in the order of what prices leave of its worth.
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

  /// The one that prices tell least about; of twins the first.
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

  /// Bounds and branches; false where nothing below is worth more.
  bool node(int steps) {
    drop_what_is_too_large();
    while (true) {
      const Benefit above = stack_.empty() ? total_ : stack_.back().bound;
      const Benefit most = bound(steps, above);
      if (most <= best_worth_) return false;
      if (answer_.stop != StopReason::completed) {  // what is below is still open
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
        greedy();  // everything is decided: is that the best there is?
        return false;
      }
      // Much was decided: another look at the bound is cheaper than a branch.
      if (trail_.size() - before > items() / 8 + 1 && steps == first_steps) continue;
      const State first = best_reduced_[*item] >= 0 ? in : out;
      stack_.push_back({*item, first, false, most, trail_.size()});
      decide(*item, first);
      return true;
    }
  }

  /// Back to the last decision with a side that was not tried; false where there is none.
  bool next_side() {
    while (!stack_.empty()) {
      Open& open = stack_.back();
      undo(open.trail);
      if (!open.both && open.bound > best_worth_) {
        open.both = true;
        decide(open.item, open.tried == in ? out : in);
        return true;
      }
      stack_.pop_back();
    }
    return false;
  }

  std::vector<Benefit> worth_;
  const Budget& budget_;
  Benefit total_ = 0;
  Benefit common_ = 0;  ///< divides every worth
  Benefit best_worth_ = 0;
  Benefit worth_in_ = 0;
  Benefit priced_ = 0;  ///< the bound of the best prices of this node

  std::vector<std::size_t> row_begin_;
  std::vector<Entry> by_row_;
  std::vector<std::size_t> item_begin_;
  std::vector<Entry> by_item_;
  std::vector<std::int64_t> room_;  ///< left beside what is in
  std::vector<double> scale_;

  std::vector<std::uint32_t> twin_;  ///< the next thing that is like this one
  std::vector<char> state_;
  std::vector<std::uint32_t> trail_;
  std::vector<Open> stack_;
  std::vector<double> price_, best_price_, slack_, reduced_, best_reduced_;
  std::vector<std::uint32_t> order_;
  PackingAnswer answer_;
};

}  // namespace

std::vector<std::uint32_t> next_twins(const PackingProblem& problem) {
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
  std::vector<std::uint32_t> twins(takes.size(), no_twin);
  for (std::size_t k = 0; k + 1 < order.size(); ++k)
    if (!before(order[k], order[k + 1])) twins[order[k]] = order[k + 1];
  return twins;
}

PackingAnswer best_packing(const PackingProblem& problem, Benefit above, const Budget& budget) {
  return Packing(problem, above, budget).run();
}

}  // namespace tessera::search
