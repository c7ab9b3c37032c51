#include "model/buffer_parts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "model/bands.h"

namespace tessera {
namespace {

/// Appends the runs of a part, unsorted.
void add_runs(const BufferPart& part, std::vector<AddressRange>& into) {
  const std::size_t first = into.size();
  into.push_back({part.offset, part.offset + part.size});
  for (const Repeat& repeat : part.repeat) {
    const std::size_t block = into.size() - first;
    for (std::int64_t k = 1; k < repeat.count; ++k)
      for (std::size_t i = 0; i < block; ++i) into.push_back(into[first + i].at(k * repeat.stride));
  }
}

}  // namespace

void join_touching(std::vector<AddressRange>& ranges) {
  if (!std::is_sorted(ranges.begin(), ranges.end())) std::sort(ranges.begin(), ranges.end());
  std::size_t kept = 0;
  for (const AddressRange& range : ranges) {
    if (kept > 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

std::optional<std::int64_t> run_count(const BufferPart& part) {
  std::int64_t runs = 1;
  for (const Repeat& repeat : part.repeat) {
    const auto product = checked_mul(runs, repeat.count);
    if (!product || *product > max_part_runs) return std::nullopt;
    runs = *product;
  }
  return runs;
}

namespace {

/// The runs of the parts, once per interval of steps in which the same parts are live.
std::int64_t listed_runs(const std::vector<BufferPart>& parts) {
  std::vector<Step> borders;
  for (const BufferPart& part : parts)
    for (const StepRange& live : part.live) {
      borders.push_back(live.lower);
      borders.push_back(live.upper);
    }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  const auto at = [&](Step step) {
    return std::lower_bound(borders.begin(), borders.end(), step) - borders.begin();
  };
  constexpr std::int64_t above = max_part_runs + 1;
  std::int64_t pieces = 0;
  for (const BufferPart& part : parts)
    for (const StepRange& live : part.live) {
      const auto more =
          checked_mul(run_count(part).value_or(above), at(live.upper) - at(live.lower));
      pieces = std::min(above, pieces + more.value_or(above));
    }
  return pieces;
}

/// The bytes that one copy uses at any step.
std::vector<AddressRange> used_in_copy(const Band& band) {
  std::vector<std::vector<AddressRange>> each;
  for (const BufferPart& part : band.parts) each.push_back(runs(part));
  std::vector<const std::vector<AddressRange>*> lists;
  for (const std::vector<AddressRange>& list : each) lists.push_back(&list);
  return united(lists);
}

/// Does each copy fill the space up to the next?
bool is_full(const Band& band, const std::vector<AddressRange>& used) {
  return used.size() == 1 && used.front() == AddressRange{0, band.stride};
}

}  // namespace

std::int64_t part_run_count(const Buffer& buffer) {
  constexpr std::int64_t above = max_part_runs + 1;
  std::int64_t count = 0;
  for (const Band& band : bands(buffer.parts)) {
    count += listed_runs(band.parts);
    if (count > max_part_runs) return above;
    if (band.copies == 1) continue;
    const std::vector<AddressRange> used = used_in_copy(band);
    if (is_full(band, used)) continue;
    const auto listed = checked_mul(band.copies, std::ssize(used));
    count = std::min(above, count + listed.value_or(above));
  }
  return count;
}

std::int64_t part_segment_count(const Buffer& buffer) {
  return listed_runs(buffer.parts);
}

AddressRange extent(const BufferPart& part) {
  AddressRange range{part.offset, part.offset + part.size};
  for (const Repeat& repeat : part.repeat) range.end += (repeat.count - 1) * repeat.stride;
  return range;
}

std::vector<AddressRange> runs(const BufferPart& part) {
  std::vector<AddressRange> all;
  add_runs(part, all);
  join_touching(all);
  return all;
}

AddressRange extent(const Buffer& buffer) {
  if (buffer.parts.empty()) return {0, buffer.size};
  AddressRange range = extent(buffer.parts.front());
  for (const BufferPart& part : buffer.parts) {
    const AddressRange own = extent(part);
    range = {std::min(range.begin, own.begin), std::max(range.end, own.end)};
  }
  return range;
}

std::vector<AddressRange> united(std::span<const std::vector<AddressRange>* const> lists) {
  if (lists.empty()) return {};
  if (lists.size() == 1) return *lists.front();
  const std::size_t half = lists.size() / 2;
  const std::vector<AddressRange> a = united(lists.first(half));
  const std::vector<AddressRange> b = united(lists.subspan(half));
  std::vector<AddressRange> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  join_touching(all);
  return all;
}

std::vector<AddressRange> used_bytes(const Buffer& buffer) {
  if (buffer.parts.empty()) return {{0, buffer.size}};
  std::vector<AddressRange> all;
  for (const Band& band : bands(buffer.parts)) {
    const std::vector<AddressRange> used = used_in_copy(band);
    if (is_full(band, used)) {
      all.push_back({band.offset, band.offset + band.copies * band.stride});
      continue;
    }
    for (std::int64_t k = 0; k < band.copies; ++k)
      for (const AddressRange& range : used) all.push_back(range.at(band.offset + k * band.stride));
  }
  join_touching(all);
  return all;
}

Size used_size(const Buffer& buffer) {
  if (buffer.parts.empty()) return buffer.size;
  Size bytes = 0;
  for (const AddressRange& range : used_bytes(buffer)) bytes += range.size();
  return bytes;
}

std::vector<PartsAlive> parts_alive(const Buffer& buffer) {
  struct Event {
    Step step;
    bool born;
    std::size_t part;
  };
  std::vector<Event> events;
  for (std::size_t p = 0; p < buffer.parts.size(); ++p)
    for (const StepRange& live : buffer.parts[p].live) {
      events.push_back({live.lower, true, p});
      events.push_back({live.upper, false, p});
    }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.step < b.step; });
  std::vector<PartsAlive> result;
  std::vector<std::size_t> alive;  // ascending
  for (std::size_t i = 0; i < events.size();) {
    const Step step = events[i].step;
    for (; i < events.size() && events[i].step == step; ++i) {
      const auto at = std::lower_bound(alive.begin(), alive.end(), events[i].part);
      if (events[i].born)
        alive.insert(at, events[i].part);
      else
        alive.erase(std::lower_bound(alive.begin(), alive.end(), events[i].part));
    }
    if (!alive.empty()) result.push_back({{step, events[i].step}, alive});
  }
  return result;
}

namespace {

/// Does each byte belong to at most one part, and to one run of it?
bool parts_are_apart(const Band& band) {
  Size bytes = 0;
  for (const BufferPart& part : band.parts) bytes += run_count(part).value_or(0) * part.size;
  for (const AddressRange& range : used_in_copy(band)) bytes -= range.size();
  return bytes == 0;
}

Load of_copies(const Load& load, const Band& band) {
  const Offset more = (band.copies - 1) * band.stride;
  return {load.steps,
          {band.offset + load.range.begin, band.offset + load.range.end + more},
          load.bytes * band.copies};
}

/// One load per interval of steps with the same segments. Segments are sorted by steps.
std::vector<Load> summed(const std::vector<Segment>& segments) {
  std::vector<Load> result;
  for (const Segment& segment : segments) {
    if (!result.empty() && result.back().steps == segment.steps) {
      result.back().range.end = segment.range.end;
      result.back().bytes += segment.range.size();
    } else {
      result.push_back({segment.steps, segment.range, segment.range.size()});
    }
  }
  return result;
}

/// Loads that share no byte: a load per part and live interval, or per interval with the same
/// parts.
std::vector<Load> separate_loads(const Buffer& buffer) {
  std::vector<Load> result;
  for (Band& band : bands(buffer.parts)) {
    if (parts_are_apart(band)) {
      for (const BufferPart& part : band.parts)
        for (const StepRange& live : part.live)
          result.push_back(
              of_copies({live, extent(part), run_count(part).value_or(0) * part.size}, band));
    } else {
      const Buffer one{.id = {}, .parts = band.parts};
      for (const Load& load : summed(segments(one))) result.push_back(of_copies(load, band));
    }
  }
  return result;
}

/// The sum of loads that share no byte.
std::vector<Load> added(const std::vector<Load>& separate) {
  struct Event {
    Step step;
    bool born;
    Size bytes;
    AddressRange range;
  };
  std::vector<Event> events;
  for (const Load& load : separate) {
    events.push_back({load.steps.lower, true, load.bytes, load.range});
    events.push_back({load.steps.upper, false, load.bytes, load.range});
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.step < b.step; });
  std::vector<Load> result;
  Size bytes = 0;
  std::multiset<Offset> begins;
  std::multiset<Offset> ends;
  for (std::size_t i = 0; i < events.size();) {
    const Step step = events[i].step;
    for (; i < events.size() && events[i].step == step; ++i) {
      const Event& event = events[i];
      bytes += event.born ? event.bytes : -event.bytes;
      if (event.born) {
        begins.insert(event.range.begin);
        ends.insert(event.range.end);
      } else {
        begins.erase(begins.find(event.range.begin));
        ends.erase(ends.find(event.range.end));
      }
    }
    if (bytes > 0)
      result.push_back({{step, events[i].step}, {*begins.begin(), *ends.rbegin()}, bytes});
  }
  return result;
}

}  // namespace

std::vector<Load> loads(const Buffer& buffer) {
  if (!buffer.parts.empty()) return added(separate_loads(buffer));
  if (!buffer.gaps.empty()) return summed(segments(buffer));
  std::vector<Load> result;
  for (const StepRange& live : buffer.live) result.push_back({live, {0, buffer.size}, buffer.size});
  return result;
}

}  // namespace tessera
