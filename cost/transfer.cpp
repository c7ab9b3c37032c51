#include "cost/transfer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "cost/whole_number.h"
#include "model/off_chip.h"
#include "model/stored.h"
#include "tiling/stored_box.h"

namespace tessera::cost {

namespace {

/// Pieces of `row` bytes, one for each index into `axes`, the innermost first.
struct Grid {
  Offset first = 0;  ///< address of the first piece
  Size row = 0;
  std::size_t rank = 0;
  std::array<std::int64_t, max_rank> axes{};
  std::array<Size, max_rank> strides{};  ///< each at least the span of the axes before it

  void add(std::int64_t extent, Size stride) {
    axes[rank] = extent;
    strides[rank++] = stride;
  }
  /// require: there is at least one axis.
  [[nodiscard]] std::size_t longest() const {
    return static_cast<std::size_t>(std::max_element(axes.begin(), axes.begin() + rank) -
                                    axes.begin());
  }
  [[nodiscard]] std::int64_t count() const {
    std::int64_t rows = 1;
    for (std::size_t a = 0; a < rank; ++a) rows *= axes[a];
    return rows;
  }
  [[nodiscard]] Offset last_end() const {
    Offset end = first + row;
    for (std::size_t a = 0; a < rank; ++a) end += (axes[a] - 1) * strides[a];
    return end;
  }
  /// Does `address` lie strictly inside a piece?
  [[nodiscard]] bool cuts(Offset address) const {
    Offset rest = address - first;
    for (std::size_t a = rank; a-- > 0;)
      rest -= std::min(rest / strides[a], axes[a] - 1) * strides[a];
    return rest > 0 && rest < row;
  }
};

/// Burst boundaries inside pieces: each adds one burst to its piece.
std::int64_t crossings(const Grid& rows, Size burst) {
  std::int64_t count = 0;
  const Offset end = rows.last_end();
  for (Offset border = (rows.first / burst + 1) * burst; border < end; border += burst)
    count += rows.cuts(border) ? 1 : 0;
  return count;
}

/// Sum of (first + k * step) / by, rounded down, for k = 0 .. count - 1, by Euclid's algorithm.
/// require: first, step >= 0; by > 0.
std::int64_t sum_of_quotients(std::int64_t count, std::int64_t by, std::int64_t step,
                              std::int64_t first) {
  std::int64_t sum = 0;
  while (count > 0) {
    sum += count * (count - 1) / 2 * (step / by) + count * (first / by);
    step %= by;
    first %= by;
    // The sum grows by less than one per term: count its steps instead.
    const std::int64_t end = first + step * count;
    count = end / by;
    first = end % by;
    std::swap(by, step);
  }
  return sum;
}

/// Bursts of all pieces: the longest axis at once, the other axes by enumeration.
std::int64_t by_quotients(const Grid& rows, Size burst) {
  const std::size_t longest = rows.longest();
  std::int64_t count = rows.count();
  std::array<std::int64_t, max_rank> at{};
  Offset first = rows.first;
  for (;;) {
    const auto sum = [&](Offset begin) {
      return sum_of_quotients(rows.axes[longest], burst, rows.strides[longest], begin % burst) +
             rows.axes[longest] * (begin / burst);
    };
    count += sum(first + rows.row - 1) - sum(first);
    std::size_t axis = 0;
    for (; axis < rows.rank; ++axis) {
      if (axis == longest) continue;
      first += rows.strides[axis];
      if (++at[axis] < rows.axes[axis]) break;
      first -= rows.axes[axis] * rows.strides[axis];
      at[axis] = 0;
    }
    if (axis == rows.rank) return count;
  }
}

/// Counts the pieces that start at each address modulo the burst, axis by axis. The time depends on
/// the table only, not on the number of pieces.
std::int64_t by_table(const Grid& rows, Size burst) {
  const auto slots = static_cast<std::size_t>(burst);
  std::vector<std::int64_t> starts(slots, 0);
  starts[static_cast<std::size_t>(rows.first % burst)] = 1;
  std::vector<std::int64_t> next(slots);
  for (std::size_t a = 0; a < rows.rank; ++a) {
    const std::int64_t extent = rows.axes[a];
    const Size step = rows.strides[a] % burst;
    // Steps walk around a cycle of slots: some full rounds, then a partial one. Each slot gets the
    // sum of its cycle once per round, plus the slots of the partial round before it.
    const Size cycles = std::gcd(burst, step == 0 ? burst : step);
    const Size period = burst / cycles;
    const std::int64_t rounds = extent / period;
    const std::int64_t part = extent % period;
    const auto before = [&](Size slot) { return (slot + burst - step) % burst; };
    for (Size first = 0; first < cycles; ++first) {
      std::int64_t all = 0;
      std::int64_t near = 0;
      Size end = first;  // of the partial round before `first`
      for (Size k = 0; k < period; ++k, end = before(end)) {
        all += starts[static_cast<std::size_t>(end)];
        if (k < part) near += starts[static_cast<std::size_t>(end)];
      }
      // `end` has wrapped around to `first`; the first slot of the partial round leaves it next.
      Size leaves = (first + (period - part + 1) % period * step) % burst;
      Size at = first;
      for (Size k = 0; k < period; ++k) {
        next[static_cast<std::size_t>(at)] = rounds * all + near;
        at = (at + step) % burst;
        near += starts[static_cast<std::size_t>(at)] - starts[static_cast<std::size_t>(leaves)];
        leaves = (leaves + step) % burst;
      }
    }
    starts.swap(next);
  }
  std::int64_t count = 0;
  for (std::size_t r = 0; r < slots; ++r)
    count += starts[r] * ((static_cast<Offset>(r) + rows.row + burst - 1) / burst);
  return count;
}

Link link_to(const HardwareMemory& memory, const Hardware& hardware) {
  const Bandwidth write = memory.write_bandwidth.value_or(*memory.bandwidth);
  const auto rate = [&](const std::optional<Bandwidth>& stated) {
    return stated ? stated->bytes_per_cycle(hardware.clock_hz) : 0;
  };
  return {
      .burst = memory.burst,
      .setup = hardware.dma.setup,
      .read = {.bytes_per_cycle = memory.bandwidth->bytes_per_cycle(hardware.clock_hz),
               .latency = memory.latency,
               .outstanding = hardware.dma.outstanding,
               .rate = rate(memory.rates.dma)},
      .write = {.bytes_per_cycle = write.bytes_per_cycle(hardware.clock_hz),
                .latency = memory.write_latency.value_or(memory.latency),
                .outstanding = hardware.dma.outstanding_writes.value_or(hardware.dma.outstanding)},
      .two_ways = memory.write_bandwidth.has_value(),
      .layout = memory.layout,
      .convert = hardware.dma.convert && memory.layout != on_chip_layout(hardware)
                     ? hardware.dma.convert->bytes_per_cycle(hardware.clock_hz)
                     : 0,
      .direct_run = memory.direct_run,
      .direct_input = rate(memory.rates.input),
      .direct_output = rate(memory.rates.output),
      .energy = memory.energy};
}

}  // namespace

BurstCount bursts(const std::vector<Dim>& shape, const tiling::Box& box, Size element, Size burst) {
  BurstCount count;
  if (box.none) return count;
  count.bytes = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    count.bytes *= box[d].size();
  }
  // Merge the innermost axes while they are covered whole: together they form one row of the next
  // axis.
  std::size_t axis = shape.size();
  Size row = element;
  Size stride = element;  // of the axis before `axis`
  Offset start = 0;
  while (axis > 0) {
    --axis;
    start += box[axis].begin * stride;
    row *= box[axis].size();
    const bool whole = box[axis] == tiling::Span{0, shape[axis]};
    stride *= shape[axis];
    if (!whole) break;
  }
  Grid rows{.first = start, .row = row};
  // rows whose distance is a multiple of the burst take equally many bursts
  std::int64_t alike = 1;
  while (axis > 0) {
    --axis;
    rows.first += box[axis].begin * stride;
    if (stride % burst == 0) {
      alike *= box[axis].size();
    } else {
      rows.add(box[axis].size(), stride);
    }
    stride *= shape[axis];
  }
  count.rows = rows.count();
  if (rows.rank == 0) {
    count.bursts = alike * ((rows.first + row - 1) / burst - rows.first / burst + 1);
  } else {
    // All methods are exact. Usually rows differ along one or two axes. A burst may be larger than
    // the tensor: then boundaries are few. The table of addresses within a burst is for short
    // bursts.
    const std::int64_t borders = (rows.last_end() - 1) / burst - rows.first / burst;
    const std::int64_t apart = count.rows / rows.axes[rows.longest()];
    constexpr std::int64_t steps_of_euclid = 8;
    count.bursts = alike * (apart * steps_of_euclid <= std::min<std::int64_t>(borders, burst)
                                ? by_quotients(rows, burst)
                            : borders < burst ? count.rows + crossings(rows, burst)
                                              : by_table(rows, burst));
  }
  count.rows *= alike;
  return count;
}

BurstCount bursts(const std::vector<Dim>& shape, const tiling::Box& box, Size element, Size burst,
                  const Layout& layout) {
  if (layout == Layout{} || !has_layout(shape)) return bursts(shape, box, element, burst);
  return bursts(tiling::stored_shape(shape, layout), tiling::moved_box(box, layout), element,
                burst);
}

Links links_of(const Hardware& hardware) {
  if (hardware.clock_hz <= 0)
    throw std::invalid_argument("profile " + hardware.name +
                                " has no clock: it cannot be simulated");
  const HardwareMemory* weights = off_chip::weights(hardware);
  const HardwareMemory* data = off_chip::activations(hardware);
  if (data == nullptr) data = weights;  // no other data leaves the chip
  if (weights == nullptr || !weights->bandwidth || !data->bandwidth)
    throw std::invalid_argument(
        "profile " + hardware.name +
        " has no off-chip memory to load tensors from; add one with `offchip: true`");
  Link of_weights = link_to(*weights, hardware);
  of_weights.convert = 0;  // weights are stored in the order they are read
  return {.weights = of_weights, .data = link_to(*data, hardware), .apart = weights != data};
}

Link backing_link(const Hardware& hardware) {
  const HardwareMemory& behind = *off_chip::backing(hardware);
  const HardwareMemory& front = *off_chip::weights(hardware);
  const Link into = link_to(front, hardware);
  Link link = link_to(behind, hardware);
  link.convert = 0;
  link.layout = into.layout;
  link.read.bytes_per_cycle = std::min(link.read.bytes_per_cycle, into.write.bytes_per_cycle);
  link.write.bytes_per_cycle = std::min(link.write.bytes_per_cycle, into.read.bytes_per_cycle);
  link.energy.read_pj += into.energy.write_pj;
  link.energy.write_pj += into.energy.read_pj;
  return link;
}

Link direct_link(const Link& link) {
  Link direct = link;
  direct.setup = 0;
  direct.read.rate = link.direct_input;
  direct.write.rate = link.direct_output;
  return direct;
}

Link fastest_link(const Link& link) {
  const auto faster = [](double a, double b) { return a > 0 && b > 0 ? std::max(a, b) : 0; };
  Link fastest = link;
  fastest.read.rate = faster(link.read.rate, link.direct_input);
  fastest.write.rate = faster(link.write.rate, link.direct_output);
  return fastest;
}

namespace {

/// Cycles that a channel waits for outstanding bursts, or for its own rate.
double waiting(double bursts, const Link& link, const LinkDirection& way) {
  const double latencies =
      bursts * static_cast<double>(way.latency) / static_cast<double>(way.outstanding);
  if (way.rate <= 0) return latencies;
  return std::max(latencies, bursts * static_cast<double>(link.burst) / way.rate);
}

}  // namespace

TransferCost transfer_cost(const BurstCount& count, const Link& link, bool load) {
  if (count.bursts == 0) return {};
  const LinkDirection& way = link.way(load);
  const auto bursts = static_cast<double>(count.bursts);
  const double bytes = bursts * static_cast<double>(link.burst);
  const double shared = bytes / way.bytes_per_cycle;
  const double converting = link.convert > 0 ? static_cast<double>(count.bytes) / link.convert : 0;
  return {
      .cycles = link.setup + way.latency +
                rounded_up(std::max({shared, waiting(bursts, link, way), converting}), "cycles"),
      .shared = rounded_up(shared, "cycles"),
      .bytes = whole_number(bytes, "bytes")};
}

double least_cycles_per_byte(const Link& link, bool load, std::int64_t channels) {
  const LinkDirection& way = link.way(load);
  const double waiting_per_byte = waiting(1, link, way) / static_cast<double>(link.burst);
  return std::max(1 / way.bytes_per_cycle, waiting_per_byte / static_cast<double>(channels));
}

}  // namespace tessera::cost
