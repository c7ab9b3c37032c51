// Common base of the baselines: each memory of a problem becomes a model of its own (model.h), and
// the models are solved one after the other.
//
//   class Ilp final : public Baseline {
//     MemoryResult place(const Model& model, const SearchParams& params, Poll& poll,
//                        std::span<std::int64_t> counts) const override;
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "baselines/model.h"
#include "engine/engine.h"

namespace tessera::baselines {

struct MemoryResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::string reason{};                 ///< one sentence, for infeasible and unknown
  std::vector<std::int64_t> offsets{};  ///< feasible: one per body, in units of the model

  [[nodiscard]] static MemoryResult placed(std::vector<std::int64_t> offsets) {
    return {.status = Status::feasible, .offsets = std::move(offsets)};
  }
  [[nodiscard]] static MemoryResult refuted(std::string reason) {
    return {.status = Status::infeasible, .reason = std::move(reason)};
  }
  [[nodiscard]] static MemoryResult given_up(StopReason stop, std::string reason) {
    return {.status = Status::unknown, .stop = stop, .reason = std::move(reason)};
  }
};

/// Names, messages and limits of a baseline.
struct BaselineTraits {
  std::string_view name;     ///< of the engine
  std::string_view method;   ///< begins a sentence: "The integer program"
  std::string_view written;  ///< completes "... while `the integer program was` written down"
  std::int64_t most_pairs = 0;
  double bytes_per_pair = 0;                ///< memory for a model and its copies
  std::int64_t most_size = 0;               ///< maximum size of a memory, in units of its model
  std::string_view too_large;               ///< message for larger memories
  std::vector<std::string_view> counted{};  ///< names of its counters
};

class Baseline : public engine::PlacementEngine {
 public:
  explicit Baseline(BaselineTraits traits) : traits_(std::move(traits)) {}

  [[nodiscard]] std::string_view name() const override { return traits_.name; }
  [[nodiscard]] facts::FeatureSet features() const override;
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective goal) const override;
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override;

 private:
  /// Adds to `counts`, in the order of the traits' names. Throws BudgetEnded. require: the model
  /// has bodies, and each of them fits somewhere by itself.
  [[nodiscard]] virtual MemoryResult place(const Model& model, const engine::SearchParams& params,
                                           Poll& poll, std::span<std::int64_t> counts) const = 0;
  [[nodiscard]] MemoryResult place_all(const PlacementProblem& problem,
                                       const engine::SearchParams& params,
                                       std::span<std::int64_t> counts, Placement& placement) const;

  BaselineTraits traits_;
};

}  // namespace tessera::baselines
