#include "model/tile_step.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "model/tile_rectangles.h"

namespace tessera {
namespace {

std::int64_t parts(std::int64_t length, std::int64_t part) {
  return (length + part - 1) / part;
}

/// The demand of one iteration (a tile and a part of the reduction), per tensor.
struct Iteration {
  double compute = 0;
  std::map<std::size_t, Rectangles> loads;
  std::map<std::size_t, Rectangles> outputs;
  std::map<std::size_t, Rectangles> accumulators;
};

struct Tile {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

class StepRun {
 public:
  explicit StepRun(const TileStepInput& input)
      : graph_(input.graph),
        producer_(input.links.producer),
        step_(input.step),
        size_(input.step.granularity),
        rulings_(input.reading == TileReading::rulings) {
    collect(input);
    align();
    count_parts();
  }

  TileStepResult run(const std::vector<std::size_t>& resident) {
    check_sizes();
    if (result_.wrong.empty()) check_grid();
    if (result_.wrong.empty()) check_traversal();
    if (result_.wrong.empty()) simulate(resident);
    result_.outputs.assign(outputs_.begin(), outputs_.end());
    return std::move(result_);
  }

 private:
  using Piece = std::pair<std::size_t, Rectangle>;  ///< of a tensor
  enum class Stream : std::uint8_t { columns, rows };

  [[nodiscard]] const TileOp& maker(std::size_t tensor) const {
    return graph_.ops[producer_[tensor]];
  }
  [[nodiscard]] std::int64_t depth_of(const TileOp& op) const {
    return graph_.tensors[op.inputs[0]].width;
  }
  [[nodiscard]] std::int64_t area_of(std::size_t tensor) const {
    return graph_.tensors[tensor].width * graph_.tensors[tensor].height;
  }
  [[nodiscard]] bool made(std::size_t tensor) const { return made_.contains(tensor); }
  [[nodiscard]] bool retained(std::size_t tensor) const { return retained_.contains(tensor); }

  void collect(const TileStepInput& input) {
    retained_.insert(step_.retained.begin(), step_.retained.end());
    std::set<std::size_t> read;
    for (const std::size_t op : step_.ops) {
      made_.insert(graph_.ops[op].output);
      read.insert(graph_.ops[op].inputs.begin(), graph_.ops[op].inputs.end());
    }
    for (const std::size_t op : step_.ops)
      if (!read.contains(graph_.ops[op].output)) sinks_.push_back(graph_.ops[op].output);
    for (const std::size_t tensor : read)
      if (!made(tensor)) external_.insert(tensor);
    outputs_ = retained_;
    outputs_.insert(sinks_.begin(), sinks_.end());
    outputs_.insert(input.inner_outputs.begin(), input.inner_outputs.end());
  }

  /// Finds the matmuls whose output tile is that of a sink: pointwise ops alone lie between.
  void align() {
    std::set<std::size_t> seen;
    std::vector<std::size_t> todo = sinks_;
    while (!todo.empty()) {
      const std::size_t tensor = todo.back();
      todo.pop_back();
      if (!made(tensor) || !seen.insert(tensor).second) continue;
      const TileOp& op = maker(tensor);
      if (op.kind == TileOpKind::matmul)
        aligned_.push_back(producer_[tensor]);
      else
        todo.insert(todo.end(), op.inputs.begin(), op.inputs.end());
    }
  }

  void count_parts() {
    for (const std::size_t op : aligned_)
      parts_ = std::max(parts_, parts(depth_of(graph_.ops[op]), size_.depth));
  }

  void check_sizes() {
    const bool matmuls = std::ranges::any_of(
        step_.ops, [&](std::size_t op) { return graph_.ops[op].kind == TileOpKind::matmul; });
    if (size_.width > graph_.native.width || size_.height > graph_.native.height ||
        (matmuls && size_.depth > graph_.native.depth))
      result_.wrong = "its granularity exceeds the native granularity";
    if (!rulings_) return;
    for (const std::size_t op : step_.ops)
      if (graph_.ops[op].kind == TileOpKind::matmul && size_.depth > depth_of(graph_.ops[op]))
        result_.wrong = "its depth " + std::to_string(size_.depth) +
                        " exceeds the reduction of op " + std::to_string(op);
  }

  void check_grid() {
    std::set<std::pair<std::int64_t, std::int64_t>> grids;
    for (const std::size_t tensor : sinks_)
      grids.emplace(parts(graph_.tensors[tensor].height, size_.height),
                    parts(graph_.tensors[tensor].width, size_.width));
    if (grids.size() > 1 && !rulings_) result_.wrong = "its outputs do not share a grid of tiles";
    for (const auto& [rows, columns] : grids) {
      rows_ = std::max(rows_, rows);
      columns_ = std::max(columns_, columns);
    }
  }

  void check_traversal() {
    const auto tiles = static_cast<std::size_t>(rows_ * columns_);
    if (step_.traversal) {
      traversal_ = *step_.traversal;
    } else {
      traversal_.resize(tiles);
      std::iota(traversal_.begin(), traversal_.end(), std::size_t{0});
    }
    std::vector<std::size_t> sorted = traversal_;
    std::ranges::sort(sorted);
    bool all = sorted.size() == tiles;
    for (std::size_t k = 0; k < sorted.size() && all; ++k) all = sorted[k] == k;
    if (!all)
      result_.wrong =
          "its traversal is not a permutation of its " + std::to_string(tiles) + " tiles";
  }

  /// A piece of an operand of a matmul, with its reduction along the columns or the rows.
  void operand(Iteration& now, std::size_t tensor, const Rectangle& piece, Stream stream) {
    if (piece.empty()) return;
    const bool first = seen_.insert({tensor, piece}).second;
    if (!first) return;
    if (made(tensor) && outputs_.contains(tensor)) now.outputs[tensor].push_back(piece);
    if (!made(tensor)) {
      now.loads[tensor].push_back(piece);
      return;
    }
    if (rulings_ && !known_.insert({tensor, piece}).second) return;
    const TileOp& op = maker(tensor);
    const auto cost = static_cast<double>(op.cost);
    const std::int64_t tall = parts(piece.height(), graph_.native.height);
    const std::int64_t wide = parts(piece.width(), graph_.native.width);
    if (op.kind == TileOpKind::pointwise) {
      now.compute += cost * static_cast<double>(tall * wide);
      for (const std::size_t input : op.inputs) operand(now, input, piece, stream);
      return;
    }
    // The whole reduction: in proportion along the stream, full native tiles across it.
    const double along = stream == Stream::columns ? static_cast<double>(piece.width() * tall) /
                                                         static_cast<double>(graph_.native.width)
                                                   : static_cast<double>(piece.height() * wide) /
                                                         static_cast<double>(graph_.native.height);
    const std::int64_t depth = depth_of(op);
    const double reduction =
        rulings_ ? 1.0 : static_cast<double>(depth) / static_cast<double>(graph_.native.depth);
    now.compute += cost * along * reduction;
    operand(now, op.inputs[0], {piece.top, piece.bottom, 0, depth}, Stream::columns);
    operand(now, op.inputs[1], {0, depth, piece.left, piece.right}, Stream::rows);
  }

  /// The tile of a tensor that is aligned with the output tile.
  void aligned_tile(Iteration& now, std::size_t tensor, const Rectangle& tile) {
    if (!seen_tiles_.insert(tensor).second) return;
    const bool last = part_ == parts_ - 1;
    if (!made(tensor)) {
      if (last) now.loads[tensor].push_back(tile);
      return;
    }
    const TileOp& op = maker(tensor);
    if (last && outputs_.contains(tensor)) now.outputs[tensor].push_back(tile);
    if (op.kind == TileOpKind::pointwise) {
      if (last) now.compute += static_cast<double>(op.cost);
      for (const std::size_t input : op.inputs) aligned_tile(now, input, tile);
      return;
    }
    const std::int64_t depth = depth_of(op);
    const std::int64_t begin = part_ * size_.depth;
    const std::int64_t end = std::min(depth, begin + size_.depth);
    const bool shared = rulings_ && last && !outputs_.contains(tensor);
    if (size_.depth < depth && !shared) now.accumulators[tensor].push_back(tile);
    if (begin >= depth) return;
    now.compute += static_cast<double>(op.cost) * static_cast<double>(end - begin) /
                   static_cast<double>(rulings_ ? depth : graph_.native.depth);
    operand(now, op.inputs[0], {tile.top, tile.bottom, begin, end}, Stream::columns);
    operand(now, op.inputs[1], {begin, end, tile.left, tile.right}, Stream::rows);
  }

  Iteration iteration(const Tile& at) {
    Iteration now;
    seen_.clear();
    seen_tiles_.clear();
    for (const std::size_t tensor : sinks_) {
      const std::int64_t top = at.row * size_.height;
      const std::int64_t left = at.column * size_.width;
      const TileTensor& whole = graph_.tensors[tensor];
      if (top >= whole.height || left >= whole.width) continue;
      aligned_tile(now, tensor,
                   {top, std::min(whole.height, top + size_.height), left,
                    std::min(whole.width, left + size_.width)});
    }
    return now;
  }

  /// Adds the loads of an iteration to its memory. Returns the elements that are moved.
  std::int64_t load(Iteration& now, std::int64_t& memory) {
    std::int64_t moved = 0;
    for (auto& [tensor, pieces] : now.loads) {
      if (used_.contains(tensor)) continue;
      const Rectangles& have = before_[tensor];
      if (!rulings_) {
        memory += union_area(pieces);
        moved += new_area(have, pieces);
        continue;
      }
      // Only identical pieces are reused, or any piece of a tensor that is loaded as a whole.
      const Rectangle whole{0, graph_.tensors[tensor].height, 0, graph_.tensors[tensor].width};
      const auto has = [&](const Rectangles& list, const Rectangle& one) {
        return std::ranges::find(list, one) != list.end();
      };
      const bool whole_before = has(have, whole);
      if (whole_before || has(pieces, whole)) pieces = {whole};
      std::ranges::sort(pieces);
      pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
      for (const Rectangle& piece : pieces) {
        memory += piece.area();
        if (!whole_before && !has(have, piece)) moved += piece.area();
      }
    }
    return moved;
  }

  /// Adds the outputs and accumulators. Returns the elements that are moved.
  std::int64_t store(const Iteration& now, std::int64_t& memory, std::int64_t& retained_more) {
    std::int64_t moved = 0;
    for (const auto& [tensor, pieces] : now.outputs) {
      Rectangles all = pieces;
      if (const auto more = now.accumulators.find(tensor); more != now.accumulators.end())
        all.insert(all.end(), more->second.begin(), more->second.end());
      const std::int64_t added = new_area(stored_[tensor], pieces);
      memory += retained(tensor) ? new_area(stored_[tensor], all) : union_area(all);
      (retained(tensor) ? retained_more : moved) += added;
      if (added > 0)
        for (const Rectangle& piece : pieces) cover(stored_[tensor], piece);
    }
    for (const auto& [tensor, pieces] : now.accumulators)
      if (!now.outputs.contains(tensor)) memory += union_area(pieces);
    return moved;
  }

  void simulate(const std::vector<std::size_t>& resident) {
    std::int64_t base = 0;
    for (const std::size_t tensor : resident) {
      base += area_of(tensor);
      if (external_.contains(tensor)) used_.insert(tensor);
    }
    double total = 0;
    const auto bandwidth = static_cast<double>(graph_.bandwidth);
    for (const std::size_t flat : traversal_) {
      const Tile at{static_cast<std::int64_t>(flat) / columns_,
                    static_cast<std::int64_t>(flat) % columns_};
      for (part_ = 0; part_ < parts_; ++part_) {
        Iteration now = iteration(at);
        std::int64_t memory = base;
        std::int64_t retained_more = 0;
        std::int64_t moved = load(now, memory);
        moved += store(now, memory, retained_more);
        result_.peak = std::max(result_.peak, memory);
        base += retained_more;
        result_.moved += moved;
        total += std::max(now.compute * bandwidth, static_cast<double>(moved));
        before_ = std::move(now.loads);
      }
    }
    result_.latency = total / bandwidth;
    if (result_.peak > graph_.capacity)
      result_.wrong = "it needs " + std::to_string(result_.peak) + " elements of fast memory, " +
                      "more than the capacity " + std::to_string(graph_.capacity);
    for (const std::size_t tensor : outputs_)
      if (union_area(stored_[tensor]) != area_of(tensor))
        result_.wrong = "it makes only a part of its output tensor " + std::to_string(tensor);
  }

  const TileGraph& graph_;
  const std::vector<std::size_t>& producer_;
  const TileStep& step_;
  const Granularity size_;
  const bool rulings_;
  TileStepResult result_;
  std::set<std::size_t> made_, external_, retained_, outputs_, used_;
  std::vector<std::size_t> sinks_;
  std::vector<std::size_t> aligned_;  ///< matmuls
  std::int64_t parts_ = 1;            ///< of the reduction
  std::int64_t part_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::size_t> traversal_;
  std::set<Piece> seen_;
  std::set<std::size_t> seen_tiles_;
  std::set<Piece> known_;  ///< pieces made in this step (rulings)
  std::map<std::size_t, Rectangles> before_, stored_;
};

}  // namespace

TileLinks::TileLinks(const TileGraph& graph)
    : producer(graph.tensors.size(), none), consumers(graph.tensors.size()) {
  for (std::size_t op = 0; op < graph.ops.size(); ++op) {
    producer[graph.ops[op].output] = op;
    for (const std::size_t tensor : graph.ops[op].inputs) consumers[tensor].push_back(op);
  }
}

TileStepResult run_tile_step(const TileStepInput& input) {
  return StepRun(input).run(input.resident);
}

}  // namespace tessera
