#include "placer/order_height.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "model/graph_links.h"
#include "search/order/build.h"
#include "search/order/walk.h"
#include "tessera/place.h"
#include "validation/limited_budget.h"

namespace tessera::placer {
namespace {

/// Nodes of a placement query; a query that ends here refutes nothing.
constexpr std::int64_t query_nodes = 20'000;
/// Queries and steps of a call without limits.
constexpr std::int64_t most_queries = 3000;
constexpr std::int64_t most_steps = 300'000;

using Pair = std::pair<std::size_t, std::size_t>;  ///< tensors of the graph, the smaller first

/// Which buffers meet, and which share an offset. The placements of an order depend on nothing
/// else.
struct Meetings {
  std::vector<Pair> apart;  ///< sorted: live at one step, not in place
  std::vector<Pair> same;   ///< sorted
  friend auto operator<=>(const Meetings&, const Meetings&) = default;
  [[nodiscard]] bool contain(const Meetings& other) const {
    return std::ranges::includes(apart, other.apart) && std::ranges::includes(same, other.same);
  }
};

class HeightSearch {
 public:
  HeightSearch(const Graph& graph, const Limits& limits)
      : problems_(graph),
        ops_(search::op_graph(graph)),
        tables_(ops_, search::OpTables::Ancestors::no),
        walk_(tables_),
        limits_(limits),
        limited_(limits),
        most_queries_(std::min(limits.work, most_queries)),
        most_steps_(std::min(limits.work, most_steps)) {
    for (std::size_t t = 0; t < graph.tensors.size(); ++t)
      number_.emplace_back(graph.tensors[t].id, t);
    std::ranges::sort(number_);
  }

  /// An order with a placement of at most this height. None and decided(): there is none.
  std::optional<std::vector<std::size_t>> below(Size height) {
    height_ = height;
    undecided_ = false;
    found_.reset();
    failed_.clear();
    walk_.back_to(0);
    static_cast<void>(descend());
    return found_;
  }
  [[nodiscard]] bool decided() const { return !undecided_; }
  [[nodiscard]] bool ended() {
    return queries_ >= most_queries_ || steps_ >= most_steps_ ||
           limited_.budget().exhausted().has_value();
  }
  [[nodiscard]] Placement placement() const { return placement_; }
  [[nodiscard]] std::int64_t queries() const { return queries_; }
  [[nodiscard]] std::int64_t cuts() const { return static_cast<std::int64_t>(cuts_.size()); }

  /// The least height of one order.
  PlacementResult placed(const std::vector<std::size_t>& order) {
    ++queries_;
    PlaceParams params{.minimize = Objective::height, .limits = query_limits()};
    return place(problems_.of(order), params);
  }

 private:
  [[nodiscard]] Limits query_limits() const {
    Limits limits = validation::rest_of(limits_, limited_.budget());
    limits.work = query_nodes;
    limits.threads = 1;
    return limits;
  }

  /// Runs the remaining ops in all ways. Returns the length of the path below which the search
  /// continues.
  std::size_t descend() {
    const std::size_t length = walk_.path().size();
    if (ended()) {
      undecided_ = true;
      return 0;
    }
    ++steps_;
    if (walk_.complete()) return judge();
    const Meetings meetings = meetings_of(prefix_problem(length));
    if (std::ranges::any_of(cuts_, [&](const auto& cut) {
          return cut.second >= height_ && meetings.contain(cut.first);
        }))
      return length - std::min<std::size_t>(length, 1);
    std::pair<std::vector<std::uint64_t>, Meetings> key{{walk_.set().begin(), walk_.set().end()},
                                                        meetings};
    if (failed_.contains(key)) return length - std::min<std::size_t>(length, 1);
    std::vector<search::OpId> ready(walk_.ready().begin(), walk_.ready().end());
    std::ranges::sort(ready, {}, [&](search::OpId op) { return std::pair(walk_.change(op), op); });
    for (const search::OpId op : ready) {
      if (walk_.while_running(op) > height_) continue;
      walk_.run(op);
      const std::size_t back = descend();
      if (found_ || undecided_here()) return 0;
      walk_.back_to(length);
      if (back < length) return back;  // this prefix itself has no placement
    }
    failed_.insert(std::move(key));
    return length - std::min<std::size_t>(length, 1);
  }

  [[nodiscard]] bool undecided_here() { return undecided_ && ended(); }

  /// Some full order that begins like the path, for the lives of the buffers up to it.
  [[nodiscard]] std::vector<std::size_t> completed() {
    const std::size_t length = walk_.path().size();
    while (!walk_.complete()) walk_.run(walk_.ready().front());
    std::vector<std::size_t> order(walk_.path().begin(), walk_.path().end());
    walk_.back_to(length);
    return order;
  }

  /// The buffers and lives of the first `length` ops of the path.
  [[nodiscard]] PlacementProblem prefix_problem(std::size_t length) {
    return prefix_of(problems_.of(completed()), length);
  }

  [[nodiscard]] static PlacementProblem prefix_of(const PlacementProblem& full,
                                                  std::size_t length) {
    PlacementProblem part{.memories = full.memories};
    std::vector<std::size_t> place(full.buffers.size(), full.buffers.size());
    const auto end = static_cast<Step>(length);
    for (BufferIndex b = 0; b < full.buffers.size(); ++b) {
      Buffer buffer = full.buffers[b];
      std::erase_if(buffer.live, [&](const StepRange& live) { return live.lower >= end; });
      if (buffer.live.empty()) continue;
      buffer.live.back().upper = std::min(buffer.live.back().upper, end);
      place[b] = part.buffers.size();
      part.buffers.push_back(std::move(buffer));
    }
    for (const Relation& relation : full.relations) {
      Relation mine = relation;
      for (BufferIndex& b : mine.buffers) b = place[b];
      if (std::ranges::find(mine.buffers, full.buffers.size()) == mine.buffers.end())
        part.relations.push_back(std::move(mine));
    }
    return part;
  }

  [[nodiscard]] std::size_t tensor_of(const Buffer& buffer) const {
    return std::ranges::lower_bound(number_, buffer.id, {},
                                    &std::pair<std::string, std::size_t>::first)
        ->second;
  }

  [[nodiscard]] Meetings meetings_of(const PlacementProblem& problem) const {
    std::vector<std::size_t> tensor;
    for (const Buffer& buffer : problem.buffers) tensor.push_back(tensor_of(buffer));
    Meetings out;
    for (const Relation& relation : problem.relations)
      out.same.push_back(std::minmax(tensor[relation.buffers[0]], tensor[relation.buffers[1]]));
    std::ranges::sort(out.same);
    for (BufferIndex a = 0; a < problem.buffers.size(); ++a)
      for (BufferIndex b = a + 1; b < problem.buffers.size(); ++b) {
        const bool meet = std::ranges::any_of(problem.buffers[a].live, [&](const StepRange& x) {
          return std::ranges::any_of(problem.buffers[b].live,
                                     [&](const StepRange& y) { return overlaps(x, y); });
        });
        const Pair pair = std::minmax(tensor[a], tensor[b]);
        if (meet && !std::ranges::binary_search(out.same, pair)) out.apart.push_back(pair);
      }
    std::ranges::sort(out.apart);
    return out;
  }

  /// Has the problem a placement of at most the height?
  PlacementResult query(PlacementProblem problem) {
    ++queries_;
    problem.memories.front().capacity = std::max<Size>(1, height_);
    return place(problem, {.limits = query_limits()});
  }

  /// A complete order: found, or refuted with a prefix. Returns the length of the path to continue
  /// below.
  std::size_t judge() {
    const std::vector<std::size_t> order(walk_.path().begin(), walk_.path().end());
    const PlacementProblem full = problems_.of(order);
    PlacementResult result = query(full);
    if (result.status == Status::feasible) {
      found_ = order;
      placement_ = std::move(*result.placement);
      return 0;
    }
    if (result.status == Status::unknown) {
      undecided_ = true;
      return order.size() - 1;
    }
    std::size_t fits = 0;  // the longest prefix with a placement, by bisection
    std::size_t fails = order.size();
    while (fits + 1 < fails) {
      const std::size_t middle = fits + (fails - fits) / 2;
      (query(prefix_of(full, middle)).status == Status::infeasible ? fails : fits) = middle;
    }
    learn(prefix_of(full, fails));
    return fails - 1;
  }

  /// Adds a minimal part of a problem without a placement to the cuts.
  void learn(PlacementProblem problem) {
    for (std::size_t b = problem.buffers.size(); b-- > 0 && !ended();) {
      PlacementProblem less = problem;
      less.buffers.erase(less.buffers.begin() + static_cast<std::ptrdiff_t>(b));
      std::erase_if(less.relations, [&](const Relation& relation) {
        return std::ranges::find(relation.buffers, b) != relation.buffers.end();
      });
      for (Relation& relation : less.relations)
        for (BufferIndex& each : relation.buffers) each -= each > b ? 1 : 0;
      if (!less.buffers.empty() && query(less).status == Status::infeasible)
        problem = std::move(less);
    }
    cuts_.emplace_back(meetings_of(problem), height_);
  }

  OrderedProblems problems_;
  search::OpGraph ops_;
  search::OpTables tables_;
  search::Walk walk_;
  Limits limits_;
  validation::LimitedBudget limited_;
  std::vector<std::pair<std::string, std::size_t>> number_;  ///< tensors by id
  std::int64_t most_queries_;
  std::int64_t most_steps_;
  Size height_ = 0;
  bool undecided_ = false;
  std::optional<std::vector<std::size_t>> found_;
  Placement placement_;
  std::set<std::pair<std::vector<std::uint64_t>, Meetings>> failed_;
  std::vector<std::pair<Meetings, Size>> cuts_;  ///< with the height that they exclude
  std::int64_t queries_ = 0;
  std::int64_t steps_ = 0;
};

/// A placement without a search: all buffers one above the other, those in place together.
void stack(const Graph& graph, OrderHeight& best) {
  const PlacementProblem problem = ordered_problem(graph, best.order);
  std::vector<BufferIndex> base(problem.buffers.size());
  for (BufferIndex b = 0; b < base.size(); ++b) base[b] = b;
  for (bool more = true; more;) {
    more = false;
    for (const Relation& relation : problem.relations) {
      BufferIndex& x = base[relation.buffers[0]];
      BufferIndex& y = base[relation.buffers[1]];
      more = more || x != y;
      x = y = std::min(x, y);
    }
  }
  std::vector<Size> size(base.size());
  for (BufferIndex b = 0; b < base.size(); ++b)
    size[base[b]] = std::max(size[base[b]], problem.buffers[b].size);
  best.placement = {};
  best.placement.modes.assign(1, {});
  for (BufferIndex b = 0; b < base.size(); ++b) {
    if (base[b] != b) {
      best.placement.places.push_back(best.placement.places[base[b]]);
      continue;
    }
    const Offset offset = align_up(best.height, problem.buffers[b].alignment);
    best.placement.places.push_back({0, offset});
    best.height = offset + size[b];
  }
}

}  // namespace

OrderHeight least_order_height(const Graph& graph, const std::vector<std::size_t>& order,
                               Size bound, const Limits& limits) {
  HeightSearch search(graph, limits);
  PlacementResult first = search.placed(order);
  OrderHeight best{.order = order, .bound = bound};
  if (!first.placement) {
    stack(graph, best);
    return best;
  }
  best.placement = std::move(*first.placement);
  best.height = first.height;
  while (best.bound < best.height && !search.ended()) {
    const Size height = best.bound + (best.height - 1 - best.bound) / 2;
    const auto found = search.below(height);
    if (found) {
      best.order = *found;
      best.placement = search.placement();
      best.height = 0;
      const PlacementProblem problem = ordered_problem(graph, *found);
      for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
        best.height =
            std::max(best.height, best.placement.places[b].offset + problem.buffers[b].size);
    } else if (search.decided()) {
      best.bound = height + 1;
    } else {
      break;
    }
  }
  best.placements = search.queries();
  best.cuts = search.cuts();
  return best;
}

}  // namespace tessera::placer
