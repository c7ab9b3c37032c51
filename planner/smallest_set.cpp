#include "planner/smallest_set.h"

#include <algorithm>
#include <optional>

namespace tessera::planner {
namespace {

using Set = std::vector<bool>;

std::size_t size_of(const Set& set) {
  return static_cast<std::size_t>(std::ranges::count(set, true));
}

/// A list of which one element is necessary.
struct Need {
  std::vector<std::size_t> one_of;
  bool proved = false;  ///< false: undecided
};

class Search {
 public:
  explicit Search(const SmallestSetParams& params) : params_(params), best_(params.things, false) {
    for (const std::size_t thing : params.known) best_[thing] = true;
    for (const std::vector<std::size_t>& list : params.one_of) needs_.push_back({list, true});
  }

  SmallestSet run() {
    leave_out();
    while (!params_.budget.exhausted()) {
      const std::optional<Set> next = smallest(false, size_of(best_));
      if (!next) break;  // no smaller set has an element of each list
      const Enough answer = params_.enough(*next);
      if (answer == Enough::yes) {
        best_ = *next;
        break;
      }
      add_need(*next, answer);
    }
    SmallestSet found;
    for (std::size_t thing = 0; thing < best_.size(); ++thing)
      if (best_[thing]) found.set.push_back(thing);
    static_cast<void>(smallest(true, found.set.size()));
    found.bound = refuted_;
    return found;
  }

 private:
  /// Reduces the known set, in case time ends before the optimum is known.
  void leave_out() {
    for (const std::size_t thing : params_.known) {
      if (params_.budget.exhausted()) return;
      Set less = best_;
      less[thing] = false;
      if (!has_all(less)) continue;
      const Enough answer = params_.enough(less);
      if (answer == Enough::yes)
        best_ = less;
      else
        add_need(less, answer);
    }
  }

  [[nodiscard]] bool has_all(const Set& set) const {
    return std::ranges::all_of(needs_, [&](const Need& need) {
      return std::ranges::any_of(need.one_of, [&](std::size_t thing) { return set[thing]; });
    });
  }

  /// Extends an insufficient set to a maximal one and adds its complement as a list.
  void add_need(Set set, Enough answer) {
    for (std::size_t thing = 0; answer == Enough::no && thing < set.size(); ++thing) {
      if (set[thing] || params_.budget.exhausted()) continue;
      set[thing] = true;
      if (params_.enough(set) != Enough::no) set[thing] = false;
    }
    Need need{.one_of = {}, .proved = answer == Enough::no};
    for (std::size_t thing = 0; thing < set.size(); ++thing)
      if (!set[thing]) need.one_of.push_back(thing);
    needs_.push_back(std::move(need));
  }

  /// The first minimum set with an element of each list, if it has fewer than `below` elements.
  std::optional<Set> smallest(bool proved_alone, std::size_t below) {
    ended_ = false;
    for (refuted_ = 0; refuted_ < below; ++refuted_) {
      Set set(params_.things, false);
      if (extend(set, refuted_, proved_alone)) return set;
      if (ended_) break;
    }
    return std::nullopt;
  }

  /// Branches on the elements of the first list without one in the set, with at most `more`
  /// elements in all.
  bool extend(Set& set, std::size_t more, bool proved_alone) {
    if ((++steps_ & 1023) == 0 && params_.budget.exhausted()) ended_ = true;
    if (ended_) return false;
    const auto open = std::ranges::find_if(needs_, [&](const Need& need) {
      return (need.proved || !proved_alone) &&
             std::ranges::none_of(need.one_of, [&](std::size_t thing) { return set[thing]; });
    });
    if (open == needs_.end()) return true;
    if (more == 0) return false;
    for (const std::size_t thing : open->one_of) {
      set[thing] = true;
      if (extend(set, more - 1, proved_alone)) return true;
      set[thing] = false;
    }
    return false;
  }

  const SmallestSetParams& params_;
  Set best_;
  std::vector<Need> needs_;
  std::uint64_t steps_ = 0;
  std::size_t refuted_ = 0;  ///< no set with fewer elements has one of each list
  bool ended_ = false;
};

}  // namespace

SmallestSet smallest_set(const SmallestSetParams& params) {
  return Search(params).run();
}

}  // namespace tessera::planner
