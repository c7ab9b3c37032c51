#include "search/schedule/least_cost.h"

#include <algorithm>
#include <utility>

#include "search/schedule/layers.h"
#include "search/schedule/neighbours.h"
#include "search/schedule/pool.h"
#include "search/schedule/potential.h"

namespace tessera::search {
namespace {

/// Work units of a state that is expanded, per group of the pool.
constexpr std::int64_t groups_per_unit = 16;
/// Work units of a way to run a group.
constexpr std::int64_t units_per_choice = 4;
/// Of the pool of the first pass; each pass has four times as much.
constexpr std::int64_t first_pool_work = 400'000;
/// Stands for the price of a group that cannot run.
constexpr double no_price = 1e18;
/// The values of a group's ops hold others down if they reach its bound but for this share.
constexpr double held = 1e-6;

class Passes {
 public:
  Passes(const GroupGraph& graph, GroupCosts& costs, const LeastCostParams& params)
      : graph_(graph), costs_(costs), params_(params), first_work_(costs.work()) {
    shares_.resize(graph.ops());
    double sum = 0;
    for (OpId op = 0; op < graph.ops(); ++op) {
      shares_[op] = costs.share(op);
      sum += shares_[op];
    }
    result_.bound = std::max(params.bound, sum);
  }

  LeastCost run() {
    for (std::size_t pass = 0; !done(); ++pass) {
      costs_.stop_when([this, pass] { return ends(pass); });
      one_pass(pass);
    }
    costs_.stop_when({});
    if (proved()) result_.bound = result_.cost;
    result_.work = work();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int64_t work() const { return costs_.work() - first_work_ + search_work_; }
  [[nodiscard]] bool over() const { return work() >= params_.work || stopped(); }
  [[nodiscard]] bool stopped() const { return params_.stop && params_.stop(); }
  [[nodiscard]] bool proved() const {
    return result_.steps && result_.bound >= result_.cost * (1 - 2 * tolerance);
  }
  [[nodiscard]] bool done() const {
    return result_.exhausted || proved() || (result_.passes > 1 && over()) || stopped();
  }

  [[nodiscard]] std::int64_t choices_left() const {
    return std::max(first_pool_work, params_.work - work()) / units_per_choice;
  }

  /// The first two passes have few states and end without regard to the work limit.
  [[nodiscard]] bool ends(std::size_t pass) const { return pass < 2 ? stopped() : over(); }

  /// The first pass takes single ops alone and gives some schedule soon.
  void one_pass(std::size_t pass) {
    ++result_.passes;
    if (!pool_.complete) grow_pool(pass);
    LayerParams layer{.width = std::size_t{8} << std::min<std::size_t>(2 * pass, 40),
                      .below = result_.cost,
                      .keep = pass > 0};
    if (pass > 0) layer.most = choices_left();
    layer.stop = [this, pass] { return ends(pass); };
    take(search(layer));
    if (!pool_.complete || done()) return;
    tighten();
    if (done()) return;
    costs_.refine();
    exact_ = true;
    costs_.stop_when([this] { return over(); });
    layer.stop = [this] { return over(); };
    layer.all_choices = true;
    layer.most = choices_left();
    layer.below = result_.cost;
    const LayerResult all = search(layer);
    take(all);
    if (all.cut || over()) return;  // the last prices may be too high
    result_.exhausted = true;
    if (result_.steps) result_.bound = result_.cost;
  }

  LayerResult search(const LayerParams& layer) {
    LayerResult found = search_layers(graph_, costs_, pool_, values_, layer);
    search_work_ +=
        found.expanded * static_cast<std::int64_t>(pool_.groups.size()) / groups_per_unit +
        found.tried * units_per_choice;
    result_.states += found.expanded;
    return found;
  }

  void take(LayerResult found) {
    if (!found.steps || found.cost >= result_.cost) return;
    result_.cost = found.cost;
    result_.steps = std::move(found.steps);
    if (exact_ || proved()) return;
    Neighbours better = bring_together(graph_, costs_, *result_.steps, params_.stop);
    if (better.saved <= 0 || stopped()) return;
    result_.cost -= better.saved;
    result_.steps = std::move(better.steps);
  }

  void grow_pool(std::size_t pass) {
    // Independent of the work limit, so that more work continues the same passes.
    PoolLimits limits{.work = first_pool_work << std::min<std::size_t>(2 * pass, 20)};
    limits.stop = [this, pass] { return ends(pass); };
    if (pass == 0)
      limits.largest = 1;
    else
      limits.per_op = std::size_t{4} << std::min<std::size_t>(pass - 1, 20);
    pool_ = make_pool(graph_, costs_, limits);
    result_.groups = static_cast<std::int64_t>(pool_.groups.size());
    std::vector<BoundedGroup> prices;
    for (const Group& group : pool_.groups)
      prices.push_back({group.members, std::min(group.price, no_price)});
    values_.estimate = op_values(graph_.ops(), prices, params_.stop);
    values_.bound = shares_;
    if (!pool_.complete) return;
    tight_.assign(pool_.groups.size(), false);
    margin_.assign(pool_.groups.size(), held);
    bound_values();
  }

  void bound_values() {
    std::vector<BoundedGroup> bounds;
    for (const Group& group : pool_.groups) bounds.push_back({group.members, group.bound});
    values_.bound = op_values(graph_.ops(), bounds, params_.stop);
    double sum = 0;
    for (const double value : values_.bound) sum += value;
    result_.bound = std::max(result_.bound, sum * (1 - tolerance));
  }

  /// Raises the bounds of the groups that hold the values of their ops down, until the values prove
  /// the schedule or are held down by the costs of groups.
  void tighten() {
    costs_.stop_when([this] { return over(); });
    for (bool more = true; more && !done();) {
      more = false;
      for (std::size_t k = 0; k < pool_.groups.size(); ++k) {
        Group& group = pool_.groups[k];
        if (tight_[k]) continue;
        double sum = 0, estimate = 0;
        for (const OpId op : group.members) {
          sum += values_.bound[op];
          estimate += values_.estimate[op];
        }
        if (sum < group.bound * (1 - held)) continue;
        // A little more than the values may become, and the more, the more often they grew.
        margin_[k] *= 4;
        const double enough = std::max(sum, estimate) * (1 + margin_[k]);
        const double least = costs_.least(group.members, enough);
        if (over()) return;
        tight_[k] = least < enough;
        if (least <= group.bound) continue;
        group.bound = least;
        more = true;
      }
      if (more) bound_values();
    }
  }

  const GroupGraph& graph_;
  GroupCosts& costs_;
  const LeastCostParams& params_;
  std::int64_t first_work_;
  std::int64_t search_work_ = 0;
  std::vector<double> shares_;
  GroupPool pool_;
  std::vector<bool> tight_;     ///< per group of a complete pool: its bound is its least cost
  std::vector<double> margin_;  ///< per group
  OpValues values_;
  bool exact_ = false;  ///< all choices are searched, with exact prices
  LeastCost result_;
};

}  // namespace

LeastCost least_cost(const GroupGraph& graph, GroupCosts& costs, const LeastCostParams& params) {
  return Passes(graph, costs, params).run();
}

}  // namespace tessera::search
