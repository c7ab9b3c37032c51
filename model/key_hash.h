// Hash of a sequence of integers.
//
//   std::unordered_map<std::array<std::int64_t, 24>, ArrayCost, KeyHash> known;
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// For arrays and vectors of integers.
struct KeyHash {
  template <typename Key>
  [[nodiscard]] std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const auto value : key) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 29U;
    }
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace tessera
