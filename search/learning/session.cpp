#include "session.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "model/check.h"
#include "model/derived.h"
#include "model/size_layer.h"
#include "solve.h"

namespace tessera::learning {
namespace {

constexpr std::size_t most_placements = 6;
constexpr std::size_t most_refutations = 64;

class Session final : public PlacementSession {
 public:
  Session(const PlacementProblem& problem, const LearningParams& params)
      : params_(params), current_(problem), exact_(problem.buffers.size(), 0) {
    for (const Relation& relation : problem.relations)
      if (relation.kind == RelationKind::adjacent)
        for (const BufferIndex b : relation.buffers) exact_[b] = 1;
  }

  SearchResult solve(const SizeLayer& layer, const SearchParams& search) override {
    replace_sizes(current_, layer);
    ++questions_;
    SearchResult result = answer(search);
    result.stats.push_back({"session_questions", questions_});
    result.stats.push_back({"session_refutations_reused", refutations_reused_});
    result.stats.push_back({"session_placements_reused", placements_reused_});
    result.stats.push_back({"session_orders_reused", orders_reused_});
    result.stats.push_back({"session_solver_calls", searches_});
    return result;
  }

 private:
  struct Refutation {
    std::vector<Size> sizes;
    std::vector<Size> capacities;
  };

  SearchResult answer(const SearchParams& search) {
    SearchResult result;
    const bool recalls = params_.recall && search.proof == nullptr;
    if (recalls && is_refuted()) {
      ++refutations_reused_;
      result.status = Status::infeasible;
      result.reason = "Buffers of at most these sizes did not fit before.";
      return result;
    }
    if (recalls && search.goal == Goal::fit) {
      for (const Placement& placement : placements_) {
        if (!check(current_, placement, 1).empty()) continue;
        ++placements_reused_;
        result.status = Status::feasible;
        result.placement = placement;
        return result;
      }
      for (std::size_t k = 0; k < placements_.size(); ++k) {
        Placement packed = in_the_order_of(placements_[k]);
        if (!check(current_, packed, 1).empty()) continue;
        ++orders_reused_;
        result.status = Status::feasible;
        result.placement = packed;
        remember(std::move(packed));
        return result;
      }
    }
    ++searches_;
    const bool tries_last = params_.recall && !placements_.empty();
    result = solve_once(current_, params_, search, tries_last ? &placements_.front() : nullptr);
    if (result.placement) {
      remember(*result.placement);
    } else if (result.status == Status::infeasible) {
      remember_refutation();
    }
    return result;
  }

  /// Every buffer as low as the order of its neighbours allows, nothing else considered: a proposal
  /// for the checker.
  [[nodiscard]] Placement in_the_order_of(const Placement& earlier) {
    if (neighbours_.empty()) find_neighbours();
    std::vector<BufferIndex> order(earlier.places.size());
    std::iota(order.begin(), order.end(), BufferIndex{0});
    std::stable_sort(order.begin(), order.end(), [&](BufferIndex a, BufferIndex b) {
      return earlier.places[a].offset < earlier.places[b].offset;
    });
    Placement packed = earlier;
    std::vector<char> placed(order.size(), 0);
    for (const BufferIndex b : order) {
      const Buffer& buffer = current_.buffers[b];
      const MemoryIndex m = earlier.places[b].memory;
      Offset at = 0;
      for (const BufferIndex other : neighbours_[b])
        if (placed[other] != 0 && packed.places[other].memory == m)
          at = std::max(at, packed.places[other].offset + current_.buffers[other].size);
      if (buffer.window) at = std::max(at, buffer.window->begin);
      const Size alignment = effective_alignment(buffer, current_.memories[m]);
      packed.places[b].offset = buffer.offset.value_or(align_up(at, alignment));
      placed[b] = 1;
    }
    return packed;
  }

  /// Who is live at one time with whom.
  void find_neighbours() {
    neighbours_.resize(current_.buffers.size());
    const auto meet = [](const Buffer& a, const Buffer& b) {
      return std::any_of(a.live.begin(), a.live.end(), [&](const StepRange& x) {
        return std::any_of(b.live.begin(), b.live.end(), [&](const StepRange& y) {
          return x.lower < y.upper && y.lower < x.upper;
        });
      });
    };
    for (BufferIndex a = 0; a < neighbours_.size(); ++a)
      for (BufferIndex b = 0; b < a; ++b) {
        if (!meet(current_.buffers[a], current_.buffers[b])) continue;
        neighbours_[a].push_back(b);
        neighbours_[b].push_back(a);
      }
  }

  void remember(Placement placement) {
    placements_.push_front(std::move(placement));
    if (placements_.size() > most_placements) placements_.pop_back();
  }

  [[nodiscard]] bool is_refuted() const {
    return std::any_of(refutations_.begin(), refutations_.end(), [this](const Refutation& each) {
      for (MemoryIndex m = 0; m < each.capacities.size(); ++m)
        if (current_.memories[m].capacity > each.capacities[m]) return false;
      for (BufferIndex b = 0; b < each.sizes.size(); ++b) {
        // A larger buffer moves the one next to it: nothing follows from a smaller one.
        const Size size = current_.buffers[b].size;
        if (size < each.sizes[b] || (exact_[b] != 0 && size != each.sizes[b])) return false;
      }
      return true;
    });
  }

  void remember_refutation() {
    Refutation refutation;
    for (const Buffer& buffer : current_.buffers) refutation.sizes.push_back(buffer.size);
    for (const Memory& memory : current_.memories) refutation.capacities.push_back(memory.capacity);
    refutations_.push_front(std::move(refutation));
    if (refutations_.size() > most_refutations) refutations_.pop_back();
  }

  LearningParams params_;
  PlacementProblem current_;
  std::vector<char> exact_;                           ///< by buffer: named by an adjacent relation
  std::vector<std::vector<BufferIndex>> neighbours_;  ///< found when first needed
  std::deque<Placement> placements_;
  std::deque<Refutation> refutations_;
  std::int64_t questions_ = 0;
  std::int64_t refutations_reused_ = 0;
  std::int64_t placements_reused_ = 0;
  std::int64_t orders_reused_ = 0;
  std::int64_t searches_ = 0;
};

}  // namespace

std::unique_ptr<PlacementSession> make_session(const PlacementProblem& problem,
                                               const LearningParams& params) {
  return std::make_unique<Session>(problem, params);
}

}  // namespace tessera::learning
