#include "search/offchip/weave.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "facts/feature_sets.h"
#include "model/derived.h"
#include "model/random.h"
#include "search/offchip/heuristic.h"
#include "search/offchip/loom.h"
#include "tessera/check.h"

namespace tessera::search {
namespace {

/// Buffers that are taken out in one round, beside the highest one.
constexpr std::int64_t most_taken = 7;
/// Rounds without a lower height after which the search goes on from another order.
constexpr std::int64_t patience = 300;

/// The offsets of one memory's buffers, and how good they are.
struct Pattern {
  std::vector<Offset> offsets;
  Size height = unbounded;
};

class Weaver {
 public:
  Weaver(Loom& loom, const PlacementProblem& problem, Size target, std::uint64_t seed,
         const Budget& budget)
      : loom_(loom), problem_(problem), target_(target), random_(seed), budget_(budget) {}

  /// Several orders of first fit.
  void start() {
    std::vector<std::size_t> all(loom_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto by = [&](const auto& key) {
      std::vector<std::size_t> order = all;
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t x, std::size_t y) { return key(x) > key(y); });
      keep_if_better(first_fit(std::move(order), best_.height));
    };
    const auto buffer = [this](std::size_t k) -> const Buffer& {
      return problem_.buffers[loom_.buffer(k)];
    };
    by([&](std::size_t k) { return loom_.bytes(k); });
    by([&](std::size_t k) { return buffer(k).live.back().upper - buffer(k).live.front().lower; });
    by([&](std::size_t k) { return loom_.rival_count(k); });
    by([&](std::size_t k) { return -buffer(k).live.front().lower; });
    by([&](std::size_t k) { return buffer(k).live.back().upper; });
    by([&](std::size_t k) {
      return static_cast<double>(loom_.bytes(k)) *
             static_cast<double>(buffer(k).live.back().upper - buffer(k).live.front().lower);
    });
  }

  void improve(std::int64_t rounds) {
    Pattern now = best_;
    std::int64_t since = 0;
    for (; rounds > 0 && !done(); --rounds) {
      ++rounds_;
      // Nothing fits yet, or this goes nowhere: another order.
      if (now.height == unbounded || ++since > patience) {
        since = 0;
        now = first_fit(noisy_order(), unbounded);
        if (now.height == unbounded) now = best_;
        keep_if_better(now);
        continue;
      }
      show(now);
      if (!ruin_and_recreate(now.height)) continue;
      const Size height = loom_.height();
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
    Pattern pattern{std::vector<Offset>(loom_.size()), height};
    for (std::size_t k = 0; k < loom_.size(); ++k) pattern.offsets[k] = loom_.offset(k);
    return pattern;
  }
  void show(const Pattern& pattern) {
    for (std::size_t k = 0; k < loom_.size(); ++k) loom_.put(k, pattern.offsets[k]);
  }

  void keep_if_better(Pattern pattern) {
    if (pattern.height < best_.height) best_ = std::move(pattern);
  }

  /// Of no height where it does not stay below `below`.
  Pattern first_fit(std::vector<std::size_t> order, Size below) {
    if (done()) return {};
    std::stable_partition(order.begin(), order.end(),
                          [this](std::size_t k) { return loom_.fixed(k); });
    loom_.clear();
    for (const std::size_t k : order)
      if (!loom_.place(k) || loom_.end(k) >= below) return {};
    return seen(loom_.height());
  }

  /// By the offsets of the best so far, or by size, with noise.
  std::vector<std::size_t> noisy_order() {
    std::vector<std::pair<double, std::size_t>> keys;
    const bool by_size = best_.height == unbounded || random_.chance(50);
    for (std::size_t k = 0; k < loom_.size(); ++k) {
      const double key =
          by_size ? -static_cast<double>(loom_.bytes(k)) : static_cast<double>(best_.offsets[k]);
      keys.emplace_back(key * (0.6 + 0.8 * random_.unit()), k);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::size_t> order;
    for (const auto& [key, k] : keys) order.push_back(k);
    return order;
  }

  /// False: it ended higher than before.
  bool ruin_and_recreate(Size height) {
    taken_.clear();
    for (std::size_t k = 0; k < loom_.size(); ++k)
      if (loom_.end(k) == height && !loom_.fixed(k)) taken_.push_back(k);
    if (taken_.empty()) return false;
    const std::size_t top = taken_[random_.below(taken_.size())];
    taken_.assign(1, top);
    // Some of those in its way, and of those in theirs.
    std::size_t from = top;
    for (std::int64_t k = random_.between(1, most_taken); k > 0; --k) {
      const std::vector<std::size_t> rivals = loom_.rivals(from);
      if (rivals.empty()) break;
      const std::size_t other = rivals[random_.below(rivals.size())];
      if (loom_.fixed(other)) continue;
      if (std::find(taken_.begin(), taken_.end(), other) == taken_.end()) taken_.push_back(other);
      if (random_.chance(50)) from = random_.chance(50) ? top : other;
    }
    for (const std::size_t k : taken_) loom_.take_out(k);
    if (random_.chance(50)) {
      std::sort(taken_.begin(), taken_.end(), [this](std::size_t x, std::size_t y) {
        return loom_.bytes(x) != loom_.bytes(y) ? loom_.bytes(x) > loom_.bytes(y) : x < y;
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
      if (!loom_.place(k) || loom_.end(k) > height) return false;
    return true;
  }

  Loom& loom_;
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
      Loom loom(problem, m, poll);
      const Size target = m < params.targets.size() ? params.targets[m] : 0;
      Weaver weaver(loom, problem, target, mix(params.seed, m), params.budget);
      weaver.start();
      weaver.improve(params.rounds);
      rounds += weaver.rounds();
      if (weaver.stopped()) result.stop = *weaver.stopped();
      if (weaver.best().height == unbounded && loom.size() > 0) {
        fits = false;
        break;
      }
      result.heights.push_back(loom.size() == 0 ? 0 : weaver.best().height);
      for (std::size_t k = 0; k < loom.size(); ++k)
        placement.places[loom.buffer(k)] = {m, weaver.best().offsets[k]};
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
        for (const Memory& memory : problem.memories) own.targets.push_back(memory.capacity);
        WeaveResult low = weave(problem, own);
        return HeuristicAnswer{std::move(low.placement), low.stop, std::move(low.stats)};
      });
}

}  // namespace tessera::search
