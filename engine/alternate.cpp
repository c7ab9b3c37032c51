#include "engine/alternate.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "engine/virtual_time.h"
#include "model/numeric.h"

namespace tessera::engine {
namespace {

/// Virtual time of the first turns; it suffices for most queries of a session.
constexpr double first_share_ns = 1e6;
constexpr double growth = 4;
class AlternatingSession final : public PlacementSession {
 public:
  AlternatingSession(const std::vector<Alternate>& engines, const PlacementProblem& problem)
      : engines_(engines), problem_(problem), sessions_(engines.size()) {}

  SearchResult solve(const SizeLayer& layer, const SearchParams& params) override {
    const std::size_t last = engines_.size() - 1;
    if (params.goal != Objective::fit || params.proof != nullptr)
      return session(last).solve(layer, params);
    std::vector<char> done(engines_.size(), 0);
    SearchResult undecided;
    for (double share_ns = first_share_ns;; share_ns *= growth) {
      for (std::size_t turn = 0; turn < engines_.size(); ++turn) {
        const std::size_t who = (first_ + turn) % engines_.size();
        if (done[who] != 0) continue;
        double own_ns = who == first_ ? std::max(share_ns, growth * usual_ns_) : share_ns;
        if (std::ranges::count(done, 0) == 1) own_ns = infinity;
        Turn taken = take(who, layer, params, std::min(own_ns, engines_[who].most_ns));
        if (taken.found.status != Status::unknown) {
          first_ = who;
          usual_ns_ = taken.spent_ns;
          return std::move(taken.found);
        }
        done[who] = taken.limited && own_ns < engines_[who].most_ns ? 0 : 1;
        if (who == last || undecided.reason.empty()) undecided = std::move(taken.found);
        if (const auto why = params.budget.exhausted()) {
          undecided.stop = *why;
          return undecided;
        }
      }
      if (std::ranges::count(done, 0) == 0) return undecided;
    }
  }

 private:
  struct Turn {
    SearchResult found;
    double spent_ns = 0;
    bool limited = false;  ///< stopped by its share: a larger share may decide
  };

  PlacementSession& session(std::size_t who) {
    if (!sessions_[who]) sessions_[who] = engines_[who].engine->open(problem_);
    return *sessions_[who];
  }

  Turn take(std::size_t who, const SizeLayer& layer, const SearchParams& params, double share_ns) {
    WorkMeter meter;
    meter.limit.store(work_units(share_ns, engines_[who].ns_per_unit));
    SearchParams own = params;
    own.budget.meter = &meter;
    Turn turn{.found = session(who).solve(layer, own)};
    turn.spent_ns = static_cast<double>(meter.done.load()) * engines_[who].ns_per_unit;
    turn.limited =
        turn.found.stop == StopReason::node_limit && meter.done.load() >= meter.limit.load();
    return turn;
  }

  const std::vector<Alternate>& engines_;
  PlacementProblem problem_;
  std::vector<std::unique_ptr<PlacementSession>> sessions_;  ///< opened when first needed
  std::size_t first_ = 0;  ///< the engine that decided the last query
  double usual_ns_ = 0;    ///< the virtual time it took
};

class AlternatingEngine final : public PlacementEngine {
 public:
  explicit AlternatingEngine(std::vector<Alternate> engines) : engines_(std::move(engines)) {
    for (const Alternate& each : engines_)
      name_ += (name_.empty() ? "" : "+") + std::string(each.engine->name());
  }

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] facts::FeatureSet features() const override {
    facts::FeatureSet all = facts::FeatureSet::everything();
    for (const Alternate& each : engines_) all = all & each.engine->features();
    return all;
  }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective goal) const override {
    for (const Alternate& each : engines_)
      if (auto why = each.engine->outgrown(problem, goal)) return why;
    return std::nullopt;
  }
  [[nodiscard]] SearchResult solve(const PlacementProblem& problem,
                                   const SearchParams& params) override {
    return AlternatingSession(engines_, problem).solve(size_layer(problem), params);
  }
  [[nodiscard]] std::unique_ptr<PlacementSession> open(const PlacementProblem& problem) override {
    return std::make_unique<AlternatingSession>(engines_, problem);
  }

 private:
  std::vector<Alternate> engines_;
  std::string name_;
};

}  // namespace

std::unique_ptr<PlacementEngine> make_alternating_engine(std::vector<Alternate> engines) {
  return std::make_unique<AlternatingEngine>(std::move(engines));
}

}  // namespace tessera::engine
