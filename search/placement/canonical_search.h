// The depth-first search itself, over one core, resumable after any number of nodes.
//
//   Search<std::int32_t> search(params, table);
//   search.load(core);                       // offsets must fit: see fits<T>(core)
//   search.start(ranks);                     // a static order: ranks[item], all different
//   while (search.run(1000) == Outcome::paused) poll();
//   if (outcome == Outcome::placed) use(search.offset(item));
//
// A state is: which items are placed, and for every other item the lowest offset above the placed
// items it conflicts with. What a subtree can do depends on nothing else but the offset and rank
// of the last item placed: an item that could have gone lower or earlier was skipped and can only
// be placed after something has lifted it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/placement/canonical.h"
#include "search/placement/canonical_core.h"
#include "search/placement/failed_states.h"

namespace tessera::canonical {

enum class Outcome : std::uint8_t { placed, refuted, paused };

struct Counters {
  std::int64_t nodes = 0;
  std::int64_t section_cuts = 0;  ///< placements refused by section inference
  std::int64_t one_machine_cuts = 0;
  std::int64_t lifted_cuts = 0;
  std::int64_t hatless_cuts = 0;
  std::int64_t state_cuts = 0;  ///< found in the table of failed states
  std::int64_t jumps = 0;
  std::int64_t splits = 0;
};

/// Do all offsets and sums of the core fit into T with room for the sentinel?
template <typename T>
[[nodiscard]] bool fits(const Core& core) {
  return core.capacity < std::numeric_limits<T>::max() / 2 - 8 &&
         core.items.size() < static_cast<std::size_t>(std::numeric_limits<T>::max());
}

template <typename T>
class Search {
 public:
  Search(const CanonicalParams& params, FailedStates<T>& table) : params_(params), table_(table) {}

  /// ensure: the core is referred to until the next load().
  void load(const Core& core);
  /// Forgets where the search was (not the table) and starts again from the root.
  void start(std::span<const int> ranks);
  /// Visits at most `nodes` more nodes. placed and refuted are final.
  Outcome run(std::int64_t nodes);
  [[nodiscard]] Size offset(int item) const { return at_[static_cast<std::size_t>(item)]; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  static constexpr T far = std::numeric_limits<T>::max() / 2;
  static constexpr int lanes = 8;

  struct Candidate {
    T offset;
    int rank;
    int item;
  };

  /// A stretch of time to be solved on its own: sections [begin, end), items [first, last).
  struct Component {
    int begin, end;
    int first, last;
    T floor;  ///< offset and rank of the last item placed before
    int floor_rank;
    int parent;  ///< the frame that fails if this component cannot be solved
  };

  struct Frame {
    Component component;
    std::size_t candidates;  ///< in candidates_
    std::size_t candidates_end;
    std::size_t next;
    std::size_t trail;
    std::size_t agenda;  ///< what the agenda holds without this component
    std::int64_t nodes;
    std::uint64_t hash;
    int item;      ///< placed by this frame; -1: none at the moment
    bool hatless;  ///< placing it lifted nothing
    bool cut;      ///< its item has been taken out of cuts_
  };

  [[nodiscard]] bool open(const Component& component);
  [[nodiscard]] bool place(Frame& frame, const Candidate& candidate);
  void unplace(Frame& frame);
  void split(Frame& frame);
  void change_cuts(int item, int by);
  [[nodiscard]] bool own_sections_fit(int item, T at) const;
  [[nodiscard]] bool sections_fit(int begin, int end, T floor, int floor_rank);
  [[nodiscard]] bool one_machine_fits(int begin, int end, T floor, int floor_rank);
  [[nodiscard]] bool can_be_lifted(int item, T floor) const;
  void make_key(int first, int last, T floor, int floor_rank);
  [[nodiscard]] T release(int item, T floor, int floor_rank) const;

  [[nodiscard]] static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool unplaced(int i) const { return lowest_[index(i)] != far; }

  const CanonicalParams& params_;
  FailedStates<T>& table_;
  const Core* core_ = nullptr;
  int items_ = 0;
  int sections_ = 0;
  bool decompose_ = false;
  T capacity_ = 0;

  struct FlatPart {
    int begin, end;
    T lo, extent;
  };
  // The core in T, one array per fact.
  std::vector<T> size_, latest_, least_lift_;
  std::vector<int> begin_, end_, part_begin_, twin_;
  std::vector<FlatPart> parts_;
  std::vector<char> plain_;
  std::vector<int> pair_begin_, pair_item_;
  std::vector<T> pair_above_;
  std::vector<T> first_lowest_;
  std::vector<T> first_total_;
  std::vector<int> first_cuts_;
  std::vector<std::vector<int>> links_;  ///< per item; empty without disjoint pairs
  std::vector<int> item_from_;           ///< section -> first item that begins there or later
  std::vector<int> item_upto_;           ///< section -> first item that ends after it
  std::vector<int> ranks_;

  // The state.
  std::vector<T> lowest_;  ///< of unplaced items; far for placed ones
  std::vector<T> at_;
  std::vector<T> total_;             ///< per section, of unplaced items
  std::vector<int> cuts_;            ///< per section: unplaced items that go on into the next
  std::vector<std::uint64_t> bits_;  ///< unplaced items
  std::vector<Frame> frames_;
  std::vector<Candidate> candidates_;
  std::vector<Component> agenda_;
  struct Change {
    int item;
    T lowest;
  };
  std::vector<Change> trail_;
  bool resumed_ = false;  ///< the top frame is to try its next candidate

  // Scratch of one node.
  std::vector<T> low_;
  std::vector<T> load_;
  std::vector<Candidate> by_release_;
  std::vector<T> key_;
  Counters counters_;
};

extern template class Search<std::int16_t>;
extern template class Search<std::int32_t>;
extern template class Search<std::int64_t>;

}  // namespace tessera::canonical
