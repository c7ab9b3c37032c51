#include "search/tiles/tile_search.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "search/tiles/decider.h"
#include "search/tiles/fitting_shapes.h"
#include "search/tiles/shape_order.h"

namespace tessera::search {
namespace {

/// Limit on the undecided shapes that are listed after the search stopped.
constexpr std::size_t most_given_up = 32;

constexpr auto channels = static_cast<std::size_t>(tiling::TileAxis::channels);
constexpr auto height = static_cast<std::size_t>(tiling::TileAxis::height);
constexpr auto width = static_cast<std::size_t>(tiling::TileAxis::width);

class TileSearch {
 public:
  TileSearch(tiling::TileGeometry& geometry, const Hardware& hardware,
             const TileSearchParams& params)
      : part_(geometry.subgraph()),
        params_(params),
        geometry_(geometry),
        lowering_(tiling::lower(part_, geometry.space(), hardware, params.options)),
        decider_(lowering_, params, result_.counters),
        shapes_(geometry, lowering_, decider_, result_.counters, budget_,
                {params.fewest_tiles, params.most_tiles}, params.find_most_tiles, params.together,
                [this](const tiling::TileShape& shape, std::int64_t tiles, DecidedBy by) {
                  const SizeVerdict no{Status::infeasible, by, nullptr};
                  decider_.count(no);
                  record(shape, tiles, no, 0);
                }) {}

  TileSearchResult run() {
    Poll poll(params_.budget);
    const tiling::WatchedGeometry watched(geometry_, poll);
    try {
      return search();
    } catch (const BudgetEnded& ended) {
      result_.stop = ended.reason;
      return finish(found_ ? Status::feasible : Status::unknown);
    }
  }

 private:
  TileSearchResult search() {
    if (params_.only) return ask_one(*params_.only);
    if (params_.bounds && nothing_fits()) return finish(Status::infeasible);
    find_first();
    if (found_ && params_.all) list_all();
    if (found_) return finish(Status::feasible);
    const std::optional<StopReason> stopped = budget_.exhausted();
    result_.cut = shapes_.cut();
    if (!stopped && result_.undecided.empty() && !result_.cut) return finish(Status::infeasible);
    result_.stop = stopped.value_or(StopReason::node_limit);
    return finish(Status::unknown);
  }

  /// A shape that passed the load test, waiting for its verdict.
  struct Waiting {
    FittingShape shape;
    std::size_t refutations = 0;  ///< number of refutations of the decider it was tested against
    std::size_t undecided = 0;    ///< number of undecided_sizes_ it was tested against
    bool gone = false;            ///< refuted or undecided
    bool refuted = false;         ///< refuted for certain
  };

  TileSearchResult finish(Status status) {
    std::ranges::sort(result_.maximal);
    result_.status = status;
    result_.lowering = std::move(lowering_);
    return std::move(result_);
  }

  /// The shape with all its tiles.
  [[nodiscard]] FittingShape whole(const tiling::TileShape& shape) const {
    const tiling::TileGrid grid = geometry_.grid(shape);
    return {shape, grid.count(), tiling::demands(part_, geometry_.space(), lowering_, grid.tiles)};
  }

  TileSearchResult ask_one(const tiling::TileShape& shape) {
    for (const tiling::TileShape& before : params_.before_only) {
      ++result_.counters.shapes;
      static_cast<void>(probe(whole(before)));
    }
    const FittingShape one = whole(shape);
    ++result_.counters.shapes;
    const Status verdict = probe(one);
    if (verdict == Status::feasible) keep(one);
    if (found_) return finish(Status::feasible);
    for (const std::vector<Size>& sizes : one.demands)
      result_.lacking = std::max(result_.lacking, decider_.over_capacity(sizes));
    if (verdict == Status::infeasible) return finish(Status::infeasible);
    result_.undecided.assign(1, shape);
    result_.stop = budget_.exhausted().value_or(StopReason::node_limit);
    return finish(Status::unknown);
  }

  /// Is even the smallest first tile over the capacity?
  bool nothing_fits() {
    const std::vector<Size> sizes = shapes_.least_sizes();
    result_.lacking = std::max<Size>(0, decider_.over_capacity(sizes));
    if (result_.lacking == 0) return false;
    const tiling::TileShape least = shapes_.least_shape();
    std::int64_t tiles = 1;
    for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
      tiles *= geometry_.space().whole.extent[axis] / least.extent[axis];
    record(least, tiles, {Status::infeasible, DecidedBy::bound, nullptr}, 0);
    return true;
  }

  /// Finds the first shape that fits. The search processes windows of doubling length, each from
  /// its end. A refuted shape refutes all larger ones, which usually come before it. Once a shape
  /// fits, only those before it matter, and the search bisects.
  void find_first() {
    bool least_asked = false;
    for (std::size_t length = 1; !found_ && !budget_.exhausted();
         length = std::min<std::size_t>(2 * length, 256)) {
      std::vector<Waiting> window;
      while (window.size() < length) {
        std::optional<FittingShape> next = shapes_.next();
        if (!next) break;
        window.push_back({.shape = std::move(*next), .refutations = decider_.refutations()});
      }
      if (window.empty()) return;
      if (length >= 4 && !std::exchange(least_asked, true)) {
        const Status least = least_verdict();
        if (least == Status::infeasible) return nothing_left();
        if (least == Status::unknown) return give_up(window);
      }
      resolve(window);
    }
  }

  /// Decides the smallest first tile. If it does not fit, no shape does. If it is undecided, every
  /// other shape is at least as hard.
  Status least_verdict() {
    const std::vector<Size> sizes = shapes_.least_sizes();
    return decider_.decide(sizes).verdict;
  }
  void nothing_left() {
    result_.undecided.clear();
    shapes_.end();
  }
  void give_up(const std::vector<Waiting>& window) {
    for (const Waiting& waiting : window) result_.undecided.push_back(waiting.shape.shape);
    while (const std::optional<FittingShape> next = shapes_.next()) {
      result_.given_up = result_.undecided.size() >= most_given_up;
      if (result_.given_up) return;
      result_.undecided.push_back(next->shape);
    }
  }

  void resolve(std::vector<Waiting>& window) {
    std::size_t end = window.size();  // the first that fits, if any
    std::vector<tiling::TileShape> undecided;
    while (!budget_.exhausted()) {
      std::vector<std::size_t> open;
      for (std::size_t k = 0; k < end; ++k) {
        if (!gone(window[k])) open.push_back(k);
      }
      if (open.empty()) break;
      const std::size_t at =
          least_within(window, open, end == window.size() ? open.size() - 1 : open.size() / 2);
      const Status verdict = probe(window[at].shape);
      if (verdict == Status::feasible)
        end = at;
      else
        window[at].gone = true;
      window[at].refuted = verdict == Status::infeasible;
      if (verdict != Status::feasible) ask_plane(window[at].shape.shape);
    }
    // An undecided shape only counts if it comes before the result.
    for (std::size_t k = 0; k < end; ++k)
      if (!refuted(window[k])) result_.undecided.push_back(window[k].shape.shape);
    if (end < window.size()) keep(window[end].shape);
  }

  /// Among the unresolved shapes up to `from`, one that contains no other and is inside shape
  /// `from`. It fits if any of those that contain it fits; otherwise it refutes them all.
  static std::size_t least_within(const std::vector<Waiting>& window,
                                  const std::vector<std::size_t>& open, std::size_t from) {
    std::size_t at = open[from];
    for (std::size_t k = from; k-- > 0;)
      if (inside(window[open[k]].shape.shape, window[at].shape.shape)) at = open[k];
    return at;
  }

  /// If a shape does not fit, the part common to all shapes with its extents along H and W may not
  /// fit either. One query then replaces one per cut along C.
  void ask_plane(const tiling::TileShape& shape) {
    tiling::TileShape plane = shape;
    plane.extent[channels] = 1;
    if (!params_.dominance || plane == shape || !planes_asked_.insert(plane).second) return;
    const std::optional<std::vector<Size>> sizes = shapes_.plane_sizes(plane);
    if (sizes && decider_.decide(*sizes).verdict == Status::unknown)
      undecided_sizes_.push_back(*sizes);
  }

  /// Is it refuted by something learned since it was listed?
  [[nodiscard]] bool refuted(Waiting& waiting) const {
    waiting.refuted =
        waiting.refuted ||
        std::ranges::any_of(waiting.shape.demands, [&](const std::vector<Size>& sizes) {
          return decider_.refuted_since(waiting.refutations, sizes);
        });
    waiting.refutations = decider_.refutations();
    return waiting.refuted;
  }
  /// Is it at least as large as undecided sizes, from number `first` on?
  [[nodiscard]] bool undecided(const FittingShape& shape, std::size_t first) const {
    return params_.dominance &&
           std::ranges::any_of(shape.demands, [&](const std::vector<Size>& sizes) {
             return std::any_of(undecided_sizes_.begin() + static_cast<std::ptrdiff_t>(first),
                                undecided_sizes_.end(), [&](const std::vector<Size>& open) {
                                  return tiling::covers(sizes, open);
                                });
           });
  }
  [[nodiscard]] bool gone(Waiting& waiting) const {
    waiting.gone = waiting.gone || refuted(waiting) || undecided(waiting.shape, waiting.undecided);
    waiting.undecided = undecided_sizes_.size();
    return waiting.gone;
  }

  /// Every feasible shape that no other feasible shape contains. From the largest extents along W
  /// and H downwards, a shape comes before all shapes it contains.
  void list_all() {
    const tiling::TileShape whole = geometry_.space().whole;
    const tiling::TileShape least = shapes_.least_shape();
    tiling::TileShape at = whole;
    Dim& h = at.extent[height];
    for (Dim& w = at.extent[width]; w >= least.extent[width]; --w)
      for (h = whole.extent[height]; h >= least.extent[height]; --h) {
        if (const std::optional<StopReason> stopped = budget_.exhausted()) {
          result_.stop = *stopped;
          return;
        }
        list_channels(at);
      }
  }
  /// The largest feasible shape with these extents along H and W, unless a listed shape contains
  /// it.
  void list_channels(tiling::TileShape at) {
    Dim& c = at.extent[channels];
    c = 1;
    for (const tiling::TileShape& listed : result_.maximal)
      if (inside(at, listed)) c = listed.extent[channels] + 1;
    const Dim whole = geometry_.space().whole.extent[channels];
    const Dim least = c == 1 && !geometry_.space().axis[channels] ? whole : c;
    if (least > whole) return;
    for (c = shapes_.channels_left(at.extent[height], at.extent[width], least, whole); c >= least;
         --c) {
      const std::optional<FittingShape> shape = shapes_.test(at);
      if (!shape || undecided(*shape, 0) || probe(*shape) != Status::feasible) continue;
      result_.maximal.push_back(at);
      return;
    }
  }

  /// Decides all tiles of the shape.
  Status probe(const FittingShape& shape) {
    const auto begin = std::chrono::steady_clock::now();
    SizeVerdict all{Status::feasible, DecidedBy::carry_over, nullptr};
    probed_.clear();
    for (const std::vector<Size>& sizes : shape.demands) {
      SizeVerdict decision = decider_.decide(sizes);
      if (decision.verdict == Status::unknown) undecided_sizes_.push_back(sizes);
      probed_.push_back(decision.placement);
      if (decision.by == DecidedBy::engine || decision.verdict != Status::feasible)
        all = std::move(decision);
      if (all.verdict != Status::feasible) break;
    }
    if (all.verdict == Status::feasible && !found_) fitting_ = probed_;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    record(shape.shape, shape.tiles, all, seconds.count());
    return all.verdict;
  }

  /// Stores the result: the shape, its demands in canonical order, and their placements.
  void keep(const FittingShape& shape) {
    result_.shape = shape.shape;
    result_.grid = geometry_.grid(shape.shape);
    result_.demands = tiling::demands(part_, geometry_.space(), lowering_, result_.grid.tiles);
    result_.placements.clear();
    for (const std::vector<Size>& sizes : result_.demands) {
      const auto same =
          static_cast<std::size_t>(std::ranges::find(shape.demands, sizes) - shape.demands.begin());
      const auto placed =
          same < fitting_.size() ? fitting_[same] : decider_.decide(sizes).placement;
      if (!placed) return result_.undecided.push_back(shape.shape);
      result_.placements.push_back(*placed);
    }
    found_ = true;
  }

  void record(const tiling::TileShape& shape, std::int64_t tiles, const SizeVerdict& decision,
              double seconds) {
    if (params_.evaluated) params_.evaluated(tiles, decision.verdict);
    if (!params_.record_probes) return;
    result_.probes.push_back(
        {shape, tiles, decision.verdict, decision.by, seconds, decision.step, decision.kept});
  }

  const tiling::Subgraph& part_;
  const TileSearchParams& params_;
  SpentOnce budget_{params_.budget};
  TileSearchResult result_;
  tiling::TileGeometry& geometry_;
  tiling::Lowering lowering_;
  Decider decider_;
  FittingShapes shapes_;
  std::vector<std::vector<Size>> undecided_sizes_;  ///< that the engine did not decide
  std::set<tiling::TileShape> planes_asked_;
  std::vector<std::shared_ptr<const Placement>> probed_;   ///< of the last shape, per demand
  std::vector<std::shared_ptr<const Placement>> fitting_;  ///< of the last shape that fits
  bool found_ = false;
};

}  // namespace

std::string_view to_string(DecidedBy by) {
  switch (by) {
    case DecidedBy::bound:
      return "bound";
    case DecidedBy::dominance:
      return "dominance";
    case DecidedBy::carry_over:
      return "carry-over";
    case DecidedBy::engine:
      break;
  }
  return "engine";
}

TileSearchResult find_tile(tiling::TileGeometry& geometry, const Hardware& hardware,
                           const TileSearchParams& params) {
  return TileSearch(geometry, hardware, params).run();
}

TileSearchResult find_tile(const tiling::Subgraph& subgraph, const Hardware& hardware,
                           const TileSearchParams& params) {
  tiling::TileGeometry geometry(subgraph, params.options.halo);
  return find_tile(geometry, hardware, params);
}

}  // namespace tessera::search
