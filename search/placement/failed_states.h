// A table of refuted states of the canonical search, without false matches.
//
//   FailedStates<std::int16_t> table(bytes);
//   if (table.contains(key, hash)) return failed;
//   table.insert(key, hash);
//
// A hash selects the slot, and full keys are compared, so a collision only costs time. When the
// memory is used up, the table is cleared.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tessera::search::canonical {

template <typename T>
class FailedStates {
 public:
  explicit FailedStates(std::size_t bytes) { resize(bytes); }

  void resize(std::size_t bytes) {
    max_values_ = bytes / sizeof(T) / 2;
    max_slots_ = 64;
    while (max_slots_ * sizeof(Slot) < bytes / 4) max_slots_ *= 2;
    clear();
  }

  void clear() {
    slots_.clear();
    values_.clear();
    used_ = 0;
  }

  [[nodiscard]] static std::uint64_t hash(std::span<const T> key) {
    // Four independent lanes, so that the multiplications overlap.
    std::uint64_t lane[4] = {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U, 0x94d049bb133111ebU,
                             0x2545f4914f6cdd1dU};
    const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
    const std::size_t size = key.size_bytes();
    std::size_t at = 0;
    for (; at + 32 <= size; at += 32) {
      for (std::size_t k = 0; k < 4; ++k) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + at + 8 * k, 8);
        lane[k] = (lane[k] ^ word) * 0x9ddfea08eb382d69U;
        lane[k] ^= lane[k] >> 32;
      }
    }
    for (std::size_t k = 0; at < size; ++k) {
      std::uint64_t word = 0;
      const std::size_t count = size - at < 8 ? size - at : 8;
      std::memcpy(&word, bytes + at, count);
      lane[k & 3] = (lane[k & 3] ^ word) * 0x9ddfea08eb382d69U;
      lane[k & 3] ^= lane[k & 3] >> 32;
      at += count;
    }
    std::uint64_t result = size;
    for (const std::uint64_t each : lane) {
      result = (result ^ each) * 0xc6a4a7935bd1e995U;
      result ^= result >> 29;
    }
    return result;
  }

  [[nodiscard]] bool contains(std::span<const T> key, std::uint64_t hash) const {
    if (slots_.empty()) return false;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.size == 0) return false;
      if (slot.hash == hash && slot.size == key.size() &&
          std::memcmp(values_.data() + slot.begin, key.data(), key.size_bytes()) == 0) {
        return true;
      }
    }
  }

  /// require: the key is not empty.
  void insert(std::span<const T> key, std::uint64_t hash) {
    if (key.size() > max_values_) return;
    if (values_.size() + key.size() > max_values_ || 2 * used_ >= max_slots_) clear();
    if (slots_.empty()) slots_.resize(std::min<std::size_t>(max_slots_, 64));
    if (2 * used_ >= slots_.size()) grow();
    std::size_t at = hash & mask();
    while (slots_[at].size != 0) at = (at + 1) & mask();
    slots_[at] = {hash, values_.size(), static_cast<std::uint32_t>(key.size())};
    values_.insert(values_.end(), key.begin(), key.end());
    ++used_;
  }

  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t begin = 0;
    std::uint32_t size = 0;  ///< 0: free
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.size == 0) continue;
      std::size_t at = slot.hash & mask();
      while (slots_[at].size != 0) at = (at + 1) & mask();
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<T> values_;
  std::size_t used_ = 0;
  std::size_t max_slots_ = 0;
  std::size_t max_values_ = 0;
};

}  // namespace tessera::search::canonical
