// Buffers that may exchange their places in any placement without anything changing.
//
//   for (const TwinClass& same : twin_classes(problem))
//     if (same.kind == TwinKind::apart) ...      // by index from below, same.buffers ascending
//
// Twins agree in size, allowed memories, alignment in each of them and window; neither has parts,
// a fixed offset or an `adjacent`; and every third buffer is the same to both: as much of it is
// kept apart from them, by living or by a relation, the same kinds of other relations name it with
// them, and it costs the same to overlap it. Live intervals have to be equal only where a memory
// has modes, or a buffer gaps: elsewhere time decides no more than who conflicts. So every
// permutation of a class maps the rules onto themselves, and of the placements that are the same
// but for that one may be chosen:
//
//  - `apart`, no two may share a byte: each lies below the next, wherever in one memory;
//  - `together`, nothing speaks against one place for all: whoever pays least shows it to the rest;
//  - `ordered`, anything between: memory and offset do not fall from one to the next.
//
// Whatever is chosen within one class leaves the other classes as they are.
#pragma once

#include <memory>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::facts {

enum class TwinKind : std::uint8_t { apart, together, ordered };

struct TwinClass {
  std::vector<BufferIndex> buffers;  ///< ascending, two or more
  TwinKind kind = TwinKind::ordered;
};

class Twins {
 public:
  /// require: the problem is valid and outlives this. Throws BudgetEnded where there is a poll.
  explicit Twins(const PlacementProblem& problem, Poll* poll = nullptr);
  ~Twins();
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  /// Each pair of a class is equal(). Some twins are in none: those that meet nobody at all, and
  /// perhaps some that live more than once, or any where relations are too many to go through.
  [[nodiscard]] const std::vector<TwinClass>& classes() const { return classes_; }
  /// May these two exchange their places? By the words above; false too where that is not known.
  [[nodiscard]] bool equal(BufferIndex a, BufferIndex b) const;
  /// It is sure that no other buffer may.
  [[nodiscard]] bool alone(BufferIndex b) const;

 private:
  class Finder;
  std::unique_ptr<Finder> finder_;
  std::vector<TwinClass> classes_;
};

[[nodiscard]] inline std::vector<TwinClass> twin_classes(const PlacementProblem& problem,
                                                         Poll* poll = nullptr) {
  return Twins(problem, poll).classes();
}

}  // namespace tessera::facts
