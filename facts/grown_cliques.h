// Many different sets of which every two are joined, grown greedily.
//
//   GrownCliques graph(nodes);                     // node 0 is wanted first, and so on
//   graph.join(x, y);                              // each pair, in either order
//   for (const auto& [x, y] : seeds)
//     if (!graph.seen(x, y)) use(graph.grow(x, y));
//
// The heaviest clique of a graph (clique.h) settles a bound; a search wants many that differ, each
// with a pair that no other has. Numbers go by weight, so that the heaviest that fit come first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::facts {

class GrownCliques {
 public:
  /// Takes a quarter of nodes squared in bytes.
  explicit GrownCliques(std::size_t nodes)
      : words_((nodes + 63) / 64), joined_(nodes * words_), seen_(nodes * words_) {}

  void join(std::size_t x, std::size_t y) {
    set(joined_, x, y);
    set(joined_, y, x);
  }
  [[nodiscard]] bool joined(std::size_t x, std::size_t y) const { return at(joined_, x, y); }
  /// Were both in one that was grown?
  [[nodiscard]] bool seen(std::size_t x, std::size_t y) const { return at(seen_, x, y); }

  /// x, y and whoever of the others is joined to all that are in it already, least numbers first.
  /// require: joined(x, y).
  [[nodiscard]] std::vector<std::size_t> grow(std::size_t x, std::size_t y) {
    std::vector<std::size_t> clique = {x, y};
    std::vector<std::uint64_t> left(words_);
    for (std::size_t w = 0; w < words_; ++w)
      left[w] = joined_[x * words_ + w] & joined_[y * words_ + w];
    for (std::size_t w = 0; w < words_; ++w)
      while (left[w] != 0) {
        const std::size_t next = w * 64 + static_cast<std::size_t>(std::countr_zero(left[w]));
        clique.push_back(next);
        for (std::size_t k = w; k < words_; ++k) left[k] &= joined_[next * words_ + k];
      }
    for (const std::size_t one : clique)
      for (const std::size_t other : clique) set(seen_, one, other);
    return clique;
  }

 private:
  void set(std::vector<std::uint64_t>& bits, std::size_t x, std::size_t y) const {
    bits[x * words_ + y / 64] |= std::uint64_t{1} << (y % 64);
  }
  [[nodiscard]] bool at(const std::vector<std::uint64_t>& bits, std::size_t x,
                        std::size_t y) const {
    return (bits[x * words_ + y / 64] >> (y % 64) & 1) != 0;
  }
  std::size_t words_;
  std::vector<std::uint64_t> joined_;
  std::vector<std::uint64_t> seen_;
};

}  // namespace tessera::facts
