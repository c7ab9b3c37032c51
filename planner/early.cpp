#include "planner/early.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cost/tiled_group.h"
#include "model/off_chip.h"
#include "model/stored.h"
#include "planner/kept_places.h"
#include "planner/later_look.h"
#include "planner/piece.h"

namespace tessera::planner {
namespace {

/// Limit on groups placed together for one weight: the time grows with their number.
constexpr std::size_t most_together = 32;
/// Number of bisection steps between the lower bound of the peak and the peak found.
constexpr int most_halvings = 5;
/// Maximum distance of a prefetch: the weight occupies memory in all groups between.
constexpr std::size_t most_ahead = 8;

class PrefetchedWeights : LaterLook {
 public:
  PrefetchedWeights(const Network& network, const Hardware& hardware, const PlanParams& params,
                    const NetworkPlan& plan)
      : LaterLook(network, hardware, params, plan),
        shared_(shared_weights(network)),
        allows_resident_(std::ranges::find(hardware.tiling.weights, WeightPolicy::resident) !=
                         hardware.tiling.weights.end()) {}

  bool improve(NetworkPlan& plan, Helpers helpers) {
    // An improvement such as a higher peak may only pay off if several cut points use it.
    std::vector<Runs> starts(shared_.empty() ? 2 : 3, plan.subgraphs);
    each_of_few(helpers, starts.size(), [&](std::size_t start) {
      Runs& runs = starts[start];
      if (start > 0 && !all_at_once(runs, start == 1)) {
        runs = plan.subgraphs;
        return;
      }
      for (std::size_t k = 1; k < runs.size() && !budget_.exhausted(); ++k)
        for (const auto& [weight, j] : shared_weights_of(runs, k))
          if (!budget_.exhausted()) take(runs, j, k, {weight});
      for (std::size_t k = 1; k < runs.size() && !budget_.exhausted(); ++k) look(runs, k);
      for (std::size_t k = 2; k < runs.size() && !budget_.exhausted(); ++k) look_back(runs, k);
    });
    Runs* best = nullptr;
    double least = score_of(plan.subgraphs) * less;
    for (Runs& runs : starts) {
      const double score = score_of(runs);
      if (score >= least) continue;
      least = score;
      best = &runs;
    }
    if (best == nullptr) return false;
    NetworkPlan next = plan;
    next.subgraphs = std::move(*best);
    return take_if_better(plan, std::move(next));
  }

 private:
  using Runs = std::vector<PlannedSubgraph>;

  /// A copy of some groups to restore after a failed attempt; networks may have hundreds.
  class Before {
   public:
    Before(const Runs& runs, std::size_t first, std::size_t last)
        : first_(static_cast<std::ptrdiff_t>(first)),
          runs_(runs.begin() + first_, runs.begin() + static_cast<std::ptrdiff_t>(last) + 1) {}
    void put_back(Runs& runs) { std::ranges::move(runs_, runs.begin() + first_); }

   private:
    std::ptrdiff_t first_;
    Runs runs_;
  };

  /// Prefetches all weights that would help with unlimited memory: those read by several groups,
  /// and with `ahead` the others, too. False if only one cut point has any or they do not fit;
  /// `all` is then invalid.
  [[nodiscard]] bool all_at_once(Runs& all, bool ahead) const {
    int cuts = 0;
    const auto helps = [&](std::size_t j, std::size_t k, const std::vector<std::string>& weights) {
      const double before = score_of(all) * less;
      Before old(all, j, k);
      load(all, j, k, weights);
      if (score_of(all) >= before)
        old.put_back(all);
      else
        ++cuts;
    };
    for (std::size_t k = 1; k < all.size() && !budget_.exhausted(); ++k)
      for (const auto& [weight, j] : shared_weights_of(all, k)) helps(j, k, {weight});
    for (std::size_t k = 1; ahead && k < all.size() && !budget_.exhausted(); ++k)
      if (const std::vector<std::string> weights = may_load(all[k - 1], late_weights(all[k]));
          !weights.empty())
        helps(k - 1, k, weights);
    const Size before = peak_of(all);
    if (cuts < 2 || !settle(all, 0, all.size() - 1)) return false;
    if (cost::peak_weight(score_) > 0) lower(all, before);
    return true;
  }

  /// A buffer that is live in every group raises every peak, depending on its address: lower the
  /// common peak by bisection.
  void lower(Runs& all, Size least) const {
    Size highest = peak_of(all);
    for (int round = 0; round < most_halvings && least < highest && !budget_.exhausted(); ++round) {
      const Size half = least + (highest - least) / 2;
      Runs lower = all;
      if (settle_below(lower, half)) {
        all = std::move(lower);
        highest = peak_of(all);
      } else {
        least = half + 1;
      }
    }
  }

  /// Weights of group `k` that the nearest earlier reader may leave in memory, and that group.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> shared_weights_of(
      const Runs& runs, std::size_t k) const {
    std::vector<std::pair<std::string, std::size_t>> found;
    if (shared_.empty()) return found;
    for (const std::string& weight : late_weights(runs[k])) {
      if (!shared_.contains(weight)) continue;
      std::size_t j = k;
      while (j > 0 && k - j < most_ahead && !may_load(runs[j - 1], {weight}).empty()) --j;
      if (j > 0 && k - j < most_ahead && may_leave(runs[j - 1], weight))
        found.emplace_back(weight, j - 1);
    }
    return found;
  }

  /// Prefetches all weights of group `k` at once, or one by one in the order of its ops.
  void look(Runs& runs, std::size_t k) const {
    const std::vector<std::string> weights = may_load(runs[k - 1], late_weights(runs[k]));
    if (weights.empty() || take(runs, k - 1, k, weights) || weights.size() == 1) return;
    for (const std::string& weight : weights)
      if (!budget_.exhausted()) take(runs, k - 1, k, {weight});
  }

  /// Prefetches weights of group `k` one by one in earlier groups, if the group before has no time
  /// or space. These are late weights and those that block others there.
  void look_back(Runs& runs, std::size_t k) const {
    std::vector<std::string> weights = may_load(runs[k - 1], late_weights(runs[k]));
    for (const std::string& weight : runs[k - 1].ahead)
      if (std::ranges::find(runs[k].early, weight) != runs[k].early.end() &&
          !reads(runs[k - 1], weight))
        weights.push_back(weight);
    for (const std::string& weight : weights) {
      if (!gains_without_load(runs, k, weight)) continue;
      for (std::size_t j = k - 1; j-- > 0 && k - j <= most_ahead;)
        if (budget_.exhausted() || may_load(runs[j], {weight}).empty() ||
            take(runs, j, k, {weight}))
          break;
    }
  }
  /// True if the score falls when the weight is present without any load, which bounds the gain of
  /// every load.
  [[nodiscard]] bool gains_without_load(Runs& runs, std::size_t k,
                                        const std::string& weight) const {
    const double before = score_of(runs) * less;
    Before old(runs, k - 1, k);
    std::erase(runs[k - 1].ahead, weight);
    std::erase(runs[k].early, weight);
    keep_weights(runs[k]);
    runs[k].early.push_back(weight);
    for (PlannedSubgraph* run : {&runs[k - 1], &runs[k]}) {
      const std::shared_ptr<const Piece> piece = piece_with_places(*run);
      cost_as_placed(*piece, *run);
    }
    const bool gains = score_of(runs) < before;
    old.put_back(runs);
    return gains;
  }

  [[nodiscard]] bool reads(const PlannedSubgraph& run, const std::string& weight) const {
    for (OpIndex op = run.ops.first; op <= run.ops.last; ++op)
      for (const TensorIndex t : operands(network_.ops[op]))
        if (network_.tensors[storage_of(network_, t)].name == weight) return true;
    return false;
  }

  /// Those of the weights that the group does not access.
  [[nodiscard]] std::vector<std::string> may_load(const PlannedSubgraph& run,
                                                  std::vector<std::string> weights) const {
    if (weights.empty() || run.variant.reduction > 1) return {};
    const tiling::Subgraph part = planned_part(network_, hardware_, run, readers_);
    for (std::size_t t = 0; t < part.tensors.size(); ++t) std::erase(weights, part.tensor(t).name);
    return weights;
  }

  /// True if the group reads this weight and keeps it at one address through all of its tiles.
  [[nodiscard]] bool may_leave(const PlannedSubgraph& run, const std::string& weight) const {
    const std::vector<std::string> names = stationary_weights(run, true);
    return std::ranges::find(names, weight) != names.end();
  }

  /// Weights that may be prefetched and are not, in the order of their first use.
  [[nodiscard]] std::vector<std::string> late_weights(const PlannedSubgraph& run) const {
    return stationary_weights(run, false);
  }
  /// Weights that remain through all tiles: with `early` all, else those not prefetched yet.
  [[nodiscard]] std::vector<std::string> stationary_weights(const PlannedSubgraph& run,
                                                            bool early) const {
    if (run.variant.reduction > 1) return {};
    PlannedSubgraph staying = run;
    if (!keep_weights(staying)) return {};
    const std::shared_ptr<const Piece> known = pieces_.of(staying);
    const Piece& piece = *known;
    std::vector<std::pair<Step, std::string>> found;
    for (std::size_t t = 0; t < piece.part.tensors.size(); ++t) {
      const tiling::LocalTensor& local = piece.part.tensors[t];
      const auto copied = [&](const tiling::LaterShare& share) { return share.tensor == t; };
      if (!local.weight || (local.early && !early) || local.pinned || local.consumers.empty() ||
          std::ranges::any_of(piece.lowering.later, copied))
        continue;
      found.emplace_back(local.consumers.front(), piece.part.tensor(t).name);
    }
    std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
    std::vector<std::string> names;
    for (auto& [step, name] : found) names.push_back(std::move(name));
    return names;
  }

  /// Makes the weights of the group resident. False if it refetches them; a single tile does not,
  /// whatever its variant. Addresses are assigned later.
  bool keep_weights(PlannedSubgraph& run) const {
    if (run.variant.weights == WeightPolicy::resident) return true;
    if (run.tile_count() != 1 || run.variant.trailing > 0 || !allows_resident_ ||
        has(run.variant.one_copy, OneCopy::weights) ||
        run.variant.stationary == Stationary::weights)
      return false;
    const std::shared_ptr<const Piece> before = pieces_.of(run);
    run.variant.weights = WeightPolicy::resident;
    const std::shared_ptr<const Piece> now = pieces_.of(run);
    std::vector<BufferPlace>& places = run.placements.front().placement.places;
    const std::vector<BufferPlace> old = std::exchange(places, {});
    for (const tiling::LoweredBuffer& buffer : now->lowering.buffers) {
      const auto same = std::ranges::find_if(before->lowering.buffers, [&](const auto& other) {
        return other.tensor == buffer.tensor && other.role == buffer.role &&
               other.share == buffer.share;
      });
      places.push_back(
          same == before->lowering.buffers.end()
              ? BufferPlace{}
              : old[static_cast<std::size_t>(same - before->lowering.buffers.begin())]);
    }
    return true;
  }

  /// Loads weights of group `k` in group `j`, replacing earlier choices. Costs assume that the
  /// weights fit next to the existing placement, whose addresses do not affect time. The peaks are
  /// thus lower bounds.
  void load(Runs& runs, std::size_t j, std::size_t k,
            const std::vector<std::string>& weights) const {
    keep_weights(runs[k]);
    const bool leaves = std::ranges::any_of(
        weights, [&](const std::string& weight) { return reads(runs[j], weight); });
    if (leaves) keep_weights(runs[j]);
    for (const std::string& weight : weights) {
      std::erase(runs[k - 1].ahead, weight);
      std::erase(runs[k].early, weight);
      runs[k].early.push_back(weight);
      runs[j].ahead.push_back(weight);
      for (std::size_t between = j + 1; between < k; ++between)
        runs[between].passing.push_back(weight);
    }
    for (std::size_t changed = j; changed <= k; ++changed) {
      const std::shared_ptr<const Piece> piece = piece_with_places(runs[changed]);
      // Weights that only pass through cost no time.
      if (changed == j || changed + 1 >= k) cost_as_placed(*piece, runs[changed]);
    }
  }

  /// Prefetches the weights of `k` in group `j` if that is better and everything can be placed.
  bool take(Runs& runs, std::size_t j, std::size_t k,
            const std::vector<std::string>& weights) const {
    const double before = score_of(runs) * less;
    Before changed(runs, j, k);
    load(runs, j, k, weights);
    const auto [first, end] = placed_with(runs, k);
    if (score_of(runs) < before && end - first <= most_together) {
      Before tied(runs, first, end - 1);
      if (settle(runs, j, k) && score_of(runs) < before) return true;
      tied.put_back(runs);
    }
    changed.put_back(runs);
    return false;
  }

  /// The range of groups placed together with group `k`.
  [[nodiscard]] std::pair<std::size_t, std::size_t> placed_with(const Runs& runs,
                                                                std::size_t k) const {
    for (const auto& [first, end] : tied_runs(hardware_, runs))
      if (first <= k && k < end) return {first, end};
    return {k, k + 1};
  }

  /// Adapts the placement of a group whose prefetched weights changed: one place per buffer,
  /// arbitrary for new buffers.
  [[nodiscard]] std::shared_ptr<const Piece> piece_with_places(PlannedSubgraph& run) const {
    const std::shared_ptr<const Piece> known = pieces_.of(run);
    const Piece& piece = *known;
    std::vector<BufferPlace>& places = run.placements.front().placement.places;
    // After the group's own tensors, before tensors that wait for other groups.
    const auto end = places.end() - static_cast<std::ptrdiff_t>(piece.part.passing.size());
    const std::size_t needed = piece.lowering.buffers.size();
    if (needed >= places.size())
      places.insert(end, needed - places.size(), BufferPlace{});
    else
      places.erase(end - static_cast<std::ptrdiff_t>(places.size() - needed), end);
    return known;
  }

  std::set<std::string> shared_;  ///< weights read by several ops
  bool allows_resident_;          ///< the profile allows weights resident through all tiles
};

}  // namespace

std::set<std::string> shared_weights(const Network& network) {
  std::set<std::string> shared;
  const std::vector<OpIndex> first = tiling::first_readers(network);
  const std::vector<std::optional<OpIndex>> last = tiling::last_readers(network);
  for (TensorIndex t = 0; t < network.tensors.size(); ++t)
    if (network.tensors[t].kind == TensorKind::weight && last[t] && first[t] < *last[t])
      shared.insert(network.tensors[t].name);
  return shared;
}

Size saved_by_shared_weights(const Network& network) {
  const std::set<std::string> shared = shared_weights(network);
  Size read = 0;
  Size once = 0;
  for (TensorIndex t = 0; t < network.tensors.size(); ++t) {
    if (!shared.contains(network.tensors[t].name)) continue;
    const Size bytes = stored_bytes(network.tensors[t], 1);
    once += bytes;
    for (const Op& op : network.ops) read += std::ranges::count(op.inputs, t) * bytes;
  }
  return read - once;
}

bool may_come_early(const Network& network, const Hardware& hardware) {
  return hardware.tiling.early == Early::weights && network.ops.size() > 1 &&
         off_chip::backing(hardware) == nullptr;
}

bool take_early(const Network& network, const Hardware& hardware, const PlanParams& params,
                Helpers helpers, NetworkPlan& plan) {
  return PrefetchedWeights(network, hardware, params, plan).improve(plan, helpers);
}

}  // namespace tessera::planner
