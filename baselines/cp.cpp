// The placement problem as disjunctions, for Gecode.
#include <algorithm>
#include <array>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/engines.h"
#include "baselines/model.h"

namespace tessera {
namespace baselines {
namespace {

constexpr std::int64_t most_pairs = 1 << 19;
constexpr std::int64_t most_numbers = 1'000'000'000;  // what Gecode adds up has to stay below 2^31

/// The starts a body may have beside what is reserved.
Gecode::IntSet starts_of(const Model& model, const Body& body) {
  std::vector<std::array<int, 2>> ranges;
  std::int64_t from = body.low;
  const auto add = [&](std::int64_t to) {
    if (from > to) return;
    ranges.push_back({static_cast<int>(from), static_cast<int>(to)});
  };
  for (const Range& reserved : model.reserved) {
    add(std::min(body.high, reserved.begin - body.size));
    from = std::max(from, reserved.end);
  }
  add(body.high);
  const auto list = std::make_unique<int[][2]>(ranges.size());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    list[k][0] = ranges[k][0];
    list[k][1] = ranges[k][1];
  }
  return Gecode::IntSet(list.get(), static_cast<int>(ranges.size()));
}

class Space final : public Gecode::Space {
 public:
  Space(const Model& model, Poll& poll)
      : at_(*this, static_cast<int>(model.bodies.size()), 0, static_cast<int>(most_numbers)) {
    for (int k = 0; k < at_.size(); ++k) {
      poll(16);
      const Body& body = model.bodies[static_cast<std::size_t>(k)];
      Gecode::dom(*this, at_[k], starts_of(model, body));
      if (body.stride > 1) {
        const Gecode::IntVar strides(*this, 0, static_cast<int>(body.high / body.stride));
        Gecode::linear(*this, Gecode::IntArgs({1, -static_cast<int>(body.stride)}),
                       Gecode::IntVarArgs({at_[k], strides}), Gecode::IRT_EQ, 0);
      }
    }
    // Whoever lives at one step shares one axis; pairs say the rest.
    if (!model.exempt)
      for (const auto& section : model.sections) {
        poll(static_cast<std::int64_t>(section.size()) * 8);
        apart(model, section);
      }
    const auto together = sections_of(model);
    for (const auto& [a, b] : model.pairs) {
      poll(16);
      if (!model.exempt && meet(together, a, b)) continue;
      apart(model, {a, b});
    }
    Gecode::branch(*this, at_, Gecode::INT_VAR_MIN_MIN(), Gecode::INT_VAL_MIN());
  }
  Space(Space& other) : Gecode::Space(other) { at_.update(*this, other.at_); }
  Gecode::Space* copy() override { return new Space(*this); }

  [[nodiscard]] std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> all;
    for (int k = 0; k < at_.size(); ++k) all.push_back(at_[k].val());
    return all;
  }

 private:
  void apart(const Model& model, const std::vector<std::uint32_t>& bodies) {
    Gecode::IntVarArgs starts;
    Gecode::IntArgs sizes;
    for (const std::uint32_t k : bodies) {
      starts << at_[static_cast<int>(k)];
      sizes << static_cast<int>(model.bodies[k].size);
    }
    Gecode::unary(*this, starts, sizes, Gecode::IPL_BASIC_ADVANCED);
  }

  /// By body: the sections it is in, ascending.
  static std::vector<std::vector<std::uint32_t>> sections_of(const Model& model) {
    std::vector<std::vector<std::uint32_t>> of(model.bodies.size());
    for (std::uint32_t s = 0; s < model.sections.size(); ++s)
      for (const std::uint32_t k : model.sections[s])
        if (of[k].empty() || of[k].back() != s) of[k].push_back(s);
    return of;
  }
  static bool meet(const std::vector<std::vector<std::uint32_t>>& of, std::uint32_t a,
                   std::uint32_t b) {
    auto i = of[a].begin();
    auto j = of[b].begin();
    while (i != of[a].end() && j != of[b].end()) {
      if (*i == *j) return true;
      ++(*i < *j ? i : j);
    }
    return false;
  }

  Gecode::IntVarArray at_;
};

class Limit final : public Gecode::Search::Stop {
 public:
  Limit(const Budget& budget, std::int64_t done) : budget_(budget), done_(done) {}
  bool stop(const Gecode::Search::Statistics& seen, const Gecode::Search::Options&) override {
    const std::int64_t nodes = done_ + static_cast<std::int64_t>(seen.node);
    if (budget_.meter != nullptr) {
      budget_.meter->done.store(nodes, std::memory_order_relaxed);
      if (nodes >= budget_.meter->limit.load(std::memory_order_relaxed))
        why_ = StopReason::node_limit;
    }
    if (nodes >= budget_.max_nodes) why_ = StopReason::node_limit;
    if (!why_) why_ = budget_.exhausted();
    return why_.has_value();
  }
  [[nodiscard]] std::optional<StopReason> why() const { return why_; }

 private:
  const Budget& budget_;
  std::int64_t done_;
  std::optional<StopReason> why_;
};

class Cp final : public PlacementEngine {
 public:
  [[nodiscard]] std::string_view name() const override { return "cp"; }
  [[nodiscard]] FeatureSet features() const override { return baselines::features(); }

  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Goal /*goal*/) const override {
    const std::int64_t pairs = living_pairs(problem);
    if (pairs <= most_pairs) return std::nullopt;
    return "Constraint programming takes up to " + std::to_string(most_pairs) +
           " pairs of buffers that live at one time; this problem has " + std::to_string(pairs) +
           ".";
  }

  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    SearchResult result;
    Placement placement;
    placement.places.resize(problem.buffers.size());
    placement.modes.resize(problem.memories.size());
    result.status = Status::feasible;
    Counts counts;
    try {
      Poll poll(params.budget);
      poll.look();
      // Propagators, and their copies on the way down.
      constexpr double bytes_per_pair = 600;
      poll.room(bytes_per_pair * static_cast<double>(living_pairs(problem)));
      for (MemoryIndex m = 0; m < problem.memories.size() && result.status == Status::feasible; ++m)
        place(problem, m, params, poll, placement, result, counts);
    } catch (const BudgetEnded& ended) {
      result.status = Status::unknown;
      result.stop = ended.reason;
      result.reason = ended.foreseen
                          ? "Constraint programming would need more memory than there is for so "
                            "many pairs of buffers."
                          : "The limit struck while the constraints were written down.";
    }
    if (result.status == Status::feasible) result.placement = std::move(placement);
    result.stats = {{"nodes", counts.nodes}, {"failures", counts.failures}};
    return result;
  }

 private:
  struct Counts {
    std::int64_t nodes = 0;
    std::int64_t failures = 0;
  };

  static void place(const PlacementProblem& problem, MemoryIndex m, const SearchParams& params,
                    Poll& poll, Placement& placement, SearchResult& result, Counts& counts) {
    const Model model = model_of(problem, m, poll);
    if (model.bodies.empty()) return;
    if (auto why = nowhere(problem, model)) {
      result.status = Status::infeasible;
      result.reason = *std::move(why);
      return;
    }
    const auto give_up = [&result](StopReason stop, const char* reason) {
      result.status = Status::unknown;
      result.stop = stop;
      result.reason = reason;
    };
    if (model.largest > most_numbers)
      return give_up(StopReason::completed,
                     "The addresses are too large for the integers of constraint programming; ask "
                     "another engine.");
    Limit limit(params.budget, counts.nodes);
    Gecode::Search::Options options;
    options.stop = &limit;
    options.threads = 1;
    const auto root = std::make_unique<Space>(model, poll);
    Gecode::DFS<Space> search(root.get(), options);
    const std::unique_ptr<Space> found(search.next());
    const Gecode::Search::Statistics seen = search.statistics();
    counts.nodes += static_cast<std::int64_t>(seen.node);
    counts.failures += static_cast<std::int64_t>(seen.fail);
    if (found) return put(model, found->offsets(), placement);
    if (search.stopped())
      return give_up(limit.why().value_or(StopReason::node_limit),
                     "Constraint programming was stopped by a limit before it could decide.");
    result.status = Status::infeasible;
    result.reason = "The constraints have no solution.";
  }
};

}  // namespace
}  // namespace baselines

std::unique_ptr<PlacementEngine> make_cp_engine() {
  return std::make_unique<baselines::Cp>();
}

}  // namespace tessera
