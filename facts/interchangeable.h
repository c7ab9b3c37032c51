// Interchangeable buffers: exchanging the places of two maps every placement to a placement.
//
//   for (const InterchangeableClass& same : interchangeable_classes(problem))
//     if (same.kind == InterchangeableKind::apart) ...      // place same.buffers by index from
//     below
//
// Two buffers are interchangeable if
//  - they agree in size, permitted memories, alignment in each of them, and window;
//  - neither has parts, a fixed offset or a relation `adjacent`;
//  - every third buffer treats them alike: the same bytes of it conflict with both, the same kinds
//    of other relations name it with both, and overlapping it costs the same.
//
// Live intervals only have to be equal if a memory has modes or a buffer has gaps; otherwise time
// only decides conflicts. Every permutation of a class maps the rules onto themselves, so a search
// may choose one placement among those that differ by a permutation:
//
//  - `apart`: no two may share a byte. Within each memory, each lies below the next one.
//  - `together`: no rule separates them. All have the place of the one that pays least.
//  - `ordered`: other cases. Memory and offset never decrease from one to the next.
//
// The choice in one class does not affect the other classes.
#pragma once

#include <memory>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::facts {

enum class InterchangeableKind : std::uint8_t { apart, together, ordered };

struct InterchangeableClass {
  std::vector<BufferIndex> buffers;  ///< ascending, two or more
  InterchangeableKind kind = InterchangeableKind::ordered;
};

class InterchangeableBuffers {
 public:
  /// require: the problem is valid and outlives this. Throws BudgetEnded if there is a poll.
  explicit InterchangeableBuffers(const PlacementProblem& problem, Poll* poll = nullptr);
  ~InterchangeableBuffers();
  InterchangeableBuffers(const InterchangeableBuffers&) = delete;
  InterchangeableBuffers& operator=(const InterchangeableBuffers&) = delete;

  /// All pairs of a class are equal(). Some interchangeable buffers are in no class: those without
  /// conflicts, perhaps some with several live intervals, and all if there are too many relations.
  [[nodiscard]] const std::vector<InterchangeableClass>& classes() const { return classes_; }
  /// May the two exchange their places? False if it is not known.
  [[nodiscard]] bool equal(BufferIndex a, BufferIndex b) const;
  /// True only if no other buffer is interchangeable with it.
  [[nodiscard]] bool alone(BufferIndex b) const;

 private:
  class Finder;
  std::unique_ptr<Finder> finder_;
  std::vector<InterchangeableClass> classes_;
};

[[nodiscard]] inline std::vector<InterchangeableClass> interchangeable_classes(
    const PlacementProblem& problem, Poll* poll = nullptr) {
  return InterchangeableBuffers(problem, poll).classes();
}

}  // namespace tessera::facts
