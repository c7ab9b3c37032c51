#include "model/bands.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/buffer_parts.h"

namespace tessera {
namespace {

/// Limit on candidates for the period; tensors have one stride per axis.
constexpr std::size_t most_strides = 8;

/// A part in copies `first` to `first + count - 1` of a period.
struct Slice {
  std::int64_t first = 0;
  std::int64_t count = 1;
  BufferPart part;  ///< relative to the begin of a copy
};

/// Adds the part in copies of the period. False if it crosses the end of a copy.
bool slice(const BufferPart& part, Size stride, std::vector<Slice>& into) {
  Slice one{part.offset / stride, 1, {part.live, part.offset % stride, part.size, {}}};
  Size extent = part.size;
  std::vector<std::int64_t> starts{one.first};
  for (const Repeat& repeat : part.repeat) {
    if (repeat.count == 1) continue;
    if (repeat.stride < stride) {
      one.part.repeat.push_back(repeat);
      extent += (repeat.count - 1) * repeat.stride;
    } else if (repeat.stride == stride && one.count == 1) {
      one.count = repeat.count;
    } else if (repeat.stride % stride == 0 && repeat.count <= max_part_runs / std::ssize(starts)) {
      const std::size_t block = starts.size();
      for (std::int64_t k = 1; k < repeat.count; ++k)
        for (std::size_t i = 0; i < block; ++i)
          starts.push_back(starts[i] + k * (repeat.stride / stride));
    } else {
      return false;
    }
  }
  if (extent == part.size && one.count == 1 && one.part.offset == 0 && part.size % stride == 0) {
    one.count = part.size / stride;
    one.part.size = extent = stride;
  }
  if (one.part.offset + extent > stride) return false;
  for (const std::int64_t start : starts) {
    into.push_back(one);
    into.back().first = start;
  }
  return std::ssize(into) <= max_part_runs;
}

/// The runs of the parts, once; at most a little above max_part_runs.
std::int64_t runs_in(const std::vector<BufferPart>& parts) {
  std::int64_t runs = 0;
  for (const BufferPart& part : parts)
    runs = std::min(runs + run_count(part).value_or(max_part_runs), max_part_runs + 1);
  return runs;
}

/// Nothing if the parts have no such period, or more runs than `most`.
std::optional<std::vector<Band>> with_period(const std::vector<BufferPart>& parts, Size stride,
                                             std::int64_t most) {
  std::vector<Slice> slices;
  for (const BufferPart& part : parts)
    if (!slice(part, stride, slices)) return std::nullopt;
  std::vector<std::int64_t> cuts;
  for (const Slice& each : slices) {
    cuts.push_back(each.first);
    cuts.push_back(each.first + each.count);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Band> result;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
    result.push_back({cuts[k] * stride, cuts[k + 1] - cuts[k], stride, {}});
  std::int64_t runs = 0;
  for (const Slice& each : slices) {
    const std::int64_t own = run_count(each.part).value_or(max_part_runs + 1);
    auto at = std::lower_bound(cuts.begin(), cuts.end(), each.first) - cuts.begin();
    for (; cuts[static_cast<std::size_t>(at)] < each.first + each.count; ++at) {
      if ((runs += own) > most) return std::nullopt;
      result[static_cast<std::size_t>(at)].parts.push_back(each.part);
    }
  }
  std::erase_if(result, [](const Band& band) { return band.parts.empty(); });
  return result;
}

}  // namespace

std::vector<Band> bands(const std::vector<BufferPart>& parts) {
  std::vector<Band> result{{0, 1, 0, parts}};
  std::vector<Size> strides;
  for (const BufferPart& part : parts)
    for (const Repeat& repeat : part.repeat)
      if (repeat.count > 1) strides.push_back(repeat.stride);
  std::sort(strides.rbegin(), strides.rend());
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  if (strides.size() > most_strides) strides.resize(most_strides);
  std::int64_t fewest = runs_in(parts);
  for (const Size stride : strides) {
    auto found = with_period(parts, stride, fewest - 1);
    if (!found) continue;
    fewest = 0;
    for (const Band& band : *found) fewest += runs_in(band.parts);
    result = std::move(*found);
  }
  return result;
}

std::vector<Segment> first_copies(const Buffer& buffer) {
  if (buffer.parts.empty()) return segments(buffer);
  std::vector<Segment> result;
  for (Band& band : bands(buffer.parts)) {
    const Buffer one{.id = {}, .parts = std::move(band.parts)};
    for (const Segment& segment : segments(one))
      result.push_back({segment.steps, segment.range.at(band.offset)});
  }
  return result;
}

}  // namespace tessera
