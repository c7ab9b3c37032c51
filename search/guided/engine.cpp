#include "search/guided/engine.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "facts/feature_sets.h"
#include "facts/parts.h"
#include "model/relations.h"
#include "search/guided/solve.h"
#include "search/learning/build.h"

namespace tessera::search {
namespace guided {
namespace {

// Of one independent part of the problem.
constexpr std::size_t most_parts = 4096;     // parts of buffers: three tables of parts x parts
constexpr std::size_t most_pairs = 1 << 20;  // pairs live at the same time

/// Independent problems that make up the problem, the smallest first. Linear in the number of
/// buffers: problems may have very many parts.
class Division {
 public:
  explicit Division(const PlacementProblem& problem)
      : problem_(problem), parts_(facts::all_parts(problem)), index_(problem.buffers.size(), gone) {
    if (parts_.empty()) parts_.emplace_back();
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::vector<std::size_t> part_of(problem.buffers.size());
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (const BufferIndex b : parts_[p]) part_of[b] = p;
    relations_.resize(parts_.size());
    for (std::size_t r = 0; r < problem.relations.size(); ++r)
      for (const BufferIndex b : problem.relations[r].buffers) {
        std::vector<std::size_t>& of_part = relations_[part_of[b]];
        if (of_part.empty() || of_part.back() != r) of_part.push_back(r);
      }
  }

  [[nodiscard]] const std::vector<std::vector<BufferIndex>>& parts() const { return parts_; }

  [[nodiscard]] PlacementProblem problem_of(std::size_t p) {
    if (parts_.size() == 1) return problem_;
    PlacementProblem part;
    part.name = problem_.name;
    part.memories = problem_.memories;
    for (BufferIndex k = 0; k < parts_[p].size(); ++k) {
      index_[parts_[p][k]] = k;
      part.buffers.push_back(problem_.buffers[parts_[p][k]]);
    }
    for (const std::size_t r : relations_[p])
      for (Relation& left : remaining(problem_.relations[r], index_))
        part.relations.push_back(std::move(left));
    for (const BufferIndex b : parts_[p]) index_[b] = gone;
    return part;
  }

 private:
  const PlacementProblem& problem_;
  std::vector<std::vector<BufferIndex>> parts_;
  std::vector<std::vector<std::size_t>> relations_;  // by part
  std::vector<BufferIndex> index_;                   // by buffer: its index in the current part
};

void add_stats(engine::SearchResult& result, const Counters& counters) {
  result.stats = {{"steps", counters.steps},
                  {"minor_backtracks", counters.minor_backtracks},
                  {"major_backtracks", counters.major_backtracks},
                  {"stuck_exits", counters.stuck_exits},
                  {"restarts", counters.restarts},
                  {"retreats", counters.retreats}};
}

class Engine final : public engine::PlacementEngine {
 public:
  explicit Engine(const GuidedParams& params) : params_(params) {}

  [[nodiscard]] std::string_view name() const override { return "guided"; }

  [[nodiscard]] facts::FeatureSet features() const override {
    return facts::together(
        facts::together(facts::address_features, facts::sharing_features),
        {facts::Feature::choice_of_memory, facts::Feature::modes, facts::Feature::modes_per_bank,
         facts::Feature::same_bank, facts::Feature::different_banks, facts::Feature::adjacent});
  }

  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective /*goal*/) const override {
    const auto fits = [](const learning::LivePairs& size) {
      return size.parts <= most_parts && size.pairs <= most_pairs;
    };
    if (fits(learning::live_pairs(problem))) return std::nullopt;
    Division division(problem);
    for (std::size_t p = division.parts().size(); p-- > 0;) {
      const learning::LivePairs size = learning::live_pairs(division.problem_of(p));
      if (fits(size)) continue;
      return "The guided search supports at most " + std::to_string(most_parts) +
             " buffers (counting parts of buffers with gaps) and " + std::to_string(most_pairs) +
             " pairs of simultaneously live buffers in each independent part of a problem; a part "
             "of this problem has " +
             std::to_string(size.parts) + " and " + std::to_string(size.pairs) + ".";
    }
    return std::nullopt;
  }

  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    engine::SearchResult result;
    Placement whole;
    whole.places.resize(problem.buffers.size());
    Counters counters;
    Spent spent;
    bool complete = true;
    try {
      Division division(problem);
      for (std::size_t p = 0; p < division.parts().size(); ++p) {
        const std::vector<BufferIndex>& names = division.parts()[p];
        Part part = solve_part(division.problem_of(p), names, params_, params, spent);
        add(counters, part.counters);
        result.stop = part.stop;
        complete = complete && part.outcome == Outcome::placed;
        if (part.outcome == Outcome::refuted) {
          result.status = Status::infeasible;
          result.reason = "The rules contradict each other before any buffer is placed.";
          result.used = names;
          break;
        }
        if (part.outcome == Outcome::stopped) break;
        if (part.outcome != Outcome::placed) continue;
        for (std::size_t k = 0; k < names.size(); ++k)
          whole.places[names[k]] = part.placement.places[k];
        whole.modes = std::move(part.placement.modes);
      }
      if (complete) {
        result.status = Status::feasible;
        result.placement = std::move(whole);
      } else if (result.status == Status::unknown) {
        result.reason = result.stop == StopReason::completed
                            ? "The guided search has no candidate left. It is incomplete: use a "
                              "complete engine for a proof."
                            : "A limit stopped the guided search before a result.";
      }
    } catch (const BudgetEnded& ended) {
      result.stop = ended.reason;
      result.reason = ended.foreseen ? "The guided search needs more memory than is available for "
                                       "this many pairs of buffers."
                                     : "A limit stopped the guided search during setup.";
    }
    add_stats(result, counters);
    if (params_.advisor) {
      result.stats.push_back({"advisor_asked", counters.asked});
      result.stats.push_back({"advisor_refuted", counters.advised});
    }
    return result;
  }

 private:
  GuidedParams params_;
};

}  // namespace
}  // namespace guided

std::unique_ptr<engine::PlacementEngine> make_guided_engine(const GuidedParams& params) {
  return std::make_unique<guided::Engine>(params);
}

}  // namespace tessera::search
