// Tiny problems for brute_force.h, with every feature of the model.
//
//   Random random(seed);
//   PlacementProblem problem = random_problem(random, Features::all());
//
// An enabled feature appears in some of the problems, so that features occur alone and in
// combination. About half of the problems are feasible.
#pragma once

#include <vector>

#include "tessera/problem.h"
#include "tests/support/random.h"

namespace tessera::testing {

struct Features {
  bool alignment = false;
  bool gaps = false;
  bool gap_windows = false;  ///< needs gaps
  bool parts = false;        ///< some buffers have parts instead of gaps
  bool intervals = false;    ///< several live intervals
  bool fixed_offsets = false;
  bool hints = false;
  bool windows = false;
  bool reserved = false;
  bool several_memories = false;
  /// needs several_memories; without it every buffer is tied to one memory
  bool memory_choice = false;
  bool banks = false;
  bool no_straddle = false;  ///< needs banks
  bool modes = false;
  bool modes_per_bank = false;
  bool accesses = false;  ///< reads, writes and weights
  std::vector<RelationKind> relations{};
  bool soft_costs = false;
  /// Some buffers occur twice or more, with the relations they are in, exactly or nearly
  /// (add_twins()).
  bool twins = false;
  /// 1: for the oracle. Larger: multiplies buffers, steps and sizes, to compare engines with each
  /// other.
  int scale = 1;

  /// Only lifetimes and sizes.
  [[nodiscard]] static Features plain() { return {}; }
  /// All features except parts, which few engines support.
  [[nodiscard]] static Features all();
  [[nodiscard]] static Features all_with_parts();
  /// All features except modes, relations about banks and memories, and choices of memory.
  [[nodiscard]] static Features one_address_space();
};

/// ensure: validate() reports no defect.
[[nodiscard]] PlacementProblem random_problem(Random& random, const Features& features);

/// Adds copies of a few buffers under other names, with their relations. They are interchangeable,
/// may share one place, or just miss either property by one number or relation.
void add_twins(Random& random, PlacementProblem& problem);

/// An equivalent problem in other numbers: every address times `granule` (an alignment of 1 stays),
/// and the steps spread out. Results are those of the original problem. require: no modes, unless
/// `spread` is 1.
[[nodiscard]] PlacementProblem magnified(const PlacementProblem& problem, Size granule,
                                         Step spread);

}  // namespace tessera::testing
