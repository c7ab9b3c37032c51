// Sets of levels as bit sets.
//
//   std::vector<std::uint64_t> levels;
//   mark(levels, 7);
//   deepest(levels, 9);   // 7
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "tessera/problem.h"

namespace tessera::search::guided {

inline void mark(std::vector<std::uint64_t>& levels, std::int32_t level) {
  const auto bit = static_cast<std::size_t>(level);
  if (levels.size() <= bit / 64) levels.resize(bit / 64 + 1, 0);
  levels[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

/// The deepest level of the set that is at most `most`; 0: none.
inline std::int32_t deepest(const std::vector<std::uint64_t>& levels, std::int32_t most) {
  if (most <= 0 || levels.empty()) return 0;
  auto word = static_cast<std::size_t>(most) / 64;
  std::uint64_t keep = ~std::uint64_t{0} >> (63U - static_cast<unsigned>(most) % 64);
  if (word >= levels.size()) {
    word = levels.size() - 1;
    keep = ~std::uint64_t{0};
  }
  for (;; --word) {
    const std::uint64_t bits = levels[word] & keep;
    if (bits != 0) return static_cast<std::int32_t>(word * 64 + std::bit_width(bits) - 1);
    if (word == 0) return 0;
    keep = ~std::uint64_t{0};
  }
}

/// Adds the levels of `from` that are at most `most` to `to`.
inline void carry(const std::vector<std::uint64_t>& from, std::int32_t most,
                  std::vector<std::uint64_t>& to) {
  for (std::int32_t level = deepest(from, most); level > 0; level = deepest(from, level - 1))
    mark(to, level);
}

inline bool contains(const std::vector<BufferIndex>& list, BufferIndex b) {
  return std::find(list.begin(), list.end(), b) != list.end();
}

}  // namespace tessera::search::guided
