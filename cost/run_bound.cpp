#include <algorithm>
#include <cmath>
#include <optional>

#include "cost/compute.h"
#include "cost/run_parts.h"
#include "cost/tiled_run.h"
#include "model/network.h"

namespace tessera {
namespace {

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

/// The least part of an operand's hull a tiling can get away with along one axis: windows of
/// `reach` elements every `stride` leave gaps that small tiles neither load nor compute.
double window_density(Dim reach, Dim stride, Dim pad) {
  const Dim inside = std::max<Dim>(0, reach - pad);
  return inside >= stride ? 1.0 : static_cast<double>(inside) / static_cast<double>(stride);
}

double use_density(const Network& network, const Op& op, std::size_t operand) {
  if (operand != 0) return 1;
  double density = 1;
  switch (op.kind) {
    case OpKind::conv:
    case OpKind::max_pool:
    case OpKind::average_pool:
      for (std::size_t s = 0; s < op.stride.size(); ++s) {
        const std::vector<Dim>& weights =
            op.kind == OpKind::conv ? network.tensors[op.inputs[1]].shape : op.kernel;
        const Dim kernel = op.kind == OpKind::conv ? weights[2 + s] : op.kernel[s];
        const Dim dilation = s < op.dilation.size() ? op.dilation[s] : 1;
        const Dim pad = std::max(s < op.pad_begin.size() ? op.pad_begin[s] : 0,
                                 s < op.pad_end.size() ? op.pad_end[s] : 0);
        const Dim reach = dilation * (kernel - 1) + 1;
        // Padding shortens only the windows at the ends; it matters only where there are gaps.
        density *= reach >= op.stride[s] ? 1.0 : window_density(reach, op.stride[s], pad);
      }
      return density;
    case OpKind::slice:
      for (const Dim step : op.steps) density /= static_cast<double>(step);
      return density;
    case OpKind::resize: {
      const std::vector<Dim>& in = network.tensors[op.inputs[0]].shape;
      for (std::size_t axis = 0; axis < in.size() && axis < op.extents.size(); ++axis)
        density *=
            std::min(1.0, static_cast<double>(op.extents[axis]) / static_cast<double>(in[axis]));
      return density;
    }
    default:
      return 1;
  }
}

/// Per local tensor: the least share of its untiled region that any tiling loads or computes.
std::vector<double> densities(const Subgraph& part) {
  std::vector<double> density(part.tensors.size(), 0);
  for (std::size_t t = 0; t < density.size(); ++t)
    if (part.tensors[t].leaves) density[t] = 1;
  // Backwards: when an op is met, all readers of what it makes have been met.
  for (std::size_t step = part.steps(); step-- > 0;) {
    double made = 0;
    for (const std::size_t t : part.made_at[step]) made = std::max(made, density[t]);
    const Op& op = part.op(static_cast<Step>(step));
    for (const LocalOperand& operand : part.operands_at[step])
      density[operand.local] =
          std::max(density[operand.local], made * use_density(*part.network, op, operand.position));
  }
  return density;
}

BurstCount thinned(BurstCount count, double density, Size burst) {
  if (density >= 1) return count;
  const auto bytes = static_cast<Size>(std::floor(static_cast<double>(count.bytes) * density));
  return {.bursts = (bytes + burst - 1) / burst, .bytes = bytes, .rows = 1};
}

}  // namespace

Metrics run_bound(const Subgraph& part, const TileGrid& untiled, const Hardware& hardware) {
  const Link link = link_of(hardware);
  const TileRegions& tile = untiled.tiles.front();
  const AccessEnergy chip = cheapest_access(hardware);
  const AccessEnergy dram = offchip_energy(hardware);
  Metrics bound;
  const std::vector<double> density = densities(part);
  std::int64_t compute = 0;
  std::int64_t dma = 0;
  for (Step step = 0; step < static_cast<Step>(part.steps()); ++step) {
    const std::size_t out = output_of(part, step);
    if (!computes(part, tile, step) || density[out] < 1) continue;
    const ComputeCost op =
        compute_cost(*part.network, part.op(step), computed_extents(part, tile, step), hardware);
    compute += op.cycles;
    bound.energy_pj += op.energy_pj;
  }
  std::vector<AccessEnergy> energies(part.tensors.size(), chip);
  for (std::size_t t = 0; t < energies.size(); ++t) {
    energies[t].read_pj *= density[t];
    energies[t].write_pj *= density[t];
  }
  bound.energy_pj += access_energy(part, tile, energies);
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const LocalTensor& local = part.tensors[t];
    const bool load = loaded(local) && !local.consumers.empty();
    if (!load && !(local.leaves && !loaded(local))) continue;
    const BurstCount count = thinned(moved(part, t, load ? tile.fresh[t] : tile.stored[t], link),
                                     density[t], link.burst);
    const TransferCost transfer = transfer_cost(count, link);
    dma += transfer.cycles;
    bound.dram_bytes += transfer.bytes;
    bound.energy_pj += static_cast<double>(transfer.bytes) * (load ? dram.read_pj : dram.write_pj) +
                       static_cast<double>(count.bytes) * (load ? chip.write_pj : chip.read_pj);
  }
  bound.latency_cycles =
      std::max(compute, (dma + hardware.dma.channels - 1) / hardware.dma.channels);
  bound.energy_pj += static_energy(hardware, bound.latency_cycles);
  return bound;
}

}  // namespace tessera
