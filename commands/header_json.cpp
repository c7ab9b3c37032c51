// The header of a command file: memories, queues, tensors, ops, groups and totals.
#include <algorithm>
#include <cmath>

#include "commands/json.h"
#include "model/derived.h"
#include "model/json_write.h"
#include "model/pinned.h"
#include "model/quantization.h"
#include "model/stored.h"
#include "tessera/names.h"

namespace tessera::commands {
namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

template <typename Number>
std::string numbers(const std::vector<Number>& items) {
  std::string out;
  write_list(out, items, ",", [](Number each) { return std::to_string(each); });
  return out;
}

/// Attributes of an op in the words of network YAML; defaults are left out.
class Attributes {
 public:
  Attributes(const Network& network, const Op& op, JsonObject& object)
      : network_(network), op_(op), object_(object) {}

  void write() {
    switch (op_.kind) {
      case OpKind::max_pool:
      case OpKind::average_pool:
        list("kernel", op_.kernel);
        if (op_.ceil_mode) object_.truth("ceil_mode", true);
        [[fallthrough]];
      case OpKind::conv:
      case OpKind::conv_transpose:
        window();
        return;
      case OpKind::reduce:
        list("axes", op_.axes);
        if (!op_.keep_dims) object_.truth("keep_dims", false);
        return;
      case OpKind::softmax:
      case OpKind::normalize:
      case OpKind::concat:
        list("axes", op_.axes);
        return;
      case OpKind::slice:
        list("axes", op_.axes);
        list("begins", op_.begins);
        list("steps", op_.steps);
        list("extents", op_.extents);
        return;
      case OpKind::pad:
        pads();
        if (!op_.function.empty()) object_.text("mode", op_.function);
        return;
      case OpKind::resize:
        resize();
        return;
      case OpKind::reshape:
        list("shape", op_.extents);
        return;
      case OpKind::transpose:
        list("permutation", op_.permutation);
        return;
      case OpKind::depth_to_space:
        object_.text("order", op_.depth_first ? "dcr" : "crd");
        [[fallthrough]];
      case OpKind::space_to_depth:
        object_.number("block", op_.block);
        return;
      case OpKind::matmul:
        if (op_.transpose_a) object_.truth("transpose_a", true);
        if (op_.transpose_b) object_.truth("transpose_b", true);
        return;
      case OpKind::elementwise:
      case OpKind::batch_norm:
      case OpKind::opaque:
        return;
    }
  }

 private:
  template <typename Number>
  void list(const char* name, const std::vector<Number>& values) {
    if (!values.empty()) object_.entry(name) += numbers(values);
  }
  void pads() {
    std::vector<Dim> pad = op_.pad_begin;
    pad.insert(pad.end(), op_.pad_end.begin(), op_.pad_end.end());
    list("pad", pad);
  }
  void window() {
    if (op_.kind == OpKind::conv || op_.kind == OpKind::conv_transpose) {
      const std::vector<Dim>& weights = network_.tensors[op_.inputs[1]].shape;
      list("kernel", std::vector<Dim>(weights.begin() + 2, weights.end()));
    }
    list("stride", op_.stride);
    list("dilation", op_.dilation);
    pads();
    list("output_padding", op_.output_padding);
    if (op_.groups != 1) object_.number("groups", op_.groups);
  }
  void resize() {
    static constexpr const char* coordinates[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                  "align_corners"};
    static constexpr const char* nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                              "ceil"};
    list("shape", op_.extents);
    object_.text("mode", op_.resize.linear ? "linear" : "nearest");
    object_.text("coordinates", coordinates[static_cast<std::size_t>(op_.resize.coordinates)]);
    object_.text("nearest", nearest[static_cast<std::size_t>(op_.resize.nearest)]);
  }

  const Network& network_;
  const Op& op_;
  JsonObject& object_;
};

/// The shift of integer sums that keeps results in the range of the output (docs: Arithmetic).
std::optional<std::int64_t> shift_of(const Network& network, const Op& op) {
  const bool product =
      op.kind == OpKind::conv || op.kind == OpKind::conv_transpose || op.kind == OpKind::matmul;
  if (!product || is_floating(network.tensors[op.outputs[0]].type) || is_quantized(network, op))
    return std::nullopt;
  const std::vector<Dim>& weights = network.tensors[op.inputs[1]].shape;
  Dim summed = 1;
  if (op.kind == OpKind::matmul) {
    const std::vector<Dim>& a = network.tensors[op.inputs[0]].shape;
    summed = a[a.size() - (op.transpose_a ? 2 : 1)];
  } else {
    for (std::size_t axis = 1; axis < weights.size(); ++axis) summed *= weights[axis];
  }
  constexpr std::int64_t of_one_product = 7;
  return of_one_product +
         static_cast<std::int64_t>(std::floor(std::log2(static_cast<double>(summed)) / 2));
}

class Header {
 public:
  Header(const Context& context, const std::vector<Queue>& queues, std::size_t buses,
         const std::string& source)
      : context_(context),
        network_(context.network),
        queues_(queues),
        buses_(buses),
        source_(source) {}

  std::string line() {
    std::string out;
    JsonObject object(out, ",");
    object.text("tessera", "commands/1");
    object.text("network", context_.plan.network);
    object.text("profile", context_.plan.profile);
    object.real("clock_hz", context_.plan.clock_hz);
    std::vector<std::size_t> memories(context_.hardware.memories.size());
    for (std::size_t m = 0; m < memories.size(); ++m) memories[m] = m;
    object.list(
        "memories", memories, [&](std::size_t m) { return memory(m); }, ",");
    object.list(
        "queues", queues_,
        [](const Queue& queue) {
          return json_object([&](JsonObject& one) {
            one.text("name", queue.name);
            one.number("channels", queue.channels);
            if (queue.staging) one.truth("staging", true);
          });
        },
        ",");
    object.number("buses", static_cast<std::int64_t>(buses_));
    std::vector<TensorIndex> tensors(network_.tensors.size());
    for (TensorIndex t = 0; t < tensors.size(); ++t) tensors[t] = t;
    object.list(
        "tensors", tensors, [&](TensorIndex t) { return tensor(t); }, ",");
    object.list(
        "inputs", network_.inputs, [&](TensorIndex t) { return name(t); }, ",");
    object.list(
        "outputs", network_.outputs, [&](TensorIndex t) { return name(t); }, ",");
    object.list(
        "ops", network_.ops, [&](const Op& each) { return op(each); }, ",");
    object.list(
        "groups", context_.plan.subgraphs, [&](const PlannedSubgraph& s) { return group(s); }, ",");
    const Metrics& totals = context_.plan.totals;
    object.entry("totals") += json_object([&](JsonObject& one) {
      one.number("latency_cycles", totals.latency_cycles);
      one.number("dram_bytes", totals.dram_bytes);
      one.number("peak_bytes", totals.peak_bytes);
    });
    if (!source_.empty()) object.entry("source") += source_;
    object.close();
    return out + "\n";
  }

 private:
  [[nodiscard]] std::string name(TensorIndex t) const {
    return json_string(network_.tensors[t].name);
  }

  std::string memory(std::size_t m) const {
    const HardwareMemory& memory = context_.hardware.memories[m];
    return json_object([&](JsonObject& one) {
      one.text("name", memory.space.name);
      one.truth("offchip", memory.offchip);
      one.number("base", memory.space.base);
      one.number("size", memory.offchip ? context_.homes.height(m) : memory.space.capacity);
      if (memory.offchip) one.number("burst", memory.burst);
      if (memory.offchip || memory.space.banks.empty()) return;
      Offset begin = 0;
      one.list("banks", memory.space.banks, [&](const Bank& bank) {
        const Offset from = begin;
        begin += bank.size;
        return json_object([&](JsonObject& each) {
          each.text("name", bank.name);
          each.number("begin", from);
          each.number("end", begin);
        });
      });
      if (memory.space.modes.empty()) return;
      one.list("modes", memory.space.modes, [&](const Mode& mode) {
        return json_object([&](JsonObject& each) {
          each.text("name", mode.name);
          each.list("roles", mode.roles, [](Role role) { return json_string(to_string(role)); });
        });
      });
    });
  }

  void place(JsonObject& one, const Place& place) const {
    one.text("memory", context_.hardware.memories[place.at.memory].space.name);
    // A tensor inside another one begins at its own first channel.
    tiling::Box box = place.content;
    const Part part = part_at(place, box);
    one.number("address", part.address);
    if (place.encoded > 0) return one.number("encoded", place.encoded);
    one.entry("strides") += numbers(std::vector<Size>(
        part.strides.begin(), part.strides.begin() + static_cast<std::ptrdiff_t>(box.rank)));
    if (place.bits < 8) one.number("bits", place.bits);
    if (place.brick.channels > 1)
      one.entry("brick") += json_object([&](JsonObject& brick) {
        brick.number("channels", place.brick.channels);
        brick.number("stride", place.brick.stride);
      });
  }

  /// The part of a place that a tensor inside another one has.
  [[nodiscard]] Place own_place(TensorIndex t, const Place& place) const {
    Place own = place;
    const tiling::Box box = tiling::whole(network_.tensors[t].shape);
    if (place.content == box || place.encoded > 0) return own;
    own.at.address = part_at(place, box).address;
    own.content = box;
    return own;
  }

  std::string tensor(TensorIndex t) const {
    const Tensor& tensor = network_.tensors[t];
    const auto is_one = [&](const std::vector<TensorIndex>& list) {
      return std::ranges::any_of(list, [&](TensorIndex each) {
        return each == t || (!tensor.view_of && storage_of(network_, each) == t);
      });
    };
    return json_object([&](JsonObject& one) {
      one.text("name", tensor.name);
      one.entry("shape") += numbers(tensor.shape);
      one.text("dtype", to_string(tensor.type));
      one.text("kind", tensor.kind == TensorKind::weight ? "weight" : "activation");
      one.text("role", tensor.kind == TensorKind::weight ? "weight"
                       : is_one(network_.outputs)        ? "output"
                       : is_one(network_.inputs)         ? "input"
                                                         : "between");
      if (tensor.quantization)
        one.entry("quantization") += json_object([&](JsonObject& scales) {
          std::string all;
          write_list(all, tensor.quantization->scale, ",",
                     [](double scale) { return json_number(scale); });
          scales.entry("scale") += all;
          scales.entry("zero_point") += numbers(tensor.quantization->zero_point);
          if (tensor.quantization->scale.size() > 1)
            scales.number("axis", static_cast<std::int64_t>(tensor.quantization->axis));
        });
      if (tensor.view_of) return one.text("view_of", network_.tensors[*tensor.view_of].name);
      if (tensor.joined) one.text("inside", network_.tensors[tensor.joined->whole].name);
      where(one, t);
    });
  }

  void where(JsonObject& one, TensorIndex t) const {
    const Homes& homes = context_.homes;
    if (homes.pinned(t)) return place(one, *homes.pinned(t));
    if (homes.behind(t)) return place(one, *homes.behind(t));
    if (!homes.parts(t).empty())
      return one.list("parts", homes.parts(t), [&](const Place& part) {
        return json_object([&](JsonObject& each) {
          std::vector<std::string> spans;
          std::string box = "[";
          for (std::size_t axis = 0; axis < part.content.rank; ++axis)
            box += (axis > 0 ? ",[" : "[") + number(part.content[axis].begin) + "," +
                   number(part.content[axis].end) + "]";
          each.entry("box") += box + "]";
          place(each, part);
        });
      });
    if (homes.off_chip(t)) return place(one, own_place(t, *homes.off_chip(t)));
    if (homes.resident(t)) place(one, *homes.resident(t));
  }

  std::string op(const Op& op) const {
    return json_object([&](JsonObject& one) {
      one.text("name", op.name);
      one.text("type", to_string(op.kind));
      if (!op.function.empty() && op.kind != OpKind::pad) one.text("function", op.function);
      one.list("inputs", op.inputs, [&](TensorIndex t) { return name(t); });
      one.list("outputs", op.outputs, [&](TensorIndex t) { return name(t); });
      if (!op.fused.empty())
        one.list("fused", op.fused, [&](const Fused& fused) {
          return json_object([&](JsonObject& each) {
            each.text("function", fused.function);
            each.list("operands", fused.operands, [&](TensorIndex t) { return name(t); });
          });
        });
      Attributes(network_, op, one).write();
      if (const auto shift = shift_of(network_, op)) one.number("shift", *shift);
    });
  }

  struct Placed {
    std::string name;
    std::string memory;
    Offset address = 0;
    Size size = 0;
  };
  /// The on-chip buffers of a group, and pinned weights.
  [[nodiscard]] std::vector<Placed> buffers(const PlannedSubgraph& s) const {
    std::vector<Placed> all;
    const auto add = [&](std::string name, const Memory& memory, Offset offset, Size size) {
      all.push_back({std::move(name), memory.name, memory.base + offset, size});
    };
    for (const PlannedPlacement& placed : s.placements)
      for (std::size_t b = 0; b < placed.placement.places.size(); ++b) {
        const BufferPlace& place = placed.placement.places[b];
        const std::size_t m = memory_on_chip(context_.hardware, place.memory);
        add(placed.problem.buffers[b].id, context_.hardware.memories[m].space, place.offset,
            placed.problem.buffers[b].size);
      }
    for (const PlannedPin& pin : context_.plan.pinned)
      for (const HardwareMemory& memory : context_.hardware.memories)
        if (memory.space.name == pin.memory) add(pin.weight, memory.space, pin.offset, pin.bytes);
    return all;
  }

  std::string group(const PlannedSubgraph& s) const {
    return json_object([&](JsonObject& one) {
      one.number("first_op", static_cast<std::int64_t>(s.ops.first));
      one.number("last_op", static_cast<std::int64_t>(s.ops.last));
      one.number("tiles", s.tile_count());
      one.truth("double_buffer", s.variant.double_buffer);
      one.number("cycles", s.metrics.latency_cycles);
      one.number("bytes", s.metrics.dram_bytes);
      one.list("buffers", buffers(s), [](const Placed& placed) {
        return json_object([&](JsonObject& each) {
          each.text("name", placed.name);
          each.text("memory", placed.memory);
          each.number("address", placed.address);
          each.number("size", placed.size);
        });
      });
    });
  }

  const Context& context_;
  const Network& network_;
  const std::vector<Queue>& queues_;
  std::size_t buses_;
  const std::string& source_;
};

}  // namespace

std::string header_line(const Context& context, const std::vector<Queue>& queues, std::size_t buses,
                        const std::string& source) {
  return Header(context, queues, buses, source).line();
}

}  // namespace tessera::commands
