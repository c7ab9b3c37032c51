#include <algorithm>
#include <limits>
#include <string>

#include "tessera/tile_graph.h"

namespace tessera {
namespace {

/// Of widths, heights, costs, capacities: sums and products of them stay exact.
constexpr std::int64_t largest = std::int64_t{1} << 40;

std::string tensor_name(std::size_t tensor) {
  return "tensor " + std::to_string(tensor);
}

bool same_shape(const TileTensor& a, const TileTensor& b) {
  return a.width == b.width && a.height == b.height;
}

class GraphCheck {
 public:
  explicit GraphCheck(const TileGraph& graph) : graph_(graph) {}

  std::vector<std::string> run() {
    check_machine();
    check_tensors();
    if (wrong_.empty()) check_ops();
    if (wrong_.empty()) check_cycles();
    return std::move(wrong_);
  }

 private:
  void require(bool holds, const std::string& otherwise) {
    if (!holds) wrong_.push_back(otherwise);
  }
  static bool in_range(std::int64_t value) { return value > 0 && value <= largest; }

  void check_machine() {
    require(in_range(graph_.capacity), "the fast memory has no valid capacity");
    require(in_range(graph_.bandwidth), "the slow memory has no valid bandwidth");
    require(in_range(graph_.native.width) && in_range(graph_.native.height) &&
                in_range(graph_.native.depth),
            "the native granularity is not three positive integers");
    require(!graph_.ops.empty(), "there are no ops");
  }

  void check_tensors() {
    std::int64_t total = 0;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const TileTensor& tensor = graph_.tensors[t];
      if (!in_range(tensor.width) || !in_range(tensor.height) ||
          tensor.height > (largest - total) / tensor.width) {
        wrong_.push_back(tensor_name(t) + " has no valid width and height");
        return;
      }
      total += tensor.width * tensor.height;
    }
  }

  void check_ops() {
    std::vector<bool> made(graph_.tensors.size());
    for (std::size_t k = 0; k < graph_.ops.size(); ++k) {
      const TileOp& op = graph_.ops[k];
      const std::string name = "op " + std::to_string(k);
      bool known = op.output < graph_.tensors.size();
      for (const std::size_t input : op.inputs) known = known && input < graph_.tensors.size();
      if (!known) {
        wrong_.push_back(name + " has a tensor that does not exist");
        continue;
      }
      require(op.cost >= 0 && op.cost <= largest, name + " has no valid base cost");
      require(!made[op.output], tensor_name(op.output) + " has two producers");
      made[op.output] = true;
      check_shapes(op, name);
    }
  }

  void check_shapes(const TileOp& op, const std::string& name) {
    const TileTensor& out = graph_.tensors[op.output];
    if (op.kind == TileOpKind::pointwise) {
      require(std::ranges::all_of(
                  op.inputs, [&](std::size_t t) { return same_shape(graph_.tensors[t], out); }),
              name + ", a Pointwise, has an input whose shape is not that of its output");
      return;
    }
    if (op.inputs.size() != 2) {
      wrong_.push_back(name + ", a MatMul, does not have two inputs");
      return;
    }
    const TileTensor& left = graph_.tensors[op.inputs[0]];
    const TileTensor& right = graph_.tensors[op.inputs[1]];
    require(left.width == right.height && left.height == out.height && right.width == out.width,
            name + ", a MatMul, has shapes that do not match");
  }

  void check_cycles() {
    std::vector<std::size_t> missing(graph_.ops.size());
    std::vector<std::vector<std::size_t>> readers(graph_.tensors.size());
    std::vector<bool> made(graph_.tensors.size());
    for (const TileOp& op : graph_.ops) made[op.output] = true;
    std::vector<std::size_t> ready;
    for (std::size_t k = 0; k < graph_.ops.size(); ++k) {
      for (const std::size_t input : graph_.ops[k].inputs)
        if (made[input]) {
          ++missing[k];
          readers[input].push_back(k);
        }
      if (missing[k] == 0) ready.push_back(k);
    }
    for (std::size_t at = 0; at < ready.size(); ++at)
      for (const std::size_t reader : readers[graph_.ops[ready[at]].output])
        if (--missing[reader] == 0) ready.push_back(reader);
    require(ready.size() == graph_.ops.size(), "the ops have a cycle");
  }

  const TileGraph& graph_;
  std::vector<std::string> wrong_;
};

}  // namespace

std::string_view to_string(TileReading reading) {
  return reading == TileReading::rulings ? "rulings" : "default";
}

std::vector<std::string> check_tile_graph(const TileGraph& graph) {
  return GraphCheck(graph).run();
}

}  // namespace tessera
