#include "planner/behind.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "cost/transfer.h"
#include "model/off_chip.h"
#include "planner/behind_uses.h"

namespace tessera::planner {
namespace {

/// Fractions of the free space that resident weights may take; the rest is for prefetching.
constexpr double shares[] = {1, 0.75, 0.5, 0.25, 0};

/// Eighths of the front memory kept free while passing tensors are chosen, so that other tensors
/// may be resident or prefetched.
constexpr int eighths_kept[] = {0, 1, 2, 3, 4, 5, 6};
/// Limit on single changes to the fastest schedule: this number divided by the number of uses.
constexpr std::size_t most_changes = 4096;

/// The times of all fetches, group by group.
class Timeline {
 public:
  Timeline(const Network& network, const cost::Link& link, const std::vector<PlannedSubgraph>& runs,
           const std::vector<BehindUse>& uses)
      : link_(link), runs_(runs) {
    for (const BehindUse& use : uses)
      for (const BehindUse::Pass& pass : use.passes)
        passes_[{network.tensors[use.tensor].name, pass.run}] = &pass;
  }

  /// Sets begin and end of each fetch. Before a whole fetch is timed, `see` may choose the group
  /// from which it has space. `see` receives the end times of the groups up to the waiting one, and
  /// the time from which the channel is free.
  using See = std::function<void(PlannedFetch& fetch, const std::vector<std::int64_t>& ended,
                                 std::int64_t free)>;
  void follow(std::vector<PlannedFetch>& fetches, const See& see = {}) {
    std::vector<std::int64_t> ended{0};
    std::int64_t free = 0;  // the channel
    begins_.clear();
    auto fetch = fetches.begin();
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      std::int64_t start = ended.back();
      for (; fetch != fetches.end() && fetch->subgraph == run && !fetch->passes; ++fetch) {
        if (see) see(*fetch, ended, free);
        fetch->begin = std::max(free, ended[fetch->from]);
        free = fetch->end = fetch->begin + cycles_of(fetch->bytes, link_);
        start = std::max(start, fetch->end);
      }
      begins_.push_back(start);
      std::int64_t end = start + runs_[run].metrics.latency_cycles;
      std::int64_t passed = 0;
      for (; fetch != fetches.end() && fetch->subgraph == run; ++fetch) {
        fetch->begin = std::max(free, start);
        const bool load = !fetch->writes;
        const BehindUse::Stage& stage = *passes_.at({fetch->tensor, run})->stage(fetch->loops);
        std::int64_t cycles = cycles_of(fetch->bytes, link_, load);
        // The group waits for the first slice to arrive or the last to be written. With one copy of
        // a slice, it waits for every transfer.
        std::int64_t waits = cycles_of(stage.piece, link_, load);
        if (fetch->copies == 1)
          waits = cycles += (stage.pieces - 1) * (link_.setup + link_.way(load).latency);
        passed = free = fetch->end = fetch->begin + cycles;
        end += waits;
      }
      ended.push_back(std::max(end, passed));
    }
    end_ = ended.back();
  }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] const std::vector<std::int64_t>& begins() const { return begins_; }

 private:
  const cost::Link& link_;
  const std::vector<PlannedSubgraph>& runs_;
  std::map<std::pair<std::string, std::size_t>, const BehindUse::Pass*> passes_;
  std::vector<std::int64_t> begins_;
  std::int64_t end_ = 0;
};

}  // namespace

FetchOrder order_of(const PlannedFetch& fetch) {
  return {fetch.subgraph, fetch.passes, fetch.writes};
}

void complete(const Network& network, const Hardware& hardware,
              const std::vector<PlannedSubgraph>& runs, const std::vector<BehindUse>& uses,
              PlannedBehind& way) {
  const cost::Link link = cost::backing_link(hardware);
  std::map<std::string, const BehindUse*> use_of;
  for (const BehindUse& use : uses) use_of[network.tensors[use.tensor].name] = &use;
  Size written = 0;
  way.bytes = 0;
  for (PlannedFetch& fetch : way.fetches) {
    fetch.bytes = whole_bursts(fetch.room, link.burst);
    if (fetch.passes) {
      const BehindUse& use = *use_of.at(fetch.tensor);
      const auto pass = std::ranges::find(use.passes, fetch.subgraph, &BehindUse::Pass::run);
      fetch.room = passing_room(use, *pass, fetch.loops, fetch.copies, link.burst);
      fetch.bytes = pass->stage(fetch.loops)->bytes;
    }
    way.bytes += fetch.bytes;
    if (fetch.writes) written += fetch.bytes;
  }
  Timeline timeline(network, link, runs, uses);
  timeline.follow(way.fetches);
  way.begins = timeline.begins();
  way.waiting_cycles = timeline.end();
  for (const PlannedSubgraph& run : runs) way.waiting_cycles -= run.metrics.latency_cycles;
  way.energy_pj = static_cast<double>(way.bytes - written) * link.energy.read_pj +
                  static_cast<double>(written) * link.energy.write_pj;
  way.memory = off_chip::backing(hardware)->space.name;
}

namespace {

/// Which tensors pass first if the free space is too small.
enum class First {
  large_weights,  ///< weights by size, then tensors by bytes moved per byte saved
  cheap           ///< weights or tensors, by repeated bytes per byte saved
};

/// A schedule under construction.
class Way {
 public:
  /// `copies`: copies of each slice.
  Way(const Network& network, const std::vector<BehindUse>& uses, const RoomBeside& room,
      Size alignment, Size burst, int copies)
      : network_(network),
        uses_(uses),
        room_(room),
        alignment_(alignment),
        burst_(burst),
        copies_(copies) {
    resident_.assign(uses.size(), 0);
    passes_.assign(uses.size(), 0);
    for (const BehindUse& use : uses) loops_.emplace_back(use.passes.size(), 0);
    beside_ = left_ = room_(away_);
  }

  /// False if the groups do not fit even with slices, with `free` bytes left.
  bool let_pass(First first, Size free) {
    for (std::size_t w = 0; w < uses_.size(); ++w)
      if (uses_[w].weight) take(uses_[w].first(), uses_[w].last(), whole(w));
    for (;;) {
      // Slices take space in other groups, too.
      const auto full = std::ranges::find_if(left_, [&](Size size) { return size < free; });
      if (full == left_.end()) return true;
      const std::optional<std::size_t> next =
          next_that_passes(static_cast<std::size_t>(full - left_.begin()), first, free);
      if (!next) return false;
      pass(*next);
    }
  }
  /// Per use, whether it passes.
  [[nodiscard]] const std::vector<char>& passes() const { return passes_; }

  /// Shares slices between tiles if space allows: first the ones that save most bytes per byte of
  /// space.
  bool let_share() {
    struct Choice {
      std::size_t w = 0;
      std::size_t pass = 0;
      int loops = 0;
      double worth = 0;
    };
    std::vector<Choice> choices;
    for (std::size_t w = 0; w < uses_.size(); ++w)
      for (std::size_t k = 0; passes_[w] != 0 && k < uses_[w].passes.size(); ++k) {
        const BehindUse::Pass& pass = uses_[w].passes[k];
        for (const BehindUse::Stage& stage : pass.stages) {
          if (stage.loops == 0) continue;
          const Size room = pieces(uses_[w], pass, stage.loops) - pieces(uses_[w], pass);
          const auto saved = static_cast<double>(pass.stage(0)->bytes - stage.bytes);
          choices.push_back(
              {w, k, stage.loops, saved / static_cast<double>(std::max<Size>(1, room))});
        }
      }
    std::ranges::stable_sort(choices, std::greater<>(), &Choice::worth);
    bool any = false;
    for (const Choice& each : choices) {
      const BehindUse::Pass& pass = uses_[each.w].passes[each.pass];
      int& now = loops_[each.w][each.pass];
      const Size more = pieces(uses_[each.w], pass, each.loops) - pieces(uses_[each.w], pass, now);
      if (each.loops <= now || more > left_[pass.run]) continue;
      left_[pass.run] -= more;
      now = each.loops;
      any = true;
    }
    return any;
  }

  /// Makes weights resident, largest first, while each group keeps the fraction 1 - `share` of its
  /// free space.
  void let_stay(double share) {
    std::vector<Size> others = left_;
    for (Size& each : others) each = static_cast<Size>(static_cast<double>(each) * (1 - share));
    std::vector<std::size_t> order;
    for (std::size_t w = 0; w < uses_.size(); ++w)
      if (uses_[w].weight) order.push_back(w);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t w) { return uses_[w].size; });
    for (const std::size_t w : order) {
      if (passes_[w] != 0) continue;
      const auto fits = [&](std::size_t run) {
        return (uses_[w].first() <= run && run <= uses_[w].last()) ||
               left_[run] - whole(w) >= others[run];
      };
      bool all = true;
      for (std::size_t run = 0; run < left_.size() && all; ++run) all = fits(run);
      if (!all) continue;
      resident_[w] = 1;
      take_beside(w, whole(w));
    }
  }

  /// Switches a weight between whole fetches and passing.
  void change_pass(std::size_t w) {
    if (resident_[w] != 0) change_stay(w);
    if (passes_[w] == 0) return pass(w);
    for (std::size_t k = 0; k < uses_[w].passes.size(); ++k) {
      const BehindUse::Pass& pass = uses_[w].passes[k];
      take(pass.run, pass.run, -pieces(uses_[w], pass, std::exchange(loops_[w][k], 0)));
    }
    take(uses_[w].first(), uses_[w].last(), whole(w));
    passes_[w] = 0;
  }
  /// Switches a weight between fetched and resident.
  void change_stay(std::size_t w) {
    if (passes_[w] != 0) change_pass(w);
    const Size more = resident_[w] != 0 ? -whole(w) : whole(w);
    resident_[w] = resident_[w] != 0 ? 0 : 1;
    take_beside(w, more);
  }
  [[nodiscard]] bool has_room() const {
    return std::ranges::none_of(left_, [](Size size) { return size < 0; });
  }

  /// Fetches as early as the queue and the space allow. An earlier start would only take space.
  void fetch_ahead(const cost::Link& link, const std::vector<PlannedSubgraph>& runs,
                   std::vector<PlannedFetch>& fetches) {
    Timeline(network_, link, runs, uses_)
        .follow(fetches, [&](PlannedFetch& fetch, const std::vector<std::int64_t>& ended,
                             std::int64_t free) {
          while (fetch.from > 0 && left_[fetch.from - 1] >= fetch.room) --fetch.from;
          while (fetch.from < fetch.subgraph && ended[fetch.from + 1] <= free) ++fetch.from;
          if (fetch.from < fetch.subgraph) take(fetch.from, fetch.subgraph - 1, fetch.room);
        });
    // Merge adjacent parts of one weight.
    std::vector<PlannedFetch> merged;
    for (const PlannedFetch& fetch : fetches) {
      PlannedFetch* const last = merged.empty() ? nullptr : &merged.back();
      if (last != nullptr && !fetch.passes && !last->passes && last->tensor == fetch.tensor &&
          last->from == fetch.from && last->end == fetch.begin) {
        last->room += fetch.room;
        last->end = fetch.end;
      } else {
        merged.push_back(fetch);
      }
    }
    fetches = std::move(merged);
  }

  /// Each weight in parts, due when its group begins; tensors in the backing memory in slices.
  [[nodiscard]] PlannedBehind made() const {
    PlannedBehind way;
    for (std::size_t w = 0; w < uses_.size(); ++w) {
      const std::string& name = network_.tensors[uses_[w].tensor].name;
      if (resident_[w] != 0) {
        way.resident.push_back(name);
      } else if (passes_[w] != 0) {
        if (!uses_[w].weight) way.away.push_back(name);
        for (std::size_t k = 0; k < uses_[w].passes.size(); ++k) {
          const BehindUse::Pass& pass = uses_[w].passes[k];
          way.fetches.push_back({.tensor = name,
                                 .from = pass.run,
                                 .subgraph = pass.run,
                                 .passes = true,
                                 .writes = pass.writes,
                                 .loops = loops_[w][k],
                                 .copies = copies_of(uses_[w], pass, loops_[w][k])});
        }
      } else if (uses_[w].weight) {
        const Size size = uses_[w].size;
        const Size part = part_of(size, burst_);
        for (Offset at = 0; at < size; at += part)
          way.fetches.push_back({.tensor = name,
                                 .at = at,
                                 .from = uses_[w].first(),
                                 .subgraph = uses_[w].first(),
                                 .room = std::min(part, size - at)});
      }
    }
    std::ranges::stable_sort(way.fetches, {}, order_of);
    return way;
  }

 private:
  [[nodiscard]] Size whole(std::size_t w) const { return align_up(uses_[w].size, alignment_); }
  /// One copy saves nothing if the load of a tile arrives in parts.
  [[nodiscard]] int copies_of(const BehindUse& use, const BehindUse::Pass& pass, int loops) const {
    const bool in_parts = loops == 0 && pass.stage(0)->piece > part_of(use.size, burst_);
    return in_parts ? 2 : copies_;
  }
  [[nodiscard]] Size pieces(const BehindUse& use, const BehindUse::Pass& pass,
                            int loops = 0) const {
    return align_up(passing_room(use, pass, loops, copies_of(use, pass, loops), burst_),
                    alignment_);
  }
  /// Bytes that the group saves if this use passes.
  [[nodiscard]] Size saved(std::size_t w, std::size_t run) const {
    const auto pass = std::ranges::find(uses_[w].passes, run, &BehindUse::Pass::run);
    return whole(w) - (pass == uses_[w].passes.end() ? 0 : pieces(uses_[w], *pass));
  }
  /// Bytes moved beyond one transfer of a weight; for a tensor, all bytes of its transfers.
  [[nodiscard]] Size extra(std::size_t w) const {
    Size bytes = uses_[w].weight ? -whole_bursts(uses_[w].size, burst_) : 0;
    for (const BehindUse::Pass& pass : uses_[w].passes) bytes += pass.stage(0)->bytes;
    return bytes;
  }

  [[nodiscard]] std::optional<std::size_t> next_that_passes(std::size_t run, First first,
                                                            Size free) const {
    std::optional<std::size_t> best;
    const auto better = [&](std::size_t a, std::size_t b) {
      const auto by_price = [&](std::size_t w) {
        const Size bytes = std::min(saved(w, run), free - left_[run]);
        return std::pair(static_cast<double>(extra(w)) / static_cast<double>(bytes),
                         -saved(w, run));
      };
      if (first == First::cheap || (!uses_[a].weight && !uses_[b].weight))
        return by_price(a) < by_price(b);
      if (uses_[a].weight != uses_[b].weight) return uses_[a].weight;
      return saved(a, run) > saved(b, run);
    };
    for (std::size_t w = 0; w < uses_.size(); ++w)
      if (passes_[w] == 0 && uses_[w].first() <= run && run <= uses_[w].last() &&
          saved(w, run) > 0 && (!best || better(w, *best)))
        best = w;
    return best;
  }

  void pass(std::size_t w) {
    passes_[w] = 1;
    if (uses_[w].weight) {
      take(uses_[w].first(), uses_[w].last(), -whole(w));
    } else {
      away_.push_back(uses_[w].tensor);
      const std::vector<Size> before = std::exchange(beside_, room_(away_));
      for (std::size_t run = 0; run < left_.size(); ++run) left_[run] += beside_[run] - before[run];
    }
    for (const BehindUse::Pass& pass : uses_[w].passes)
      take(pass.run, pass.run, pieces(uses_[w], pass));
  }
  void take(std::size_t from, std::size_t to, Size bytes) {
    for (std::size_t run = from; run <= to && run < left_.size(); ++run) left_[run] -= bytes;
  }

  /// In the groups before the first and after the last reader.
  void take_beside(std::size_t w, Size bytes) {
    if (uses_[w].first() > 0) take(0, uses_[w].first() - 1, bytes);
    take(uses_[w].last() + 1, left_.size() - 1, bytes);
  }

  const Network& network_;
  const std::vector<BehindUse>& uses_;
  const RoomBeside& room_;
  std::vector<TensorIndex> away_;
  std::vector<Size> beside_;  ///< room_(away_)
  std::vector<Size> left_;    ///< of each run
  Size alignment_;
  Size burst_;
  int copies_;
  std::vector<char> resident_;
  std::vector<char> passes_;
  std::vector<std::vector<int>> loops_;  ///< of each pass
};

}  // namespace

namespace {

std::pair<std::int64_t, Size> rank(const PlannedBehind& way) {
  return {way.waiting_cycles, way.bytes};
}

/// All schedules for the groups of one network.
class Ways {
 public:
  Ways(const Network& network, const Hardware& hardware, const std::vector<PlannedSubgraph>& runs,
       const std::vector<BehindUse>& uses)
      : network_(network),
        hardware_(hardware),
        runs_(runs),
        uses_(uses),
        link_(cost::backing_link(hardware)) {}

  /// Adds the schedule with each share of resident weights.
  void add(const Way& passing) {
    for (const double share : shares) {
      Way way = passing;
      way.let_stay(share);
      take(way);
    }
  }

  /// Changes the weights of the fastest schedule one at a time.
  void improve(const Budget& budget) {
    if (!quickest_ || uses_.empty()) return;
    std::size_t left = most_changes / uses_.size();
    for (bool better = true; better && left > 0;) {
      better = false;
      for (std::size_t w = 0; w < uses_.size(); ++w)
        for (const auto change : {&Way::change_pass, &Way::change_stay}) {
          if (!uses_[w].weight || left == 0) continue;
          if (budget.exhausted()) return;
          --left;
          Way way = *quickest_;
          (way.*change)(w);
          if (!way.has_room()) continue;
          better = take(way) || better;
          if (way.let_share()) better = take(way) || better;
        }
    }
  }

  /// Fastest first.
  [[nodiscard]] std::vector<PlannedBehind> all() && {
    std::ranges::stable_sort(ways_, {}, rank);
    return std::move(ways_);
  }
  [[nodiscard]] bool empty() const { return ways_.empty(); }

 private:
  /// True if it is the fastest.
  bool take(const Way& way) {
    PlannedBehind made = way.made();
    complete(network_, hardware_, runs_, uses_, made);
    Way(way).fetch_ahead(link_, runs_, made.fetches);
    complete(network_, hardware_, runs_, uses_, made);
    const bool quickest = !quickest_ || rank(made) < least_;
    if (quickest) {
      quickest_.emplace(way);
      least_ = rank(made);
    }
    if (std::ranges::find(ways_, made) == ways_.end()) ways_.push_back(std::move(made));
    return quickest;
  }

  const Network& network_;
  const Hardware& hardware_;
  const std::vector<PlannedSubgraph>& runs_;
  const std::vector<BehindUse>& uses_;
  const cost::Link link_;
  std::vector<PlannedBehind> ways_;
  std::optional<Way> quickest_;
  std::pair<std::int64_t, Size> least_;
};

}  // namespace

std::vector<PlannedBehind> ways_behind(const Network& network, const Hardware& hardware,
                                       const std::vector<PlannedSubgraph>& runs,
                                       const std::vector<BehindUse>& uses, const RoomBeside& room,
                                       const Budget& budget) {
  const Memory& front = off_chip::weights(hardware)->space;
  const Size burst = cost::backing_link(hardware).burst;
  Ways ways(network, hardware, runs, uses);
  // One copy of each slice if two do not fit.
  for (const int copies : {2, 1}) {
    std::set<std::vector<char>> known;
    for (const int eighths : eighths_kept)
      for (const First first : {First::large_weights, First::cheap}) {
        if (!ways.empty() && budget.exhausted()) break;
        Way way(network, uses, room, front.alignment, burst, copies);
        if (!way.let_pass(first, front.capacity / 8 * eighths) ||
            !known.insert(way.passes()).second)
          continue;
        ways.add(way);
        if (way.let_share()) ways.add(way);
      }
    if (!ways.empty()) break;
  }
  ways.improve(budget);
  return std::move(ways).all();
}

Front in_front(const Network& network, const std::vector<BehindUse>& uses,
               const PlannedBehind& way) {
  std::map<std::string, const BehindUse*> use_of;
  for (const BehindUse& use : uses) use_of[network.tensors[use.tensor].name] = &use;
  Front front;
  for (const std::string& name : way.away) front.away.push_back(use_of.at(name)->tensor);
  for (const std::string& name : way.resident) {
    const BehindUse& use = *use_of.at(name);
    front.rooms.push_back({.tensor = use.tensor, .size = use.size, .resident = true});
  }
  for (const PlannedFetch& fetch : way.fetches) {
    const BehindUse& use = *use_of.at(fetch.tensor);
    if (fetch.passes) {
      front.rooms.push_back({.tensor = use.tensor,
                             .size = fetch.room,
                             .weight = use.weight,
                             .to = fetch.subgraph,
                             .parts = {{0, fetch.room, fetch.subgraph}}});
      continue;
    }
    if (fetch.at == 0)
      front.rooms.push_back({.tensor = use.tensor, .size = use.size, .to = use.last()});
    front.rooms.back().parts.push_back({fetch.at, fetch.room, fetch.from});
  }
  return front;
}

Metrics with_fetches(Metrics runs, const PlannedBehind& way) {
  runs.latency_cycles += way.waiting_cycles;
  runs.energy_pj += way.energy_pj;
  return runs;
}

}  // namespace tessera::planner
