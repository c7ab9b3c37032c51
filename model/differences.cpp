#include "model/differences.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/buffer_parts.h"
#include "model/derived.h"

namespace tessera {
namespace {

/// Where runs begin, but for a shift: every sum of one multiple of each stride, from 0 to
/// count - 1 times it.
using Progressions = std::vector<Repeat>;

/// Bytes that live together.
struct Piece {
  std::vector<StepRange> live;
  Offset offset = 0;
  Size size = 0;
  Progressions repeat;
};

/// What the ranges at offset 0 depend on.
struct Shape {
  Size size;
  std::vector<std::pair<Size, std::int64_t>> repeat;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

Shape shape_of(const Piece& piece) {
  Shape shape{piece.size, {}};
  for (const Repeat& each : piece.repeat) shape.repeat.emplace_back(each.stride, each.count);
  return shape;
}

/// Progressions of one stride are one; single runs say nothing.
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

/// Every range moved by 0, stride, ..., (count - 1) * stride.
Differences repeated(Differences ranges, const Repeat& by, Poll& poll) {
  if (ranges.size() == 1 && ranges.front().size() >= by.stride) {
    ranges.front().end += (by.count - 1) * by.stride;
    return ranges;
  }
  ask_for(static_cast<double>(ranges.size()) * static_cast<double>(by.count), poll);
  Differences all;
  all.reserve(ranges.size() * static_cast<std::size_t>(by.count));
  for (std::int64_t k = 0; k < by.count; ++k)
    for (const AddressRange& range : ranges) all.push_back(range.at(k * by.stride));
  join_touching(all);
  return all;
}

/// Of pieces at offset 0.
Differences of_shapes(const Piece& a, const Piece& b, Poll& poll) {
  // A run of a at i and one of b at j meet where i - j - size of b < d < i - j + size of a.
  AddressRange base{1 - b.size, a.size};
  Progressions all = a.repeat;
  for (const Repeat& each : b.repeat) {
    base = base.at(-(each.count - 1) * each.stride);
    all.push_back(each);
  }
  Differences result{base};
  for (const Repeat& each : joined(all)) result = repeated(std::move(result), each, poll);
  return result;
}

/// Tiles side by side are of few shapes, and ask for the same differences again and again, moved by
/// the same distances: each shape of a pair is worked out once, each distance counts once.
template <typename Together>
Differences between(const std::vector<Piece>& a, const std::vector<Piece>& b, Together together,
                    Poll& poll) {
  struct Alike {
    const Piece* p;
    const Piece* q;
    std::vector<Offset> shifts;
  };
  std::vector<std::size_t> shapes_of_b;
  std::map<Shape, std::size_t> numbers;
  for (const Piece& q : b)
    shapes_of_b.push_back(numbers.try_emplace(shape_of(q), numbers.size()).first->second);
  std::map<std::pair<Shape, std::size_t>, Alike> alike;
  for (const Piece& p : a) {
    const Shape shape = shape_of(p);
    for (std::size_t k = 0; k < b.size(); ++k) {
      poll();
      if (!together(p, b[k])) continue;
      alike.try_emplace({shape, shapes_of_b[k]}, Alike{&p, &b[k], {}})
          .first->second.shifts.push_back(p.offset - b[k].offset);
    }
  }
  Differences all;
  for (auto& [shapes, each] : alike) {
    std::sort(each.shifts.begin(), each.shifts.end());
    each.shifts.erase(std::unique(each.shifts.begin(), each.shifts.end()), each.shifts.end());
    const Differences base = of_shapes(*each.p, *each.q, poll);
    for (const Offset shift : each.shifts) {
      for (const AddressRange& range : base) all.push_back(range.at(shift));
      if (all.size() <= 2 * most_differences) continue;
      join_touching(all);
      ask_for(static_cast<double>(all.size()), poll);
    }
  }
  join_touching(all);
  ask_for(static_cast<double>(all.size()), poll);
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
