// The literals of the solver: "the start of `key` is at least `value`".
//
//   Lit reaches{key_of(v, Side::low), 64};     // offset of v >= 64
//   Lit ends_by{key_of(v, Side::high), -128};  // offset of v + its size <= 128
//
// An offset variable has two keys. On side 0 its start is the offset o; on side 1, the mirror
// image, its start is -(o + size). "i below j" reads start_j >= start_i + size_i on side 0 and
// start_i >= start_j + size_j on side 1: the same rule with i and j exchanged, so every rule is
// written once for a side. A Boolean variable is an offset variable of span -1 whose two starts are
// 0 or 1; its literals are {key, 1}.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::search::learning {

using Key = std::uint32_t;  ///< 2 * variable + side
using Value = std::int64_t;
using Var = std::uint32_t;

inline constexpr Key no_key = ~Key{0};

struct Lit {
  Key key = no_key;
  Value value = 1;
  friend bool operator==(const Lit&, const Lit&) = default;
};

[[nodiscard]] constexpr Key key_of(Var var, unsigned side) {
  return 2 * var + side;
}
[[nodiscard]] constexpr Var var_of(Key key) {
  return key >> 1;
}
[[nodiscard]] constexpr unsigned side_of(Key key) {
  return key & 1;
}
[[nodiscard]] constexpr Key opposite(Key key) {
  return key ^ 1;
}

/// The rule that put an entry on the trail. Its explanation is computed on demand.
enum class Rule : std::uint8_t {
  decision,
  root,          ///< part of the problem
  clause,        ///< a = clause
  edge,          ///< a = literal key of the edge
  triangle,      ///< a, b = the two pair literals
  forced,        ///< a = literal key of the edge that does not fit
  cycle,         ///< edges that raise each other without end (OrderRules::cycle)
  overload,      ///< a = section, e, l = window
  edge_finding,  ///< a = section, b = member, e, l = window of the set
  energy,        ///< a = section, b = member, e = lowest start in the set
  not_first,     ///< a = section, b = member, e, l = window of the set
  balance,       ///< a = sum over two sections (balance.h)
  stride,        ///< a = the memory literal whose alignment applies
  cost,          ///< the summed cost reaches its limit
  rest,          ///< a = variable: nothing supports it any lower
};

struct Reason {
  Rule rule = Rule::decision;
  std::uint8_t side = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Value e = 0;
  Value l = 0;
};

}  // namespace tessera::search::learning
