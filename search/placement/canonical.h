// Complete placement by canonical depth-first search.
//
//   auto engine = make_canonical_engine();
//   if (auto why = engine->unsupported(problem, Objective::fit)) return ask_another(*why);
//   SearchResult found = engine->solve(problem, {.budget = {.deadline = soon}});
//
// Only canonical placements are visited, in which no buffer could be lowered: each lies at its
// lowest offset above the placed ones it overlaps (Moffitt, "MiniMalloc: A Lightweight Memory
// Allocator for Hardware-Accelerated Machine Learning", ASPLOS 2023). The order need not be that
// of the paper, by offset: whatever nothing can slip under may be decided first. Every rule below
// can be switched off; none changes the answer, all change how soon it comes.
//
// Supported: capacities, alignment, fixed offsets, windows, reserved ranges, borders that must not
// be straddled, gaps with and without windows, several live intervals, disjoint, may_overlap,
// same_offset, several memories as long as every buffer is tied to one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/engine.h"

namespace tessera::search {

/// The static orders: which buffer goes first among those with the same lowest offset.
enum class CanonicalOrder : std::uint8_t {
  total_area_width,  ///< most contended step first, then area
  width_area_total,  ///< longest life first
  total_width_area,
  area,
  size,
  overlaps,
};
inline constexpr int canonical_order_count = 6;

struct CanonicalParams {
  // Rules of the paper.
  bool section_inference = true;  ///< floor + unplaced sizes of a section must fit
  bool dominance = true;          ///< what does not lie at its lowest offset has to be lifted
  bool decomposition = true;      ///< solve parts that no unplaced buffer connects one by one
  bool hatless = true;            ///< what lifts nothing has no alternative
  bool monotonic_floor = true;    ///< nothing lies below the lowest item that can be placed
  bool unallocated_floor = true;  ///< a section starts no lower than its lowest unplaced buffer
  // Rules beyond the paper.
  bool cliques = true;        ///< section inference for what relations keep apart, too
  bool one_machine = true;    ///< section inference for every release offset, not only the floor
  bool failed_states = true;  ///< remember refuted (unplaced set, lowest offsets); exact compare
  bool subset_sums = true;    ///< capacities rounded down to a sum that sizes can form
  bool local_choice = true;   ///< choose where a section is tightest, not at the lowest offset
  bool symmetry = true;       ///< equal buffers keep their order
  bool backjumping = true;    ///< return to the last choice that a dead end rests on
  // How the search is scheduled.
  bool restarts = true;    ///< look for a placement under several orders, growing budgets
  bool contention = true;  ///< most orders go by what refused in earlier tries, not by size alone
  std::vector<CanonicalOrder> orders{};  ///< empty: all, in the order of the enumeration
  std::int64_t first_budget = 0;         ///< nodes of the first try; 0: derived from the size
  std::size_t table_bytes = std::size_t{64} << 20;  ///< memory of the table of failed states
};

/// The engine, called "canonical".
[[nodiscard]] std::unique_ptr<engine::PlacementEngine> make_canonical_engine(
    const CanonicalParams& params = {});

/// The same search without an engine around it, for callers with many tiny problems: keeps its
/// working memory between calls. Not thread-safe.
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
  /// Why the problem is too large, as a sentence; nothing where it is not.
  [[nodiscard]] static std::optional<std::string> outgrown(const PlacementProblem& problem);
  /// Are its features known and its pairs not too many?
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
