#include "session.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "live.h"
#include "model/derived.h"
#include "model/size_layer.h"
#include "solve.h"
#include "tessera/check.h"

namespace tessera::search::learning {
namespace {

constexpr std::size_t most_placements = 6;

class Session final : public engine::PlacementSession {
 public:
  Session(const PlacementProblem& problem, const LearningParams& params)
      : params_(params), current_(problem) {}

  engine::SearchResult solve(const SizeLayer& layer, const engine::SearchParams& search) override {
    replace_sizes(current_, layer);
    engine::SearchResult result = answer(search);
    result.stats.push_back({"session_orders_reused", orders_reused_});
    result.stats.push_back({"session_solver_calls", searches_});
    return result;
  }

 private:
  engine::SearchResult answer(const engine::SearchParams& search) {
    engine::SearchResult result;
    if (params_.recall && search.goal == Objective::fit && search.proof == nullptr) {
      for (std::size_t k = 0; k < placements_.size(); ++k) {
        Placement packed = in_the_order_of(placements_[k]);
        if (!check(current_, packed, 1).empty()) continue;
        ++orders_reused_;
        result.step = "order";
        result.status = Status::feasible;
        result.placement = packed;
        remember(std::move(packed));
        return result;
      }
    }
    ++searches_;
    if (search.goal == Objective::fit && search.proof == nullptr && !search.tell_used &&
        params_.guard == nullptr && Live::takes(current_)) {
      result = ask_live(search);
      if (result.placement) remember(*result.placement);
      return result;
    }
    const bool tries_last = params_.recall && !placements_.empty();
    result = solve_once(current_, params_, search, tries_last ? &placements_.front() : nullptr);
    if (result.placement) remember(*result.placement);
    return result;
  }

  engine::SearchResult ask_live(const engine::SearchParams& search) {
    try {
      if (!live_) live_ = std::make_unique<Live>(current_, params_, search.budget);
      return live_->solve(size_layer(current_), search);
    } catch (const BudgetEnded& ended) {
      live_.reset();
      return given_up(ended);
    } catch (...) {
      live_.reset();
      throw;
    }
  }

  /// Every buffer as low as the order of its neighbours permits, without other rules: a proposal
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

  /// The buffers live at the same step.
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

  LearningParams params_;
  PlacementProblem current_;
  std::unique_ptr<Live> live_;                        ///< since the first search
  std::vector<std::vector<BufferIndex>> neighbours_;  ///< computed on first use
  std::deque<Placement> placements_;
  std::int64_t orders_reused_ = 0;
  std::int64_t searches_ = 0;
};

}  // namespace

std::unique_ptr<engine::PlacementSession> make_session(const PlacementProblem& problem,
                                                       const LearningParams& params) {
  return std::make_unique<Session>(problem, params);
}

}  // namespace tessera::search::learning
