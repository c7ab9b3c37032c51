#include "search/offchip/weave.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "facts/feature_sets.h"
#include "model/derived.h"
#include "model/random.h"
#include "search/offchip/board.h"
#include "search/offchip/heuristic.h"
#include "search/placement/bounds.h"
#include "tessera/check.h"

namespace tessera::search {
namespace {

/// Limit on the buffers removed in one round, in addition to the highest one.
constexpr std::int64_t most_taken = 7;
/// Rounds without a lower height before the search continues from another order.
constexpr std::int64_t patience = 300;

/// A placement of one memory's buffers, and its height.
struct Pattern {
  std::vector<Offset> offsets;
  Size height = unbounded;
};

class WeaveSearch {
 public:
  WeaveSearch(Board& board, const PlacementProblem& problem, Size target, std::uint64_t seed,
              const Budget& budget)
      : board_(board), problem_(problem), target_(target), random_(seed), budget_(budget) {}

  /// First fit in several orders.
  void start() {
    std::vector<std::size_t> all(board_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto by = [&](const auto& key) {
      std::vector<std::size_t> order = all;
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t x, std::size_t y) { return key(x) > key(y); });
      keep_if_better(first_fit(std::move(order), best_.height));
    };
    const auto buffer = [this](std::size_t k) -> const Buffer& {
      return problem_.buffers[board_.buffer(k)];
    };
    by([&](std::size_t k) { return board_.bytes(k); });
    by([&](std::size_t k) { return buffer(k).live.back().upper - buffer(k).live.front().lower; });
    by([&](std::size_t k) { return board_.rival_count(k); });
    by([&](std::size_t k) { return -buffer(k).live.front().lower; });
    by([&](std::size_t k) { return buffer(k).live.back().upper; });
    by([&](std::size_t k) {
      return static_cast<double>(board_.bytes(k)) *
             static_cast<double>(buffer(k).live.back().upper - buffer(k).live.front().lower);
    });
  }

  void improve(std::int64_t rounds) {
    Pattern now = best_;
    std::int64_t since = 0;
    for (; rounds > 0 && !done(); --rounds) {
      ++rounds_;
      // No placement yet, or no progress: another order.
      if (now.height == unbounded || ++since > patience) {
        since = 0;
        now = first_fit(noisy_order(), unbounded);
        if (now.height == unbounded) now = best_;
        keep_if_better(now);
        continue;
      }
      show(now);
      if (!ruin_and_recreate(now.height)) continue;
      const Size height = board_.height();
      if (height > now.height) continue;
      now = seen(height);
      if (height < best_.height) since = 0;
      keep_if_better(now);
    }
  }

  [[nodiscard]] const Pattern& best() const { return best_; }
  [[nodiscard]] std::int64_t rounds() const { return rounds_; }
  [[nodiscard]] std::optional<StopReason> stopped() const { return stopped_; }

 private:
  bool done() {
    if (best_.height <= target_) return true;
    stopped_ = budget_.exhausted();
    return stopped_.has_value();
  }

  [[nodiscard]] Pattern seen(Size height) const {
    Pattern pattern{std::vector<Offset>(board_.size()), height};
    for (std::size_t k = 0; k < board_.size(); ++k) pattern.offsets[k] = board_.offset(k);
    return pattern;
  }
  void show(const Pattern& pattern) {
    for (std::size_t k = 0; k < board_.size(); ++k) board_.put(k, pattern.offsets[k]);
  }

  void keep_if_better(Pattern pattern) {
    if (pattern.height < best_.height) best_ = std::move(pattern);
  }

  /// Without a height if it does not stay below `below`.
  Pattern first_fit(std::vector<std::size_t> order, Size below) {
    if (done()) return {};
    std::stable_partition(order.begin(), order.end(),
                          [this](std::size_t k) { return board_.fixed(k); });
    board_.clear();
    for (const std::size_t k : order)
      if (!board_.place(k) || board_.end(k) >= below) return {};
    return seen(board_.height());
  }

  /// Sorted by the best offsets so far, or by size, with noise.
  std::vector<std::size_t> noisy_order() {
    std::vector<std::pair<double, std::size_t>> keys;
    const bool by_size = best_.height == unbounded || random_.chance(50);
    for (std::size_t k = 0; k < board_.size(); ++k) {
      const double key =
          by_size ? -static_cast<double>(board_.bytes(k)) : static_cast<double>(best_.offsets[k]);
      keys.emplace_back(key * (0.6 + 0.8 * random_.unit()), k);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::size_t> order;
    for (const auto& [key, k] : keys) order.push_back(k);
    return order;
  }

  /// False: the result is higher than before.
  bool ruin_and_recreate(Size height) {
    taken_.clear();
    for (std::size_t k = 0; k < board_.size(); ++k)
      if (board_.end(k) == height && !board_.fixed(k)) taken_.push_back(k);
    if (taken_.empty()) return false;
    const std::size_t top = taken_[random_.below(taken_.size())];
    taken_.assign(1, top);
    // Removes some of its rivals, and some of theirs.
    std::size_t from = top;
    for (std::int64_t k = random_.between(1, most_taken); k > 0; --k) {
      const std::vector<std::size_t> rivals = board_.rivals(from);
      if (rivals.empty()) break;
      const std::size_t other = rivals[random_.below(rivals.size())];
      if (board_.fixed(other)) continue;
      if (std::find(taken_.begin(), taken_.end(), other) == taken_.end()) taken_.push_back(other);
      if (random_.chance(50)) from = random_.chance(50) ? top : other;
    }
    for (const std::size_t k : taken_) board_.remove(k);
    if (random_.chance(50)) {
      std::sort(taken_.begin(), taken_.end(), [this](std::size_t x, std::size_t y) {
        return board_.bytes(x) != board_.bytes(y) ? board_.bytes(x) > board_.bytes(y) : x < y;
      });
      if (taken_.size() > 1 && random_.chance(50)) {
        const std::size_t k = random_.below(taken_.size() - 1);
        std::swap(taken_[k], taken_[k + 1]);
      }
    } else {
      for (std::size_t k = taken_.size(); k > 1; --k)
        std::swap(taken_[k - 1], taken_[random_.below(k)]);
    }
    for (const std::size_t k : taken_)
      if (!board_.place(k) || board_.end(k) > height) return false;
    return true;
  }

  Board& board_;
  const PlacementProblem& problem_;
  const Size target_;
  Random random_;
  const Budget& budget_;
  Pattern best_;
  std::vector<std::size_t> taken_;
  std::int64_t rounds_ = 0;
  std::optional<StopReason> stopped_;
};

}  // namespace

facts::FeatureSet weave_features() {
  return facts::together(heuristic_features, {facts::Feature::fixed_offset, facts::Feature::window,
                                              facts::Feature::reserved, facts::Feature::disjoint});
}

WeaveResult weave(const PlacementProblem& problem, const WeaveParams& params) {
  WeaveResult result;
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  std::int64_t rounds = 0;
  bool fits = true;
  try {
    Poll poll(params.budget);
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      Board board(problem, m, poll);
      const Size target = m < params.targets.size() ? params.targets[m] : 0;
      WeaveSearch search(board, problem, target, mix(params.seed, m), params.budget);
      search.start();
      search.improve(params.rounds);
      rounds += search.rounds();
      if (search.stopped()) result.stop = *search.stopped();
      if (search.best().height == unbounded && board.size() > 0) {
        fits = false;
        break;
      }
      result.heights.push_back(board.size() == 0 ? 0 : search.best().height);
      for (std::size_t k = 0; k < board.size(); ++k)
        placement.places[board.buffer(k)] = {m, search.best().offsets[k]};
    }
  } catch (const BudgetEnded& ended) {
    result.stop = ended.reason;
    fits = false;
  }
  result.stats.push_back({"rounds", rounds});
  if (fits) result.placement = std::move(placement);
  return result;
}

std::unique_ptr<engine::PlacementEngine> make_weave_engine() {
  return make_heuristic_engine(
      "weave", weave_features(),
      [](const PlacementProblem& problem, const engine::SearchParams& search) {
        WeaveParams own{.budget = search.budget, .seed = search.seed};
        own.rounds = std::min(own.rounds, search.budget.max_nodes);
        // A memory without a capacity has no height that suffices but a proved minimum.
        std::vector<Size> least;
        for (const Memory& memory : problem.memories) {
          if (memory.capacity == unbounded && least.empty())
            least = lower_bounds(problem, {.budget = search.budget}).heights;
          own.targets.push_back(memory.capacity == unbounded ? least[own.targets.size()]
                                                             : memory.capacity);
        }
        WeaveResult low = weave(problem, own);
        return HeuristicResult{std::move(low.placement), low.stop, std::move(low.stats)};
      });
}

}  // namespace tessera::search
