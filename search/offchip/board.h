// The placement of the buffers of one memory, with the differences of offsets they forbid each
// other.
//
//   Board board(problem, m, poll);
//   board.clear();
//   for (const std::size_t k : order) if (!board.place(k)) ...      // the lowest address there is
//   Size height = board.height();
//
// Buffers are numbered within the memory. Placing a buffer never moves another one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/differences.h"
#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search {

class Board {
 public:
  /// For the buffers restricted to memory m. Throws BudgetEnded.
  Board(const PlacementProblem& problem, MemoryIndex m, Poll& poll);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] BufferIndex buffer(std::size_t k) const { return entries_[k].buffer; }
  [[nodiscard]] Size bytes(std::size_t k) const { return entries_[k].size; }
  [[nodiscard]] bool fixed(std::size_t k) const { return entries_[k].fixed; }
  [[nodiscard]] Offset offset(std::size_t k) const { return offsets_[k]; }
  [[nodiscard]] bool placed(std::size_t k) const { return offsets_[k] != nowhere; }
  [[nodiscard]] Offset end(std::size_t k) const { return offsets_[k] + entries_[k].size; }
  /// The buffers that may conflict with k.
  [[nodiscard]] std::vector<std::size_t> rivals(std::size_t k) const;
  [[nodiscard]] std::size_t rival_count(std::size_t k) const { return entries_[k].rivals.size(); }

  void clear();
  void remove(std::size_t k) { offsets_[k] = nowhere; }
  void put(std::size_t k, Offset offset) { offsets_[k] = offset; }
  /// Places k at its lowest free address; false: there is none.
  bool place(std::size_t k);
  /// The largest end of a placed buffer.
  [[nodiscard]] Size height() const;

 private:
  static constexpr Offset nowhere = -1;

  /// `differences` holds the rival's offset minus this one's; if `turned`, the opposite.
  struct Rival {
    std::size_t other = 0;
    std::size_t differences = 0;
    bool turned = false;
  };
  struct Entry {
    BufferIndex buffer = 0;
    Size size = 0;
    Size alignment = 1;
    Offset first = 0;  ///< lowest and highest permitted offset
    Offset last = 0;
    bool fixed = false;
    Differences blocked;  ///< by reserved addresses
    std::vector<Rival> rivals;
  };

  void add_entry(const PlacementProblem& problem, MemoryIndex m, BufferIndex b, Poll& poll);
  void add_rivals(const PlacementProblem& problem, Poll& poll);
  void add_pair(std::size_t i, std::size_t j, Differences apart, Poll& poll);

  std::vector<Entry> entries_;
  std::vector<Differences> differences_;
  std::vector<Offset> offsets_;
  std::vector<AddressRange> blocked_;  ///< working memory
};

}  // namespace tessera::search
