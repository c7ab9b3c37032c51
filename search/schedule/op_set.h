// A set of ops as bits.
//
//   OpSet done(graph.ops());
//   done.insert(3);
//   if (done.contains(group)) ...                 // all of them
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/order/graph.h"

namespace tessera::search {

class OpSet {
 public:
  OpSet() = default;
  explicit OpSet(std::size_t ops) : words_((ops + 63) / 64) {}
  OpSet(std::size_t ops, const std::vector<OpId>& members) : OpSet(ops) {
    for (const OpId op : members) insert(op);
  }

  void insert(OpId op) { words_[op / 64] |= bit(op); }
  void erase(OpId op) { words_[op / 64] &= ~bit(op); }
  [[nodiscard]] bool contains(OpId op) const { return (words_[op / 64] & bit(op)) != 0; }
  [[nodiscard]] bool contains(const OpSet& other) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      if ((other.words_[k] & ~words_[k]) != 0) return false;
    return true;
  }
  [[nodiscard]] bool meets(const OpSet& other) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      if ((other.words_[k] & words_[k]) != 0) return true;
    return false;
  }
  [[nodiscard]] bool empty() const {
    for (const std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  OpSet& operator|=(const OpSet& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
    return *this;
  }
  OpSet& operator&=(const OpSet& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] &= other.words_[k];
    return *this;
  }
  OpSet& operator-=(const OpSet& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] &= ~other.words_[k];
    return *this;
  }
  friend OpSet operator|(OpSet a, const OpSet& b) { return a |= b; }
  friend OpSet operator&(OpSet a, const OpSet& b) { return a &= b; }
  friend OpSet operator-(OpSet a, const OpSet& b) { return a -= b; }
  friend bool operator==(const OpSet&, const OpSet&) = default;
  friend auto operator<=>(const OpSet&, const OpSet&) = default;

  /// Calls visit(op) for each member, in order.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      for (std::uint64_t word = words_[k]; word != 0; word &= word - 1)
        visit(static_cast<OpId>(k * 64 + static_cast<std::size_t>(std::countr_zero(word))));
  }
  [[nodiscard]] std::vector<OpId> members() const {
    std::vector<OpId> out;
    each([&](OpId op) { out.push_back(op); });
    return out;
  }
  [[nodiscard]] std::uint64_t hash(std::uint64_t seed = 0) const {
    for (const std::uint64_t word : words_) {
      seed = (seed ^ word) * 0x9e3779b97f4a7c15U;
      seed ^= seed >> 29;
    }
    return seed;
  }

 private:
  [[nodiscard]] static std::uint64_t bit(OpId op) { return std::uint64_t{1} << (op % 64); }
  std::vector<std::uint64_t> words_;
};

struct OpSetHash {
  std::size_t operator()(const OpSet& set) const { return static_cast<std::size_t>(set.hash()); }
};

}  // namespace tessera::search
