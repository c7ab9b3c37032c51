// Domains of single items, and the number of pairs.
#include <algorithm>
#include <limits>
#include <utility>

#include "model/polled_sort.h"
#include "search/placement/canonical_core.h"

namespace tessera::search::canonical {

Size next_allowed(const Core& core, const Item& item, Size offset) {
  constexpr Size nowhere = std::numeric_limits<Size>::max() / 4;
  Size at = std::max(offset, item.earliest);
  if (item.plain) return at <= item.latest ? at : nowhere;
  for (bool moved = true; moved;) {
    at = align_up(at, item.alignment);
    if (at > item.latest) return nowhere;
    moved = false;
    const Offset begin = at * core.unit;
    const Offset end = begin + item.bytes;
    const auto range = std::upper_bound(
        core.reserved.begin(), core.reserved.end(), begin,
        [](Offset address, const AddressRange& each) { return address < each.end; });
    if (range != core.reserved.end() && range->begin < end) {
      at = (range->end + core.unit - 1) / core.unit;
      moved = true;
      continue;
    }
    const auto border = std::upper_bound(core.borders.begin(), core.borders.end(), begin);
    if (border != core.borders.end() && *border < end) {
      at = (*border + core.unit - 1) / core.unit;
      moved = true;
    }
  }
  return at;
}

namespace {

/// Pairs among these segments: the sum of live segments at each start; ends come before starts at
/// one step.
std::int64_t pairs_among(std::vector<Step> starts, std::vector<Step> ends, std::int64_t limit,
                         Poll& poll) {
  sort_polled(starts, poll);
  sort_polled(ends, poll);
  std::int64_t pairs = 0;
  std::int64_t live = 0;
  auto end = ends.begin();
  for (const Step start : starts) {
    for (; *end <= start; ++end) --live;
    pairs += live++;
    if (pairs > limit) break;
  }
  return pairs;
}

}  // namespace

std::int64_t count_pairs(const PlacementProblem& problem, std::int64_t limit, Poll* poll) {
  Poll never;
  if (poll == nullptr) poll = &never;
  std::vector<Step> starts;
  std::vector<Step> ends;
  // The first segments of very many often have too many pairs already.
  std::size_t next_count = std::size_t{1} << 14U;
  for (const Buffer& buffer : problem.buffers) {
    (*poll)();
    for (const StepRange& live : buffer.live) {
      starts.push_back(live.lower);
      ends.push_back(live.upper);
    }
    if (starts.size() < next_count) continue;
    const std::int64_t pairs = pairs_among(starts, ends, limit, *poll);
    if (pairs > limit) return pairs;
    next_count = 8 * starts.size();
  }
  const auto n = static_cast<std::int64_t>(starts.size());
  if (n * (n - 1) / 2 <= limit) return n * (n - 1) / 2;
  return pairs_among(std::move(starts), std::move(ends), limit, *poll);
}

}  // namespace tessera::search::canonical
