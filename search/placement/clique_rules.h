// Rules on the soft costs of cliques: sets of buffers of which any two should or must not overlap.
//
//   CliqueRules rules(problem);
//   engine::HittingSet sets(rules.costs());
//   for (auto& rule : rules.broken_by(sets.share(), random, 100)) sets.add(std::move(rule));
//
// Rounding offsets and sizes down to multiples of a unit keeps separate buffers separate. Therefore
// the members of a clique take S of U available units. If units are shared, pairs pay, at least as
// many units as an even spread shares: m buffers on one unit give m over 2 pairs (for a single size
// this is Turan's theorem, 1941). A paying pair shares at most the units of the smaller buffer.
// Cliques whose rules the prices violate are grown greedily.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/hitting_set.h"
#include "facts/conflicts.h"
#include "model/random.h"
#include "tessera/problem.h"

namespace tessera::search {

class CliqueRules {
 public:
  /// require: validate(problem) is empty.
  explicit CliqueRules(const PlacementProblem& problem);

  /// The items: pairs that pay if they share an address, and their costs.
  [[nodiscard]] const std::vector<std::pair<BufferIndex, BufferIndex>>& pairs() const {
    return pairs_;
  }
  [[nodiscard]] const std::vector<Cost>& costs() const { return costs_; }

  /// Rules that these shares violate, the most violated first, from about this many cliques per
  /// memory. No rule is returned twice.
  [[nodiscard]] std::vector<engine::HittingRule> broken_by(std::span<const double> shares,
                                                           Random& random, int cliques);

 private:
  static constexpr std::uint32_t no_item = 0xFFFFFFFF;

  /// Offsets in multiples of `size`.
  struct Unit {
    Size size = 1;
    Size count = 0;           ///< number of units
    std::vector<Size> spans;  ///< per node; 0: not counted
  };
  struct OneMemory {
    std::size_t nodes = 0;
    std::size_t words = 0;
    std::vector<std::uint32_t> items;  ///< per pair of nodes; no_item: no cost
    std::vector<std::uint64_t> apart;  ///< per node: nodes that it must or should not overlap
    std::vector<Unit> units;
  };
  struct Found {
    engine::HittingRule rule;
    double misses = 0;  ///< normalised violation
  };

  void read(const PlacementProblem& problem, const facts::ConflictGraph& conflicts,
            OneMemory& memory);
  static void choose_units(const PlacementProblem& problem, MemoryIndex index,
                           const facts::ConflictGraph& conflicts, OneMemory& memory);
  void grow(const OneMemory& memory, const Unit& unit, Random& random);
  void add(const OneMemory& memory, const Unit& unit, std::uint32_t node, double sign);
  void thin_out(const OneMemory& memory, const Unit& unit);
  void drop_spare(const OneMemory& memory, const Unit& unit, Random& random);
  void consider(engine::HittingRule rule, std::uint64_t name, std::vector<Found>& found);
  void say(const OneMemory& memory, const Unit& unit, std::vector<Found>& found);

  std::vector<OneMemory> memories_;
  std::vector<std::pair<BufferIndex, BufferIndex>> pairs_;
  std::vector<Cost> costs_;
  std::unordered_set<std::uint64_t> said_;
  // Reused memory.
  std::span<const double> shares_;
  std::vector<std::uint32_t> clique_;
  std::vector<double> price_;  ///< by node: the cost of it and the clique, in units
  std::vector<std::uint64_t> candidates_;
  Size sum_ = 0;
};

}  // namespace tessera::search
