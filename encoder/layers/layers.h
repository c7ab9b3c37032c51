// The list of rules. A new hardware rule is one new file, one line here and one in encoding.cpp; a
// new kind of relation is a case in one of the files of relations. The engine claims it in
// solver_engine.cpp, for CaDiCaL and Z3 at once.
#pragma once

#include "context.h"

namespace tessera::encoder {

// Liveness layer: who must not overlap whom.
void add_liveness(Context& context);
void add_order_axioms(Context& context);  ///< what holds for orders in any case

// Hardware layer.
void add_memories(Context& context);   ///< exactly one memory for each buffer, inside its capacity
void add_alignment(Context& context);  ///< where the memories' alignments differ
void add_windows(Context& context);    ///< fixed offsets and windows
void add_reserved(Context& context);
void add_straddle(Context& context);
void add_modes(Context& context);
void add_bank_relations(Context& context);    ///< same_bank, different_banks
void add_memory_relations(Context& context);  ///< same_memory, different_memories
void add_order_relations(Context& context);   ///< adjacent, same_offset, disjoint
void add_soft_costs(Context& context);        ///< avoid_overlap, for Objective::cost

// Not rules: what may be assumed without losing an answer, and what follows from the rules.
void add_symmetry(Context& context);
void add_balance(Context& context);

}  // namespace tessera::encoder
