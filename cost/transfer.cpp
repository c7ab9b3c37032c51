#include "cost/transfer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tessera {

BurstCount bursts(const std::vector<Dim>& shape, const Box& box, Size element, Size burst) {
  BurstCount count;
  if (box.none) return count;
  count.bytes = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    count.bytes *= box[d].size();
  }
  // Merge the innermost axes while they are covered whole: they make one row with the next axis.
  std::size_t axis = shape.size();
  Size row = element;
  Size stride = element;  // of the axis before `axis`
  Offset start = 0;
  while (axis > 0) {
    --axis;
    start += box[axis].begin * stride;
    row *= box[axis].size();
    const bool whole = box[axis] == Span{0, shape[axis]};
    stride *= shape[axis];
    if (!whole) break;
  }
  // How many rows start at each address modulo the burst: one axis after the other.
  const auto slots = static_cast<std::size_t>(burst);
  std::vector<std::int64_t> starts(slots, 0);
  starts[static_cast<std::size_t>(start % burst)] = 1;
  std::vector<std::int64_t> next(slots);
  while (axis > 0) {
    --axis;
    const std::int64_t extent = box[axis].size();
    const Size step = stride % burst;
    const Size period = burst / std::gcd(burst, step == 0 ? burst : step);
    std::fill(next.begin(), next.end(), 0);
    const Offset first = box[axis].begin % burst * step % burst;
    for (std::size_t r = 0; r < slots; ++r) {
      if (starts[r] == 0) continue;
      Offset at = (static_cast<Offset>(r) + first) % burst;
      for (Size i = 0; i < std::min(period, extent); ++i) {
        next[static_cast<std::size_t>(at)] += starts[r] * ((extent - i + period - 1) / period);
        at = (at + step) % burst;
      }
    }
    starts.swap(next);
    stride *= shape[axis];
  }
  for (std::size_t r = 0; r < slots; ++r) {
    count.rows += starts[r];
    count.bursts += starts[r] * ((static_cast<Offset>(r) + row + burst - 1) / burst);
  }
  return count;
}

Link link_of(const Hardware& hardware) {
  if (hardware.clock_hz <= 0)
    throw std::invalid_argument("profile " + hardware.name +
                                " has no clock: it cannot be simulated");
  for (const HardwareMemory& memory : hardware.memories) {
    if (!memory.offchip || !memory.bandwidth) continue;
    return {.burst = memory.burst,
            .bytes_per_cycle = memory.bandwidth->bytes_per_cycle(hardware.clock_hz),
            .latency = memory.latency,
            .setup = hardware.dma.setup,
            .outstanding = hardware.dma.outstanding};
  }
  throw std::invalid_argument("profile " + hardware.name +
                              " has no off-chip memory: there is nowhere to load tensors from");
}

TransferCost transfer_cost(const BurstCount& count, const Link& link) {
  if (count.bursts == 0) return {};
  const Size bytes = count.bursts * link.burst;
  const auto stream =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / link.bytes_per_cycle));
  const std::int64_t waiting =
      (count.bursts * link.latency + link.outstanding - 1) / link.outstanding;
  return {link.setup + link.latency + std::max(stream, waiting), bytes};
}

}  // namespace tessera
