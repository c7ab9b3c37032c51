#include "search/placement/colouring.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "model/random.h"

namespace tessera::search {
namespace {

/// Steps of the descent, each of which looks at every move.
constexpr std::int64_t descent_work = 8'000'000;
/// Few nodes and colours are soon tried out.
constexpr std::int64_t steps_per_move = 50;
/// Nodes between two looks at the budget.
constexpr std::int64_t between_looks = 1'024;

class Search {
 public:
  Search(const ColourGraph& graph, const Budget& budget, std::uint64_t seed)
      : graph_(graph), count_(graph.hard.size()), budget_(budget), random_(seed) {
    Cost all = 0;
    for (const auto& edges : graph.soft)
      for (const auto& [other, cost] : edges) all += cost;
    // More than all soft costs together, so that it never pays.
    forbidden_ = all / 2 + 1;
    pay_.assign(count_ * graph.colours, 0);
    colour_.assign(count_, 0);
  }

  Colouring run() {
    if (count_ == 0) {
      result_.status = Status::feasible;
      return result_;
    }
    if (graph_.colours == 0) {
      result_.status = Status::infeasible;
      return result_;
    }
    best_cost_ = forbidden_;
    descend();
    prove();
    if (!best_.empty()) {
      result_.status = Status::feasible;
      result_.colour = best_;
      result_.cost = best_cost_;
    } else if (!result_.nodes_ended) {
      result_.status = Status::infeasible;
    }
    return result_;
  }

 private:
  struct Result : Colouring {
    bool nodes_ended = false;  ///< by the budget
  };

  [[nodiscard]] Cost& pay(std::size_t node, std::size_t colour) {
    return pay_[node * graph_.colours + colour];
  }

  /// What the neighbours of `node` pay more (or, with sign -1, less) for sharing its colour.
  void spread(std::size_t node, std::size_t colour, Cost sign) {
    for (const std::uint32_t other : graph_.hard[node]) pay(other, colour) += sign * forbidden_;
    for (const auto& [other, cost] : graph_.soft[node]) pay(other, colour) += sign * cost;
  }

  [[nodiscard]] Cost total() const {
    Cost sum = 0;
    for (std::size_t node = 0; node < count_; ++node)
      sum += pay_[node * graph_.colours + colour_[node]];
    return sum / 2;  // each pair was counted from both of its ends
  }

  void keep(Cost cost) {
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_.assign(colour_.begin(), colour_.end());
  }

  void descend() {
    for (std::size_t node = 0; node < count_; ++node) {
      std::size_t cheapest = 0;
      for (std::size_t c = 1; c < graph_.colours; ++c)
        if (pay(node, c) < pay(node, cheapest)) cheapest = c;
      colour_[node] = static_cast<std::uint32_t>(cheapest);
      spread(node, cheapest, 1);
    }
    Cost cost = total();
    keep(cost);
    std::vector<std::int64_t> free_from(count_ * graph_.colours, 0);
    const auto moves = static_cast<std::int64_t>(count_ * graph_.colours);
    const std::int64_t steps = std::min(descent_work / moves, steps_per_move * moves);
    for (std::int64_t step = 1; step <= steps && best_cost_ > 0; ++step) {
      if (step % between_looks == 0 && budget_.exhausted()) return;
      Cost best = std::numeric_limits<Cost>::max();
      std::size_t node = count_;
      std::size_t to = 0;
      std::uint64_t equal = 0;
      for (std::size_t n = 0; n < count_; ++n) {
        const Cost now = pay(n, colour_[n]);
        if (now == 0) continue;
        for (std::size_t c = 0; c < graph_.colours; ++c) {
          if (c == colour_[n]) continue;
          const Cost change = pay(n, c) - now;
          const bool held = free_from[n * graph_.colours + c] > step;
          if (held && cost + change >= best_cost_) continue;
          if (change < best) {
            best = change;
            equal = 0;
          }
          if (change == best && random_.below(++equal) == 0) {
            node = n;
            to = c;
          }
        }
      }
      if (node == count_) continue;  // every move is held
      const std::size_t from = colour_[node];
      spread(node, from, -1);
      spread(node, to, 1);
      colour_[node] = static_cast<std::uint32_t>(to);
      cost += best;
      free_from[node * graph_.colours + from] =
          step + 7 + static_cast<std::int64_t>(random_.below(count_ + 1));
      keep(cost);
    }
  }

  /// The most joined node first, then again and again the one most joined to those before.
  void arrange() {
    std::vector<Cost> joined(count_, 0);
    std::vector<char> taken(count_, 0);
    const auto weight = [this](std::size_t node) {
      return graph_.hard[node].size() + graph_.soft[node].size();
    };
    while (order_.size() < count_) {
      std::size_t next = count_;
      for (std::size_t n = 0; n < count_; ++n) {
        if (taken[n] != 0) continue;
        if (next == count_ || joined[n] > joined[next] ||
            (joined[n] == joined[next] && weight(n) > weight(next)))
          next = n;
      }
      taken[next] = 1;
      order_.push_back(next);
      for (const std::uint32_t other : graph_.hard[next]) ++joined[other];
      for (const auto& [other, cost] : graph_.soft[next]) ++joined[other];
    }
    place_of_.resize(count_);
    for (std::size_t k = 0; k < count_; ++k) place_of_[order_[k]] = k;
  }

  /// The least costs of the first 1, 2, ... nodes of the order; each is a bound of all that follow.
  void prove() {
    arrange();
    least_.assign(count_ + 1, 0);
    std::fill(pay_.begin(), pay_.end(), 0);
    low_.assign(count_, 0);
    doll_.assign(count_, 0);
    for (std::size_t k = 1; k <= count_; ++k) {
      // The last doll's colours and the cheapest one for the new node are a beginning.
      const std::size_t node = order_[k - 1];
      limit_ = least_[k - 1] + extended(node, k);
      const Cost known = best_.empty() ? forbidden_ : cost_among(best_, k);
      if (!best_.empty() && known < limit_) {
        limit_ = known;
        for (std::size_t j = 0; j < k; ++j) doll_[order_[j]] = best_[order_[j]];
      }
      limit_ = std::min(limit_, forbidden_);
      goal_ = least_[k - 1];
      if (limit_ > goal_) {
        low_sum_ = 0;
        std::fill(low_.begin(), low_.end(), 0);
        assign(k, 0, 0);
        if (result_.nodes_ended) {
          result_.bound = least_[k - 1];
          return;
        }
      }
      least_[k] = limit_;
      if (limit_ >= forbidden_) {  // not even these can be coloured
        best_.clear();
        return;
      }
    }
    result_.bound = least_[count_];
    best_.assign(doll_.begin(), doll_.end());
    best_cost_ = least_[count_];
  }

  /// What the cheapest colour costs the k-th node beside the doll before it; it takes that.
  Cost extended(std::size_t node, std::size_t k) {
    std::vector<Cost>& costs = extension_;
    costs.assign(graph_.colours, 0);
    for (const std::uint32_t other : graph_.hard[node])
      if (place_of_[other] < k - 1) costs[doll_[other]] += forbidden_;
    for (const auto& [other, cost] : graph_.soft[node])
      if (place_of_[other] < k - 1) costs[doll_[other]] += cost;
    const auto cheapest = std::min_element(costs.begin(), costs.end());
    doll_[node] = static_cast<std::uint32_t>(cheapest - costs.begin());
    return *cheapest;
  }

  [[nodiscard]] Cost cost_among(const std::vector<std::uint32_t>& colour, std::size_t k) const {
    Cost sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t node = order_[j];
      for (const auto& [other, cost] : graph_.soft[node])
        if (place_of_[other] < j && colour[other] == colour[node]) sum += cost;
    }
    return sum;
  }

  [[nodiscard]] Cost lowest(std::size_t node) const {
    const Cost* of = pay_.data() + node * graph_.colours;
    return *std::min_element(of, of + graph_.colours);
  }

  /// The neighbours that come later pay more or less; keeps the sum of their least costs.
  void charge(std::size_t node, std::size_t colour, std::size_t left, Cost sign) {
    const auto act = [&](std::uint32_t other, Cost cost) {
      if (place_of_[other] >= left) return;
      Cost& own = pay(other, colour);
      own += sign * cost;
      const Cost low = lowest(other);
      low_sum_ += low - low_[other];
      low_[other] = low;
    };
    for (const std::uint32_t other : graph_.hard[node]) act(other, forbidden_);
    for (const auto& [other, cost] : graph_.soft[node]) act(other, cost);
  }

  /// Nodes order_[left - 1], ..., order_[0] are still to be coloured.
  void assign(std::size_t left, Cost cost, std::size_t used) {
    if (left == 0) {  // cheaper than the limit
      limit_ = cost;
      doll_ = colour_;  // what stands outside of the doll does no harm
      return;
    }
    std::optional<StopReason> stop;
    if (result_.nodes >= budget_.max_nodes) stop = StopReason::node_limit;
    if (++result_.nodes % between_looks == 0 && !stop) stop = budget_.exhausted();
    if (stop) {
      result_.nodes_ended = true;
      result_.stop = *stop;
      return;
    }
    const std::size_t node = order_[left - 1];
    // A colour that nobody has yet is as good as any other such.
    const std::size_t most = std::min(used + 1, graph_.colours);
    low_sum_ -= low_[node];
    const Cost own_low = low_[node];
    Cost before = -1;
    // In the order of what they cost: those of one cost together.
    for (;;) {
      Cost next = std::numeric_limits<Cost>::max();
      for (std::size_t c = 0; c < most; ++c)
        if (pay(node, c) > before) next = std::min(next, pay(node, c));
      if (next == std::numeric_limits<Cost>::max()) break;
      if (cost + next + low_sum_ + least_[left - 1] >= limit_) break;
      for (std::size_t c = 0; c < most; ++c) {
        if (pay(node, c) != next) continue;
        colour_[node] = static_cast<std::uint32_t>(c);
        charge(node, c, left - 1, 1);
        if (cost + next + low_sum_ + least_[left - 1] < limit_)
          assign(left - 1, cost + next, std::max(used, c + 1));
        charge(node, c, left - 1, -1);
        if (result_.nodes_ended || limit_ <= goal_) break;
      }
      if (result_.nodes_ended || limit_ <= goal_) break;
      before = next;
    }
    low_[node] = own_low;
    low_sum_ += own_low;
  }

  const ColourGraph& graph_;
  std::size_t count_;
  const Budget& budget_;
  Random random_;
  Cost forbidden_ = 1;
  std::vector<Cost> pay_;  ///< by node and colour: what its coloured neighbours make it cost
  std::vector<std::uint32_t> colour_;
  std::vector<std::uint32_t> best_;
  Cost best_cost_ = 0;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> place_of_;
  std::vector<Cost> least_;  ///< of the first so many nodes
  std::vector<Cost> low_;    ///< of a node: its cheapest colour now
  Cost low_sum_ = 0;         ///< over the nodes still to be coloured
  std::vector<std::uint32_t> doll_;
  std::vector<Cost> extension_;
  Cost limit_ = 0;  ///< only cheaper ones are wanted
  Cost goal_ = 0;   ///< nothing is cheaper than this
  Result result_;
};

}  // namespace

Colouring least_colouring(const ColourGraph& graph, const Budget& budget, std::uint64_t seed) {
  return Search(graph, budget, seed).run();
}

}  // namespace tessera::search
