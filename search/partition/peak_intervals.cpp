#include "search/partition/peak_intervals.h"

#include <algorithm>
#include <utility>

namespace tessera::search {

PeakInterval take_next(std::vector<PeakInterval>& intervals) {
  const auto next = std::ranges::min_element(
      intervals, {}, [](const PeakInterval& i) { return std::pair(i.bound, -i.hi); });
  const PeakInterval interval = *next;
  *next = intervals.back();
  intervals.pop_back();
  return interval;
}

/// Higher peaks than this path's give nothing cheaper. Lower peaks are only of interest as far as
/// the saved peak compensates a path that costs at least as much.
void add_lower(PeakInterval of, double cost, std::int64_t peak, double best, PeakPrice price,
               std::vector<PeakInterval>& intervals) {
  if (price.weight <= 0 || peak <= 0) return;
  of.hi = peak - 1;
  const double worth = (best - cost) / price.weight;
  if (worth < static_cast<double>(of.hi))
    of.hi = std::max<std::int64_t>(of.lo, static_cast<std::int64_t>(worth));
  const std::int64_t lo = std::max(of.lo, price.floor - 1);
  if (of.hi <= lo) return;
  const std::int64_t middle = lo + (of.hi - lo) / 2;
  if (middle > lo) intervals.push_back({lo, middle, price.with(cost, lo + 1)});
  intervals.push_back({middle, of.hi, price.with(cost, middle + 1)});
}

}  // namespace tessera::search
