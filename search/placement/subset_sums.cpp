#include "search/placement/subset_sums.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tessera::search {
namespace {

constexpr Size max_top = Size{1} << 20;      ///< limit on sums, in units
constexpr std::size_t max_work = 4'000'000;  ///< limit on words touched

/// Bit s is set if and only if some of the sizes add up to s, for s <= top. Stops early once
/// `wanted` is set.
std::optional<std::vector<std::uint64_t>> sums_up_to(std::span<const Size> sizes, Size unit,
                                                     Size top, Size wanted) {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(top) / 64 + 1, 0);
  sums[0] = 1;
  std::size_t work = 0;
  for (const Size each : sizes) {
    const auto wanted_word = static_cast<std::size_t>(wanted) / 64;
    if ((sums[wanted_word] >> (wanted % 64) & 1) != 0) break;
    const Size size = each / unit;
    if (size > top) continue;
    work += sums.size();
    if (work > max_work) return std::nullopt;
    const std::size_t words = static_cast<std::size_t>(size) / 64;
    const auto shift = static_cast<unsigned>(size % 64);
    for (std::size_t word = sums.size(); word-- > words;) {
      const std::size_t from = word - words;
      std::uint64_t moved = sums[from] << shift;
      if (shift != 0 && from > 0) moved |= sums[from - 1] >> (64 - shift);
      sums[word] |= moved;
    }
  }
  return sums;
}

Size common_unit(std::span<const Size> sizes) {
  Size unit = 0;
  for (const Size size : sizes) unit = std::gcd(unit, size);
  return std::max<Size>(unit, 1);
}

}  // namespace

std::optional<Size> least_sum_at_least(std::span<const Size> sizes, Size limit) {
  if (limit <= 0) return Size{0};
  if (sizes.empty()) return std::nullopt;
  const Size unit = common_unit(sizes);
  const Size from = (limit + unit - 1) / unit;
  const Size top = from + *std::max_element(sizes.begin(), sizes.end()) / unit;
  if (top > max_top) return std::nullopt;
  const auto sums = sums_up_to(sizes, unit, top, from);
  if (!sums) return std::nullopt;
  for (Size sum = from; sum <= top; ++sum) {
    if (((*sums)[static_cast<std::size_t>(sum) / 64] >> (sum % 64) & 1) != 0) return sum * unit;
  }
  return std::nullopt;
}

std::optional<Size> largest_sum_at_most(std::span<const Size> sizes, Size limit) {
  if (limit < 0) return std::nullopt;
  const Size unit = common_unit(sizes);
  const Size top = limit / unit;
  if (top > max_top) return std::nullopt;
  const auto sums = sums_up_to(sizes, unit, top, top);
  if (!sums) return std::nullopt;
  for (Size sum = top; sum > 0; --sum) {
    if (((*sums)[static_cast<std::size_t>(sum) / 64] >> (sum % 64) & 1) != 0) return sum * unit;
  }
  return Size{0};
}

}  // namespace tessera::search
