#include "search/partition/kept_cover.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "model/numeric.h"

namespace tessera::search {
namespace {

/// Per cut point, the items that cross it, in order. Cut point k is before op k.
std::vector<std::vector<std::size_t>> over_cuts(std::span<const KeptItem> items, std::size_t ops) {
  std::vector<std::vector<std::size_t>> over(ops + 1);
  for (std::size_t k = 0; k < items.size(); ++k)
    for (std::size_t cut = items[k].maker + 1; cut <= items[k].reader; ++cut)
      over[cut].push_back(k);
  return over;
}

/// Calls what(first, last) for each group in order until it returns false.
template <typename What>
void for_each_run(const RunsOf& runs, const What& what) {
  for (std::size_t first = 0; first < runs.ops; ++first) {
    const std::size_t end = first + std::min(runs.max_ops, runs.ops - first);
    if (runs.lasts.empty()) {
      for (std::size_t last = first; last < end; ++last)
        if (!what(first, last)) return;
    } else {
      for (const std::size_t last : runs.lasts[first])
        if (last < end && !what(first, last)) return;
    }
  }
}

/// The number of cost queries. Stops counting somewhat above `most`.
std::int64_t questions(std::span<const KeptItem> items, const RunsOf& runs, std::int64_t most) {
  const auto over = over_cuts(items, runs.ops);
  std::int64_t asked = 0;
  for_each_run(runs, [&](std::size_t first, std::size_t last) {
    std::size_t made = 0;
    for (const std::size_t k : over[last + 1]) made += items[k].maker >= first ? 1U : 0U;
    asked += std::int64_t{1} << (over[first].size() + made);
    return asked <= most;
  });
  return asked;
}

/// The largest items, with at most `at_once` of them over any cut point.
std::vector<std::size_t> largest(std::span<const KeptItem> items, std::size_t ops,
                                 std::size_t at_once) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return items[k].bytes; });
  std::vector<std::size_t> over(ops + 1, 0);
  std::vector<std::size_t> chosen;
  for (const std::size_t k : order) {
    const std::span cuts =
        std::span(over).subspan(items[k].maker + 1, items[k].reader - items[k].maker);
    if (std::ranges::any_of(cuts, [&](std::size_t n) { return n >= at_once; })) continue;
    for (std::size_t& n : cuts) ++n;
    chosen.push_back(k);
  }
  std::ranges::sort(chosen);
  return chosen;
}

using Set = std::uint32_t;  ///< of the items over a cut point, one bit each

class KeptCovers {
 public:
  explicit KeptCovers(const KeptCoverProblem& problem)
      : problem_(problem),
        over_(over_cuts(problem.items, problem.runs.ops)),
        best_(problem.runs.ops + 1) {
    for (std::size_t cut = 0; cut <= problem.runs.ops; ++cut)
      best_[cut].resize(problem.capacities.size() << over_[cut].size());
    for (std::size_t limit = 0; limit < problem.capacities.size(); ++limit)
      at(0, 0, limit).cost = 0;
  }

  [[nodiscard]] std::vector<KeptCover> run(const Budget& budget) {
    bool ended = false;
    for_each_run(problem_.runs, [&](std::size_t first, std::size_t last) {
      ended = budget.exhausted().has_value();
      if (!ended) look_at(first, last);
      return !ended;
    });
    std::vector<KeptCover> found;
    for (std::size_t limit = 0; !ended && limit < problem_.capacities.size(); ++limit)
      found.push_back(cover_within(limit));
    return found;
  }

 private:
  /// The best way to reach a cut point with a set of resident items.
  struct Step {
    double cost = infinity;
    std::uint32_t cut = 0;  ///< the cut point it comes from
    Set set = 0;
  };
  [[nodiscard]] Step& at(std::size_t cut, Set set, std::size_t limit) {
    return best_[cut][set * problem_.capacities.size() + limit];
  }

  void look_at(std::size_t first, std::size_t last) {
    const std::size_t end = last + 1;
    // An item that crosses the end was produced by this group, or was there before it.
    made_.clear();
    passing_.clear();
    for (std::size_t bit = 0; bit < over_[end].size(); ++bit) {
      const std::size_t k = over_[end][bit];
      if (problem_.items[k].maker >= first) {
        made_.push_back(bit);
      } else {
        const auto before = std::ranges::lower_bound(over_[first], k) - over_[first].begin();
        passing_.emplace_back(static_cast<std::size_t>(before), bit);
      }
    }
    for (Set before = 0; before < Set{1} << over_[first].size(); ++before)
      for (Set made = 0; made < Set{1} << made_.size(); ++made) step(first, last, before, made);
  }

  void step(std::size_t first, std::size_t last, Set before, Set made) {
    const std::size_t end = last + 1;
    kept_.clear();
    for (std::size_t bit = 0; bit < over_[first].size(); ++bit)
      if ((before >> bit & 1U) != 0) kept_.push_back(over_[first][bit]);
    Set after = 0;
    for (const auto& [from, to] : passing_)
      if ((before >> from & 1U) != 0) after |= Set{1} << to;
    for (std::size_t k = 0; k < made_.size(); ++k)
      if ((made >> k & 1U) != 0) {
        after |= Set{1} << made_[k];
        kept_.push_back(over_[end][made_[k]]);
      }
    std::int64_t bytes = 0;
    for (const std::size_t k : kept_) bytes += problem_.items[k].bytes;
    std::optional<double> cost;
    for (std::size_t limit = 0; limit < problem_.capacities.size(); ++limit) {
      const double so_far = at(first, before, limit).cost;
      if (so_far == infinity || bytes > problem_.capacities[limit]) continue;
      if (!cost) {
        std::ranges::sort(kept_);
        cost = problem_.cost(first, last, kept_);
      }
      Step& best = at(end, after, limit);
      if (so_far + *cost < best.cost)
        best = {so_far + *cost, static_cast<std::uint32_t>(first), before};
    }
  }

  [[nodiscard]] KeptCover cover_within(std::size_t limit) {
    KeptCover cover{.cost = at(problem_.runs.ops, 0, limit).cost};
    if (cover.cost == infinity) return cover;
    Set set = 0;
    for (std::size_t cut = problem_.runs.ops; cut > 0;) {
      const Step& step = at(cut, set, limit);
      KeptRun& run = cover.runs.emplace_back();
      run.first = step.cut;
      run.last = cut - 1;
      add_kept(cut, set, run.kept);
      add_kept(step.cut, step.set, run.kept);
      std::ranges::sort(run.kept);
      run.kept.erase(std::unique(run.kept.begin(), run.kept.end()), run.kept.end());
      cut = step.cut;
      set = step.set;
    }
    std::ranges::reverse(cover.runs);
    return cover;
  }
  void add_kept(std::size_t cut, Set set, std::vector<std::size_t>& kept) const {
    for (std::size_t bit = 0; bit < over_[cut].size(); ++bit)
      if ((set >> bit & 1U) != 0) kept.push_back(over_[cut][bit]);
  }

  const KeptCoverProblem& problem_;
  std::vector<std::vector<std::size_t>> over_;
  std::vector<std::vector<Step>> best_;  ///< per cut point, set and capacity
  // Reused memory of a step.
  std::vector<std::size_t> made_;                             ///< bits at the end of the group
  std::vector<std::pair<std::size_t, std::size_t>> passing_;  ///< bits before and after
  std::vector<std::size_t> kept_;
};

}  // namespace

std::vector<std::size_t> distinct_items(std::span<const KeptItem> items, const RunsOf& runs,
                                        std::int64_t most) {
  for (std::size_t at_once = most_items; at_once > 0; --at_once) {
    std::vector<std::size_t> chosen = largest(items, runs.ops, at_once);
    std::vector<KeptItem> some;
    for (const std::size_t k : chosen) some.push_back(items[k]);
    if (questions(some, runs, most) <= most) return chosen;
  }
  return {};
}

std::vector<KeptCover> kept_covers(const KeptCoverProblem& problem, const Budget& budget) {
  return KeptCovers(problem).run(budget);
}

}  // namespace tessera::search
