// What pairs of buffers pay at least, as rules about sets any two of which should or must be apart.
//
//   CliqueRules rules(problem);
//   engine::HittingSet sets(rules.costs());
//   for (auto& rule : rules.broken_by(sets.share(), random, 100)) sets.add(std::move(rule));
//
// Offsets rounded down to multiples of a unit, and sizes likewise, keep apart what is apart. So the
// members of a clique take S units of U there are; where units are shared, pairs pay, at least as
// many units as an even spread shares: with m on top of each other, m over 2 pairs of them (for one
// size that is Turan's theorem 1941). A pair that pays shares the units of the smaller one at most.
// Cliques that say more than prices know are grown greedily.
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

  /// The items: pairs that pay where they share an address, and what they pay.
  [[nodiscard]] const std::vector<std::pair<BufferIndex, BufferIndex>>& pairs() const {
    return pairs_;
  }
  [[nodiscard]] const std::vector<Cost>& costs() const { return costs_; }

  /// Rules that these shares of all pairs do not keep, those first that miss most; of about so many
  /// cliques in each memory. None comes twice.
  [[nodiscard]] std::vector<engine::HittingRule> broken_by(std::span<const double> shares,
                                                           Random& random, int cliques);

 private:
  static constexpr std::uint32_t no_item = 0xFFFFFFFF;

  /// Offsets in multiples of `size`.
  struct Unit {
    Size size = 1;
    Size count = 0;           ///< that there are
    std::vector<Size> spans;  ///< of each node; 0: it is not counted
  };
  struct OneMemory {
    std::size_t nodes = 0;
    std::size_t words = 0;
    std::vector<std::uint32_t> items;  ///< of each two nodes; no_item: nothing is paid
    std::vector<std::uint64_t> apart;  ///< of each node: with whom it must or should be
    std::vector<Unit> units;
  };
  struct Found {
    engine::HittingRule rule;
    double misses = 0;  ///< by distance
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
  // Working memory.
  std::span<const double> shares_;
  std::vector<std::uint32_t> clique_;
  std::vector<double> price_;  ///< by node: what it and the clique pay, in units
  std::vector<std::uint64_t> candidates_;
  Size sum_ = 0;
};

}  // namespace tessera::search
