// Which machines a sweep asks for: choices of a value on every axis, in the order of the grid, the
// last axis the quickest.
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

using Choice = std::vector<std::uint32_t>;  ///< per axis: which value
using Keep = std::function<bool(const Choice&)>;

/// More than anybody can plan or hold.
inline constexpr std::uint64_t most_candidates = 10'000'000;

/// Of all choices; the largest number where it is out of range.
[[nodiscard]] std::uint64_t grid_size(const std::vector<std::size_t>& lengths);

/// require: grid_size(lengths) <= most_candidates.
[[nodiscard]] std::vector<Choice> grid(const std::vector<std::size_t>& lengths, const Keep& keep);

/// Different choices, every one as likely, the same for the same seed; fewer than `samples` where
/// there are no more, or too few are kept to be found.
[[nodiscard]] std::vector<Choice> sample(const std::vector<std::size_t>& lengths,
                                         std::uint64_t samples, std::uint64_t seed,
                                         const Keep& keep);

}  // namespace tessera::explorer
