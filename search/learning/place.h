// The place search: selects the buffer to put at its lowest offset next.
//
//   PlaceSearch place(deduction, plan, seed);
//   place.begin_turn(true);                     // another order of the buffers
//   PlaceSearch::Step step = place.next();      // a decision, or something to deduce first
//
// It takes the lowest unplaced buffer, as MiniMalloc does (Moffitt, ASPLOS 2023), or that of the
// section with the most recent conflicts; first come buffers that could fit below it. Orders break
// ties; noise changes them between turns. A buffer is only put where it rests on the ground or on a
// placed buffer.
#pragma once

#include <array>
#include <cstdint>

#include "deduction.h"
#include "model/random.h"

namespace tessera::search::learning {

/// A variable that must not overlap, as seen from another variable.
struct Neighbour {
  Var var = 0;
  Key below = no_key;  ///< true: the variable is below this neighbour
  Key above = no_key;  ///< true: it is above
};

/// Figures of a buffer for the search heuristics.
struct BufferTraits {
  double load = 0;    ///< at the fullest step of its life
  double length = 0;  ///< number of steps
  double size = 0;
  double overlaps = 0;  ///< number of buffers live with it
};

/// Data for the search heuristics.
struct Plan {
  std::vector<Var> offsets;                        ///< variables to place, by buffer
  std::vector<BufferTraits> traits;                ///< by buffer
  std::vector<Var> first;                          ///< Booleans decided before anything is placed
  std::vector<std::vector<Neighbour>> neighbours;  ///< by variable
  std::vector<std::pair<Var, double>> bools;       ///< every Boolean with its initial activity
  std::vector<std::int8_t> phase;  ///< by variable: side tried first; -1: more space
  double flatness = 1;             ///< average fill of sections
};

class PlaceSearch {
 public:
  PlaceSearch(const Deduction& deduction, const Plan& plan, std::uint64_t seed);

  struct Step {
    enum class Kind : std::uint8_t { none, decide, lift } kind = Kind::none;
    Var var = 0;
  };
  /// The next buffer: to be put at its lowest offset, or to be lifted because nothing supports it
  /// there. None: no choice is canonical.
  [[nodiscard]] Step next() const;
  /// Begins again with the first turn.
  void renew();
  /// Light and full turns go through the same orders.
  void begin_turn(bool light);
  /// Conflict limit of this turn.
  [[nodiscard]] std::int64_t budget() const { return budget_; }
  /// Notes that these sections were in a conflict.
  void blame(std::span<const std::uint32_t> sections);

 private:
  /// Sort keys, the first one descending.
  enum class Order : std::uint8_t { load_length, load_area, length, overlaps, area };
  [[nodiscard]] bool rests(Var var) const;
  [[nodiscard]] Var descend(Var var) const;
  [[nodiscard]] Var lowest() const;
  [[nodiscard]] Var lowest_of_blamed() const;
  [[nodiscard]] bool before(Var var, Var other) const;
  [[nodiscard]] Value low(Var var) const { return deduction_.state.bound(key_of(var, 0)); }
  /// `noise` multiplies the keys by up to 1 + noise.
  void rank(Order order, double noise);

  const Deduction& deduction_;
  const Plan& plan_;
  Random random_;
  std::vector<Value> ground_;        // by variable: its lowest offset at level 0
  std::vector<std::uint32_t> rank_;  // by variable
  std::vector<float> blame_;         // by section
  float next_blame_ = 1;
  bool blamed_ = false;  // does this turn choose from the section with the most blame?
  std::array<std::size_t, 2> turns_ = {0, 0};  // full turns, light turns
  std::int64_t budget_ = 0;
};

}  // namespace tessera::search::learning
