#include "cost/mapping.h"

#include <algorithm>
#include <optional>

#include "cost/block_cost.h"
#include "cost/transfer.h"
#include "model/numeric.h"

namespace tessera::cost {
namespace {

/// The mapping of an engine that only states `unroll`.
Mapping plain_mapping(const Engine& engine) {
  Mapping mapping;
  mapping.ops = {"conv"};
  mapping.unroll = engine.unroll;
  return mapping;
}

/// Calls use() for each mapping that computes the op, with its index; for an array with one unroll,
/// that one.
template <typename Use>
void each_mapping(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                  const Use& use) {
  if (engine.maps.empty()) return use(0, plain_mapping(engine));
  const std::string_view name = tiling::carried_name(op, loops, engine);
  for (std::size_t m = 0; m < engine.maps.size(); ++m)
    if (tiling::carries(engine.maps[m], name)) use(m, engine.maps[m]);
}

/// The loop nests by which a mapping can compute the op.
template <typename Use>
void each_view(const tiling::OpLoops& loops, const Mapping& mapping, const Use& use) {
  const bool transposed = loops.upscale[0] > 1 || loops.upscale[1] > 1;
  if (mapping.spreads_input && transposed) return use(tiling::spread(loops));
  use(loops);
  if (mapping.folds_columns && loops.folds > 1) use(tiling::folded(loops));
}

}  // namespace

ArrayPort port_of(const Hardware& hardware, OffChipOperands off_chip) {
  ArrayPort port;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip || !memory.bandwidth || hardware.clock_hz <= 0) continue;
    const double read = memory.bandwidth->bytes_per_cycle(hardware.clock_hz);
    const double write =
        memory.write_bandwidth ? memory.write_bandwidth->bytes_per_cycle(hardware.clock_hz) : read;
    const auto read_latency = static_cast<double>(memory.latency);
    const auto write_latency = static_cast<double>(memory.write_latency.value_or(memory.latency));
    if (port.read_bytes_per_cycle == 0) {
      port = {read, write, read_latency, write_latency};
      continue;
    }
    port.read_bytes_per_cycle = std::max(port.read_bytes_per_cycle, read);
    port.write_bytes_per_cycle = std::max(port.write_bytes_per_cycle, write);
    port.read_latency = std::min(port.read_latency, read_latency);
    port.write_latency = std::min(port.write_latency, write_latency);
  }
  if (port.read_bytes_per_cycle == 0 || (off_chip.input <= 0 && off_chip.output <= 0)) return port;
  // Rates of single users limit the op, not a block.
  Link link = links_of(hardware).data;
  link.read.rate = link.write.rate = 0;
  if (off_chip.input > 0) {
    port.read_bytes_per_cycle = 1 / (least_cycles_per_byte(link, true, 1) * off_chip.input);
    port.read_latency = static_cast<double>(link.read.latency);
  }
  if (off_chip.output > 0) {
    port.write_bytes_per_cycle = 1 / (least_cycles_per_byte(link, false, 1) * off_chip.output);
    port.write_latency = static_cast<double>(link.write.latency);
  }
  return port;
}

namespace {

/// Is `a` at least as good in every metric?
bool as_good(const ArrayCost& a, const ArrayCost& b) {
  return a.cycles <= b.cycles && a.input_bytes <= b.input_bytes && a.weight_bytes <= b.weight_bytes;
}

void add_way(const ArrayCost& cost, ArrayChoices& ways) {
  for (const ArrayCost& other : ways.all())
    if (as_good(other, cost)) return;
  const auto begin = ways.costs.begin();
  auto end = std::remove_if(begin, begin + static_cast<std::ptrdiff_t>(ways.count),
                            [&](const ArrayCost& other) { return as_good(cost, other); });
  const auto at = std::upper_bound(
      begin, end, cost, [](const ArrayCost& a, const ArrayCost& b) { return a.cycles < b.cycles; });
  if (at == ways.costs.end()) return;
  if (end == ways.costs.end()) --end;  // replace the slowest
  std::move_backward(at, end, end + 1);
  *at = cost;
  ways.count = static_cast<std::size_t>(end + 1 - begin);
}

}  // namespace

ArrayChoices array_choices(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                           const ArrayPort& port) {
  ArrayChoices ways;
  each_mapping(op, loops, engine, [&](std::size_t m, const Mapping& mapping) {
    each_view(loops, mapping, [&](const tiling::OpLoops& seen) {
      ArrayCost cost = Blocks(op, seen, engine, mapping, port).best();
      cost.mapping = m;
      add_way(cost, ways);
    });
  });
  return ways;
}

ArrayCost array_cost(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                     const ArrayPort& port) {
  return array_choices(op, loops, engine, port).costs.front();
}

ArrayCost array_cost_of_block(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                              const ArrayPort& port, std::size_t mapping, const BlockShape& block) {
  ArrayCost cost = Blocks(op, loops, engine, engine.maps[mapping], port).of(block);
  cost.mapping = mapping;
  return cost;
}

double least_array_cycles(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                          bool whole_channels) {
  double least = infinity;
  each_mapping(op, loops, engine, [&](std::size_t, const Mapping& mapping) {
    each_view(loops, mapping, [&](const tiling::OpLoops& seen) {
      const ArrayPort port;
      const Blocks blocks(op, seen, engine, mapping, port);
      least = std::min(least, std::max(blocks.least_steps(whole_channels) * mapping.cycles /
                                           static_cast<double>(engine.cores),
                                       blocks.least_output()));
    });
  });
  return least;
}

ArrayReads least_array_reads(const Op& op, const tiling::OpLoops& loops, const Engine& engine,
                             bool whole_channels) {
  std::optional<ArrayReads> least;
  each_mapping(op, loops, engine, [&](std::size_t, const Mapping& mapping) {
    each_view(loops, mapping, [&](const tiling::OpLoops& seen) {
      const ArrayPort port;
      const ArrayReads one = Blocks(op, seen, engine, mapping, port).least_reads(whole_channels);
      if (!least) least = one;
      least = {std::min(least->input, one.input), std::min(least->weights, one.weights)};
    });
  });
  return least.value_or(ArrayReads{});
}

double peak_macs(const Engine& engine) {
  double peak = engine.maps.empty() ? Counts(engine.unroll).product() : 0;
  for (const Mapping& mapping : engine.maps)
    peak = std::max(peak, Counts(mapping.unroll).product() / mapping.cycles);
  return std::max(1.0, peak * static_cast<double>(engine.cores));
}

}  // namespace tessera::cost
