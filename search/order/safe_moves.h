// Ops that may run at once without loss.
//
//   SafeMoves safe(tables);
//   safe.apply(walk, limit);           // an order within the limit, if any, begins like this
//
// Let a set A of ops be ready after S, in some order within the limit, and let S + A have no more
// live bytes than S + A' for any down-set A' of A, the empty one included. Then some order within
// the limit, if there is any after S, begins with A. Proof: take any such order and move A to its
// front: T + A replaces each down-set T. Live bytes are submodular, so live(T + A) is at most
// live(T) + live(S + A) - live(S + (T and A)), which is at most live(T). (The chains of Liu, "An
// application of generalized tree pebbling to sparse matrix factorization", 1987, are the case of
// a tree.)
//
// The sets tried are single ops, and each op with all of its ancestors that did not run, if they
// are few.
#pragma once

#include <cstdint>
#include <vector>

#include "search/order/walk.h"

namespace tessera::search {

class SafeMoves {
 public:
  explicit SafeMoves(const OpTables& tables);

  /// Runs safe ops until none is known.
  void apply(Walk& walk, Size limit);

 private:
  static constexpr std::size_t most_ops = 12;      ///< of a set
  static constexpr std::size_t most_visits = 400;  ///< of down-sets of one set

  bool single_op(Walk& walk, Size limit);
  bool set_of_ops(Walk& walk, Size limit);
  void add_followers(OpId op);
  [[nodiscard]] bool collect(const Walk& walk, OpId op);
  [[nodiscard]] bool lowers(Walk& walk);
  bool best_subset(Walk& walk, Size limit);
  void visit(Walk& walk, std::uint32_t mask, bool reached);

  const OpTables& tables_;
  std::vector<OpId> tried_;          ///< ops whose sets are tried
  std::vector<std::uint32_t> when_;  ///< per op: the round in which it was last put there
  std::uint32_t round_ = 0;
  std::vector<OpId> set_;             ///< the ops of the set
  std::vector<std::uint8_t> seen_;    ///< per mask: 1 visited, 2 reached within the limit
  std::vector<std::uint32_t> marks_;  ///< the masks to clear
  std::vector<OpId> order_;           ///< of the best subset
  std::size_t start_ = 0;             ///< length of the path before the set
  std::size_t visits_ = 0;
  Size limit_ = 0;
  Size least_ = 0;    ///< live bytes over all visited subsets
  Size reached_ = 0;  ///< over those reached within the limit
};

}  // namespace tessera::search
