#include "facts/interchangeable.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "facts/joined.h"
#include "model/bands.h"
#include "model/derived.h"
#include "model/polled_sort.h"
#include "model/random.h"
#include "model/relations.h"

namespace tessera::facts {
namespace {

/// Limit on pairs of buffers named by relations; beyond it no buffers count as interchangeable.
constexpr std::size_t most_pairs = 2'000'000;
/// Limit on class leaders with the same hash that a buffer is compared with.
constexpr std::size_t most_leaders = 8;

/// A hash of a set: the sum of hashes of its elements. Sets with equal hashes are compared in full.
using Mark = std::uint64_t;
template <typename... Numbers>
Mark mark_of(Numbers... numbers) {
  Mark mark = 0;
  ((mark = Random(mark ^ static_cast<Mark>(numbers)).next()), ...);
  return mark;
}

}  // namespace

class InterchangeableBuffers::Finder {
 public:
  Finder(const PlacementProblem& problem, Poll* poll)
      : problem_(problem), poll_(poll != nullptr ? *poll : never_) {
    read_relations();
    if (complete_) describe_buffers();
  }

  [[nodiscard]] std::vector<InterchangeableClass> classes() {
    std::vector<InterchangeableClass> found;
    if (!complete_) return found;
    add_up();
    Joined sets(problem_.buffers.size());
    // Members of a class do not conflict, conflict by lifetimes, or conflict by a relation.
    join_equal(sets, [this](BufferIndex b) { return sum_[b]; });
    join_equal(sets, [this](BufferIndex b) { return sum_[b] + own_[b]; });
    for (BufferIndex a = 0; a < said_.size(); ++a)
      for (const Said& each : said_[a]) {
        if (each.other < a || basic_[a] != basic_[each.other]) continue;
        const Said back{a, each.kinds, each.cost};
        if (sum_[a] - pair_mark(a, each) != sum_[each.other] - pair_mark(each.other, back))
          continue;
        if (sets.find(a) != sets.find(each.other) && equal(a, each.other)) sets.join(a, each.other);
      }
    std::map<std::size_t, InterchangeableClass> by_root;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b)
      if (sets.find(b) != b) {
        InterchangeableClass& same = by_root[sets.find(b)];
        if (same.buffers.empty()) same.buffers.push_back(sets.find(b));
        same.buffers.push_back(b);
      }
    for (auto& [root, same] : by_root) {
      same.kind = kind_of(same.buffers[0], same.buffers[1]);
      found.push_back(std::move(same));
    }
    return found;
  }

  [[nodiscard]] bool complete() const { return complete_; }
  /// require: classes() was called, which computes the sums.
  [[nodiscard]] bool alone(BufferIndex b) const {
    // A buffer with several live intervals may be counted twice in a sum.
    const auto stretches = [](const Buffer& buffer) { return buffer.live.size() > 1; };
    const bool sums_tell =
        std::none_of(problem_.buffers.begin(), problem_.buffers.end(), stretches);
    for (BufferIndex other = 0; other < problem_.buffers.size(); ++other)
      if ((!sums_tell || may_be_equal(b, other)) && equal(b, other)) return false;
    return true;
  }

  [[nodiscard]] bool equal(BufferIndex a, BufferIndex b) const {
    if (!complete_ || a == b || alone_[a] != 0 || alone_[b] != 0 || basic_[a] != basic_[b])
      return false;
    const Buffer& x = problem_.buffers[a];
    const Buffer& y = problem_.buffers[b];
    if (x.size != y.size || home_[a] != home_[b] || x.window != y.window) return false;
    for (const MemoryIndex m : homes_[home_[a]]) {
      const Memory& memory = problem_.memories[m];
      if (effective_alignment(x, memory) != effective_alignment(y, memory)) return false;
      if (has_modes(memory) &&
          (x.live != y.live || x.kind != y.kind || x.read != y.read || x.write != y.write))
        return false;
    }
    const bool one_life = x.live == y.live;
    if (x.gaps.size() != y.gaps.size() || (!x.gaps.empty() && !one_life)) return false;
    for (std::size_t k = 0; k < x.gaps.size(); ++k)
      if (x.gaps[k].steps != y.gaps[k].steps || x.gaps[k].window != y.gaps[k].window) return false;
    if (one_life && said_[a].size() == said_[b].size() && says_the_same(a, b, ~0U)) return true;
    return simple(a) && simple(b) && says_the_same(a, b, ~apart_or_not) && keep_the_same(a, b);
  }

 private:
  /// Interchangeable buffers have equal sums, except for the conflicts between them.
  [[nodiscard]] bool may_be_equal(BufferIndex a, BufferIndex b) const {
    if (basic_[a] != basic_[b]) return false;
    const bool spoken_of = std::any_of(said_[a].begin(), said_[a].end(),
                                       [&](const Said& each) { return each.other == b; });
    return spoken_of || sum_[a] == sum_[b] || sum_[a] + own_[a] == sum_[b] + own_[b];
  }

  struct Said {  ///< the relations between a buffer and another one
    BufferIndex other = 0;
    std::uint32_t kinds = 0;  ///< one bit per kind
    Cost cost = 0;
    friend bool operator==(const Said&, const Said&) = default;
  };
  struct Event {  ///< begin or end of a live interval of a buffer
    Step step = 0;
    Mark mark = 0;  ///< sum of the hashes up to this event, inclusive
    BufferIndex buffer = 0;
  };
  /// The live intervals of buffers with the same memories.
  struct Times {
    std::vector<Event> begins, ends;
  };

  static std::uint32_t bit(RelationKind kind) { return 1U << static_cast<unsigned>(kind); }
  static constexpr std::uint32_t bit_of_disjoint = 1U
                                                   << static_cast<unsigned>(RelationKind::disjoint);
  /// Relations that only decide whether the two conflict.
  static constexpr std::uint32_t apart_or_not =
      bit_of_disjoint | 1U << static_cast<unsigned>(RelationKind::may_overlap);
  /// Do lifetimes decide whether the two conflict?
  [[nodiscard]] bool by_time(std::uint32_t kinds) const {
    return (kinds & (lifting_ | bit_of_disjoint)) == 0;
  }

  void read_relations() {
    said_.resize(problem_.buffers.size());
    alone_.resize(problem_.buffers.size(), 0);
    for (const RelationKind kind : relation_kinds())
      if (meaning(kind).lifts_overlap) lifting_ |= bit(kind);
    std::size_t pairs = 0;
    for (const Relation& relation : problem_.relations) {
      // The order of the members matters, so exchanging two changes the relation.
      if (meaning(relation.kind).in_order)
        for (const BufferIndex b : relation.buffers) alone_[b] = 1;
      pairs += relation.buffers.size() * relation.buffers.size();
      if (pairs > most_pairs) {
        complete_ = false;
        return;
      }
      for (const BufferIndex a : relation.buffers)
        for (const BufferIndex b : relation.buffers)
          if (a != b) said_[a].push_back({b, bit(relation.kind), relation.cost});
      poll_(static_cast<std::int64_t>(relation.buffers.size() * relation.buffers.size()));
    }
    for (std::vector<Said>& all : said_) {
      std::sort(all.begin(), all.end(),
                [](const Said& x, const Said& y) { return x.other < y.other; });
      std::size_t kept = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (kept > 0 && all[kept - 1].other == all[k].other) {
          all[kept - 1].kinds |= all[k].kinds;
          all[kept - 1].cost += all[k].cost;
        } else {
          all[kept++] = all[k];
        }
      }
      all.resize(kept);
      poll_(static_cast<std::int64_t>(kept));
    }
  }

  void describe_buffers() {
    std::map<std::vector<MemoryIndex>, std::size_t> known;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      poll_(4);
      const Buffer& buffer = problem_.buffers[b];
      const auto allowed = allowed_memories(problem_, buffer);
      const auto [at, is_new] = known.try_emplace(allowed, homes_.size());
      if (is_new) homes_.push_back(allowed);
      home_.push_back(at->second);
      if (buffer.offset || !buffer.parts.empty()) alone_[b] = 1;
      Mark mark = mark_of(buffer.size, at->second);
      bool steps = buffer.live.size() > 1 || !buffer.gaps.empty();
      for (const MemoryIndex m : allowed) {
        mark = mark_of(mark, effective_alignment(buffer, problem_.memories[m]));
        steps = steps || has_modes(problem_.memories[m]);
      }
      if (buffer.window) mark = mark_of(mark, buffer.window->begin, buffer.window->end);
      if (steps)
        for (const StepRange& live : buffer.live) mark = mark_of(mark, live.lower, live.upper);
      basic_.push_back(mark);
    }
    collect_times();
  }

  void collect_times() {
    times_.resize(homes_.size());
    std::vector<std::vector<std::size_t>> seen_from(homes_.size());
    for (std::size_t h = 0; h < homes_.size(); ++h)
      for (std::size_t g = 0; g < homes_.size(); ++g)
        if (std::find_first_of(homes_[h].begin(), homes_[h].end(), homes_[g].begin(),
                               homes_[g].end()) != homes_[h].end())
          seen_from[g].push_back(h);
    const auto add = [&](BufferIndex b, const StepRange& steps, AddressRange range) {
      poll_(2);
      const Mark mark = time_mark(b, range);
      for (const std::size_t h : seen_from[home_[b]]) {
        times_[h].begins.push_back({steps.lower, mark, b});
        times_[h].ends.push_back({steps.upper, mark, b});
      }
    };
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      if (simple(b))
        add(b, buffer.live.front(), {0, buffer.size});
      else
        for (const Segment& part : first_copies(buffer)) add(b, part.steps, part.range);
    }
    for (Times& times : times_)
      for (std::vector<Event>* events : {&times.begins, &times.ends}) {
        sort_polled(
            *events,
            [](const Event& x, const Event& y) {
              return std::tie(x.step, x.buffer) < std::tie(y.step, y.buffer);
            },
            poll_);
        Mark sum = 0;
        for (Event& event : *events) event.mark = sum += event.mark;
      }
  }

  static Mark time_mark(BufferIndex b, AddressRange range) {
    return mark_of(b, range.begin, range.end);
  }
  /// The sum of the events before the step, or up to it.
  static Mark before(const std::vector<Event>& events, Step step, bool with) {
    const auto end = first_after(events, step, with);
    return end == events.begin() ? 0 : std::prev(end)->mark;
  }
  static std::vector<Event>::const_iterator first_after(const std::vector<Event>& events, Step step,
                                                        bool with) {
    return std::partition_point(events.begin(), events.end(), [&](const Event& event) {
      return with ? event.step <= step : event.step < step;
    });
  }
  /// Is the buffer live in one interval, as a whole?
  [[nodiscard]] bool simple(BufferIndex b) const {
    return problem_.buffers[b].live.size() == 1 && problem_.buffers[b].gaps.empty() &&
           problem_.buffers[b].parts.empty();
  }

  /// Computes per buffer the sum over its conflicts and their reasons. Each buffer conflicts with
  /// itself by its lifetime.
  void add_up() {
    sum_.resize(problem_.buffers.size());
    own_.resize(problem_.buffers.size(), 1);
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      poll_(static_cast<std::int64_t>(8 + said_[b].size()));
      const Buffer& buffer = problem_.buffers[b];
      if (simple(b)) {
        const StepRange& live = buffer.live.front();
        const Times& times = times_[home_[b]];
        own_[b] = time_mark(b, {0, buffer.size});
        sum_[b] = before(times.begins, live.upper, false) - before(times.ends, live.lower, true) -
                  own_[b];
      }
      for (const Said& each : said_[b]) {
        sum_[b] += pair_mark(b, each);
        sum_[b] -= mark_of_life(b, each.other);
      }
    }
  }

  /// The contribution of another buffer's lifetime to the sum of a simple buffer.
  [[nodiscard]] Mark mark_of_life(BufferIndex b, BufferIndex other) const {
    Mark mark = 0;
    if (!simple(b) || !share_memory(b, other)) return mark;
    for (const Segment& part : first_copies(problem_.buffers[other]))
      if (overlaps(part.steps, problem_.buffers[b].live.front()))
        mark += time_mark(other, part.range);
    return mark;
  }
  /// The contribution of another buffer's relations to the sum.
  [[nodiscard]] Mark pair_mark(BufferIndex b, const Said& said) const {
    const std::uint32_t kinds = simple(b) ? said.kinds & ~apart_or_not : said.kinds;
    Mark mark = kinds == 0 ? 0 : mark_of(said.other, kinds, said.cost);
    if (by_time(said.kinds)) return mark + mark_of_life(b, said.other);
    if (simple(b) && (said.kinds & bit_of_disjoint) != 0 && share_memory(b, said.other))
      mark += time_mark(said.other, {0, problem_.buffers[said.other].size});
    return mark;
  }

  [[nodiscard]] bool share_memory(BufferIndex a, BufferIndex b) const {
    const auto& x = homes_[home_[a]];
    const auto& y = homes_[home_[b]];
    return std::find_first_of(x.begin(), x.end(), y.begin(), y.end()) != x.end();
  }

  /// A buffer without conflicts (sum 0) is in no class: it can lie anywhere.
  template <typename SumOf>
  void join_equal(Joined& sets, const SumOf& sum_of) {
    std::vector<std::pair<Mark, BufferIndex>> keyed;
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b)
      if (alone_[b] == 0 && sum_of(b) != 0) keyed.emplace_back(mark_of(basic_[b], sum_of(b)), b);
    sort_polled(keyed, poll_);
    std::vector<BufferIndex> leaders;
    for (std::size_t k = 0; k < keyed.size(); ++k) {
      if (k == 0 || keyed[k].first != keyed[k - 1].first) leaders.clear();
      const BufferIndex b = keyed[k].second;
      bool joined = false;
      for (const BufferIndex leader : leaders) {
        joined = sets.find(b) == sets.find(leader) || equal(leader, b);
        if (!joined) continue;
        sets.join(leader, b);
        break;
      }
      if (!joined && leaders.size() < most_leaders) leaders.push_back(b);
    }
  }

  /// Do relations of these kinds treat both alike, with respect to every third buffer?
  [[nodiscard]] bool says_the_same(BufferIndex a, BufferIndex b, std::uint32_t kinds) const {
    auto x = said_[a].begin();
    auto y = said_[b].begin();
    poll_(static_cast<std::int64_t>(1 + said_[a].size() + said_[b].size()));
    const auto next = [kinds](auto& at, const auto& end, BufferIndex skipped) {
      while (at != end && (at->other == skipped || (at->kinds & kinds) == 0)) ++at;
      return at != end;
    };
    while (true) {
      const bool more = next(x, said_[a].end(), b);
      if (more != next(y, said_[b].end(), a)) return false;
      if (!more) return true;
      if (x->other != y->other || (x->kinds & kinds) != (y->kinds & kinds) || x->cost != y->cost)
        return false;
      ++x;
      ++y;
    }
  }

  /// Do both conflict with the same bytes of every third buffer?
  /// require: both are simple.
  [[nodiscard]] bool keep_the_same(BufferIndex a, BufferIndex b) const {
    const StepRange& x = problem_.buffers[a].live.front();
    const StepRange& y = problem_.buffers[b].live.front();
    const auto alike = [&](BufferIndex third) {
      poll_();
      if (third == a || third == b) return true;
      if (said_[third].empty() && simple(third)) {  // the usual case, without a list
        const StepRange& live = problem_.buffers[third].live.front();
        return overlaps(live, x) == overlaps(live, y) || !share_memory(third, a);
      }
      return kept(third, a) == kept(third, b);
    };
    for (const BufferIndex each : {a, b})
      for (const Said& said : said_[each])
        if (!alike(said.other)) return false;
    // A buffer that is live with only one of the two begins between their ends, or ends between
    // their begins.
    const auto all_alike = [&](const std::vector<Event>& events, Step from, Step to, bool with) {
      const auto end = first_after(events, to, with);
      for (auto at = first_after(events, from, with); at < end; ++at)
        if (!alike(at->buffer)) return false;
      return true;
    };
    const Times& times = times_[home_[a]];
    return all_alike(times.begins, std::min(x.upper, y.upper), std::max(x.upper, y.upper), false) &&
           all_alike(times.ends, std::min(x.lower, y.lower), std::max(x.lower, y.lower), true);
  }

  /// The ranges of a buffer that conflict with another, simple buffer. A buffer that conflicts as a
  /// whole gives one range.
  [[nodiscard]] std::vector<AddressRange> kept(BufferIndex b, BufferIndex from) const {
    const AddressRange whole{0, problem_.buffers[b].size};
    if (!share_memory(b, from)) return {};
    const auto said =
        std::lower_bound(said_[from].begin(), said_[from].end(), b,
                         [](const Said& each, BufferIndex other) { return each.other < other; });
    if (said != said_[from].end() && said->other == b && !by_time(said->kinds))
      return (said->kinds & bit_of_disjoint) != 0 ? std::vector{whole}
                                                  : std::vector<AddressRange>{};
    std::vector<AddressRange> ranges;
    for (const Segment& part : first_copies(problem_.buffers[b]))
      if (overlaps(part.steps, problem_.buffers[from].live.front())) ranges.push_back(part.range);
    std::sort(ranges.begin(), ranges.end());
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    if (std::find(ranges.begin(), ranges.end(), whole) != ranges.end()) return {whole};
    return ranges;
  }

  /// require: equal(a, b).
  [[nodiscard]] InterchangeableKind kind_of(BufferIndex a, BufferIndex b) const {
    std::uint32_t kinds = 0;
    Cost cost = 0;
    bool separated = false;
    for (const Said& each : said_[a]) {
      if (each.other != b) continue;
      kinds = each.kinds;
      cost = each.cost;
    }
    for (const RelationKind kind : relation_kinds())
      separated = separated || ((kinds & bit(kind)) != 0 && meaning(kind).keeps_apart);
    bool whole = (kinds & bit_of_disjoint) != 0;
    bool anything = whole;
    if (by_time(kinds))
      for (const Segment& x : segments(problem_.buffers[a]))
        for (const Segment& y : segments(problem_.buffers[b])) {
          if (!overlaps(x.steps, y.steps)) continue;
          anything = true;
          whole = whole || (x.range == y.range && x.range.size() == problem_.buffers[a].size);
        }
    if (whole) return InterchangeableKind::apart;
    return anything || separated || cost > 0 ? InterchangeableKind::ordered
                                             : InterchangeableKind::together;
  }

  const PlacementProblem& problem_;
  Poll never_;
  Poll& poll_;
  bool complete_ = true;
  std::uint32_t lifting_ = 0;            ///< kinds that lift conflicts by lifetimes
  std::vector<std::vector<Said>> said_;  ///< by buffer, ascending
  std::vector<char> alone_;              ///< by buffer: excluded because of its own properties
  std::vector<std::vector<MemoryIndex>> homes_;
  std::vector<std::size_t> home_;  ///< by buffer
  std::vector<Times> times_;       ///< by home
  std::vector<Mark> basic_, sum_, own_;
};

InterchangeableBuffers::InterchangeableBuffers(const PlacementProblem& problem, Poll* poll)
    : finder_(std::make_unique<Finder>(problem, poll)), classes_(finder_->classes()) {}
InterchangeableBuffers::~InterchangeableBuffers() = default;

bool InterchangeableBuffers::equal(BufferIndex a, BufferIndex b) const {
  return finder_->equal(a, b);
}

bool InterchangeableBuffers::alone(BufferIndex b) const {
  return finder_->complete() && finder_->alone(b);
}

}  // namespace tessera::facts
