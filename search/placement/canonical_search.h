// The depth-first search over one core, resumable after any number of nodes.
//
//   Search<std::int32_t> search(params, table);
//   search.load(core, cliques);              // offsets must fit: see fits<T>(core)
//   for (int c = 0; c < search.components(); ++c) {
//     search.start(ranks, Choice::lowest, c, /*jump=*/true);  // ranks: a permutation of the items
//     Outcome outcome;
//     while ((outcome = search.run(1000)) == Outcome::paused) poll();
//     if (outcome == Outcome::placed) use(search.offset(item));  // of component_items(c)
//   }
//
// A state consists of the placed items, the lowest offset of every other item above the placed
// neighbours (items that it may not overlap), and the skipped items. The search chooses an item
// under which only skipped or waiting unplaced items fit. The item is either at its lowest offset,
// or it is skipped: then it rests on an unplaced item that starts below its top at that offset.
// Choosing the lowest offset gives the order of the MiniMalloc paper; choosing in the tightest
// section keeps related choices together.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "search/placement/canonical.h"
#include "search/placement/canonical_cliques.h"
#include "search/placement/canonical_core.h"
#include "search/placement/failed_states.h"

namespace tessera::search::canonical {

enum class Outcome : std::uint8_t { placed, refuted, paused };

/// The choice of the next item. Every choice visits canonical placements only; their order differs.
enum class Choice : std::uint8_t {
  lowest,  ///< the lowest offset anywhere, as in the paper
  blamed,  ///< the lowest item of the section with the most, mainly recent, refusals
  fewest,  ///< the lowest item of the section where the fewest items can be the lowest
};

struct Counters {
  std::int64_t nodes = 0;
  std::int64_t section_cuts = 0;  ///< placements refused by section inference
  std::int64_t one_machine_cuts = 0;
  std::int64_t clique_cuts = 0;
  /// Skips that failed for any reason, and frames with a skipped item that nothing can support.
  std::int64_t failed_skips = 0;
  std::int64_t hatless_cuts = 0;
  std::int64_t state_cuts = 0;  ///< found in the table of failed states
  std::int64_t backjumps = 0;   ///< choices left with untried alternatives
  std::int64_t splits = 0;
  /// Decides races: an amount per node and item, and the visits of all rules but one_machine.
  std::int64_t work = 0;
};

/// Do all offsets and sums of the core fit into T, with a sentinel?
template <typename T>
[[nodiscard]] bool fits(const Core& core) {
  return core.capacity < std::numeric_limits<T>::max() / 2 - 8 &&
         core.items.size() < static_cast<std::size_t>(std::numeric_limits<T>::max());
}

template <typename T>
class Search {
 public:
  Search(const CanonicalParams& params, FailedStates<T>& table) : params_(params), table_(table) {}

  /// require: no clique needs more than the capacity; the core and the cliques remain valid until
  /// the next load().
  void load(const Core& core, const CoreCliques& cliques);
  /// Spans of time that no item connects; each has to be searched.
  [[nodiscard]] int components() const { return static_cast<int>(roots_.size()); }
  /// The items of a component are [first, second).
  [[nodiscard]] std::pair<int, int> component_items(int component) const {
    return {roots_[index(component)].first, roots_[index(component)].last};
  }
  /// Restarts the search on one component. Keeps the table. `jump`: use backjumping if the
  /// parameters permit it, and keep the weights of Choice::blamed if the last start() had the same
  /// component.
  void start(std::span<const int> ranks, Choice choice, int component, bool jump);
  /// Visits at most `nodes` more nodes. placed and refuted are final.
  Outcome run(std::int64_t nodes);
  [[nodiscard]] Size offset(int item) const { return at_[static_cast<std::size_t>(item)]; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::int64_t work() const { return counters_.work; }
  /// Per section: the number of refusals since the last start(). Padded, see canonical_lanes.h.
  [[nodiscard]] std::span<const std::int32_t> refusals() const { return refusals_; }

 private:
  /// In lowest_ and release_: the item is placed.
  static constexpr T far = std::numeric_limits<T>::max() / 2;

  /// An independent span of time: sections [begin, end), items [first, last).
  struct Component {
    int begin, end;
    int first, last;
    int parent;  ///< the frame whose placement fails if this one fails
  };

  /// A component being solved. First its item is placed; if that fails, the item is skipped and
  /// the frame chooses another one.
  struct Frame {
    Component component;
    int first, last;                         ///< range of its unplaced items
    std::size_t trail, low_trail;            ///< before anything was chosen
    std::size_t item_trail, item_low_trail;  ///< before the item was placed
    std::size_t agenda;                      ///< size of the agenda without this component
    std::int64_t nodes;
    std::uint64_t hash;
    int item;        ///< -1: none
    int fresh;       ///< last frame begun with no skipped item: itself or an ancestor
    bool hatless;    ///< placing it raised no neighbour
    bool whole;      ///< its failure is attributed to its whole state
    bool uncrossed;  ///< its item does not count in crossing_
  };

  struct Release {
    T offset;
    int item;
  };
  /// The item that starts lowest in a section, with its part there.
  struct Starter {
    int item = 0;
    int end = 0;  ///< FlatPart::end; 0: no item
    T lo = 0;     ///< FlatPart::lo
  };

  // Without backjumping nothing is recorded for it: Jump is false.
  template <bool Jump>
  Outcome run_as(std::int64_t limit);
  template <bool Jump>
  [[nodiscard]] bool open(const Component& component);
  template <bool Jump>
  [[nodiscard]] bool place(Frame& frame, int item);
  template <bool Jump>
  void unplace(Frame& frame);
  template <bool Jump>
  void undo(std::size_t trail, std::size_t low_trail);
  template <bool Jump>
  void back_to(int parent);
  template <bool Jump>
  [[nodiscard]] bool skip(int item);
  template <bool Jump>
  void change(int item, T lowest, T release);
  void split(Frame& frame);
  void find_roots();
  void change_crossing(int item, int by);
  [[nodiscard]] int choose(const Frame& frame) const;
  [[nodiscard]] bool floor_fits(const Frame& frame, int item) const;
  [[nodiscard]] int lowest_of(int first, int last, int section) const;
  [[nodiscard]] int descend(int item) const;
  [[nodiscard]] T lifted(int item) const;
  void save_low(int begin, int end);
  void blame(int section);
  [[nodiscard]] int focus(const Component& component) const;
  [[nodiscard]] Starter lowest_starter(int section);
  [[nodiscard]] bool sections_fit(int begin, int end);
  void find_starters(int begin, int end);
  [[nodiscard]] bool one_machine_fits(int begin, int end);
  void load_cliques(const CoreCliques& cliques);
  [[nodiscard]] bool cliques_fit(std::size_t trail);
  [[nodiscard]] bool clique_fits(int clique);
  void make_key(int first, int last);
  template <typename Visit>
  void each_unplaced(int first, int last, Visit&& visit) const {
    for (int word = first / 64; word <= (last - 1) / 64; ++word) {
      std::uint64_t bits = bits_[index(word)];
      if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
      if (word == last / 64) bits &= (std::uint64_t{1} << (last % 64)) - 1;
      for (; bits != 0; bits &= bits - 1) visit(word * 64 + std::countr_zero(bits));
    }
  }

  // Backjumping: the frames that a failure depends on. See canonical_jumps.h.
  void start_jumps(bool jump);
  void open_conflict();
  void keep_conflict();
  void close_conflict();
  void begin_placing(int item);
  void unskip(const Frame& frame);
  [[nodiscard]] bool concerns(Frame& frame);
  void add_conflict(Frame& frame, int item);
  void because(int item, T least);
  void because_lifted(int item, T lifted, int fresh);
  void because_overfull(int section);
  void because_late(const Release& last, int begin, int end);
  void because_stuck(int item, int parent);
  void because_known(const Frame& frame, int self);
  void add_place_to_conflict(int frame);
  void add_to_conflict(int frame) {
    conflict_[index(frame / 64)] |= std::uint64_t{1} << (frame % 64);
  }
  [[nodiscard]] bool in_conflict(int frame) const {
    return (conflict_[index(frame / 64)] >> (frame % 64) & 1) != 0;
  }
  [[nodiscard]] std::uint64_t* conflict_of(int frame) {
    return conflicts_.data() + words_ * index(frame);
  }
  /// Does a refusal, of a placement or of a skip, need a reason?
  [[nodiscard]] bool explains() const { return jump_ && !frames_.empty() && !frames_.back().whole; }
  [[nodiscard]] int top() const { return static_cast<int>(frames_.size()) - 1; }

  [[nodiscard]] static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool unplaced(int i) const { return lowest_[index(i)] != far; }
  /// It is not at its lowest offset: an unplaced item has to support it.
  [[nodiscard]] bool skipped(int i) const { return release_[index(i)] > lowest_[index(i)]; }
  [[nodiscard]] bool waits_for_equal(int i) const {
    return equal_below_[index(i)] >= 0 && unplaced(equal_below_[index(i)]);
  }

  const CanonicalParams& params_;
  FailedStates<T>& table_;
  const Core* core_ = nullptr;
  int items_ = 0;
  int sections_ = 0;
  bool decompose_ = false;
  T capacity_ = 0;

  /// A Part that is `counted`; `extent` is hi - lo. Only sums use it: of two items that may
  /// overlap, at most one has such parts.
  struct FlatPart {
    int begin, end;
    T lo, extent;
  };
  // The core in T, one array per property.
  std::vector<T> latest_;
  std::vector<int> begin_, end_, part_begin_, equal_below_;
  std::vector<FlatPart> parts_;
  std::vector<char> plain_;
  std::vector<int> pair_begin_, pair_item_;
  std::vector<T> pair_above_, pair_below_;
  std::vector<T> first_lowest_;
  std::vector<T> first_total_;
  std::vector<int> first_crossing_;
  std::vector<std::vector<int>> links_;  ///< per item; empty without disjoint pairs
  std::vector<int> item_from_;           ///< section -> first item that begins there or later
  std::vector<int> item_upto_;           ///< section -> first item that ends after it
  const CoreCliques* cliques_ = nullptr;
  std::vector<T> clique_extent_;
  std::vector<std::vector<int>> item_cliques_;  ///< empty if there are none
  std::vector<Component> roots_;
  std::vector<int> ranks_;
  Choice choice_ = Choice::lowest;

  // The state.
  std::vector<T> lowest_;  ///< above its placed neighbours; far once placed
  std::vector<T>
      release_;  ///< lower bound of its offset, above lowest_ if skipped; far once placed
  std::vector<T> at_;
  std::vector<T> total_;             ///< per section, of unplaced items
  std::vector<int> crossing_;        ///< per section: unplaced items that continue into the next
  std::vector<std::uint64_t> bits_;  ///< unplaced items
  /// Maintained for Choice::fewest only. Per section: the floor, and the number of items that could
  /// be the lowest.
  std::vector<T> low_, starters_;
  std::vector<Starter> known_starter_;  ///< per section: the last starter found
  std::vector<Frame> frames_;
  std::vector<Component> agenda_;
  struct Change {
    int item;
    T lowest;
    T release;
  };
  std::vector<Change> trail_;
  struct LowChange {
    int begin, end;
  };
  std::vector<LowChange> low_trail_;
  std::vector<T> low_values_;
  std::vector<std::int32_t> refusals_;
  std::vector<float> blame_;  ///< per section: weighted refusals, recent ones count more
  float next_blame_ = 1;
  int blamed_root_ = -1;  ///< the root that blame_ refers to; -1: none
  bool resumed_ = false;  ///< the top frame continues

  // Backjumping; sets of frames take words_ each.
  struct Cause {
    int frame;   ///< the frame whose choice made the change
    int before;  ///< the previous change of the same item; -1: none
    bool used;   ///< some conflict depends on it
  };
  struct Raised {
    int item;
    T below;
  };
  bool jump_ = false;
  std::size_t words_ = 0;
  std::vector<Cause> causes_;             ///< of the changes on the trail
  std::vector<int> last_change_;          ///< per item, on the trail; -1: none
  std::vector<int> placed_by_;            ///< per item: the frame
  std::vector<std::uint64_t> conflict_;   ///< the frames that the last failure depends on
  std::vector<std::uint64_t> conflicts_;  ///< per frame: the conflict of its choices so far
  std::vector<Raised> raised_;            ///< see concerns()

  // Temporary data of one node.
  std::vector<T> load_;
  std::vector<Release> by_release_;
  struct Member {
    T release;
    T extent;
    int item;
  };
  std::vector<Member> clique_members_;
  std::vector<std::int64_t> clique_seen_;  ///< per clique: the last round that visited it
  std::int64_t clique_round_ = 0;
  std::vector<T> key_;
  Counters counters_;
};

extern template class Search<std::int16_t>;
extern template class Search<std::int32_t>;
extern template class Search<std::int64_t>;

}  // namespace tessera::search::canonical
