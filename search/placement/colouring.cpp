#include "search/placement/colouring.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "model/random.h"

namespace tessera::search {
namespace {

/// Steps of the descent, each of which examines every move.
constexpr std::int64_t descent_work = 8'000'000;
/// Steps per move for small graphs, which are exhausted soon.
constexpr std::int64_t steps_per_move = 50;
/// Nodes between two checks of the budget.
constexpr std::int64_t between_checks = 1'024;

/// Nodes per order in the first round, and the growth factor of rounds.
constexpr std::int64_t first_round = 200'000;
constexpr std::int64_t round_growth = 4;

/// Few enough for a table of all pairs of nodes.
constexpr std::size_t most_symmetry_nodes = 256;

class Colourer {
 public:
  Colourer(const ColourGraph& graph, const Budget& budget, std::uint64_t seed)
      : graph_(graph), count_(graph.hard.size()), budget_(budget), random_(seed) {
    Cost all = 0;
    for (const auto& edges : graph.soft)
      for (const auto& [other, cost] : edges) all += cost;
    // More than all soft costs together, so that it never pays.
    forbidden_ = all / 2 + 1;
    pay_.assign(count_ * graph.colours, 0);
    colour_.assign(count_, 0);
    plain_ = std::all_of(graph.span.begin(), graph.span.end(), [](auto span) { return span == 1; });
    span_ = graph.span;
    span_.resize(count_, 1);
  }

  Colouring run() {
    if (count_ == 0) {
      result_.status = Status::feasible;
      return result_;
    }
    if (*std::max_element(span_.begin(), span_.end()) > graph_.colours) {
      result_.status = Status::infeasible;
      return result_;
    }
    choose_firsts();
    best_cost_ = forbidden_;
    descend();
    prove_in_rounds();
    if (budget_.meter != nullptr) budget_.meter->done.store(result_.nodes);
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

  /// The colours at which a node may begin. In some cheapest colouring no node can be moved down
  /// without meeting a node it must differ from. Therefore each begins at a sum of spans (normal
  /// patterns: Herz 1972, Christofides and Whitlock 1977).
  void choose_firsts() {
    firsts_.resize(count_);
    std::vector<char> sum(graph_.colours);
    for (std::size_t node = 0; node < count_; ++node) {
      std::fill(sum.begin(), sum.end(), 0);
      sum[0] = 1;
      for (std::size_t other = 0; other < count_ && !plain_; ++other)
        for (std::size_t end = graph_.colours; other != node && end-- > span_[other];)
          if (sum[end - span_[other]] != 0) sum[end] = 1;
      for (std::size_t c = 0; c + span_[node] <= graph_.colours; ++c)
        if (plain_ || sum[c] != 0) firsts_[node].push_back(static_cast<std::uint32_t>(c));
    }
  }

  /// Do two nodes that begin here share a colour?
  [[nodiscard]] bool meet(std::size_t one, std::size_t at, std::size_t two,
                          std::size_t there) const {
    return at < there + span_[two] && there < at + span_[one];
  }

  /// Changes the cost of `other` at each colour where it would share one of the colours of `node`.
  void raise(std::size_t node, std::size_t colour, std::size_t other, Cost by) {
    const std::size_t below = span_[other] - 1;
    const std::size_t end = std::min(colour + span_[node], graph_.colours);
    for (std::size_t c = colour < below ? 0 : colour - below; c < end; ++c) pay(other, c) += by;
  }

  /// Changes the costs of the neighbours of `node` for sharing its colour; sign is 1 or -1.
  void spread(std::size_t node, std::size_t colour, Cost sign) {
    for (const std::uint32_t other : graph_.hard[node])
      raise(node, colour, other, sign * forbidden_);
    for (const auto& [other, cost] : graph_.soft[node]) raise(node, colour, other, sign * cost);
  }

  [[nodiscard]] Cost total() const {
    Cost sum = 0;
    for (std::size_t node = 0; node < count_; ++node)
      sum += pay_[node * graph_.colours + colour_[node]];
    return sum / 2;  // each pair was counted twice
  }

  void keep(Cost cost) {
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_.assign(colour_.begin(), colour_.end());
  }

  void descend() {
    for (std::size_t node = 0; node < count_; ++node) {
      std::size_t cheapest = firsts_[node].front();
      for (const std::uint32_t c : firsts_[node])
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
      if (step % between_checks == 0 && budget_.exhausted()) return;
      Cost best = std::numeric_limits<Cost>::max();
      std::size_t node = count_;
      std::size_t to = 0;
      std::uint64_t equal = 0;
      for (std::size_t n = 0; n < count_; ++n) {
        const Cost now = pay(n, colour_[n]);
        if (now == 0) continue;
        for (const std::uint32_t c : firsts_[n]) {
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
      if (node == count_) continue;  // every move is forbidden
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

  /// The next node is the one most connected to those before it, by several measures, since none is
  /// best for all problems.
  enum class Order : std::uint8_t { lightly, firmly, hard };
  using Rank = std::array<std::int64_t, 3>;  ///< the larger comes first

  [[nodiscard]] Rank rank(Order order, std::size_t node, std::int64_t joined,
                          std::int64_t hard) const {
    const auto span = static_cast<std::int64_t>(span_[node]);
    const auto degree =
        static_cast<std::int64_t>(graph_.hard[node].size() + graph_.soft[node].size());
    switch (order) {
      case Order::lightly:
        return {joined, span, -degree};
      case Order::firmly:
        return {joined, span, degree};
      case Order::hard:
        break;
    }
    return {hard, joined * span, degree};
  }

  void arrange(Order order) {
    std::vector<std::int64_t> joined(count_, 0);
    std::vector<std::int64_t> hard(count_, 0);
    std::vector<char> taken(count_, 0);
    order_.clear();
    while (order_.size() < count_) {
      std::size_t next = count_;
      for (std::size_t n = 0; n < count_; ++n) {
        if (taken[n] != 0) continue;
        if (next == count_ ||
            rank(order, n, joined[n], hard[n]) > rank(order, next, joined[next], hard[next]))
          next = n;
      }
      taken[next] = 1;
      order_.push_back(next);
      for (const std::uint32_t other : graph_.hard[next]) {
        ++joined[other];
        ++hard[other];
      }
      for (const auto& [other, cost] : graph_.soft[next]) ++joined[other];
    }
    place_of_.resize(count_);
    for (std::size_t k = 0; k < count_; ++k) place_of_[order_[k]] = k;
    near_.assign(count_, {});
    for (std::size_t n = 0; n < count_; ++n) {
      for (const std::uint32_t other : graph_.hard[n]) near_[n].push_back({other, forbidden_});
      for (const auto& [other, cost] : graph_.soft[n]) near_[n].push_back({other, cost});
      // Nodes whose turn comes next come first, which ends failing branches soonest.
      std::sort(near_[n].begin(), near_[n].end(), [this](const Near& one, const Near& two) {
        return place_of_[one.node] > place_of_[two.node];
      });
    }
    saved_.resize((count_ + 1) * count_);
    if (!plain_) find_interchangeable();
  }

  /// Interchangeable nodes: of two, the one coloured first begins no higher. If all nodes take one
  /// colour, colours are interchangeable instead.
  void find_interchangeable() {
    interchangeable_.assign(count_, {});
    if (count_ > most_symmetry_nodes) return;
    std::vector<Cost> joined(count_ * count_, 0);
    for (std::size_t n = 0; n < count_; ++n) {
      for (const std::uint32_t other : graph_.hard[n]) joined[n * count_ + other] = forbidden_;
      for (const auto& [other, cost] : graph_.soft[n]) joined[n * count_ + other] += cost;
    }
    for (std::size_t one = 0; one < count_; ++one)
      for (std::size_t two = 0; two < count_; ++two) {
        if (place_of_[two] <= place_of_[one] || span_[one] != span_[two]) continue;
        bool alike = true;
        for (std::size_t n = 0; n < count_ && alike; ++n)
          alike = n == one || n == two || joined[one * count_ + n] == joined[two * count_ + n];
        if (alike) interchangeable_[one].push_back(two);
      }
  }

  /// Runs several orders in turns until one ends.
  void prove_in_rounds() {
    if (plain_) {
      nodes_end_ = budget_.max_nodes;
      Progress whole;
      prove(Order::firmly, whole);
      return;
    }
    constexpr std::array orders = {Order::lightly, Order::hard};
    std::array<Progress, orders.size()> progress;
    for (std::int64_t share = first_round;; share *= round_growth)
      for (std::size_t which = 0; which < orders.size(); ++which) {
        nodes_end_ = std::min(budget_.max_nodes, result_.nodes + share);
        result_.nodes_ended = false;
        prove(orders[which], progress[which]);
        const bool share_alone =
            result_.stop == StopReason::node_limit && nodes_end_ < budget_.max_nodes;
        const bool met = !best_.empty() && result_.bound == best_cost_;
        if (!result_.nodes_ended || met) result_.stop = StopReason::completed;
        if (!result_.nodes_ended || met || !share_alone || meter_ended_) return;
      }
  }

  /// Progress of an order: the solved dolls, and the colours of the last one.
  struct Progress {
    std::vector<Cost> least{0};
    std::vector<std::uint32_t> doll{};
  };

  /// The least costs of the first 1, 2, ... nodes of the order; each is a bound for all later ones.
  void prove(Order order, Progress& progress) {
    arrange(order);
    least_ = progress.least;
    doll_ = progress.doll;
    doll_.resize(count_, 0);
    least_.resize(count_ + 1, 0);
    std::fill(pay_.begin(), pay_.end(), 0);
    low_.assign(count_, {});
    for (std::size_t k = progress.least.size(); k <= count_; ++k) {
      // The last doll's colours, and the cheapest colour for the new node, give a first solution.
      const std::size_t node = order_[k - 1];
      limit_ = least_[k - 1] + extended(node, k);
      const Cost known = best_.empty() ? forbidden_ : cost_among(best_, k);
      if (!best_.empty() && known < limit_) {
        limit_ = known;
        for (std::size_t j = 0; j < k; ++j) doll_[order_[j]] = best_[order_[j]];
      }
      limit_ = std::min(limit_, forbidden_);
      goal_ = k == count_ ? std::max(least_[k - 1], result_.bound) : least_[k - 1];
      if (limit_ > goal_) {
        low_sum_ = 0;
        std::fill(low_.begin(), low_.end(), Low{});
        doll_size_ = k;
        assign(k, 0, 0);
        if (result_.nodes_ended) {
          result_.bound = std::max(result_.bound, least_[k - 1]);
          return;
        }
      }
      least_[k] = limit_;
      progress.least.push_back(limit_);
      progress.doll = doll_;
      if (limit_ >= forbidden_) {  // not even these can be coloured
        best_.clear();
        return;
      }
    }
    result_.bound = least_[count_];
    best_.assign(doll_.begin(), doll_.end());
    best_cost_ = least_[count_];
  }

  /// The least cost of the k-th node with the colours of the previous doll; assigns that colour.
  Cost extended(std::size_t node, std::size_t k) {
    Cost least = std::numeric_limits<Cost>::max();
    for (const std::uint32_t c : firsts_[node]) {
      Cost cost = 0;
      for (const std::uint32_t other : graph_.hard[node])
        if (place_of_[other] < k - 1 && meet(node, c, other, doll_[other])) cost += forbidden_;
      for (const auto& [other, each] : graph_.soft[node])
        if (place_of_[other] < k - 1 && meet(node, c, other, doll_[other])) cost += each;
      if (cost >= least) continue;
      least = cost;
      doll_[node] = c;
    }
    return least;
  }

  [[nodiscard]] Cost cost_among(const std::vector<std::uint32_t>& colour, std::size_t k) const {
    Cost sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t node = order_[j];
      for (const auto& [other, cost] : graph_.soft[node])
        if (place_of_[other] < j && meet(node, colour[node], other, colour[other])) sum += cost;
    }
    return sum;
  }

  /// The least cost of a node, and a colour with that cost.
  struct Low {
    Cost cost = 0;
    std::uint32_t at = 0;
  };
  [[nodiscard]] Low lowest(std::size_t node) const {
    const Cost* of = pay_.data() + node * graph_.colours;
    Low low{of[0], 0};  // every node may begin with the first colour
    for (const std::uint32_t c : firsts_[node])
      if (of[c] < low.cost) low = {of[c], c};
    return low;
  }

  /// Charges the later neighbours; maintains the sum of their least costs, and stops once it
  /// reaches `enough`. Returns the number of neighbours visited.
  std::size_t charge(std::size_t node, std::size_t colour, std::size_t left, Cost enough) {
    Low* const saved = saved_.data() + left * count_;
    const std::vector<Near>& near = near_[node];
    std::size_t k = 0;
    while (k < near.size() && low_sum_ < enough) {
      const auto [other, cost] = near[k];
      saved[k++] = low_[other];
      if (place_of_[other] >= left) continue;
      raise(node, colour, other, cost);
      if (!meet(node, colour, other, low_[other].at))
        continue;  // the change does not affect its least cost
      const Low low = lowest(other);
      low_sum_ += low.cost - low_[other].cost;
      low_[other] = low;
    }
    return k;
  }
  void discharge(std::size_t node, std::size_t colour, std::size_t left, std::size_t k) {
    const Low* const saved = saved_.data() + left * count_;
    while (k-- > 0) {
      const auto [other, cost] = near_[node][k];
      if (place_of_[other] >= left) continue;
      raise(node, colour, other, -cost);
      low_sum_ -= low_[other].cost - saved[k].cost;
      low_[other] = saved[k];
    }
  }

  /// The colours at which `node` may begin without loss of generality. If colours are
  /// interchangeable, at most one unused colour is tried. Otherwise a node is not below an
  /// interchangeable one. The first node begins in the lower half, because colourings may be
  /// mirrored. (Lowering nodes and exchanging interchangeable ones afterwards does not raise it.)
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(std::size_t node, std::size_t left,
                                                          std::size_t used) const {
    if (plain_) return {0, std::min(used + 1, graph_.colours)};
    std::size_t begin = 0;
    for (const std::size_t other : interchangeable_[node])
      if (place_of_[other] < doll_size_) begin = std::max<std::size_t>(begin, colour_[other]);
    const std::size_t end = graph_.colours - span_[node];
    return {begin, (left == doll_size_ ? end / 2 : end) + 1};
  }

  /// Is the node limit or another limit reached?
  [[nodiscard]] bool ended() {
    std::optional<StopReason> stop;
    if (result_.nodes >= nodes_end_) stop = StopReason::node_limit;
    if (++result_.nodes % between_checks == 0 && !stop) {
      if (budget_.meter != nullptr) {
        budget_.meter->done.store(result_.nodes, std::memory_order_relaxed);
        meter_ended_ = result_.nodes >= budget_.meter->limit.load(std::memory_order_relaxed);
        if (meter_ended_) stop = StopReason::node_limit;
      }
      if (!stop) stop = budget_.exhausted();
    }
    if (!stop) return false;
    result_.nodes_ended = true;
    result_.stop = *stop;
    return true;
  }

  /// Nodes order_[left - 1], ..., order_[0] are still to be coloured.
  void assign(std::size_t left, Cost cost, std::size_t used) {
    if (left == 0) {  // cheaper than the limit
      limit_ = cost;
      doll_ = colour_;  // colours outside of the doll are irrelevant
      return;
    }
    if (ended()) return;
    const std::size_t node = order_[left - 1];
    const auto [begin, end] = range(node, left, used);
    const Cost own_low = low_[node].cost;
    low_sum_ -= own_low;
    Cost before = -1;
    // By ascending cost; colours of equal cost together.
    for (;;) {
      Cost next = std::numeric_limits<Cost>::max();
      for (const std::uint32_t c : firsts_[node])
        if (c >= begin && c < end && pay(node, c) > before) next = std::min(next, pay(node, c));
      if (next == std::numeric_limits<Cost>::max()) break;
      if (cost + next + low_sum_ + least_[left - 1] >= limit_) break;
      for (const std::uint32_t c : firsts_[node]) {
        if (c < begin || c >= end || pay(node, c) != next) continue;
        colour_[node] = c;
        const std::size_t looked =
            charge(node, c, left - 1, limit_ - cost - next - least_[left - 1]);
        if (cost + next + low_sum_ + least_[left - 1] < limit_)
          assign(left - 1, cost + next, std::max<std::size_t>(used, c + 1));
        discharge(node, c, left - 1, looked);
        if (result_.nodes_ended || limit_ <= goal_) break;
      }
      if (result_.nodes_ended || limit_ <= goal_) break;
      before = next;
    }
    low_sum_ += own_low;
  }

  const ColourGraph& graph_;
  std::size_t count_;
  const Budget& budget_;
  Random random_;
  Cost forbidden_ = 1;
  bool plain_ = true;  ///< each node takes one colour
  std::vector<std::uint32_t> span_;
  std::vector<std::vector<std::uint32_t>> firsts_;  ///< per node: the colours at which it may begin
  std::vector<std::vector<std::size_t>> interchangeable_;  ///< per node: those coloured before it
  struct Near {
    std::uint32_t node;
    Cost cost;
  };
  std::vector<std::vector<Near>> near_;  ///< per node: its neighbours
  std::vector<Low> saved_;               ///< by nodes left: least costs before a charge
  std::int64_t nodes_end_ = 0;           ///< of this order, in this round
  bool meter_ended_ = false;
  std::size_t doll_size_ = 0;  ///< number of nodes in the current doll
  std::vector<Cost> pay_;      ///< by node and colour: cost caused by coloured neighbours
  std::vector<std::uint32_t> colour_;
  std::vector<std::uint32_t> best_;
  Cost best_cost_ = 0;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> place_of_;
  std::vector<Cost> least_;  ///< of the first nodes, by count
  std::vector<Low> low_;     ///< per node: its cheapest colour
  Cost low_sum_ = 0;         ///< over the uncoloured nodes
  std::vector<std::uint32_t> doll_;
  Cost limit_ = 0;  ///< upper limit: only cheaper colourings count
  Cost goal_ = 0;   ///< lower bound
  Result result_;
};

}  // namespace

Colouring least_colouring(const ColourGraph& graph, const Budget& budget, std::uint64_t seed) {
  return Colourer(graph, budget, seed).run();
}

}  // namespace tessera::search
