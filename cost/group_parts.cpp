#include "cost/group_parts.h"

#include <algorithm>
#include <optional>

#include "tiling/ceil_div.h"
#include "tiling/joined.h"

namespace tessera::cost {
namespace {

std::vector<Dim> extents(const tiling::Box& box) {
  std::vector<Dim> list(box.rank);
  for (std::size_t axis = 0; axis < box.rank; ++axis) list[axis] = box.none ? 0 : box[axis].size();
  return list;
}

/// Addresses count elements if several share a byte.
BurstCount packed_bursts(const Tensor& weight, const tiling::Box& box, Size burst) {
  const Size packed = std::max<Size>(1, 8 / element_bits(weight.type));
  BurstCount count = bursts(weight.shape, box, element_bytes(weight.type), burst * packed);
  count.bytes = tiling::ceil_div(count.bytes, packed);
  return count;
}

}  // namespace

Size box_bytes(const tiling::Subgraph& part, std::size_t local, const tiling::Box& box) {
  return part.tensors[local].bytes.of(tiling::volume(box));
}

BurstCount moved(const tiling::Subgraph& part, std::size_t local, const tiling::Box& box,
                 const Link& link) {
  const tiling::LocalTensor& own = part.tensors[local];
  if (!own.slice) return moved(part.tensor(local), own.bytes, own.outside, box, link);
  return moved(part.network->tensors[own.slice->whole], own.bytes, own.outside,
               tiling::in_whole(*own.slice, box), link);
}

BurstCount moved(const Tensor& tensor, const ElementBytes& stored, bool outside,
                 const tiling::Box& box, const Link& link) {
  if (tensor.kind != TensorKind::weight) {
    const Size element = element_bytes(tensor.type);
    const Layout layout = outside ? unbricked(link.layout) : link.layout;
    if (!tensor.joined || tensor.joined->alike)
      return bursts(tensor.shape, box, element, link.burst, layout);
    std::vector<Dim> whole = tensor.shape;
    whole[1] = tensor.joined->channels;
    return bursts(whole, tiling::in_whole(*tensor.joined, box), element, link.burst, layout);
  }
  if (stored.encoded == 0 || box.none) return packed_bursts(tensor, box, link.burst);
  // Data that is encoded together is contiguous.
  const Size bytes = stored.of(tiling::volume(box));
  return {.bursts = tiling::ceil_div(bytes, link.burst), .bytes = bytes, .rows = 1};
}

std::int64_t weights_cycles(const tiling::Subgraph& part, const Hardware& hardware) {
  const Links links = links_of(hardware);
  const Link& link = links.of(true);
  std::int64_t cycles = 0;
  for (std::size_t t = 0; t < part.tensors.size(); ++t)
    if (part.tensors[t].weight && tiling::is_loaded(part.tensors[t]))
      cycles += transfer_cost(moved(part, t, tiling::whole(part.tensor(t).shape), link), link, true)
                    .cycles;
  return cycles;
}

bool names_axis(const Op& op, std::size_t axis) {
  return std::ranges::find(op.axes, axis) != op.axes.end();
}

std::size_t output_of(const tiling::Subgraph& part, Step step) {
  const std::vector<std::size_t>& made = part.made_at[static_cast<std::size_t>(step)];
  return made.empty() ? part.tensors.size() : made.front();
}

std::optional<std::vector<Dim>> computed_extents(const tiling::Subgraph& part,
                                                 const tiling::TileRegions& tile, Step step) {
  const std::size_t local = output_of(part, step);
  if (local == part.tensors.size() || tile.fresh[local].none) return std::nullopt;
  std::vector<Dim> made = extents(tile.fresh[local]);
  if (part.tensors[local].in_its_place) return std::nullopt;
  if (!tiling::joins_channels(part.op(step))) return made;
  // Data that is in place already takes no time.
  made[1] = 0;
  for (const tiling::Box& copied : tiling::copied_boxes(part, tile, step))
    made[1] += copied[1].size();
  if (made[1] == 0) return std::nullopt;
  return made;
}

double serving_cycles(const HardwareMemory& memory, double clock_hz, double read, double written) {
  if (!memory.bandwidth) return 0;
  const double reading = read / memory.bandwidth->bytes_per_cycle(clock_hz);
  const double writing =
      written / memory.write_bandwidth.value_or(*memory.bandwidth).bytes_per_cycle(clock_hz);
  return memory.write_bandwidth ? std::max(reading, writing) : reading + writing;
}

double rated_cycles(const HardwareMemory& memory, double clock_hz, const ServedBytes& bytes) {
  const auto cycles = [&](double moved, const std::optional<Bandwidth>& rate) {
    return rate ? moved / rate->bytes_per_cycle(clock_hz) : 0;
  };
  return std::max({cycles(bytes.input, memory.rates.input),
                   cycles(bytes.weights, memory.rates.weights),
                   cycles(bytes.output, memory.rates.output)});
}

double move_energy(const BurstCount& count, const TransferCost& transfer, bool load,
                   const Link& link, const AccessEnergy& chip) {
  return static_cast<double>(transfer.bytes) * (load ? link.energy.read_pj : link.energy.write_pj) +
         static_cast<double>(count.bytes) * (load ? chip.write_pj : chip.read_pj);
}

AccessEnergy cheapest_access(const Hardware& hardware) {
  std::optional<AccessEnergy> least;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    if (!least) least = memory.energy;
    least->read_pj = std::min(least->read_pj, memory.energy.read_pj);
    least->write_pj = std::min(least->write_pj, memory.energy.write_pj);
  }
  return least.value_or(AccessEnergy{});
}

double static_energy(const Hardware& hardware, std::int64_t cycles) {
  return hardware.static_power_mw * 1e9 * static_cast<double>(cycles) / hardware.clock_hz;
}

}  // namespace tessera::cost
