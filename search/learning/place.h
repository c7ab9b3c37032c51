// The place search: which buffer is put at its lowest offset next.
//
//   PlaceSearch place(deduction, plan, seed);
//   place.begin_turn(true);                     // another order of the buffers
//   PlaceSearch::Step step = place.next();      // a decision, or something to deduce first
//
// The lowest open buffer goes first, as in MiniMalloc (Moffitt, ASPLOS 2023), or that of the
// section that lately took part in conflicts most, after whatever could slip under it. Orders
// decide ties; with noise they differ from turn to turn. A buffer is put only where it rests on the
// ground or on a placed one.
#pragma once

#include <array>
#include <cstdint>

#include "deduction.h"
#include "model/random.h"

namespace tessera::search::learning {

/// Somebody who must not overlap, seen from a variable.
struct Neighbour {
  Var var = 0;
  Key below = no_key;  ///< true: the variable lies below this neighbour
  Key above = no_key;  ///< true: above it
};

/// What a buffer looks like from outside.
struct Looks {
  double load = 0;    ///< the fullest step of its life
  double length = 0;  ///< steps it lives
  double size = 0;
  double overlaps = 0;  ///< others it lives with
};

/// What the searches need to know beyond the rules.
struct Plan {
  std::vector<Var> offsets;                        ///< variables to place, by buffer
  std::vector<Looks> looks;                        ///< by buffer
  std::vector<Var> first;                          ///< Booleans decided before anything is placed
  std::vector<std::vector<Neighbour>> neighbours;  ///< by variable
  std::vector<std::pair<Var, double>> bools;       ///< every Boolean with its first activity
  std::vector<std::int8_t> phase;                  ///< by variable: side tried first; -1: by room
  double flatness = 1;                             ///< how full sections are on the average
};

class PlaceSearch {
 public:
  PlaceSearch(const Deduction& deduction, const Plan& plan, std::uint64_t seed);

  struct Step {
    enum class Kind : std::uint8_t { none, decide, lift } kind = Kind::none;
    Var var = 0;
  };
  /// The next buffer: to be put at its lowest offset, or nothing can carry it there (lift). None:
  /// no choice is canonical.
  [[nodiscard]] Step next() const;
  /// Turns with little reasoning and turns with all of it go through the same orders.
  void begin_turn(bool light);
  /// Conflicts this turn may take.
  [[nodiscard]] std::int64_t budget() const { return budget_; }
  /// These sections took part in a conflict.
  void blame(std::span<const std::uint32_t> sections);

 private:
  /// The first of the facts that buffers are sorted by, descending.
  enum class Order : std::uint8_t { load_length, load_area, length, overlaps, area };
  [[nodiscard]] bool rests(Var var) const;
  [[nodiscard]] Var descend(Var var) const;
  [[nodiscard]] Var lowest() const;
  [[nodiscard]] Var lowest_of_blamed() const;
  [[nodiscard]] bool before(Var var, Var other) const;
  [[nodiscard]] Value low(Var var) const { return deduction_.state.bound(key_of(var, 0)); }
  /// `noise` multiplies facts by up to 1 + noise.
  void rank(Order order, double noise);

  const Deduction& deduction_;
  const Plan& plan_;
  Random random_;
  std::vector<Value> ground_;        // by variable: its lowest offset in the problem itself
  std::vector<std::uint32_t> rank_;  // by variable
  std::vector<float> blame_;         // by section
  float next_blame_ = 1;
  bool blamed_ = false;  // does this turn choose from the section that is blamed most?
  std::array<std::size_t, 2> turns_ = {0, 0};  // with all reasoning, with little
  std::int64_t budget_ = 0;
};

}  // namespace tessera::search::learning
