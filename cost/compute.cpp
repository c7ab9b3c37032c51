#include "cost/compute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

#include "cost/array_memo.h"
#include "cost/whole_number.h"
#include "model/stored.h"
#include "tiling/ceil_div.h"

namespace tessera::cost {
namespace {

std::int64_t product(std::span<const Dim> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>{});
}

/// Profiles use short type names; the model uses long ones.
std::string_view long_type_name(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> names{{
      {"fp64", "float64"},
      {"fp32", "float32"},
      {"fp16", "float16"},
      {"half", "float16"},
      {"bf16", "bfloat16"},
      {"bool", "boolean"},
  }};
  for (const auto& [brief, full] : names)
    if (brief == name) return full;
  return name;
}

Size bits_of_type_name(std::string_view name) {
  const auto type = element_type_from(long_type_name(name));
  return type ? element_bits(*type) : 8;
}

/// The factor of the profile, or by default the ratio of the element widths.
double type_factor(const Engine& engine, ElementType type) {
  if (long_type_name(engine.dtype) == to_string(type)) return 1;
  for (const auto& [name, factor] : engine.dtype_factor)
    if (long_type_name(name) == to_string(type)) return factor;
  return std::max(1.0, static_cast<double>(element_bits(type)) /
                           static_cast<double>(bits_of_type_name(engine.dtype)));
}

/// "profile p: no engine computes op 'pool1' (max_pool); array 'mac' computes conv and matmul; ..."
std::string no_engine_text(const Op& op, const tiling::OpLoops& loops, const Hardware& hardware) {
  if (hardware.engines.empty())
    return "profile " + hardware.name + " has no engines to compute '" + op.name + "'";
  std::string text = "profile " + hardware.name + ": no engine computes op '" + op.name + "' (" +
                     std::string(*tiling::names_of(op, loops).begin()) + "); ";
  for (const Engine& engine : hardware.engines) {
    std::set<std::string> ops;
    for (const Mapping& mapping : engine.maps) ops.insert(mapping.ops.begin(), mapping.ops.end());
    if (engine.maps.empty()) ops = {"conv", "matmul"};
    std::string names;
    for (const std::string& each : ops) names += (names.empty() ? "" : ", ") + each;
    text += "array '" + engine.name + "' computes " + names + "; ";
  }
  return text + "name it in the `ops` of a map, or add an engine of the kind `vector`";
}

tiling::EngineChoice engine_for(const Op& op, const tiling::OpLoops& loops,
                                const Hardware& hardware) {
  const std::optional<tiling::EngineChoice> chosen = tiling::choose_engine(op, loops, hardware);
  if (!chosen) throw std::invalid_argument(no_engine_text(op, loops, hardware));
  return *chosen;
}

/// Stored bytes of the multiplied weights over the bytes of their elements.
double encoded_share(const Network& network, const Op& op, const Hardware& hardware) {
  if (!hardware.coding) return 1;
  const auto weight = multiplied_by(network, op, hardware);
  return weight ? static_cast<double>(weight->bytes.whole()) /
                      static_cast<double>(tensor_bytes(network.tensors[weight->tensor]))
                : 1;
}

/// Cycles before the first result, each time the engine starts.
std::int64_t start_of(const Engine& engine) {
  return engine.kind == EngineKind::vector ? engine.startup : engine.fill;
}

/// By default, a product takes one cycle per vector.
double vector_cycles_per(const Engine& engine, const Op& op) {
  const std::string_view kind = to_string(op.kind);
  double per = tiling::is_product(op) ? 1 : engine.default_cycles_per_vector;
  for (const auto& [name, cycles] : engine.cycles_per_vector)
    if (name == op.function || name == kind) {
      per = cycles;
      break;
    }
  return op.fused.empty() ? std::max(per, engine.unfused_output_cycles) : per;
}

}  // namespace

std::int64_t vector_work(const Network& network, const Op& op,
                         std::span<const Dim> output_extents) {
  std::int64_t elements = product(output_extents);
  const auto whole = [&](TensorIndex t) { return product(network.tensors[t].shape); };
  switch (op.kind) {
    case OpKind::max_pool:
    case OpKind::average_pool:
      for (const Dim k : op.kernel) elements *= k;
      return elements;
    case OpKind::reduce: {
      const std::vector<Dim>& in = network.tensors[op.inputs.at(0)].shape;
      for (const std::size_t axis : op.axes) elements *= in[axis];
      return elements;
    }
    case OpKind::elementwise:
      return elements * std::max<std::int64_t>(1, static_cast<std::int64_t>(op.inputs.size()) - 1);
    case OpKind::opaque: {
      for (const TensorIndex t : op.inputs) elements = std::max(elements, whole(t));
      for (const TensorIndex t : op.outputs) elements = std::max(elements, whole(t));
      return elements;
    }
    default:
      return elements;
  }
}

void require_engines(const Network& network, const Hardware& hardware) {
  for (const Op& op : network.ops) {
    if (op.outputs.empty()) continue;
    const std::vector<Dim>& made = network.tensors[op.outputs[0]].shape;
    static_cast<void>(engine_for(op, tiling::loops_of(network, op, made), hardware));
  }
}

ComputeChoices compute_choices(const Network& network, const Op& op,
                               std::span<const Dim> output_extents, const Hardware& hardware,
                               ArrayMemo* memo, OffChipOperands off_chip) {
  const tiling::OpLoops loops = tiling::loops_of(network, op, output_extents);
  const tiling::EngineChoice chosen = engine_for(op, loops, hardware);
  ComputeChoices ways;
  ComputeCost& cost = ways.costs.front();
  cost.engine = chosen.engine;
  const Engine& engine = hardware.engines[cost.engine];
  const TensorIndex typed = op.inputs.empty() ? op.outputs.at(0) : op.inputs[0];
  const double factor = type_factor(engine, network.tensors[typed].type);
  const bool products = tiling::is_product(op);
  cost.work = products ? loops.nest.product() : vector_work(network, op, output_extents);
  if (cost.work == 0) return ways;
  const std::int64_t start = start_of(engine);
  // Rounding errors must not turn 430 cycles, summed from thirds, into 431.
  const auto whole_cycles = [&](double cycles) { return rounded_up(cycles, "cycles") + start; };
  cost.energy_pj = static_cast<double>(cost.work) * engine.energy_pj;
  if (chosen.by_mapping) {
    // only engines with block buffers depend on the port
    const bool blocks = engine.blocks.buffer > 0;
    const ArrayChoices array =
        blocks && memo != nullptr
            ? memo->choices(op, loops, chosen.engine, off_chip)
            : array_choices(op, loops, engine, blocks ? port_of(hardware, off_chip) : ArrayPort{});
    const double encoded = encoded_share(network, op, hardware);
    ways.count = array.count;
    std::fill(ways.costs.begin() + 1, ways.costs.begin() + static_cast<std::ptrdiff_t>(array.count),
              cost);
    for (std::size_t k = 0; k < array.count; ++k) {
      ComputeCost& each = ways.costs[k];
      each.cycles = whole_cycles(array.costs[k].cycles * factor);
      each.bound_by = array.costs[k].bound_by;
      each.weight_parts = array.costs[k].weight_parts;
      each.with_known_weights = array.costs[k].with_known_weights;
      each.input_bytes = array.costs[k].input_bytes;
      each.weight_bytes = array.costs[k].weight_bytes * encoded;
    }
  } else {
    std::int64_t elements = cost.work;
    if (!products && engine.channels > 1 && output_extents.size() > 1) {
      std::vector<Dim> kept(output_extents.begin(), output_extents.end());
      kept[1] = tiling::ceil_div(kept[1], engine.channels) * engine.channels;
      elements = vector_work(network, op, kept);
    }
    cost.cycles = whole_cycles(static_cast<double>(tiling::ceil_div(elements, engine.lanes)) *
                               vector_cycles_per(engine, op) * factor);
  }
  return ways;
}

ComputeCost compute_cost(const Network& network, const Op& op, std::span<const Dim> output_extents,
                         const Hardware& hardware, ArrayMemo* memo) {
  return compute_choices(network, op, output_extents, hardware, memo).costs.front();
}

LeastCompute least_compute(const Network& network, const Op& op, const Hardware& hardware,
                           bool whole_channels) {
  const std::vector<Dim>& extents = network.tensors[op.outputs.at(0)].shape;
  const tiling::OpLoops loops = tiling::loops_of(network, op, extents);
  const tiling::EngineChoice chosen = engine_for(op, loops, hardware);
  const Engine& engine = hardware.engines[chosen.engine];
  const bool products = tiling::is_product(op);
  const double factor = type_factor(
      engine, network.tensors[op.inputs.empty() ? op.outputs.at(0) : op.inputs[0]].type);
  const auto work =
      static_cast<double>(products ? loops.nest.product() : vector_work(network, op, extents));
  LeastCompute least{.cycles = work,
                     .start = static_cast<double>(start_of(engine)),
                     .energy_pj = work * engine.energy_pj};
  if (chosen.by_mapping) {
    least.cycles = least_array_cycles(op, loops, engine, whole_channels) * factor;
    least.reads = least_array_reads(op, loops, engine, whole_channels);
    least.reads.weights *= encoded_share(network, op, hardware);
  } else {
    least.cycles =
        work / static_cast<double>(engine.lanes) * vector_cycles_per(engine, op) * factor;
  }
  return least;
}

LeastCompute least_of_parts(const Network& network, const Op& op, const Hardware& hardware) {
  const std::vector<Dim>& extents = network.tensors[op.outputs.at(0)].shape;
  const tiling::OpLoops loops = tiling::loops_of(network, op, extents);
  const tiling::EngineChoice chosen = engine_for(op, loops, hardware);
  const Engine& engine = hardware.engines[chosen.engine];
  const bool one_way = engine.maps.size() <= 1 && engine.blocks.buffer <= 0;
  if (chosen.by_mapping && !one_way) return least_compute(network, op, hardware);
  const ComputeCost whole = compute_cost(network, op, extents, hardware);
  return {.cycles = static_cast<double>(whole.cycles),
          .energy_pj = whole.energy_pj,
          .reads = least_compute(network, op, hardware).reads};
}

}  // namespace tessera::cost
