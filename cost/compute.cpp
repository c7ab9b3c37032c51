#include "cost/compute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "cost/whole_number.h"

namespace tessera {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t product(std::span<const Dim> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>{});
}

/// Profiles use the short names of the field; the model's names are the long ones.
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

Size bytes_of_type_name(std::string_view name) {
  const auto type = element_type_from(long_type_name(name));
  return type ? element_bytes(*type) : 1;
}

/// Listed in the profile, or as many times slower as the type is wider.
double type_factor(const Engine& engine, ElementType type) {
  if (long_type_name(engine.dtype) == to_string(type)) return 1;
  for (const auto& [name, factor] : engine.dtype_factor)
    if (long_type_name(name) == to_string(type)) return factor;
  return std::max(1.0, static_cast<double>(element_bytes(type)) /
                           static_cast<double>(bytes_of_type_name(engine.dtype)));
}

std::optional<std::size_t> find_engine(const Hardware& hardware, EngineKind kind) {
  for (std::size_t e = 0; e < hardware.engines.size(); ++e)
    if (hardware.engines[e].kind == kind) return e;
  return std::nullopt;
}

std::int64_t unrolled_cycles(const Engine& engine, LoopNest nest, bool rows_are_free) {
  if (rows_are_free) {
    // A matrix product's rows sit in W; move them to H where the array unrolls only H.
    const auto unrolls = [&](std::string_view dim) {
      return std::any_of(engine.unroll.begin(), engine.unroll.end(),
                         [&](const auto& u) { return u.first == dim && u.second > 1; });
    };
    if (unrolls("H") && !unrolls("W")) std::swap(nest.H, nest.W);
  }
  for (const auto& [dim, factor] : engine.unroll) {
    std::int64_t* loop = dim == "N"   ? &nest.N
                         : dim == "G" ? &nest.G
                         : dim == "K" ? &nest.K
                         : dim == "C" ? &nest.C
                         : dim == "H" ? &nest.H
                         : dim == "W" ? &nest.W
                         : dim == "R" ? &nest.R
                         : dim == "S" ? &nest.S
                                      : nullptr;
    if (loop == nullptr)
      throw std::invalid_argument("engine " + engine.name + " unrolls unknown loop '" + dim +
                                  "'; known are N, G, K, C, H, W, R and S");
    *loop = ceil_div(*loop, factor);
  }
  return nest.product();
}

double vector_cycles_per(const Engine& engine, const Op& op) {
  const std::string_view kind = to_string(op.kind);
  for (const auto& [name, cycles] : engine.cycles_per_vector)
    if (name == op.function || name == kind) return cycles;
  return engine.default_cycles_per_vector;
}

}  // namespace

bool is_product(const Op& op) {
  return op.kind == OpKind::conv || op.kind == OpKind::conv_transpose || op.kind == OpKind::matmul;
}

LoopNest loop_nest(const Network& network, const Op& op, std::span<const Dim> output_extents) {
  LoopNest nest;
  if (op.kind == OpKind::matmul) {
    const std::vector<Dim>& a = network.tensors[op.inputs.at(0)].shape;
    const std::size_t rank = output_extents.size();
    if (a.empty()) return nest;
    nest.C = op.transpose_a && a.size() >= 2 ? a[a.size() - 2] : a.back();
    if (rank >= 1) nest.K = output_extents[rank - 1];
    if (rank >= 2) nest.W = output_extents[rank - 2];
    for (std::size_t d = 0; d + 2 < rank; ++d) nest.N *= output_extents[d];
    return nest;
  }
  // conv: weights [K, C / groups, kernel...]; conv_transpose: weights [C, K / groups, kernel...].
  const std::vector<Dim>& weights = network.tensors[op.inputs.at(1)].shape;
  const std::size_t spatial = output_extents.size() - 2;
  nest.N = output_extents[0];
  const bool transposed = op.kind == OpKind::conv_transpose;
  nest.C = transposed ? weights[0] / op.groups : weights[1];
  const Dim per_group = transposed ? weights[1] : weights[0] / op.groups;
  nest.G = ceil_div(output_extents[1], per_group);
  nest.K = std::min(output_extents[1], per_group);
  for (std::size_t s = 0; s < spatial; ++s) {
    const Dim extent = output_extents[2 + s];
    // Each output of a transposed convolution meets every stride-th tap of the kernel.
    const Dim stride = transposed && s < op.stride.size() ? op.stride[s] : 1;
    const Dim taps = ceil_div(weights[2 + s], stride);
    const bool last = s + 1 == spatial;
    (last ? nest.W : nest.H) *= extent;
    (last ? nest.S : nest.R) *= taps;
  }
  return nest;
}

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

ComputeCost compute_cost(const Network& network, const Op& op, std::span<const Dim> output_extents,
                         const Hardware& hardware) {
  const bool products = is_product(op);
  const auto wanted = find_engine(hardware, products ? EngineKind::mac_array : EngineKind::vector);
  const auto other = find_engine(hardware, products ? EngineKind::vector : EngineKind::mac_array);
  if (!wanted && !other)
    throw std::invalid_argument("profile " + hardware.name +
                                " has no engines: nothing can compute '" + op.name + "'");
  ComputeCost cost;
  cost.engine = wanted ? *wanted : *other;
  const Engine& engine = hardware.engines[cost.engine];
  const TensorIndex typed = op.inputs.empty() ? op.outputs.at(0) : op.inputs[0];
  const double factor = type_factor(engine, network.tensors[typed].type);
  if (products) {
    const LoopNest nest = loop_nest(network, op, output_extents);
    cost.work = nest.product();
    if (cost.work == 0) return cost;
    const std::int64_t cycles = engine.kind == EngineKind::mac_array
                                    ? unrolled_cycles(engine, nest, op.kind == OpKind::matmul)
                                    : ceil_div(cost.work, engine.lanes);
    cost.cycles = whole_number(std::ceil(static_cast<double>(cycles) * factor), "cycles") +
                  (engine.kind == EngineKind::mac_array ? engine.fill : engine.startup);
  } else {
    cost.work = vector_work(network, op, output_extents);
    if (cost.work == 0) return cost;
    const std::int64_t lanes = engine.kind == EngineKind::vector ? engine.lanes : 1;
    const double per_vector =
        engine.kind == EngineKind::vector ? vector_cycles_per(engine, op) * factor : 1.0;
    cost.cycles =
        (engine.kind == EngineKind::vector ? engine.startup : engine.fill) +
        whole_number(std::ceil(static_cast<double>(ceil_div(cost.work, lanes)) * per_vector),
                     "cycles");
  }
  cost.energy_pj = static_cast<double>(cost.work) * engine.energy_pj;
  return cost;
}

LeastCompute least_compute(const Network& network, const Op& op, const Hardware& hardware) {
  const std::vector<Dim>& extents = network.tensors[op.outputs.at(0)].shape;
  const ComputeCost whole = compute_cost(network, op, extents, hardware);
  const Engine& engine = hardware.engines[whole.engine];
  const double factor = type_factor(
      engine, network.tensors[op.inputs.empty() ? op.outputs.at(0) : op.inputs[0]].type);
  const auto work = static_cast<double>(whole.work);
  LeastCompute least{.cycles = work, .energy_pj = whole.energy_pj};
  if (is_product(op) && engine.kind == EngineKind::mac_array) {
    LoopNest nest = loop_nest(network, op, extents);
    least.cycles = factor;
    // Pieces have all of the reduced loops, and of a group with one channel that channel.
    const bool one_channel = nest.K == 1 && nest.G > 1;
    std::vector<std::pair<std::string_view, std::int64_t>> loops{
        {"N", nest.N}, {"G", nest.G}, {"K", nest.K}, {"C", nest.C},
        {"H", nest.H}, {"W", nest.W}, {"R", nest.R}, {"S", nest.S}};
    for (auto [dim, n] : loops) {
      const bool cut =
          dim == "N" || dim == "G" || dim == "H" || dim == "W" || (dim == "K" && !one_channel);
      double steps = static_cast<double>(n);
      for (const auto& [unrolled, by] : engine.unroll) {
        if (unrolled != dim) continue;
        steps /= static_cast<double>(by);
        if (!cut) steps = std::ceil(steps);
      }
      least.cycles *= steps;
    }
    // Rows of a matrix product may go where the array unrolls them: loops have no names there.
    if (op.kind == OpKind::matmul) {
      least.cycles = work * factor;
      for (const auto& [dim, by] : engine.unroll) least.cycles /= static_cast<double>(by);
    }
  } else if (is_product(op)) {
    least.cycles = work / static_cast<double>(engine.lanes) * factor;
  } else if (engine.kind == EngineKind::vector) {
    least.cycles =
        work / static_cast<double>(engine.lanes) * vector_cycles_per(engine, op) * factor;
  }
  return least;
}

}  // namespace tessera
