// Many different cliques of a graph, grown greedily.
//
//   GrownCliques graph(nodes);                     // node 0 is wanted first, and so on
//   graph.join(x, y);                              // each pair, in either order
//   for (const auto& [x, y] : seeds)
//     if (!graph.seen(x, y)) use(graph.grow(x, y));
//
// A bound needs the heaviest clique (clique.h). A search needs many different cliques, each with a
// pair that no other clique contains. Nodes are numbered by descending weight, so the heaviest
// candidates are added first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::facts {

class GrownCliques {
 public:
  /// Takes nodes^2 / 4 bytes.
  explicit GrownCliques(std::size_t nodes)
      : words_((nodes + 63) / 64), joined_(nodes * words_), seen_(nodes * words_) {}

  void join(std::size_t x, std::size_t y) {
    set(joined_, x, y);
    set(joined_, y, x);
  }
  [[nodiscard]] bool joined(std::size_t x, std::size_t y) const { return at(joined_, x, y); }
  /// Does a grown clique contain both?
  [[nodiscard]] bool seen(std::size_t x, std::size_t y) const { return at(seen_, x, y); }

  /// x, y and, in ascending order, every node that is joined to all nodes already in the clique.
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
