#include "search/placement/cost_moves.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "facts/conflicts.h"
#include "facts/features.h"
#include "model/derived.h"
#include "model/random.h"
#include "tessera/check.h"

namespace tessera::search {
namespace {

constexpr facts::FeatureSet move_features{facts::Feature::several_memories,
                                          facts::Feature::buffer_alignment,
                                          facts::Feature::fixed_offset,
                                          facts::Feature::window,
                                          facts::Feature::reserved,
                                          facts::Feature::several_lives,
                                          facts::Feature::gap,
                                          facts::Feature::may_overlap,
                                          facts::Feature::disjoint,
                                          facts::Feature::avoid_overlap};

/// Limit because of the conflict table and the time of an evaluation.
constexpr std::size_t most_movers = 2'048;
constexpr std::size_t most_paying_pairs = 400'000;
/// Limit on costs times `fine`, so that repeated sums cannot overflow.
constexpr Cost counterexample_cost = Cost{1} << 40;

/// Units per unit of cost: the weight of violated pairs changes in finer steps.
constexpr std::int64_t fine = 16;
/// The cost of a place that is not permitted.
constexpr std::int64_t out_of_reach = std::int64_t{1} << 56;
/// Moves between two updates of the weight of violated pairs.
constexpr int between_weights = 8;
/// Buffers evaluated for one move.
constexpr std::size_t evaluations_per_move = 3;
/// Moves per buffer without an improvement before it restarts from the best state.
constexpr std::int64_t stalled_moves = 100;
/// Evaluations between two checks of the budget.
constexpr std::int64_t evaluations_between_polls = 256;

struct Neighbour {
  std::uint32_t other = 0;
  std::int64_t cost = 0;  ///< scaled; 0: they must not overlap
};

struct Mover {
  MemoryIndex memory = 0;
  Size size = 0;
  Size alignment = 1;
  Offset lowest = 0;
  Offset highest = 0;
  std::vector<Neighbour> neighbours;
};

struct Spot {
  Offset offset = 0;
  std::int64_t pays = out_of_reach;
};

class BufferMoves {
 public:
  BufferMoves(const PlacementProblem& problem, const CostMovesParams& params)
      : problem_(problem), params_(params), random_(mix(params.seed, problem.buffers.size())) {}

  CostMoves run() {
    if (!build()) return std::move(result_);
    begin();
    descend();
    if (result_.placement) result_.placement->modes.resize(problem_.memories.size());
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool build() {
    if (problem_.buffers.empty() || problem_.buffers.size() > most_movers) return false;
    if (!move_features.contains(facts::features_of(problem_))) return false;
    for (const Buffer& buffer : problem_.buffers) {
      const std::vector<MemoryIndex> allowed = allowed_memories(problem_, buffer);
      if (allowed.size() != 1) return false;
      const Memory& memory = problem_.memories[allowed.front()];
      if (memory.capacity == unbounded) return false;
      Mover mover{.memory = allowed.front(),
                  .size = buffer.size,
                  .alignment = effective_alignment(buffer, memory),
                  .lowest = 0,
                  .highest = memory.capacity - buffer.size,
                  .neighbours = {}};
      if (buffer.window) {
        mover.lowest = std::max(mover.lowest, buffer.window->begin);
        mover.highest = std::min(mover.highest, buffer.window->end - buffer.size);
      }
      if (buffer.offset) {
        mover.lowest = std::max(mover.lowest, *buffer.offset);
        mover.highest = std::min(mover.highest, *buffer.offset);
      }
      mover.lowest = align_up(mover.lowest, mover.alignment);
      if (mover.highest < mover.lowest) return false;
      mover.highest -= mover.highest % mover.alignment;
      movers_.push_back(std::move(mover));
    }
    return connect();
  }

  [[nodiscard]] bool connect() {
    std::vector<std::pair<std::uint64_t, Cost>> pairs;
    for (const Relation& relation : problem_.relations) {
      if (relation.kind != RelationKind::avoid_overlap || relation.cost == 0) continue;
      for (std::size_t i = 0; i < relation.buffers.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          if (pairs.size() == most_paying_pairs) return false;
          const auto [low, high] = std::minmax(relation.buffers[i], relation.buffers[j]);
          pairs.emplace_back(low * movers_.size() + high, relation.cost);
          total_ += relation.cost;
          if (total_ > counterexample_cost) return false;
        }
    }
    std::sort(pairs.begin(), pairs.end());
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) connect_in(m, pairs);
    return true;
  }

  void connect_in(MemoryIndex memory, std::span<const std::pair<std::uint64_t, Cost>> pairs) {
    const facts::ConflictGraph conflicts(problem_, {memory}, most_movers);
    std::vector<std::uint32_t> node_of(movers_.size(), std::numeric_limits<std::uint32_t>::max());
    for (std::uint32_t i = 0; i < conflicts.size(); ++i) {
      const auto one = static_cast<std::uint32_t>(conflicts.buffer(i));
      node_of[one] = i;
      for (std::uint32_t j = 0; j < i; ++j)
        if (conflicts.conflict(i, j)) join(one, static_cast<std::uint32_t>(conflicts.buffer(j)), 0);
    }
    for (std::size_t k = 0; k < pairs.size();) {
      const std::uint64_t pair = pairs[k].first;
      Cost cost = 0;
      for (; k < pairs.size() && pairs[k].first == pair; ++k) cost += pairs[k].second;
      const auto one = static_cast<std::uint32_t>(pair / movers_.size());
      const auto two = static_cast<std::uint32_t>(pair % movers_.size());
      if (node_of[one] >= conflicts.size() || node_of[two] >= conflicts.size()) continue;
      if (!conflicts.conflict(node_of[one], node_of[two])) join(one, two, cost * fine);
    }
  }

  void join(std::uint32_t one, std::uint32_t two, std::int64_t cost) {
    movers_[one].neighbours.push_back({two, cost});
    movers_[two].neighbours.push_back({one, cost});
  }

  void begin() {
    const std::size_t n = movers_.size();
    offset_.assign(n, -1);
    soft_.assign(n, 0);
    wrong_.assign(n, 0);
    position_.assign(n, 0);
    free_at_.assign(n, 0);
    weight_ = 20 * fine;
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return movers_[a].size > movers_[b].size;
    });
    for (const std::uint32_t i : order) {
      if (params_.start != nullptr) {
        put(i, std::clamp(params_.start->places[i].offset, movers_[i].lowest, movers_[i].highest));
      } else {
        put(i, best_place(i).offset);
      }
    }
    keep_if_better();
  }

  [[nodiscard]] bool meet(std::uint32_t i, Offset at, std::uint32_t j) const {
    return at < offset_[j] + movers_[j].size && offset_[j] < at + movers_[i].size;
  }

  /// Adds or removes the contribution of the buffer at its place.
  void count(std::uint32_t i, std::int64_t sign) {
    for (const Neighbour& each : movers_[i].neighbours) {
      if (offset_[each.other] < 0 || !meet(i, offset_[i], each.other)) continue;
      if (each.cost == 0) {
        wrong_[i] += sign;
        wrong_[each.other] += sign;
        wrong_pairs_ += sign;
      } else {
        soft_[i] += sign * each.cost;
        soft_[each.other] += sign * each.cost;
        paid_ += sign * each.cost;
      }
      list(each.other);
    }
    list(i);
  }
  void put(std::uint32_t i, Offset at) {
    if (offset_[i] >= 0) count(i, -1);
    offset_[i] = at;
    count(i, 1);
  }

  /// The list contains exactly the buffers that pay.
  void list(std::uint32_t i) {
    const bool pays = soft_[i] + wrong_[i] > 0;
    if (pays == (position_[i] > 0)) return;
    if (pays) {
      paying_.push_back(i);
      position_[i] = static_cast<std::uint32_t>(paying_.size());
      return;
    }
    const std::uint32_t last = paying_.back();
    paying_[position_[i] - 1] = last;
    position_[last] = position_[i];
    paying_.pop_back();
    position_[i] = 0;
  }

  [[nodiscard]] std::int64_t pays(std::uint32_t i) const { return soft_[i] + weight_ * wrong_[i]; }

  void event(const Mover& mover, Offset begin, Offset end, std::int64_t cost) {
    // Among places from `begin` on and below `end`.
    const Offset from =
        std::max(mover.lowest, align_up(std::max<Offset>(begin, 0), mover.alignment));
    const Offset to = align_up(std::max<Offset>(end, 0), mover.alignment);
    if (from >= to || to <= mover.lowest || from > mover.highest) return;
    events_.emplace_back(from, cost);
    if (to <= mover.highest) events_.emplace_back(to, -cost);
  }

  /// The place of least cost, among all places that are not between the current neighbours.
  Spot best_place(std::uint32_t i) {
    ++result_.evaluations;
    const Mover& mover = movers_[i];
    events_.clear();
    for (const Neighbour& each : mover.neighbours) {
      const Offset other = offset_[each.other];
      if (other >= 0)
        event(mover, other - mover.size + 1, other + movers_[each.other].size,
              each.cost == 0 ? weight_ : each.cost);
    }
    for (const AddressRange& range : problem_.memories[mover.memory].reserved)
      event(mover, range.begin - mover.size + 1, range.end, out_of_reach);
    std::sort(events_.begin(), events_.end());
    events_.emplace_back(mover.highest + mover.alignment, 0);
    Spot best;
    std::uint64_t equals = 0;
    std::int64_t cost = 0;
    Offset from = mover.lowest;
    for (const auto& [at, change] : events_) {
      if (at > from) {
        const bool here = offset_[i] >= from && offset_[i] < at;
        if (!here && cost <= best.pays) {
          equals = cost < best.pays ? 1 : equals + 1;
          if (equals == 1 || random_.below(equals) == 0)
            best = {random_.below(2) == 0 ? from : at - mover.alignment, cost};
        }
        from = at;
      }
      cost += change;
    }
    return best;
  }

  void keep_if_better() {
    if (wrong_pairs_ != 0) return;
    const Cost cost = paid_ / fine;
    if (result_.placement && cost >= result_.cost) return;
    Placement placement;
    placement.modes.resize(problem_.memories.size());
    for (std::size_t i = 0; i < movers_.size(); ++i)
      placement.places.push_back({movers_[i].memory, offset_[i]});
    // Reserved bytes may be taken if there was no other place.
    if (!check(problem_, placement).empty()) return;
    result_.cost = cost;
    result_.placement = std::move(placement);
    improved_at_ = moves_;
    improved_evaluation_ = result_.evaluations;
  }

  [[nodiscard]] bool over() {
    if (result_.placement && result_.cost <= params_.enough) return true;
    if (paying_.empty()) return true;
    if (result_.evaluations - improved_evaluation_ >
        std::max(params_.patience, improved_evaluation_))
      return true;
    if (result_.evaluations >= params_.budget.max_nodes) {
      result_.stop = StopReason::node_limit;
      return true;
    }
    if (result_.evaluations < next_poll_) return false;
    next_poll_ = result_.evaluations + evaluations_between_polls;
    if (params_.budget.meter != nullptr) {
      params_.budget.meter->done.store(result_.evaluations);
      if (result_.evaluations >= params_.budget.meter->limit.load()) {
        result_.stop = StopReason::node_limit;
        return true;
      }
    }
    const auto stop = params_.budget.exhausted();
    if (stop) result_.stop = *stop;
    return stop.has_value();
  }

  void descend() {
    const auto stall = stalled_moves * static_cast<std::int64_t>(movers_.size());
    int right = 0;
    while (!over()) {
      move();
      ++moves_;
      keep_if_better();
      if (wrong_pairs_ == 0) ++right;
      if (moves_ % between_weights == 0) {
        if (right == 0) weight_ = std::min(weight_ + weight_ / 3 + 1, most_weight());
        if (right == between_weights) weight_ = std::max<std::int64_t>(weight_ - weight_ / 8, 2);
        right = 0;
      }
      if (moves_ - improved_at_ > stall) begin_again();
    }
    if (params_.budget.meter != nullptr) params_.budget.meter->done.store(result_.evaluations);
  }

  [[nodiscard]] std::int64_t most_weight() const { return (total_ + 1) * fine; }

  /// Restarts from the best state with some buffers at random places; sometimes from the current
  /// state, with many.
  void begin_again() {
    improved_at_ = moves_;
    const bool afar = ++beginnings_ % 4 == 0;
    if (result_.placement && !afar)
      for (std::uint32_t i = 0; i < movers_.size(); ++i)
        if (offset_[i] != result_.placement->places[i].offset)
          put(i, result_.placement->places[i].offset);
    const std::size_t some = 2 + random_.below(movers_.size() / (afar ? 1 : 8) + 1);
    for (std::size_t k = 0; k < some; ++k) {
      const auto i = static_cast<std::uint32_t>(random_.below(movers_.size()));
      const Mover& mover = movers_[i];
      const Size places = (mover.highest - mover.lowest) / mover.alignment + 1;
      put(i, mover.lowest + mover.alignment * static_cast<Size>(random_.below(
                                                  static_cast<std::uint64_t>(places))));
    }
  }

  void move() {
    std::uint32_t chosen = paying_[random_.below(paying_.size())];
    Spot best;
    std::int64_t gain = std::numeric_limits<std::int64_t>::min();
    for (std::size_t k = 0; k < evaluations_per_move; ++k) {
      const std::uint32_t i = paying_[random_.below(paying_.size())];
      if (free_at_[i] > moves_) continue;
      const Spot place = best_place(i);
      if (place.pays >= out_of_reach || pays(i) - place.pays <= gain) continue;
      gain = pays(i) - place.pays;
      best = place;
      chosen = i;
    }
    if (best.pays >= out_of_reach) {
      best = best_place(chosen);
      if (best.pays >= out_of_reach) return;
    }
    put(chosen, best.offset);
    free_at_[chosen] =
        moves_ + 2 + static_cast<std::int64_t>(random_.below(6 + paying_.size() / 8));
  }

  const PlacementProblem& problem_;
  const CostMovesParams& params_;
  Random random_;
  CostMoves result_;
  std::vector<Mover> movers_;
  Cost total_ = 0;

  std::vector<Offset> offset_;           // -1: not placed yet
  std::vector<std::int64_t> soft_;       // by buffer: cost of its pairs
  std::vector<std::int64_t> wrong_;      // by buffer: number of violated pairs
  std::int64_t paid_ = 0;                // over all pairs, each once
  std::int64_t wrong_pairs_ = 0;         // likewise
  std::int64_t weight_ = 0;              // of each violated pair
  std::vector<std::uint32_t> paying_;    // buffers, unordered
  std::vector<std::uint32_t> position_;  // by buffer: 1 + position in paying_; 0: not in it
  std::vector<std::int64_t> free_at_;    // by buffer: the first move at which it may move
  std::int64_t moves_ = 0;
  std::int64_t improved_at_ = 0;
  std::int64_t improved_evaluation_ = 0;
  std::int64_t beginnings_ = 0;
  std::int64_t next_poll_ = 0;
  std::vector<std::pair<Offset, std::int64_t>> events_;  // reused
};

}  // namespace

CostMoves cheapest_by_moves(const PlacementProblem& problem, const CostMovesParams& params) {
  return BufferMoves(problem, params).run();
}

}  // namespace tessera::search
