// Complete placement by canonical depth-first search.
//
//   auto engine = make_canonical_engine();
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
// The search only visits canonical placements, in which no buffer can be lowered: each buffer is at
// its lowest offset above the placed ones it overlaps (Moffitt, "MiniMalloc: A Lightweight Memory
// Allocator for Hardware-Accelerated Machine Learning", ASPLOS 2023). The paper decides buffers by
// ascending offset. Here any buffer may go first if all unplaced ones that fit under it are skipped
// or waiting. Each rule below has a switch. It changes the time of a search and, if a
// limit ends the search, whether the result is unknown; it never turns feasible into infeasible or
// back.
//
// docs/internals/canonical-search.md explains the search and how to add a rule.
//
// Supported: address_features and sharing_features (facts/feature_sets.h). With several memories
// every buffer has to be restricted to one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

/// Static orders: which buffer goes first among those with the same lowest offset. A name lists
/// the sort keys: total (load of the fullest step), width (lifetime), area (width x size).
enum class CanonicalOrder : std::uint8_t {
  total_area_width,  ///< most contended step first, then area, then width
  width_area_total,  ///< longest life first
  total_width_area,
  area,
  size,
  overlaps,
};
inline constexpr int canonical_order_count = 6;

struct CanonicalParams {
  // Rules of the paper.
  bool section_inference = true;  ///< floor + unplaced sizes of a section have to fit
  bool dominance = true;          ///< a skipped buffer has to rest on an unplaced one
  bool decomposition = true;      ///< separate searches for times that no unplaced buffer connects
  bool hatless = true;            ///< a buffer that raises no other need not be skipped
  bool monotonic_floor = true;    ///< all unplaced buffers have to fit above the lowest one
  bool unallocated_floor = true;  ///< section inference also where a bound has been raised
  // Further rules.
  bool cliques = true;      ///< section inference also for buffers that relations separate
  bool one_machine = true;  ///< section inference for every release offset, not only for the floor
  bool failed_states = true;  ///< store refuted (unplaced set, lowest offsets); exact compare
  bool subset_sums = true;    ///< round capacities down to a sum that sizes can form
  bool local_choice = true;   ///< choose where a section is tightest, not at the lowest offset
  bool symmetry = true;       ///< equal buffers keep their order
  bool backjumping = true;    ///< return to the last choice that a dead end depends on
  // Scheduling of the search.
  bool restarts = true;    ///< search for a placement with several orders and growing budgets
  bool contention = true;  ///< most orders follow the refusals of earlier tries, not only sizes
  std::vector<CanonicalOrder> orders{};  ///< empty: the ten tries of tries_of()
  std::int64_t first_budget = 0;         ///< nodes of the first try; 0: derived from the size
  std::size_t table_bytes = std::size_t{64} << 20;  ///< memory of the table of failed states
};

/// The engine "canonical".
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_canonical_engine(
    const CanonicalParams& params = {});

/// The same search without an engine, for callers with many small problems: keeps its memory
/// between calls. Not thread-safe.
///
///   CanonicalSolver solver({});
///   for (const PlacementProblem& tile : tiles) use(solver.solve(tile, {}));
class CanonicalSolver {
 public:
  explicit CanonicalSolver(const CanonicalParams& params);
  CanonicalSolver(const CanonicalSolver&) = delete;
  CanonicalSolver& operator=(const CanonicalSolver&) = delete;
  ~CanonicalSolver();
  [[nodiscard]] static facts::FeatureSet features();
  /// Why the problem is too large, as a sentence; nothing if it is not.
  [[nodiscard]] static std::optional<std::string> outgrown(const PlacementProblem& problem);
  /// Does features() contain the features of the problem, and is it not outgrown()?
  [[nodiscard]] static bool takes(const PlacementProblem& problem);
  /// require: validate(problem) is empty, takes(problem), params.goal is Objective::fit.
  /// ensure: as PlacementEngine::solve.
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::search
