#include "facts/clique.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "facts/free_space.h"
#include "model/derived.h"

namespace tessera::facts {
namespace {

/// Limit on the buffers of one memory; beyond it, building the graph costs more than it gains.
constexpr std::size_t most_buffers = 2'048;
/// Limit on the buffers of the problem; beyond it, even the selection takes longer than a time
/// limit may be exceeded by.
constexpr std::size_t most_in_all = 100'000;
/// In words of bits: some tens of milliseconds for one search.
constexpr std::int64_t usual_work = 20'000'000;
/// Words between two polls of the budget: less than a millisecond.
constexpr std::int64_t poll_after = 200'000;
/// Alignments tried in one memory.
constexpr std::size_t most_grains = 4;

class Search {
 public:
  /// Renumbers the nodes by descending weight, so the first node of a colour class is its heaviest.
  Search(const ConflictGraph& graph, std::span<const Size> weights, std::int64_t most_work,
         const Budget& budget)
      : budget_(budget), work_(most_work), next_poll_(most_work - poll_after) {
    for (std::size_t i = 0; i < graph.size(); ++i)
      if (weights[i] > 0) node_.push_back(i);
    std::vector<std::size_t> degree(graph.size(), 0);
    for (const std::size_t i : node_)
      for (const std::uint64_t word : graph.row(i))
        degree[i] += static_cast<std::size_t>(std::popcount(word));
    std::stable_sort(node_.begin(), node_.end(), [&](std::size_t x, std::size_t y) {
      return weights[x] != weights[y] ? weights[x] > weights[y] : degree[x] > degree[y];
    });
    words_ = (node_.size() + 63) / 64;
    adjacent_.assign(node_.size() * words_, 0);
    for (std::size_t i = 0; i < node_.size(); ++i) {
      weight_.push_back(weights[node_[i]]);
      for (std::size_t j = 0; j < node_.size(); ++j)
        if (graph.conflict(node_[i], node_[j]))
          adjacent_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64);
    }
  }

  Clique run() {
    level(0).candidates.assign(words_, 0);
    for (std::size_t i = 0; i < node_.size(); ++i)
      levels_[0].candidates[i / 64] |= std::uint64_t{1} << (i % 64);
    greedy();
    expand(0, 0);
    Clique clique;
    for (const std::size_t i : best_) clique.nodes.push_back(node_[i]);
    std::sort(clique.nodes.begin(), clique.nodes.end());
    clique.weight = best_weight_;
    clique.heaviest = work_ > 0;
    return clique;
  }

 private:
  struct Level {
    std::vector<std::uint64_t> candidates;
    /// Node, and the maximum weight that it and the nodes before it can add.
    std::vector<std::pair<std::size_t, Size>> order;
  };

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth) {
      levels_.emplace_back();
      levels_.back().candidates.resize(words_);
      levels_.back().order.reserve(node_.size());
    }
    return levels_[depth];
  }

  [[nodiscard]] const std::uint64_t* row(std::size_t i) const {
    return adjacent_.data() + i * words_;
  }

  /// An initial clique from each node: repeatedly adds the heaviest candidate.
  void greedy() {
    std::vector<std::uint64_t> left(words_);
    std::vector<std::size_t> chosen;
    const std::size_t starts = std::min<std::size_t>(node_.size(), 64);
    for (std::size_t start = 0; start < starts; ++start) {
      chosen.assign(1, start);
      Size weight = weight_[start];
      std::copy_n(row(start), words_, left.begin());
      for (std::size_t w = 0; w < words_; ++w)
        while (left[w] != 0) {
          const std::size_t next = w * 64 + static_cast<std::size_t>(std::countr_zero(left[w]));
          left[w] &= left[w] - 1;
          chosen.push_back(next);
          weight += weight_[next];
          for (std::size_t k = w; k < words_; ++k) left[k] &= row(next)[k];
        }
      work_ -= static_cast<std::int64_t>(chosen.size() * words_);
      if (weight > best_weight_) {
        best_weight_ = weight;
        best_ = chosen;
      }
    }
  }

  /// Greedy colouring of the candidates: a class has no conflicts, so a clique contains at most one
  /// of its nodes. Within a class the lightest node comes first, so each is bounded by its own
  /// weight.
  void colour(Level& at) {
    at.order.clear();
    uncoloured_ = at.candidates;
    Size before = 0;
    for (std::size_t first = 0; first < words_;) {
      if (uncoloured_[first] == 0) {
        ++first;
        continue;
      }
      const std::size_t begin = at.order.size();
      class_ = uncoloured_;
      for (std::size_t w = first; w < words_; ++w)
        while (class_[w] != 0) {
          const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(class_[w]));
          class_[w] &= class_[w] - 1;
          uncoloured_[w] &= ~(std::uint64_t{1} << (i % 64));
          for (std::size_t k = w; k < words_; ++k) class_[k] &= ~row(i)[k];
          work_ -= static_cast<std::int64_t>(words_ - w);
          at.order.emplace_back(i, before + weight_[i]);
        }
      std::reverse(at.order.begin() + static_cast<std::ptrdiff_t>(begin), at.order.end());
      before = at.order.back().second;
    }
  }

  [[nodiscard]] bool ended() {
    if (work_ <= next_poll_) {
      next_poll_ = work_ - poll_after;
      if (budget_.exhausted()) work_ = 0;
    }
    return work_ <= 0;
  }

  void expand(std::size_t depth, Size weight) {
    level(depth + 1);
    colour(levels_[depth]);
    for (std::size_t k = levels_[depth].order.size(); k-- > 0;) {
      if (ended()) return;
      const auto [i, bound] = levels_[depth].order[k];
      if (weight + bound <= best_weight_) return;
      Level& here = levels_[depth];
      Level& below = levels_[depth + 1];
      std::uint64_t any = 0;
      for (std::size_t w = 0; w < words_; ++w)
        any |= below.candidates[w] = here.candidates[w] & row(i)[w];
      work_ -= static_cast<std::int64_t>(words_);
      chosen_.push_back(i);
      if (any != 0) {
        expand(depth + 1, weight + weight_[i]);
      } else if (weight + weight_[i] > best_weight_) {
        best_weight_ = weight + weight_[i];
        best_ = chosen_;
      }
      chosen_.pop_back();
      levels_[depth].candidates[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    }
  }

  const Budget& budget_;
  std::int64_t work_;
  std::int64_t next_poll_;         ///< poll when this much work is left
  std::vector<std::size_t> node_;  ///< original number of each node
  std::vector<Size> weight_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> adjacent_;
  std::vector<Level> levels_;
  std::vector<std::uint64_t> uncoloured_;
  std::vector<std::uint64_t> class_;
  std::vector<std::size_t> chosen_;
  std::vector<std::size_t> best_;
  Size best_weight_ = 0;
};

std::vector<Size> distinct(std::vector<Size> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// The least height of buffers whose offsets are multiples of this grain.
Size height_at(const PlacementProblem& problem, const Memory& memory,
               std::span<const BufferIndex> buffers, Size grain) {
  Size asked = 0;
  std::vector<Size> slack;
  for (const BufferIndex b : buffers) {
    const Buffer& buffer = problem.buffers[b];
    if (effective_alignment(buffer, memory) % grain != 0) continue;
    const Size rounded = align_up(buffer.size, grain);
    asked += rounded;
    slack.push_back(rounded - buffer.size);
  }
  std::sort(slack.begin(), slack.end(), std::greater<>());
  // Fills the free ranges from below. The top buffer of a range need not be rounded up.
  std::size_t stretches = 0;
  for (AddressRange free : free_ranges(memory)) {
    free.begin = align_up(free.begin, grain);
    if (free.empty()) continue;
    if (stretches < slack.size()) asked -= slack[stretches];
    ++stretches;
    if (asked <= free.size()) return asked <= 0 ? 0 : free.begin + asked;
    asked -= free.size();
  }
  return memory.capacity + 1;
}

}  // namespace

Clique heaviest_clique(const ConflictGraph& graph, std::span<const Size> weights,
                       std::int64_t most_work, const Budget& budget) {
  return Search(graph, weights, most_work, budget).run();
}

std::vector<std::vector<BufferIndex>> heavy_cliques(const PlacementProblem& problem, MemoryIndex m,
                                                    const Budget& budget) {
  std::vector<std::vector<BufferIndex>> cliques;
  if (problem.buffers.size() > most_in_all || !separates(problem)) return cliques;
  const ConflictGraph graph(problem, {m}, most_buffers);
  if (graph.size() < 2) return cliques;
  const Memory& memory = problem.memories[m];
  std::vector<Size> grains;
  for (std::size_t i = 0; i < graph.size(); ++i)
    grains.push_back(effective_alignment(problem.buffers[graph.buffer(i)], memory));
  std::vector<Size> tried = distinct(grains);
  // The common grain of all, then the largest ones.
  Size common = 0;
  for (const Size grain : tried) common = std::gcd(common, grain);
  std::erase(tried, common);
  std::reverse(tried.begin(), tried.end());
  if (tried.size() >= most_grains) tried.resize(most_grains - 1);
  tried.insert(tried.begin(), common);
  std::vector<Size> weights(graph.size());
  for (const Size grain : tried) {
    if (budget.exhausted()) break;
    for (std::size_t i = 0; i < graph.size(); ++i)
      weights[i] =
          grains[i] % grain == 0 ? align_up(problem.buffers[graph.buffer(i)].size, grain) : 0;
    const Clique found = heaviest_clique(graph, weights, usual_work, budget);
    std::vector<BufferIndex> buffers;
    for (const std::size_t i : found.nodes) buffers.push_back(graph.buffer(i));
    if (std::find(cliques.begin(), cliques.end(), buffers) == cliques.end())
      cliques.push_back(std::move(buffers));
  }
  return cliques;
}

Size height_of(const PlacementProblem& problem, MemoryIndex m,
               std::span<const BufferIndex> buffers) {
  const Memory& memory = problem.memories[m];
  std::vector<Size> grains;
  Size common = 0;
  for (const BufferIndex b : buffers) {
    grains.push_back(effective_alignment(problem.buffers[b], memory));
    common = std::gcd(common, grains.back());
  }
  grains.push_back(common);
  Size least = 0;
  if (!buffers.empty())
    for (const Size grain : distinct(std::move(grains)))
      least = std::max(least, height_at(problem, memory, buffers, grain));
  return least;
}

std::string why_apart(const PlacementProblem& problem, std::span<const BufferIndex> buffers) {
  // The step at which most of them are live as a whole. It is the first step of one of them.
  Step step = 0;
  std::size_t most = 0;
  for (const BufferIndex first : buffers)
    for (const StepRange& born : whole_life(problem.buffers[first])) {
      std::size_t together = 0;
      for (const BufferIndex b : buffers)
        for (const StepRange& live : whole_life(problem.buffers[b]))
          if (live.contains(born.lower)) ++together;
      if (together > most || (together == most && born.lower < step)) {
        most = together;
        step = born.lower;
      }
    }
  const std::string at = " live together at step " + std::to_string(step);
  if (most == buffers.size()) return "all" + at;
  if (most < 2) return "rules of the input keep all of them apart";
  return std::to_string(most) + at + ", rules of the input keep " +
         (most + 1 == buffers.size() ? "the other one" : "the others") + " apart";
}

}  // namespace tessera::facts
