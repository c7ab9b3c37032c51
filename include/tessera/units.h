// Scalars and ranges that all other headers use.
//
//   StepRange live{2, 5};                  // steps 2, 3, 4
//   AddressRange place{128, 192};          // bytes 128 .. 191
//   bool clash = overlaps(live, StepRange{4, 9});
//
// Time and addresses have different range types, so that one cannot be passed for the other. Every
// quantity is a signed 64-bit integer. validate() (validate.h) limits the values of a problem by
// `max_address`, so sums over a whole problem cannot overflow.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace tessera {

using BufferIndex = std::size_t;  ///< position in PlacementProblem::buffers
using MemoryIndex = std::size_t;  ///< position in PlacementProblem::memories

using Step = std::int64_t;    ///< a point of the schedule
using Size = std::int64_t;    ///< a number of bytes
using Offset = std::int64_t;  ///< an address inside one memory, in bytes
using Cost = std::int64_t;    ///< the price of violating a soft rule
/// The benefit of placing a buffer, in thousandths: 12.5 is 12500. Files permit at most three
/// decimals, so sums are exact.
using Benefit = std::int64_t;

/// The largest size, address, alignment or cost of a valid problem, and the largest sum of aligned
/// sizes. `unbounded` is the capacity of a memory without limit.
inline constexpr std::int64_t max_address = std::int64_t{1} << 60;
inline constexpr Size unbounded = std::int64_t{1} << 61;

/// Half-open range of steps.
struct StepRange {
  Step lower = 0;
  Step upper = 0;
  friend auto operator<=>(const StepRange&, const StepRange&) = default;
  [[nodiscard]] constexpr bool contains(Step step) const { return lower <= step && step < upper; }
  [[nodiscard]] constexpr bool empty() const { return lower >= upper; }
};

/// Half-open range of addresses.
struct AddressRange {
  Offset begin = 0;
  Offset end = 0;
  friend auto operator<=>(const AddressRange&, const AddressRange&) = default;
  [[nodiscard]] constexpr Size size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin >= end; }
  [[nodiscard]] constexpr bool contains(const AddressRange& inner) const {
    return begin <= inner.begin && inner.end <= end;
  }
  /// The range moved up by `offset`.
  [[nodiscard]] constexpr AddressRange at(Offset offset) const {
    return {begin + offset, end + offset};
  }
};

[[nodiscard]] constexpr bool overlaps(const StepRange& a, const StepRange& b) {
  return a.lower < b.upper && b.lower < a.upper;
}
[[nodiscard]] constexpr bool overlaps(const AddressRange& a, const AddressRange& b) {
  return a.begin < b.end && b.begin < a.end;
}

/// The smallest multiple of `alignment` that is at least `value`.
/// require: alignment >= 1, value >= 0, value + alignment does not overflow.
[[nodiscard]] constexpr std::int64_t align_up(std::int64_t value, std::int64_t alignment) {
  const std::int64_t rest = value % alignment;
  return rest == 0 ? value : value + (alignment - rest);
}
/// The largest multiple of `alignment` that is at most `value`.
/// require: alignment >= 1, value >= 0.
[[nodiscard]] constexpr std::int64_t align_down(std::int64_t value, std::int64_t alignment) {
  return value - value % alignment;
}

/// Sum and product; nothing on overflow.
[[nodiscard]] constexpr std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}
[[nodiscard]] constexpr std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace tessera
