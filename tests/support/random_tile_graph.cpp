#include "tests/support/random_tile_graph.h"

#include <algorithm>
#include <vector>

namespace tessera::testing {
namespace {

class Builder {
 public:
  Builder(tessera::Random& random, std::int64_t most_ops) : random_(random) {
    const auto lengths = static_cast<std::size_t>(random.between(1, 3));
    for (std::size_t k = 0; k < lengths; ++k) lengths_.push_back(random.between(1, 6));
    graph_.native = {random.between(1, 4), random.between(1, 4), random.between(1, 4)};
    graph_.bandwidth = random.between(1, 5);
    const std::int64_t ops = random.between(1, most_ops);
    for (std::int64_t k = 0; k < ops; ++k) add_op();
    std::int64_t largest = 0;
    for (const TileTensor& each : graph_.tensors)
      largest = std::max(largest, each.width * each.height);
    graph_.capacity = random.between(4, 3 * largest + 8);
  }

  TileGraph take() { return std::move(graph_); }

 private:
  std::int64_t length() { return lengths_[random_.below(lengths_.size())]; }

  std::size_t tensor(std::int64_t width, std::int64_t height) {
    graph_.tensors.push_back({width, height});
    return graph_.tensors.size() - 1;
  }

  /// A tensor with this width and height (0: any), new or not.
  std::size_t some(std::int64_t width, std::int64_t height) {
    std::vector<std::size_t> fitting;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
      if ((width == 0 || graph_.tensors[t].width == width) &&
          (height == 0 || graph_.tensors[t].height == height))
        fitting.push_back(t);
    if (!fitting.empty() && random_.chance(75)) {
      // Late tensors more often, so that there are chains.
      const std::size_t a = fitting[random_.below(fitting.size())];
      const std::size_t b = fitting[random_.below(fitting.size())];
      return std::max(a, b);
    }
    return tensor(width == 0 ? length() : width, height == 0 ? length() : height);
  }

  void add_op() {
    TileOp op{.cost = random_.between(0, 12)};
    if (random_.chance(50)) {
      op.kind = TileOpKind::matmul;
      op.inputs.push_back(some(0, 0));
      op.inputs.push_back(some(0, graph_.tensors[op.inputs[0]].width));
      const std::int64_t height = graph_.tensors[op.inputs[0]].height;
      op.output = tensor(graph_.tensors[op.inputs[1]].width, height);
    } else {
      op.inputs.push_back(some(0, 0));
      const TileTensor shape = graph_.tensors[op.inputs[0]];
      for (auto more = random_.between(0, 1); more > 0; --more)
        op.inputs.push_back(some(shape.width, shape.height));
      op.output = tensor(shape.width, shape.height);
    }
    graph_.ops.push_back(std::move(op));
  }

  tessera::Random& random_;
  TileGraph graph_;
  std::vector<std::int64_t> lengths_;
};

}  // namespace

TileGraph random_tile_graph(tessera::Random& random, std::int64_t most_ops) {
  return Builder(random, most_ops).take();
}

}  // namespace tessera::testing
