// The buffers of one memory and the differences of offsets they forbid each other.
//
//   Loom loom(problem, m, poll);
//   loom.clear();
//   for (const std::size_t k : order) if (!loom.place(k)) ...      // the lowest address there is
//   Size height = loom.height();
//
// Buffers are numbered within the memory. What stands is never moved by what is placed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/differences.h"
#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::search {

class Loom {
 public:
  /// Of the buffers that are tied to the memory.  Throws BudgetEnded.
  Loom(const PlacementProblem& problem, MemoryIndex m, Poll& poll);

  [[nodiscard]] std::size_t size() const { return threads_.size(); }
  [[nodiscard]] BufferIndex buffer(std::size_t k) const { return threads_[k].buffer; }
  [[nodiscard]] Size bytes(std::size_t k) const { return threads_[k].size; }
  [[nodiscard]] bool fixed(std::size_t k) const { return threads_[k].fixed; }
  [[nodiscard]] Offset offset(std::size_t k) const { return offsets_[k]; }
  [[nodiscard]] bool placed(std::size_t k) const { return offsets_[k] != nowhere; }
  [[nodiscard]] Offset end(std::size_t k) const { return offsets_[k] + threads_[k].size; }
  /// Those that may be in the way of k.
  [[nodiscard]] std::vector<std::size_t> rivals(std::size_t k) const;
  [[nodiscard]] std::size_t rival_count(std::size_t k) const { return threads_[k].rivals.size(); }

  void clear();
  void take_out(std::size_t k) { offsets_[k] = nowhere; }
  void put(std::size_t k, Offset offset) { offsets_[k] = offset; }
  /// At its lowest address among what stands; false: there is none.
  bool place(std::size_t k);
  /// The largest end of what stands.
  [[nodiscard]] Size height() const;

 private:
  static constexpr Offset nowhere = -1;

  /// `differences` are those of the rival's offset minus this one's, or the other way round.
  struct Rival {
    std::size_t other = 0;
    std::size_t differences = 0;
    bool turned = false;
  };
  struct Thread {
    BufferIndex buffer = 0;
    Size size = 0;
    Size alignment = 1;
    Offset first = 0;  ///< the lowest and the highest offset it may have at all
    Offset last = 0;
    bool fixed = false;
    Differences blocked;  ///< by reserved addresses
    std::vector<Rival> rivals;
  };

  void add_thread(const PlacementProblem& problem, MemoryIndex m, BufferIndex b, Poll& poll);
  void add_rivals(const PlacementProblem& problem, Poll& poll);
  void add_pair(std::size_t i, std::size_t j, Differences apart, Poll& poll);

  std::vector<Thread> threads_;
  std::vector<Differences> differences_;
  std::vector<Offset> offsets_;
  std::vector<AddressRange> blocked_;  ///< working memory
};

}  // namespace tessera::search
