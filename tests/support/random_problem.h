// Tiny problems, small enough for brute_force.h, with every feature of the model.
//
//   Random random(seed);
//   PlacementProblem problem = random_problem(random, Features::all());
//
// A feature that is switched on appears in some of the problems, so that features meet each other
// in pairs and alone. About half of the problems can be solved.
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
  bool memory_choice = false;  ///< needs several_memories; without it every buffer is tied to one
  bool banks = false;
  bool no_straddle = false;  ///< needs banks
  bool modes = false;
  bool modes_per_bank = false;
  bool accesses = false;  ///< reads, writes and weights
  std::vector<RelationKind> relations{};
  bool soft_costs = false;
  /// Some buffers come twice or more, with the relations they are in, or almost so (add_twins()).
  bool twins = false;
  /// 1: for the oracle. Larger: that many times the buffers, steps and sizes, for comparing engines
  /// with each other.
  int scale = 1;

  /// Only lifetimes and sizes.
  [[nodiscard]] static Features plain() { return {}; }
  /// Everything the model can say but parts, which few engines take.
  [[nodiscard]] static Features all();
  [[nodiscard]] static Features all_with_parts();
  /// Everything but modes, relations about banks and memories, and a free choice of memory.
  [[nodiscard]] static Features one_address_space();
};

/// ensure: validate() finds nothing wrong with it.
[[nodiscard]] PlacementProblem random_problem(Random& random, const Features& features);

/// A few buffers once more under other names, with what relations say of them: so that they can be
/// exchanged, can lie at one place, or just cannot, because one number or one relation differs.
void add_twins(Random& random, PlacementProblem& problem);

/// The same question in other numbers: every address times `granule` (an alignment of 1 stays) and
/// the steps spread out. Its answer is that of the problem it came from.
/// require: no modes, where `spread` is not 1.
[[nodiscard]] PlacementProblem magnified(const PlacementProblem& problem, Size granule,
                                         Step spread);

}  // namespace tessera::testing
