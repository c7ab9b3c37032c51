// The list of rules. A new hardware rule is one new file, one line here and one in encoding.cpp. A
// new kind of relation is a case in one of the relation files. solver_engine.cpp declares it as
// supported, for CaDiCaL and Z3 at once.
#pragma once

#include "context.h"

namespace tessera::encoder {

// Liveness layer: which buffers must not overlap.
void add_liveness(Context& context);
void add_order_axioms(Context& context);  ///< transitivity and exclusivity of orders

// Hardware layer.
void add_memories(Context& context);   ///< exactly one memory for each buffer, inside its capacity
void add_alignment(Context& context);  ///< if the memories' alignments differ
void add_windows(Context& context);    ///< fixed offsets and windows
void add_reserved(Context& context);
void add_straddle(Context& context);
void add_modes(Context& context);
void add_bank_relations(Context& context);
void add_memory_relations(Context& context);
void add_order_relations(Context& context);  ///< adjacent, same_offset, disjoint
void add_rules(Context& context);            ///< conditions of the machine
void add_soft_costs(Context& context);       ///< avoid_overlap, for Objective::cost

// Not rules: symmetry breaking, and implied clauses.
void add_symmetry(Context& context);
[[nodiscard]] std::vector<Cover> balance_covers(Context& context);

}  // namespace tessera::encoder
