// The machines of a sweep: choices of a value on every axis, in grid order with the last axis
// fastest.
//
//   const std::vector<Choice> all = grid({2, 3}, keep);          // 6, less what `keep` refuses
//   const std::vector<Choice> some = sample({100, 100}, 50, seed, keep);
//
// Private to explorer/.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::explorer {

using Choice = std::vector<std::uint32_t>;  ///< per axis: index of the value
using Keep = std::function<bool(const Choice&)>;

/// Limit for planning and memory.
inline constexpr std::uint64_t most_candidates = 10'000'000;

/// Number of all choices; the maximum value on overflow.
[[nodiscard]] std::uint64_t grid_size(const std::vector<std::size_t>& lengths);

/// require: grid_size(lengths) <= most_candidates.
[[nodiscard]] std::vector<Choice> grid(const std::vector<std::size_t>& lengths, const Keep& keep);

/// Different choices with uniform probability, reproducible by the seed; fewer than `samples` if
/// fewer exist, or if `keep` accepts too few.
[[nodiscard]] std::vector<Choice> sample(const std::vector<std::size_t>& lengths,
                                         std::uint64_t samples, std::uint64_t seed,
                                         const Keep& keep);

}  // namespace tessera::explorer
