// A cache that several threads share.
//
//   SharedTable<std::string, Metrics> known;
//   if (const std::optional<Metrics> m = known.find(key)) return *m;
//   known.keep(key, made);
//
// The table is split into parts with a lock each, so threads rarely wait for each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tessera {

/// Thread-safe.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class SharedTable {
 public:
  /// Holds about `most` values; each part holds its share, rounded up, and rejects further ones.
  /// require: most >= 1
  explicit SharedTable(std::size_t most = std::numeric_limits<std::size_t>::max())
      : most_of_part_((most - 1) / parts + 1) {}

  [[nodiscard]] std::optional<Value> find(const Key& key) const {
    const Sought sought{Hash{}(key), &key};
    const Part& part = parts_[number_of(sought.hash)];
    const std::lock_guard guard(part.lock);
    const auto known = part.known.find(sought);
    return known == part.known.end() ? std::nullopt : std::optional(known->second);
  }
  /// Replaces the value of the key.
  void keep(const Key& key, Value value) {
    const Sought sought{Hash{}(key), &key};
    Part& part = parts_[number_of(sought.hash)];
    const std::lock_guard guard(part.lock);
    const auto known = part.known.find(sought);
    if (known != part.known.end())
      known->second = std::move(value);
    else if (part.known.size() < most_of_part_)
      part.known.emplace(Kept{sought.hash, key}, std::move(value));
  }
  void clear() {
    for (Part& part : parts_) {
      const std::lock_guard guard(part.lock);
      part.known.clear();
    }
  }

 private:
  static constexpr std::size_t parts = 64;

  // A key is hashed once, because it may be long.
  struct Kept {
    std::size_t hash;
    Key key;
  };
  struct Sought {
    std::size_t hash;
    const Key* key;
  };
  struct ByHash {
    using is_transparent = void;
    std::size_t operator()(const Kept& kept) const { return kept.hash; }
    std::size_t operator()(const Sought& sought) const { return sought.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Kept& a, const Kept& b) const { return a.key == b.key; }
    bool operator()(const Sought& a, const Kept& b) const { return *a.key == b.key; }
    bool operator()(const Kept& a, const Sought& b) const { return a.key == *b.key; }
  };
  struct alignas(64) Part {
    mutable std::mutex lock;
    std::unordered_map<Kept, Value, ByHash, Same> known;
  };

  /// Uses bits that hash tables use last.
  [[nodiscard]] static std::size_t number_of(std::size_t hash) {
    return static_cast<std::size_t>((std::uint64_t{hash} * 0x9e3779b97f4a7c15U) >> 58U);
  }

  std::size_t most_of_part_;
  std::array<Part, parts> parts_;
};

}  // namespace tessera
