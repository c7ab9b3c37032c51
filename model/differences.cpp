#include "model/differences.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera {
namespace {

/// The starts of runs relative to the first: all sums of one multiple, 0 to count - 1, of each
/// stride.
using Progressions = std::vector<Repeat>;

/// Bytes that live at the same steps.
struct Piece {
  std::vector<StepRange> live;
  Offset offset = 0;
  Size size = 0;
  Progressions repeat;
};

/// Progressions of one stride become one; those with a single element are dropped.
Progressions joined(const Progressions& given) {
  std::map<Size, std::int64_t> counts;
  for (const Repeat& each : given)
    if (each.count > 1) counts.try_emplace(each.stride, 1).first->second += each.count - 1;
  Progressions result;
  for (const auto& [stride, count] : counts) result.push_back({count, stride});
  return result;
}

std::vector<Piece> pieces_of(const Buffer& buffer) {
  std::vector<Piece> result;
  if (buffer.parts.empty()) {
    for (const Segment& segment : segments(buffer))
      result.push_back({{segment.steps}, segment.range.begin, segment.range.size(), {}});
    return result;
  }
  for (const BufferPart& part : buffer.parts)
    result.push_back({part.live, part.offset, part.size, joined(part.repeat)});
  return result;
}

bool live_together(const std::vector<StepRange>& a, const std::vector<StepRange>& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (overlaps(*x, *y)) return true;
    if (x->upper < y->upper)
      ++x;
    else
      ++y;
  }
  return false;
}

void ask_for(double ranges, Poll& poll) {
  if (ranges > static_cast<double>(most_differences))
    throw BudgetEnded(StopReason::memory_limit, true);
  poll(static_cast<std::int64_t>(ranges) / 8 + 1);
}

/// The union of two lists. Both are sorted, and the ranges of each do not touch.
Differences united(const Differences& a, const Differences& b, Poll& poll) {
  ask_for(static_cast<double>(a.size() + b.size()), poll);
  Differences all(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
  join_touching(all);
  return all;
}

Differences moved(Differences ranges, Offset by) {
  for (AddressRange& range : ranges) range = range.at(by);
  return ranges;
}

/// Every range shifted by 0, stride, ..., (count - 1) * stride. The shifts are doubled step by step
/// and touching ranges joined, so the list stays short.
Differences repeated(const Differences& ranges, const Repeat& by, Poll& poll) {
  Differences all = ranges;
  std::int64_t copies = 1;
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(by.count)));
  for (int bit = bits - 2; bit >= 0; --bit) {
    all = united(all, moved(all, copies * by.stride), poll);
    copies *= 2;
    if ((by.count >> bit & 1) == 0) continue;
    all = united(all, moved(ranges, copies * by.stride), poll);
    ++copies;
  }
  return all;
}

/// Adjacent tiles forbid nearly the same differences. Tiles whose runs repeat alike are grouped:
/// the differences of their first runs are joined, and then repeated once.
template <typename Together>
Differences between(const std::vector<Piece>& a, const std::vector<Piece>& b, Together together,
                    Poll& poll) {
  using Pattern = std::vector<std::pair<Size, std::int64_t>>;
  const auto pattern_of = [](const Piece& piece) {
    Pattern pattern;
    for (const Repeat& each : piece.repeat) pattern.emplace_back(each.stride, each.count);
    return pattern;
  };
  struct Alike {
    const Piece* p = nullptr;
    const Piece* q = nullptr;
    Differences first;  ///< of first runs
  };
  std::map<Pattern, std::size_t> numbers;
  std::vector<std::size_t> patterns_of_b;
  for (const Piece& q : b)
    patterns_of_b.push_back(numbers.try_emplace(pattern_of(q), numbers.size()).first->second);
  std::map<std::pair<Pattern, std::size_t>, Alike> alike;
  for (const Piece& p : a) {
    const Pattern pattern = pattern_of(p);
    for (std::size_t k = 0; k < b.size(); ++k) {
      poll();
      if (!together(p, b[k])) continue;
      const Piece& q = b[k];
      Alike& each = alike[{pattern, patterns_of_b[k]}];
      each.p = &p;
      each.q = &q;
      // A run of a at i and a run of b at j overlap if i - j - size of b < d < i - j + size of a.
      each.first.push_back(AddressRange{1 - q.size, p.size}.at(p.offset - q.offset));
      if (each.first.size() <= most_differences) continue;
      join_touching(each.first);
      ask_for(static_cast<double>(each.first.size()), poll);
    }
  }
  Differences all;
  for (auto& [patterns, each] : alike) {
    join_touching(each.first);
    Progressions progressions = each.p->repeat;
    Offset down = 0;
    for (const Repeat& repeat : each.q->repeat) {
      down += (repeat.count - 1) * repeat.stride;
      progressions.push_back(repeat);
    }
    Differences found = moved(std::move(each.first), -down);
    for (const Repeat& repeat : joined(progressions)) found = repeated(found, repeat, poll);
    all = united(all, found, poll);
  }
  return all;
}

}  // namespace

Differences forbidden_differences(const Buffer& a, const Buffer& b, Poll& poll) {
  const auto together = [](const Piece& p, const Piece& q) {
    return live_together(p.live, q.live);
  };
  return between(pieces_of(a), pieces_of(b), together, poll);
}

Differences shared_differences(const Buffer& a, const Buffer& b, Poll& poll) {
  const auto whole = [](const Buffer& buffer) {
    if (!buffer.parts.empty()) return pieces_of(buffer);
    return std::vector<Piece>{{{}, 0, buffer.size, {}}};
  };
  const auto always = [](const Piece&, const Piece&) { return true; };
  return between(whole(a), whole(b), always, poll);
}

Differences touching_offsets(const Buffer& buffer, const AddressRange& addresses, Poll& poll) {
  if (addresses.empty()) return {};
  const Buffer fixed{.id = {}, .size = addresses.size()};
  Differences result = shared_differences(fixed, buffer, poll);
  for (AddressRange& range : result) range = range.at(addresses.begin);
  return result;
}

}  // namespace tessera
