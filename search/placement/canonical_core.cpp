#include "search/placement/canonical_core.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "facts/free_space.h"
#include "facts/interchangeable.h"
#include "model/derived.h"
#include "model/relations.h"

namespace tessera::search::canonical {
namespace {

/// A time range during which one member of an item occupies [lo, hi).
struct Span {
  Step from = 0;
  Step to = 0;
  Size lo = 0;
  Size hi = 0;
  int item = 0;
  BufferIndex buffer = 0;
  int begin = 0;  ///< sections
  int end = 0;
  bool counted = true;
};

struct PairSpan {
  int first = 0;
  int second = 0;
  Size low = 0;  ///< forbidden: low < offset(second) - offset(first) < high
  Size high = 0;
  friend auto operator<=>(const PairSpan&, const PairSpan&) = default;
};

Size round_up(Size value, Size unit) {
  return value >= 0 ? (value + unit - 1) / unit : -(-value / unit);
}
Size round_down(Size value, Size unit) {
  return -round_up(-value, unit);
}

class Builder {
 public:
  Builder(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll)
      : problem_(problem), memory_(problem.memories[memory]), core_(core), poll_(poll) {
    core_.memory = memory;
    core_.unit = 1;
    core_.items.clear();
    core_.members.clear();
    core_.parts.clear();
    core_.sections = 0;
    core_.pair_begin.clear();
    core_.pair_item.clear();
    core_.pair_above.clear();
    core_.pair_below.clear();
    core_.general.clear();
    core_.told.clear();
    core_.links.clear();
    core_.reserved.clear();
    core_.borders.clear();
    core_.contradiction.clear();
  }

  void items_only() {
    prepare_memory();
    group_members();
    if (core_.items.empty()) return;
    poll_.check();
    choose_unit();
    core_.unit = 1;
    core_.capacity = memory_.capacity;
    poll_.check();
    limit_offsets();
  }

  void run() {
    prepare_memory();
    query_interchangeable();
    group_members();
    if (core_.items.empty()) return;
    choose_unit();
    limit_offsets();
    collect_spans();
    if (!core_.contradiction.empty()) return;
    cut_time();
    sort_items();
    if (special_) {
      discount_exempt();
      make_parts();
      pair_spans();
    } else {
      make_parts();
      pair_plain();
    }
    find_interchangeable();
  }

 private:
  void prepare_memory() {
    core_.reserved = facts::merged(memory_.reserved);
    if (!memory_.straddle) {
      for (const AddressRange& bank : bank_ranges(memory_)) core_.borders.push_back(bank.end);
      if (!core_.borders.empty()) core_.borders.pop_back();
    }
  }

  [[nodiscard]] bool here(BufferIndex b) const {
    const Buffer& buffer = problem_.buffers[b];
    return problem_.memories.size() == 1 ||
           (!buffer.memories.empty() && buffer.memories.front() == core_.memory);
  }

  [[nodiscard]] bool exempt(BufferIndex a, BufferIndex b) const {
    return std::binary_search(exempt_.begin(), exempt_.end(),
                              std::pair(std::min(a, b), std::max(a, b)));
  }

  /// Computes interchangeable buffers if relations decide about conflicts. Of a plain problem
  /// find_interchangeable() detects them.
  void query_interchangeable() {
    const bool told =
        std::any_of(problem_.relations.begin(), problem_.relations.end(), [](const Relation& each) {
          return meaning(each.kind).forbids || meaning(each.kind).lifts_overlap;
        });
    if (told) interchangeable_ = facts::interchangeable_classes(problem_, &poll_);
  }

  void group_members() {
    const std::size_t n = problem_.buffers.size();
    leader_.resize(n);
    std::iota(leader_.begin(), leader_.end(), BufferIndex{0});
    bool grouped = false;
    for (const Relation& relation : problem_.relations) {
      if (relation.kind == RelationKind::same_offset) {
        grouped = true;
        for (const BufferIndex b : relation.buffers) {
          leader_[find(b)] = find(relation.buffers.front());
        }
      }
      special_ = special_ || relation.kind == RelationKind::same_offset ||
                 relation.kind == RelationKind::may_overlap ||
                 relation.kind == RelationKind::disjoint;
    }
    // Buffers with the same place are one item.
    for (const facts::InterchangeableClass& same : interchangeable_) {
      if (same.kind != facts::InterchangeableKind::together) continue;
      grouped = true;
      for (const BufferIndex b : same.buffers) leader_[find(b)] = find(same.buffers.front());
    }
    if (special_) exempt_ = exempt_pairs(problem_);
    item_of_.assign(n, -1);
    for (BufferIndex b = 0; b < n; ++b) {
      if (!here(b)) continue;
      int& item = item_of_[grouped ? find(b) : b];
      if (item < 0) {
        item = static_cast<int>(core_.items.size());
        core_.items.emplace_back();
      }
      item_of_[b] = item;
    }
    // Members of one item become neighbours in core_.members.
    for (BufferIndex b = 0; b < n; ++b) {
      if (item_of_[b] >= 0) ++core_.items[index(item_of_[b])].last_member;
    }
    int total = 0;
    for (Item& item : core_.items) {
      item.first_member = total;
      total += item.last_member;
      item.last_member = item.first_member;
    }
    core_.members.resize(index(total));
    for (BufferIndex b = 0; b < n; ++b) {
      if (item_of_[b] < 0) continue;
      Item& item = core_.items[index(item_of_[b])];
      core_.members[index(item.last_member++)] = b;
    }
  }

  BufferIndex find(BufferIndex b) {
    while (leader_[b] != b) b = leader_[b] = leader_[leader_[b]];
    return b;
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  /// The largest unit that divides every offset of a canonical placement. `common_` is the
  /// alignment that all share. Sizes may be rounded up to it, because the next buffer above starts
  /// at a multiple of it.
  void choose_unit() {
    common_ = 0;
    for (Item& item : core_.items) {
      Size alignment = memory_.alignment;
      for (int m = item.first_member; m < item.last_member; ++m) {
        const Buffer& buffer = problem_.buffers[core_.members[index(m)]];
        alignment = std::lcm(alignment, buffer.alignment);
        item.bytes = std::max(item.bytes, buffer.size);
        item.earliest = std::max(item.earliest, buffer.window ? buffer.window->begin : 0);
      }
      item.alignment = alignment;
      item.earliest = align_up(item.earliest, alignment);
      common_ = std::gcd(common_, alignment);
    }
    Size unit = 0;
    for (const Item& item : core_.items) {
      if (item.alignment != common_) unit = std::gcd(unit, item.alignment);
      unit = std::gcd(unit, item.earliest);
      for (int m = item.first_member; m < item.last_member; ++m) {
        const Buffer& buffer = problem_.buffers[core_.members[index(m)]];
        unit = std::gcd(unit, align_up(buffer.size, common_));
        if (buffer.offset) {
          unit = std::gcd(unit, align_down(*buffer.offset, common_));
          unit = std::gcd(unit, align_up(*buffer.offset, item.alignment));
        }
        for (const Gap& gap : buffer.gaps) {
          if (!gap.window) continue;
          special_ = true;
          unit = std::gcd(unit, align_up(gap.window->begin, common_));
          unit = std::gcd(unit, align_down(gap.window->begin, common_));
          unit = std::gcd(unit, align_up(gap.window->end, common_));
          unit = std::gcd(unit, align_down(gap.window->end, common_));
        }
      }
    }
    for (const AddressRange& range : core_.reserved) {
      unit = std::gcd(unit, align_up(range.end, common_));
    }
    for (const Offset border : core_.borders) unit = std::gcd(unit, align_up(border, common_));
    core_.unit = std::max<Size>(unit, 1);
    core_.capacity = align_up(memory_.capacity, common_) / core_.unit;
  }

  void limit_offsets() {
    for (Item& item : core_.items) {
      Size latest = memory_.capacity - item.bytes;
      for (int m = item.first_member; m < item.last_member; ++m) {
        const Buffer& buffer = problem_.buffers[core_.members[index(m)]];
        if (buffer.window) latest = std::min(latest, buffer.window->end - buffer.size);
        if (buffer.offset) {
          latest = std::min(latest, *buffer.offset);
          item.earliest = std::max(item.earliest, align_up(*buffer.offset, item.alignment));
        }
      }
      item.size = align_up(item.bytes, common_) / core_.unit;
      item.earliest = round_up(item.earliest, core_.unit);
      item.alignment = std::max<Size>(item.alignment / core_.unit, 1);
      item.latest = latest < 0 ? -1 : latest / core_.unit;
      item.plain = item.alignment == 1 && core_.reserved.empty() && core_.borders.empty();
      item.latest = item.latest < item.earliest ? -1 : item.latest;
      if (item.latest >= 0) item.earliest = next_allowed(core_, item, item.earliest);
      if (item.latest < item.earliest && core_.contradiction.empty()) {
        core_.contradiction = no_address(item);
      }
    }
  }

  /// Names the constraints that the item has, any of which may be the reason.
  [[nodiscard]] std::string no_address(const Item& item) const {
    bool aligned = memory_.alignment > 1;
    bool fixed = false;
    bool window = false;
    for (int m = item.first_member; m < item.last_member; ++m) {
      const Buffer& buffer = problem_.buffers[core_.members[index(m)]];
      aligned = aligned || buffer.alignment > 1;
      fixed = fixed || buffer.offset;
      window = window || buffer.window;
    }
    std::string text = "Buffer '" + name(item) + "' has no possible address: its size";
    if (aligned) text += ", its alignment";
    if (fixed) text += ", its fixed offset";
    if (window) text += ", its window";
    if (!core_.reserved.empty()) text += ", the reserved ranges";
    if (!core_.borders.empty()) text += ", the bank borders";
    return text + " and the capacity exclude every offset.";
  }

  [[nodiscard]] const std::string& name(const Item& item) const {
    return problem_.buffers[core_.members[index(item.first_member)]].id;
  }

  void collect_spans() {
    for (std::size_t i = 0; i < core_.items.size(); ++i) {
      Item& item = core_.items[i];
      int spans = 0;
      for (int m = item.first_member; m < item.last_member; ++m) {
        const BufferIndex b = core_.members[index(m)];
        const Buffer& buffer = problem_.buffers[b];
        const auto add = [&](const StepRange& steps, const AddressRange& range) {
          spans_.push_back({steps.lower, steps.upper, range.begin, range.end, static_cast<int>(i),
                            b, 0, 0, true});
          item.width += static_cast<double>(steps.upper - steps.lower);
          ++spans;
        };
        if (buffer.gaps.empty()) {
          for (const StepRange& live : buffer.live) add(live, {0, buffer.size});
        } else {
          for (const Segment& each : segments(buffer)) add(each.steps, each.range);
        }
      }
      special_ = special_ || spans != 1;
    }
  }

  /// Sections are the maximal sets of spans live together: a section is complete when the first of
  /// its spans ends. Spans live together share a section, and no section contains another.
  void cut_time() {
    events_.clear();
    for (std::size_t s = 0; s < spans_.size(); ++s) {
      events_.push_back({spans_[s].from, static_cast<std::int64_t>(s) * 2 + 1});
      events_.push_back({spans_[s].to, static_cast<std::int64_t>(s) * 2});
    }
    std::sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : (a.second & 1) < (b.second & 1);
    });
    bool started = false;
    int closed = 0;
    for (const auto& [time, code] : events_) {
      Span& span = spans_[static_cast<std::size_t>(code / 2)];
      if ((code & 1) != 0) {
        span.begin = closed;
        started = true;
      } else {
        if (started) ++closed;
        started = false;
        span.end = closed;
      }
    }
    core_.sections = closed;
  }

  void sort_items() {
    for (Item& item : core_.items) {
      item.begin = std::numeric_limits<int>::max();
      item.end = 0;
    }
    for (const Span& span : spans_) {
      Item& item = core_.items[index(span.item)];
      item.begin = std::min(item.begin, span.begin);
      item.end = std::max(item.end, span.end);
    }
    for (Item& item : core_.items) {
      if (item.end == 0) item.begin = item.end = core_.sections;
    }
    order_.resize(core_.items.size());
    std::iota(order_.begin(), order_.end(), 0);
    // The input order only breaks ties between equal items.
    const auto key = [this](int i) {
      const Item& x = core_.items[index(i)];
      return std::tuple(x.begin, x.end, -x.size, -x.width, x.earliest, x.latest, x.alignment);
    };
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return key(a) < key(b); });
    std::vector<int> new_index(order_.size());
    std::vector<Item> sorted;
    sorted.reserve(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
      new_index[index(order_[k])] = static_cast<int>(k);
      sorted.push_back(core_.items[index(order_[k])]);
    }
    core_.items.swap(sorted);
    for (Span& span : spans_) span.item = new_index[index(span.item)];
    for (int& item : item_of_) {
      if (item >= 0) item = new_index[index(item)];
    }
    std::sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
      return a.item != b.item ? a.item < b.item : a.begin < b.begin;
    });
  }

  /// Of two exempt spans that meet in a section, only the larger counts in sums over the section.
  void discount_exempt() {
    for (const auto& [a, b] : exempt_) {
      if (!here(a) || !here(b)) continue;
      for (Span& x : spans_of(a)) {
        if (x.buffer != a) continue;
        for (Span& y : spans_of(b)) {
          if (y.buffer != b || x.begin >= y.end || y.begin >= x.end) continue;
          if (x.counted && y.counted) (x.hi - x.lo < y.hi - y.lo ? x : y).counted = false;
        }
      }
    }
  }

  struct SpanRange {
    std::vector<Span>::iterator first;
    std::vector<Span>::iterator last;
    [[nodiscard]] std::vector<Span>::iterator begin() const { return first; }
    [[nodiscard]] std::vector<Span>::iterator end() const { return last; }
  };
  SpanRange spans_of(BufferIndex b) {
    const int item = item_of_[b];
    const auto less = [](const Span& span, int value) { return span.item < value; };
    const auto first = std::lower_bound(spans_.begin(), spans_.end(), item, less);
    return {first, std::lower_bound(first, spans_.end(), item + 1, less)};
  }

  void make_parts() {
    core_.parts.reserve(spans_.size());
    auto span = spans_.begin();
    for (std::size_t i = 0; i < core_.items.size(); ++i) {
      Item& item = core_.items[i];
      item.first_part = static_cast<int>(core_.parts.size());
      for (; span != spans_.end() && span->item == static_cast<int>(i); ++span) {
        // A whole buffer may be rounded up to the unit; a window only inwards.
        const Size bytes = problem_.buffers[span->buffer].size;
        const bool whole = span->lo == 0 && span->hi == bytes;
        Part part{span->begin, span->end, round_up(span->lo, core_.unit),
                  whole ? align_up(bytes, common_) / core_.unit : round_down(span->hi, core_.unit),
                  span->counted};
        part.counted = part.counted && part.lo < part.hi;
        core_.parts.push_back(part);
      }
      item.last_part = static_cast<int>(core_.parts.size());
    }
  }

  /// Every item is one whole span: overlaps follow from the order of the items.
  void pair_plain() {
    const std::size_t n = core_.items.size();
    std::vector<int> degree(n, 0);
    const auto each_pair = [&](auto&& visit) {
      for (std::size_t i = 0; i < n; ++i) {
        poll_(1 + core_.items[i].end - core_.items[i].begin);
        for (std::size_t j = i + 1; j < n && core_.items[j].begin < core_.items[i].end; ++j) {
          visit(i, j);
        }
      }
    };
    each_pair([&](std::size_t i, std::size_t j) {
      ++degree[i];
      ++degree[j];
    });
    allocate_pairs(degree);
    each_pair([&](std::size_t i, std::size_t j) {
      put_pair(static_cast<int>(i), static_cast<int>(j), core_.items[i].size, core_.items[j].size);
    });
  }

  void allocate_pairs(std::vector<int>& degree) {
    core_.pair_begin.resize(degree.size() + 1);
    int total = 0;
    for (std::size_t i = 0; i < degree.size(); ++i) {
      core_.pair_begin[i] = total;
      total += degree[i];
    }
    core_.pair_begin.back() = total;
    core_.pair_item.resize(index(total));
    core_.pair_above.resize(index(total));
    core_.pair_below.resize(index(total));
    fill_.assign(core_.pair_begin.begin(), core_.pair_begin.end() - 1);
  }

  void put_pair(int i, int j, Size j_above_i, Size i_above_j) {
    const std::size_t at_i = index(fill_[index(i)]++);
    const std::size_t at_j = index(fill_[index(j)]++);
    core_.pair_item[at_i] = j;
    core_.pair_above[at_i] = j_above_i;
    core_.pair_below[at_i] = i_above_j;
    core_.pair_below[at_j] = j_above_i;
    core_.pair_item[at_j] = i;
    core_.pair_above[at_j] = i_above_j;
  }

  void pair_spans() {
    std::vector<PairSpan> found;
    std::vector<const Span*> by_begin;
    by_begin.reserve(spans_.size());
    for (const Span& span : spans_) by_begin.push_back(&span);
    std::sort(by_begin.begin(), by_begin.end(),
              [](const Span* a, const Span* b) { return a->begin < b->begin; });
    for (std::size_t i = 0; i < by_begin.size(); ++i) {
      const Span& a = *by_begin[i];
      poll_(1 + a.end - a.begin);
      for (std::size_t j = i + 1; j < by_begin.size() && by_begin[j]->begin < a.end; ++j) {
        meet(a, *by_begin[j], found);
      }
    }
    for (const Relation& relation : problem_.relations) {
      if (relation.kind != RelationKind::disjoint) continue;
      for (std::size_t x = 0; x < relation.buffers.size(); ++x) {
        for (std::size_t y = x + 1; y < relation.buffers.size(); ++y) {
          const BufferIndex a = relation.buffers[x];
          const BufferIndex b = relation.buffers[y];
          poll_();
          if (!here(a) || !here(b)) continue;
          if (item_of_[a] == item_of_[b]) {
            core_.contradiction = "Buffers '" + problem_.buffers[a].id + "' and '" +
                                  problem_.buffers[b].id +
                                  "' must start at the same address and must be disjoint.";
            return;
          }
          forbid(item_of_[a], item_of_[b], {0, problem_.buffers[a].size},
                 {0, problem_.buffers[b].size}, found);
          core_.told.push_back(std::minmax(item_of_[a], item_of_[b]));
        }
      }
    }
    poll_.check();
    std::sort(found.begin(), found.end());
    for (const auto& [i, j] : core_.told) {
      const Item& x = core_.items[index(i)];
      const Item& y = core_.items[index(j)];
      if (x.begin < x.end && y.begin < y.end && (x.end <= y.begin || y.end <= x.begin)) {
        core_.links.push_back({i, j});
      } else if (x.begin == x.end || y.begin == y.end) {
        core_.links.push_back({i, j});
      }
    }
    merge_pairs(found);
  }

  void meet(const Span& a, const Span& b, std::vector<PairSpan>& found) {
    if (!exempt_.empty() && exempt(a.buffer, b.buffer)) return;
    if (a.item != b.item) return forbid(a.item, b.item, {a.lo, a.hi}, {b.lo, b.hi}, found);
    if (a.buffer != b.buffer && a.lo < b.hi && b.lo < a.hi) {
      core_.contradiction =
          "Buffers '" + problem_.buffers[a.buffer].id + "' and '" + problem_.buffers[b.buffer].id +
          "' must start at the same address, are live together and may not overlap.";
    }
  }

  /// Offsets are multiples of the unit, so the open interval may grow to multiples.
  void forbid(int i, int j, AddressRange a, AddressRange b, std::vector<PairSpan>& found) const {
    if (i > j) {
      std::swap(i, j);
      std::swap(a, b);
    }
    found.push_back(
        {i, j, round_down(a.begin - b.end, core_.unit), round_up(a.end - b.begin, core_.unit)});
  }

  void merge_pairs(const std::vector<PairSpan>& found) {
    struct Simple {
      int i, j;
      Size j_above_i, i_above_j;
    };
    std::vector<Simple> simple;
    std::vector<int> degree(core_.items.size(), 0);
    for (auto at = found.begin(); at != found.end();) {
      GeneralPair pair{at->first, at->second, {}};
      for (; at != found.end() && at->first == pair.first && at->second == pair.second; ++at) {
        if (at->low + 1 > at->high - 1) continue;
        if (!pair.forbidden.empty() && at->low < pair.forbidden.back().second) {
          pair.forbidden.back().second = std::max(pair.forbidden.back().second, at->high);
        } else {
          pair.forbidden.push_back({at->low, at->high});
        }
      }
      if (pair.forbidden.empty()) continue;
      const auto [low, high] = pair.forbidden.front();
      if (pair.forbidden.size() == 1 && low < 0 && high > 0) {
        simple.push_back({pair.first, pair.second, high, -low});
        ++degree[index(pair.first)];
        ++degree[index(pair.second)];
      } else {
        core_.general.push_back(std::move(pair));
      }
    }
    allocate_pairs(degree);
    for (const Simple& pair : simple) put_pair(pair.i, pair.j, pair.j_above_i, pair.i_above_j);
  }

  /// Equal items that conflict with each other, and with the same other items, may keep their
  /// order.
  void find_interchangeable() {
    if (special_) return find_declared();  // relations could distinguish equal items
    for (std::size_t k = 1; k < core_.items.size(); ++k) {
      // Items are sorted by (begin, end); equal ones often are near each other.
      const Item& y = core_.items[k];
      for (std::size_t back = 1; back <= 8 && back <= k; ++back) {
        const Item& x = core_.items[k - back];
        if (x.begin != y.begin || x.end != y.end) break;
        if (x.bytes != y.bytes || x.alignment != y.alignment || x.earliest != y.earliest ||
            x.latest != y.latest || x.begin == x.end) {
          continue;
        }
        core_.items[k].equal_below = static_cast<int>(k - back);
        break;
      }
    }
  }

  void find_declared() {
    const auto alone = [this](BufferIndex b) {
      const Item& item = core_.items[index(item_of_[b])];
      return item.last_member - item.first_member == 1;
    };
    for (const facts::InterchangeableClass& same : interchangeable_)
      for (std::size_t k = 1; k < same.buffers.size(); ++k) {
        const BufferIndex a = same.buffers[k - 1];
        const BufferIndex b = same.buffers[k];
        if (same.kind == facts::InterchangeableKind::apart && here(a) && alone(a) && alone(b))
          core_.items[index(item_of_[b])].equal_below = item_of_[a];
      }
  }

  const PlacementProblem& problem_;
  const Memory& memory_;
  Core& core_;
  Poll& poll_;
  Size common_ = 1;
  bool special_ = false;  ///< not just one whole span per item and plain overlaps
  std::vector<BufferIndex> leader_;
  std::vector<int> item_of_;
  std::vector<facts::InterchangeableClass> interchangeable_;
  std::vector<std::pair<BufferIndex, BufferIndex>> exempt_;
  std::vector<Span> spans_;
  std::vector<std::pair<Step, std::int64_t>> events_;
  std::vector<int> order_;
  std::vector<int> fill_;
};

}  // namespace

void build_core(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll) {
  Builder(problem, memory, core, poll).run();
}

void build_items(const PlacementProblem& problem, MemoryIndex memory, Core& core, Poll& poll) {
  Builder(problem, memory, core, poll).items_only();
}

}  // namespace tessera::search::canonical
