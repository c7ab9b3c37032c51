#include "search/placement/clique_costs.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "facts/conflicts.h"
#include "model/derived.h"
#include "model/random.h"

namespace tessera::search {
namespace {

/// Limit because of the size of pair tables.
constexpr std::size_t most_members = 512;
/// Limit on costs, so that repeated sums cannot overflow.
constexpr Cost most_priced = Cost{1} << 40;
/// The best core of this many cliques is taken.
constexpr int cliques_for_core = 12;
/// Consecutive failures after which the search for cores stops.
constexpr int failures_in_a_row = 40;
/// Limit on cliques per start, some hundredths of a second.
constexpr int most_cliques = 12'000;
/// Number of starts, because cores depend on earlier ones.
constexpr int beginnings = 20;
/// Limit on candidates examined per extension of a clique.
constexpr std::size_t most_examined = 24;

using Member = std::uint32_t;
using MemberPair = std::pair<Member, Member>;

/// A lower bound on pairs among n items that share one of k slots (Turan 1941).
std::int64_t pairs_in_slots(std::int64_t n, std::int64_t k) {
  const std::int64_t each = n / k;
  const std::int64_t more = n % k;
  return more * (each + 1) * each / 2 + (k - more) * each * (each - 1) / 2;
}

/// At least this many of these pairs pay.
struct PricedCore {
  std::vector<MemberPair> pairs;
  std::int64_t paying = 0;
  Cost share = 0;  ///< the common remaining cost

  [[nodiscard]] bool better_than(const PricedCore& other) const {
    if (pairs.empty()) return false;
    // By gain relative to the cost used.
    return other.pairs.empty() || paying * static_cast<std::int64_t>(other.pairs.size()) >
                                      other.paying * static_cast<std::int64_t>(pairs.size());
  }
};

/// The search in one memory.
class CliqueCosts {
 public:
  CliqueCosts(const PlacementProblem& problem, MemoryIndex memory)
      : conflicts_(problem, {memory}, most_members),
        capacity_(problem.memories[memory].capacity),
        n_(conflicts_.size()),
        words_(conflicts_.words()),
        costs_(n_ * n_, 0) {
    for (std::size_t i = 0; i < n_; ++i) {
      const Buffer& buffer = problem.buffers[conflicts_.buffer(i)];
      sizes_.push_back(buffer.size);
      alignment_ = std::gcd(alignment_, effective_alignment(buffer, problem.memories[memory]));
    }
    for (const Size size : sizes_) rounded_.push_back(align_up(size, alignment_));
    facts::for_each_paying_pair(problem, conflicts_, [&](std::size_t i, std::size_t j, Cost cost) {
      costs_[i * n_ + j] += cost;
      costs_[j * n_ + i] += cost;
      all_ += cost;
    });
  }

  [[nodiscard]] Cost bound(const Budget& budget) {
    if (all_ == 0 || all_ > most_priced) return 0;
    Cost best = 0;
    for (std::uint64_t seed = 0; seed < beginnings && !budget.exhausted(); ++seed)
      best = std::max(best, cores(budget, Random(mix(seed, n_))));
    return best;
  }

 private:
  /// The bound from disjoint cores.
  Cost cores(const Budget& budget, Random random) {
    left_ = costs_;
    apart_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      apart_.insert(apart_.end(), conflicts_.row(i).begin(), conflicts_.row(i).end());
      for (std::size_t j = 0; j < n_; ++j)
        if (left_[i * n_ + j] > 0) apart_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64);
    }
    Cost sum = 0;
    int failed = 0;
    for (int tried = 0; tried < most_cliques && failed < failures_in_a_row && !budget.exhausted();
         tried += cliques_for_core) {
      PricedCore best;
      for (int k = 0; k < cliques_for_core; ++k) {
        grow(random);
        find_cores(random, best);
      }
      if (best.pairs.empty()) {
        ++failed;
        continue;
      }
      failed = 0;
      sum += best.paying * best.share;
      take(best);
    }
    return sum;
  }

  void take(const PricedCore& core) {
    for (const auto& [i, j] : core.pairs) {
      left_[i * n_ + j] -= core.share;
      left_[j * n_ + i] -= core.share;
      if (left_[i * n_ + j] > 0) continue;
      apart_[i * words_ + j / 64] &= ~(std::uint64_t{1} << (j % 64));
      apart_[j * words_ + i / 64] &= ~(std::uint64_t{1} << (i % 64));
    }
  }

  /// A clique from a random node: the next node leaves the most candidates; the larger one among
  /// equals.
  void grow(Random& random) {
    auto next = static_cast<Member>(random.below(n_));
    clique_.assign(1, next);
    candidates_.assign(row(next), row(next) + words_);
    while (true) {
      choice_.clear();
      for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t bits = candidates_[w]; bits != 0; bits &= bits - 1)
          choice_.push_back(static_cast<Member>(64 * w) +
                            static_cast<Member>(std::countr_zero(bits)));
      if (choice_.empty()) break;
      const std::size_t some = std::min(choice_.size(), most_examined);
      std::pair<int, Size> most{-1, 0};
      for (std::size_t k = 0; k < some; ++k) {
        if (some < choice_.size())
          std::swap(choice_[k], choice_[k + random.below(choice_.size() - k)]);
        const std::pair<int, Size> leaves{common(choice_[k]), sizes_[choice_[k]]};
        if (leaves <= most) continue;
        most = leaves;
        next = choice_[k];
      }
      clique_.push_back(next);
      for (std::size_t w = 0; w < words_; ++w) candidates_[w] &= row(next)[w];
    }
    std::sort(clique_.begin(), clique_.end(), [&](Member a, Member b) {
      return sizes_[a] != sizes_[b] ? sizes_[a] > sizes_[b] : a < b;
    });
  }

  [[nodiscard]] const std::uint64_t* row(Member i) const { return apart_.data() + i * words_; }
  [[nodiscard]] int common(Member i) const {
    int count = 0;
    for (std::size_t w = 0; w < words_; ++w) count += std::popcount(candidates_[w] & row(i)[w]);
    return count;
  }

  /// In the clique, nodes are sorted by descending size.
  void find_cores(Random& random, PricedCore& best) {
    for (std::size_t n = 2; n <= clique_.size(); ++n) {
      // The n largest, shrunk to the size of the last of them, in slots of that size.
      const Size size = sizes_[clique_[n - 1]];
      if (n < clique_.size() && sizes_[clique_[n]] == size) continue;
      if (size > capacity_ || rounded_[clique_[n - 1]] == 0) return;
      const Size slots = (capacity_ - size) / rounded_[clique_[n - 1]] + 1;
      if (static_cast<Size>(n) <= slots) continue;
      consider({clique_.begin(), clique_.begin() + static_cast<std::ptrdiff_t>(n)},
               pairs_in_slots(static_cast<std::int64_t>(n), slots), best);
    }
    if (missing(clique_) <= 0) return;
    consider(clique_, 0, best);
    // A minimal subset that does not fit.
    std::vector<Member> few = clique_;
    for (std::size_t k = few.size(); k > 1; --k) std::swap(few[k - 1], few[random.below(k)]);
    for (std::size_t k = 0; k < few.size();) {
      const Member dropped = few[k];
      few.erase(few.begin() + static_cast<std::ptrdiff_t>(k));
      if (missing(few) > 0) continue;
      few.insert(few.begin() + static_cast<std::ptrdiff_t>(k), dropped);
      ++k;
    }
    consider(few, 1, best);
  }

  /// The missing bytes if no pair pays: disjoint buffers, with all sizes but the topmost rounded up
  /// to the common alignment.
  [[nodiscard]] Size missing(const std::vector<Member>& nodes) const {
    Size sum = 0;
    Size padding = 0;
    for (const Member i : nodes) {
      sum += rounded_[i];
      padding = std::max(padding, rounded_[i] - sizes_[i]);
    }
    return sum - padding - capacity_;
  }

  /// A core of a clique in which at least `paying` pairs pay.
  void consider(const std::vector<Member>& nodes, std::int64_t paying, PricedCore& best) const {
    PricedCore core;
    std::vector<Size> saved;
    core.share = std::numeric_limits<Cost>::max();
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const Cost left = left_[nodes[a] * n_ + nodes[b]];
        if (left == 0) continue;
        core.pairs.emplace_back(nodes[a], nodes[b]);
        core.share = std::min(core.share, left);
        saved.push_back(std::min(rounded_[nodes[a]], rounded_[nodes[b]]));
      }
    // Removing the smaller buffer of each paying pair leaves disjoint buffers.
    std::sort(saved.begin(), saved.end(), std::greater<>());
    Size need = missing(nodes);
    std::int64_t least = 0;
    for (; need > 0 && static_cast<std::size_t>(least) < saved.size(); ++least)
      need -= saved[static_cast<std::size_t>(least)];
    // More than all pairs: no placement exists, which other bounds report.
    core.paying = std::min(std::max(paying, least), static_cast<std::int64_t>(core.pairs.size()));
    if (core.paying > 0 && core.better_than(best)) best = std::move(core);
  }

  const facts::ConflictGraph conflicts_;
  const Size capacity_;
  const std::size_t n_;
  const std::size_t words_;
  std::vector<Size> sizes_;
  std::vector<Size> rounded_;
  Size alignment_ = 0;       ///< of all offsets
  std::vector<Cost> costs_;  ///< of pairs that do not conflict
  Cost all_ = 0;
  std::vector<Cost> left_;            ///< remaining costs after the cores so far
  std::vector<std::uint64_t> apart_;  ///< per node: nodes in conflict, or with a remaining cost
  // Reused memory.
  std::vector<Member> clique_;
  std::vector<Member> choice_;
  std::vector<std::uint64_t> candidates_;
};

}  // namespace

Cost cost_bound_by_cliques(const PlacementProblem& problem, const Budget& budget) {
  Cost bound = 0;
  for (MemoryIndex m = 0; m < problem.memories.size() && !budget.exhausted(); ++m)
    if (problem.memories[m].capacity != unbounded) bound += CliqueCosts(problem, m).bound(budget);
  return bound;
}

}  // namespace tessera::search
