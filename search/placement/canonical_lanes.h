// Loops over ranges of sections in blocks of eight lanes, which compilers vectorise. Arrays over
// sections are padded by one block.
#pragma once

#include <array>
#include <cstddef>

namespace tessera::search::canonical {

inline constexpr int block = 8;

template <typename T>
inline void lower_to(T* values, int begin, int end, T value) {
  int s = begin;
  for (; s + block <= end; s += block) {
    T* at = values + s;
    for (int k = 0; k < block; ++k) at[k] = value < at[k] ? value : at[k];
  }
  for (; s < end; ++s) values[s] = value < values[s] ? value : values[s];
}

template <typename T>
inline void add(T* values, int begin, int end, T value) {
  int s = begin;
  for (; s + block <= end; s += block) {
    T* at = values + s;
    for (int k = 0; k < block; ++k) at[k] = static_cast<T>(at[k] + value);
  }
  for (; s < end; ++s) values[s] = static_cast<T>(values[s] + value);
}

/// Increments each count whose limit is >= value.
template <typename T>
inline void count_starters(T* counts, const T* limits, int begin, int end, T value) {
  int s = begin;
  for (; s + block <= end; s += block) {
    T* at = counts + s;
    const T* limit = limits + s;
    for (int k = 0; k < block; ++k) at[k] = static_cast<T>(at[k] + (value <= limit[k] ? 1 : 0));
  }
  for (; s < end; ++s) counts[s] = static_cast<T>(counts[s] + (value <= limits[s] ? 1 : 0));
}

template <typename T>
inline T largest(const T* values, int begin, int end) {
  T result = 0;
  int s = begin;
  if (s + block <= end) {
    std::array<T, block> best{};
    for (; s + block <= end; s += block) {
      for (std::size_t k = 0; k < block; ++k) {
        const T value = values[s + static_cast<int>(k)];
        best[k] = value > best[k] ? value : best[k];
      }
    }
    for (const T value : best) result = value > result ? value : result;
  }
  for (; s < end; ++s) result = values[s] > result ? values[s] : result;
  return result;
}

}  // namespace tessera::search::canonical
