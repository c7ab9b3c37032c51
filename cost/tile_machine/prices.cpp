#include "cost/tile_machine/prices.h"

#include <algorithm>
#include <tuple>

namespace tessera::cost {
namespace {

/// All lengths of a part, or the smallest of each number of parts, at most `most`.
void add_lengths(std::int64_t length, std::int64_t most, bool all, std::vector<std::int64_t>& out) {
  for (std::int64_t part = std::min(length, most); part > 0; --part) {
    if (!all) part = parts_of(length, parts_of(length, part));
    out.push_back(part);
  }
}

void sort_lengths(std::vector<std::int64_t>& lengths) {
  std::ranges::sort(lengths, std::greater<>{});
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
}

/// Width and height of tiles, and whether the reduction is one part.
struct Pair {
  double bound = 0;  ///< of the cost
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool one_part = false;
};

/// Pairs of the best first evaluations that are evaluated with more depths: for a price, and for
/// the steps of a schedule.
constexpr std::size_t refined_pairs = 1;
constexpr std::size_t polished_pairs = 16;
/// First evaluations of pairs after the last one that was the best.
constexpr std::size_t pairs_in_vain = 16;

enum class PriceEffort : std::uint8_t { some, more, all };

/// Iterations of one evaluation of a group whose tiles do not repeat, unless all are evaluated.
constexpr std::int64_t most_iterations = 4096;

class Cheapest {
 public:
  Cheapest(const TileGroup& group, const TileMachine& machine, TileSimulation& run,
           PriceEffort effort, const std::function<bool()>& stop)
      : group_(group),
        machine_(machine),
        run_(run),
        effort_(effort),
        stop_(stop),
        exhaustive_(effort == PriceEffort::all) {}

  /// Only choices that cost less matter.
  void start_from(const TilePrice& price) { best_ = price; }

  TilePrice find() {
    struct First {
      double cost = infinity;
      Pair pair{};
      std::int64_t depth = 0;  ///< the largest that fits
    };
    make_pairs();
    std::vector<First> firsts;
    std::size_t in_vain = 0;
    for (Pair pair; next_pair(pair);) {
      if (pair.bound >= best_.cost || (!exhaustive_ && in_vain == pairs_in_vain)) break;
      if (stop_ && stop_()) break;
      if (too_long(pair, most_depth_) || (exhaustive_ && no_depth_pays(pair))) continue;
      const std::int64_t depth = largest_depth(pair);
      if (depth == 0 || too_long(pair, depth)) continue;
      const double before = best_.cost;
      if (exhaustive_)
        try_depths(pair, depth);
      else
        firsts.push_back({try_depth(pair, depth, infinity), pair, depth});
      in_vain = best_.cost < before ? 0 : in_vain + 1;
    }
    std::ranges::stable_sort(firsts, {}, &First::cost);
    const std::size_t most = effort_ == PriceEffort::some ? refined_pairs : polished_pairs;
    if (firsts.size() > most) firsts.resize(most);
    for (const First& first : firsts)
      if (first.pair.bound < best_.cost) try_depths(first.pair, first.depth);
    return best_;
  }

  /// A lower bound of the cost for all widths, heights, depths and orders of tiles.
  double bound() {
    make_pairs();
    for (Pair pair; next_pair(pair);)
      if (some_depth_fits(pair)) return pair.bound;
    return infinity;
  }

 private:
  /// A cost as a function of the numbers of rows and columns of tiles.
  struct PerTile {
    double once = 0, row = 0, column = 0, tile = 0;
    void add(double amount, bool rows, bool columns) {
      (rows ? (columns ? tile : row) : (columns ? column : once)) += amount;
    }
    [[nodiscard]] double of(std::int64_t rows, std::int64_t columns) const {
      const auto r = static_cast<double>(rows);
      const auto c = static_cast<double>(columns);
      return once + row * r + column * c + tile * r * c;
    }
  };

  static bool later(const Pair& a, const Pair& b) {
    return std::tuple(a.bound, -a.width * a.height, -a.width, !a.one_part) >
           std::tuple(b.bound, -b.width * b.height, -b.width, !b.one_part);
  }

  void make_pairs() {
    collect_lengths();
    sum_compute();
    sum_moved();
    for (const std::int64_t width : widths_)
      for (const std::int64_t height : heights_) add_pairs(width, height);
    std::ranges::make_heap(pairs_, later);
  }

  /// The pair with the least bound of those not yet taken.
  bool next_pair(Pair& pair) {
    if (pairs_.empty()) return false;
    std::ranges::pop_heap(pairs_, later);
    pair = pairs_.back();
    pairs_.pop_back();
    return true;
  }

  void collect_lengths() {
    for (const std::int32_t sink : group_.sinks()) {
      const TileGroup::Tensor& tensor = group_.tensors()[static_cast<std::size_t>(sink)];
      add_lengths(tensor.width, machine_.native.width, exhaustive_, widths_);
      add_lengths(tensor.height, machine_.native.height, exhaustive_, heights_);
    }
    sort_lengths(widths_);
    sort_lengths(heights_);
    most_depth_ = group_.depths().empty() ? 1 : machine_.native.depth;
    if (machine_.rulings && group_.has_matmul())
      most_depth_ = std::min(most_depth_, group_.least_depth());
    if (!group_.depths().empty()) most_depth_ = std::min(most_depth_, group_.depths().back());
  }

  void add_pairs(std::int64_t width, std::int64_t height) {
    const auto [rows, columns] = run_.grid(group_, {width, height, 1});
    if (rows == 0) return;
    const double compute = compute_.of(rows, columns) * static_cast<double>(machine_.bandwidth);
    if (one_part(most_depth_))
      pairs_.push_back({std::max(compute, moved_once_), width, height, true});
    if (!group_.depths().empty() && group_.depths().back() > 1)
      pairs_.push_back({std::max(compute, moved_.of(rows, columns)), width, height, false});
  }

  /// Compute that every depth and order of tiles needs.
  void sum_compute() {
    for (const TileGroup::Op& op : group_.ops()) {
      const auto out = static_cast<std::size_t>(op.output);
      const TileGroup::Tensor& tensor = group_.tensors()[out];
      const TileGroup::Piece& piece = group_.pieces(out).front();
      double cost = static_cast<double>(op.cost);
      if (op.matmul && !machine_.rulings)
        cost *= static_cast<double>(op.depth) / static_cast<double>(machine_.native.depth);
      if (piece.aligned && group_.plain()) {
        compute_.add(cost, true, true);
        continue;
      }
      cost *= static_cast<double>(tensor.width) / static_cast<double>(machine_.native.width) *
              (static_cast<double>(tensor.height) / static_cast<double>(machine_.native.height));
      // Pieces of operands are computed again for each tile that needs them.
      const bool again = !machine_.rulings && !piece.aligned && group_.pieces(out).size() == 1;
      compute_.add(cost, again && piece.rows != TileGroup::by_tile,
                   again && piece.columns != TileGroup::by_tile);
    }
  }

  /// Elements that every order of tiles moves: with the reduction in one part, and in several.
  void sum_moved() {
    for (std::size_t t = 0; t < group_.tensors().size(); ++t) {
      const TileGroup::Tensor& tensor = group_.tensors()[t];
      const auto area = static_cast<double>(tensor.area());
      if (tensor.maker >= 0 ? !tensor.output || tensor.kept : tensor.resident) continue;
      moved_once_ += area;
      const TileGroup::Piece& piece = group_.pieces(t).front();
      // A part of a reduction does not stay until the next tile, if there are several.
      const bool again =
          tensor.maker < 0 &&
          (piece.rows == TileGroup::by_part || piece.columns == TileGroup::by_part) &&
          group_.pieces(t).size() == 1 && group_.plain();
      bool rows = piece.rows != TileGroup::by_tile;
      bool columns = piece.columns != TileGroup::by_tile;
      if (machine_.rulings && piece.inner) {
        // Loaded for each piece that is made of it.
        const TileGroup::Piece* made = made_of(t);
        rows = rows && made != nullptr && made->rows == TileGroup::by_tile;
        columns = columns && made != nullptr && made->columns == TileGroup::by_tile;
      }
      moved_.add(area, again && rows, again && columns);
    }
  }

  /// The piece that the only reader of a tensor makes, if it makes one kind; or null.
  [[nodiscard]] const TileGroup::Piece* made_of(std::size_t tensor) const {
    const TileGroup::Op* reader = nullptr;
    for (const TileGroup::Op& op : group_.ops()) {
      if (std::ranges::find(op.inputs, static_cast<std::int32_t>(tensor)) == op.inputs.end())
        continue;
      if (reader != nullptr) return nullptr;
      reader = &op;
    }
    const auto& pieces = group_.pieces(static_cast<std::size_t>(reader->output));
    return pieces.size() == 1 ? &pieces.front() : nullptr;
  }

  double evaluate(const Granularity& granularity, TileWalk walk, double limit) {
    const TileChoice choice{granularity, walk};
    const double cost = run_.cost(group_, choice, limit);
    if (cost < best_.cost) best_ = {cost, choice};
    return cost;
  }

  [[nodiscard]] bool fits(const Pair& pair, std::int64_t depth) {
    return run_.fits(group_, {pair.width, pair.height, depth});
  }

  /// May some depth fit? The last part of a reduction may need more memory than the others, so that
  /// memory does not rise with the depth. Depth 1 needs the least, except for the accumulators of
  /// short reductions, which a larger one saves, and for tensors that are then loaded as a whole.
  [[nodiscard]] bool some_depth_fits(const Pair& pair) {
    // Larger tiles need more memory, unless tensors are then loaded as a whole.
    if (machine_.rulings && several_pieces()) return tries_depths(pair);
    const auto within = [](const Pair& a, const Pair& b) {
      return a.one_part == b.one_part && a.width <= b.width && a.height <= b.height;
    };
    for (const Pair& each : fitting_)
      if (within(pair, each)) return true;
    for (const Pair& each : too_large_)
      if (within(each, pair)) return false;
    const bool fitting = tries_depths(pair);
    std::vector<Pair>& list = fitting ? fitting_ : too_large_;
    std::erase_if(
        list, [&](const Pair& each) { return fitting ? within(each, pair) : within(pair, each); });
    list.push_back(pair);
    return fitting;
  }

  bool tries_depths(const Pair& pair) {
    if (pair.one_part) return fits(pair, most_depth_);
    if (fits(pair, 1)) return true;
    if (group_.depths().size() == 1) return false;
    if (machine_.rulings && several_pieces()) return true;
    return run_.fits(group_, {pair.width, pair.height, 1}, group_.depths().back());
  }

  /// Has an input several pieces?
  [[nodiscard]] bool several_pieces() const {
    for (std::size_t t = 0; t < group_.tensors().size(); ++t)
      if (group_.tensors()[t].maker < 0 && group_.pieces(t).size() > 1) return true;
    return false;
  }

  /// A depth that fits, and the largest of all if memory rises with the depth; 0: none.
  [[nodiscard]] std::int64_t largest_depth(const Pair& pair) {
    if (!some_depth_fits(pair)) return 0;
    std::int64_t most = most_depth_;
    if (pair.one_part) return most;
    if (one_part(most)) --most;
    if (exhaustive_ || fits(pair, most)) return most;
    std::int64_t least = fits(pair, 1) ? 1 : 0;
    for (const std::int64_t depth : group_.depths())
      if (least == 0 && depth < most && fits(pair, depth)) least = depth;
    if (least == 0) return 0;
    while (least + 1 < most) {
      const std::int64_t middle = (least + most) / 2;
      (fits(pair, middle) ? least : most) = middle;
    }
    return least;
  }

  [[nodiscard]] bool too_long(const Pair& pair, std::int64_t depth) const {
    const auto [rows, columns] = run_.grid(group_, {pair.width, pair.height, 1});
    if (exhaustive_ || group_.regular(rows, columns)) return false;
    const std::int64_t parts =
        group_.depths().empty() ? 1 : parts_of(group_.depths().back(), depth);
    return rows * columns > most_iterations / parts;
  }

  [[nodiscard]] bool one_part(std::int64_t depth) const {
    return group_.depths().empty() || depth >= group_.depths().back();
  }

  double try_depth(const Pair& pair, std::int64_t depth, double limit) {
    const auto [rows, columns] = run_.grid(group_, {pair.width, pair.height, 1});
    const Granularity granularity{pair.width, pair.height, depth};
    if (exhaustive_ && mean_bound(rows, columns, depth) >= limit) return infinity;
    if (rows == 1 || columns == 1) return evaluate(granularity, TileWalk::rows, limit);
    if (exhaustive_) evaluate(granularity, TileWalk::rows, limit);
    return std::min(evaluate(granularity, TileWalk::snake_rows, limit),
                    evaluate(granularity, TileWalk::snake_columns, limit));
  }

  /// A lower bound of the cost for a depth and all widths and heights with these numbers of tiles.
  double mean_bound(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    if (!group_.one_shape()) return 0;
    std::vector<double>& known = mean_bounds_[{rows, columns}];
    known.resize(static_cast<std::size_t>(most_depth_) + 1, -1);
    double& bound = known[static_cast<std::size_t>(depth)];
    if (bound >= 0) return bound;
    const TileGroup::Tensor& sink =
        group_.tensors()[static_cast<std::size_t>(group_.sinks().front())];
    const Granularity mean{sink.width / columns, sink.height / rows, depth};
    bound = static_cast<double>(rows * columns) * run_.least_tile(group_, mean) * (1 - tolerance);
    return bound;
  }

  bool no_depth_pays(const Pair& pair) {
    const auto [rows, columns] = run_.grid(group_, {pair.width, pair.height, 1});
    for (std::int64_t depth = pair.one_part ? most_depth_ : 1; depth <= most_depth_; ++depth)
      if (mean_bound(rows, columns, depth) < best_.cost) return false;
    return true;
  }

  /// Of each number of parts up to twice the fewest, the largest and the smallest depth; or all.
  void try_depths(const Pair& pair, std::int64_t most) {
    const std::int64_t least = pair.one_part                  ? most
                               : effort_ == PriceEffort::some ? (most + 1) / 2
                                                              : 1;
    const auto parts = [&](std::int64_t depth) {
      return group_.depths().empty() ? 1 : parts_of(group_.depths().back(), depth);
    };
    for (std::int64_t depth = most; depth >= least && pair.bound < best_.cost; --depth) {
      const bool inner = depth < most && parts(depth) == parts(depth + 1) &&
                         parts(depth) == parts(std::max<std::int64_t>(1, depth - 1));
      if (inner && effort_ == PriceEffort::some) continue;
      try_depth(pair, depth, best_.cost);
    }
  }

  const TileGroup& group_;
  const TileMachine& machine_;
  TileSimulation& run_;
  TilePrice best_;
  PriceEffort effort_;
  const std::function<bool()>& stop_;
  bool exhaustive_;
  std::vector<std::int64_t> widths_, heights_;
  std::int64_t most_depth_ = 1;
  PerTile compute_, moved_;
  double moved_once_ = 0;
  std::vector<Pair> pairs_;  ///< a heap
  std::vector<Pair> fitting_, too_large_;
  /// By numbers of tiles: per depth; negative: not known.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> mean_bounds_;
};

}  // namespace

TilePrices::TilePrices(const TileGraph& graph, TileReading reading)
    : graph_(graph),
      machine_{graph.capacity, graph.bandwidth, graph.native, reading == TileReading::rulings},
      run_(machine_) {}

double TilePrices::price(const TileGroupQuery& query, double enough) {
  const TileGroup group(graph_, query);
  return exhaustive_ ? least_of(group, enough).cost : price_of(group).cost;
}

double TilePrices::least(const TileGroupQuery& query, double enough) {
  return std::min(enough, least_of(TileGroup(graph_, query), enough).cost);
}

TilePrice TilePrices::price_of(const TileGroup& group) {
  const auto found = known_.find(group);
  if (found != known_.end()) return found->second;
  const TilePrice price = Cheapest(group, machine_, run_, PriceEffort::some, stop_).find();
  if (!stop_ || !stop_()) known_.emplace(group, price);
  return price;
}

/// The least price; any price of at least `enough` if that is less.
TilePrice TilePrices::least_of(const TileGroup& group, double enough) {
  const auto found = exact_.find(group);
  if (found != exact_.end()) return found->second;
  TilePrice start = price_of(group);
  if (start.cost > enough) start = {.cost = enough};
  Cheapest cheapest(group, machine_, run_, PriceEffort::all, stop_);
  cheapest.start_from(start);
  const TilePrice price = cheapest.find();
  const bool least = price.cost < enough || enough == infinity;
  if (least && (!stop_ || !stop_())) exact_.emplace(group, price);
  return price;
}

double TilePrices::bound(const TileGroupQuery& query) {
  TileGroup group(graph_, query);
  const auto found = bounds_.find(group);
  if (found != bounds_.end()) return found->second;
  const double bound = Cheapest(group, machine_, run_, PriceEffort::some, stop_).bound();
  return bounds_.emplace(std::move(group), bound).first->second;
}

TilePrice TilePrices::polished(const TileGroupQuery& query) {
  const TileGroup group(graph_, query);
  TilePrice best = Cheapest(group, machine_, run_, PriceEffort::more, stop_).find();
  for (const std::map<TileGroup, TilePrice>* known : {&known_, &exact_}) {
    const auto found = known->find(group);
    if (found != known->end() && found->second.cost < best.cost) best = found->second;
  }
  return best;
}

void TilePrices::refine() {
  exhaustive_ = true;
}

}  // namespace tessera::cost
