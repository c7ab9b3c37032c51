// Checks certificates of kind "derivation": what a clause-learning placement engine concluded, step
// by step, by arithmetic and unit propagation alone.
//
//   tessera proof/1 derivation
//   o V B              variable V is the offset of buffer B
//   i B BEGIN END      the next item: buffer B occupies [BEGIN, END) of itself
//   p V I J            variable V: item I lies below item J; its negation: J below I
//   v V I J            likewise, but its negation says only that I does not lie below J
//   m V B M            variable V: buffer B is in memory M
//   k V M T K          variable V: at step T memory M could be in its mode K
//   b V M T BANK ROLE  variable V: at step T this bank of M could have its own role number ROLE
//   h V X Y D          variable V, true: a relation puts variable Y at least D above variable X
//   y KEY / z KEY      an order among identical buffers / the one order that mirroring allows
//   a ID N LITS        a clause that one rule of the problem asks for, about one or two buffers
//   l ID N LITS        a learned clause follows from the lines up to "q", in their order:
//     c ID               an earlier clause
//     e|t|s LIT N LITS   the premises imply LIT: by one edge, a cycle of edges, an alignment
//     r LIT N LITS       likewise, because no buffer need lie where it could be lowered
//     w|n LIT N LITS M ITEMS  likewise, by more bytes than room: a window, not first
//   d N IDS            clauses no longer needed
//
// A literal is "KEY VALUE", key 2v: the offset is at least VALUE; key 2v + 1: minus the end is at
// least VALUE, that is, the end is at most -VALUE. Booleans: key 2v true, 2v + 1 false, VALUE 1.
// "-1" in place of LIT: the premises contradict each other.
//
// Every pair, item, clause of the problem and symmetry is re-derived from the problem; nothing the
// file says about the problem is believed.
#pragma once

#include <string_view>

#include "check_proof.h"

namespace tessera::proof {

void check_derivation(const PlacementProblem& problem, std::string_view text,
                      ProofVerdict& verdict);

}  // namespace tessera::proof
