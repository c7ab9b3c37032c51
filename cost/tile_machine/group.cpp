#include "cost/tile_machine/group.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tessera::cost {

namespace {

bool lists(const std::vector<std::uint32_t>& sorted, std::size_t tensor) {
  return std::ranges::binary_search(sorted, static_cast<std::uint32_t>(tensor));
}

}  // namespace

TileGroup::TileGroup(const TileGraph& graph, const TileGroupQuery& query) {
  std::unordered_map<std::size_t, std::int32_t> local;
  const auto number = [&](std::size_t tensor) {
    const auto [at, fresh] = local.emplace(tensor, static_cast<std::int32_t>(tensors_.size()));
    if (fresh)
      tensors_.push_back({.width = graph.tensors[tensor].width,
                          .height = graph.tensors[tensor].height,
                          .output = lists(query.written, tensor) || lists(query.kept, tensor),
                          .kept = lists(query.kept, tensor),
                          .resident = lists(query.resident, tensor),
                          .free = query.relaxed && lists(query.kept, tensor)});
    return at->second;
  };
  base_ = query.idle;
  for (const std::uint32_t each : query.ops) {
    const tessera::TileOp& op = graph.ops[each];
    Op mine{.matmul = op.kind == TileOpKind::matmul, .cost = op.cost};
    if (mine.matmul) mine.depth = graph.tensors[op.inputs[0]].width;
    for (const std::size_t input : op.inputs) mine.inputs.push_back(number(input));
    mine.output = number(op.output);
    ops_.push_back(std::move(mine));
  }
  std::vector<bool> read(tensors_.size());
  for (std::size_t k = 0; k < ops_.size(); ++k) {
    tensors_[static_cast<std::size_t>(ops_[k].output)].maker = static_cast<std::int32_t>(k);
    for (const std::int32_t input : ops_[k].inputs) read[static_cast<std::size_t>(input)] = true;
  }
  for (const Op& op : ops_)
    if (!read[static_cast<std::size_t>(op.output)]) {
      sinks_.push_back(op.output);
      tensors_[static_cast<std::size_t>(op.output)].output = true;
    }
  for (const Tensor& tensor : tensors_)
    if (tensor.resident && !query.relaxed) base_ += tensor.area();
  align();
  find_pieces();
  find_mixed();
}

void TileGroup::align() {
  std::vector<bool> seen(tensors_.size());
  std::vector<std::int32_t> todo = sinks_;
  least_depth_ = std::numeric_limits<std::int64_t>::max();
  for (const Op& op : ops_)
    if (op.matmul) {
      has_matmul_ = true;
      least_depth_ = std::min(least_depth_, op.depth);
    }
  while (!todo.empty()) {
    const auto tensor = static_cast<std::size_t>(todo.back());
    todo.pop_back();
    if (seen[tensor] || tensors_[tensor].maker < 0) continue;
    seen[tensor] = true;
    Op& op = ops_[static_cast<std::size_t>(tensors_[tensor].maker)];
    if (!op.matmul) {
      todo.insert(todo.end(), op.inputs.begin(), op.inputs.end());
      continue;
    }
    op.aligned = true;
    depths_.push_back(op.depth);
  }
  std::ranges::sort(depths_);
  depths_.erase(std::unique(depths_.begin(), depths_.end()), depths_.end());
}

double TileGroup::aligned_compute(std::int64_t native_depth) const {
  double sum = 0;
  for (const Op& op : ops_) {
    const std::vector<Piece>& pieces = pieces_[static_cast<std::size_t>(op.output)];
    if (std::ranges::none_of(pieces, &Piece::aligned)) continue;
    sum += op.matmul && native_depth > 0
               ? static_cast<double>(op.cost * op.depth) / static_cast<double>(native_depth)
               : static_cast<double>(op.cost);
  }
  return sum;
}

void TileGroup::find_pieces() {
  std::vector<std::pair<std::int32_t, Piece>> todo;
  pieces_.resize(tensors_.size());
  const auto add = [&](std::int32_t tensor, const Piece& piece) {
    std::vector<Piece>& list = pieces_[static_cast<std::size_t>(tensor)];
    if (std::ranges::find(list, piece) != list.end()) return;
    list.push_back(piece);
    todo.emplace_back(tensor, piece);
  };
  for (const std::int32_t sink : sinks_) add(sink, {});
  while (!todo.empty()) {
    const auto [tensor, piece] = todo.back();
    todo.pop_back();
    const std::int32_t maker = tensors_[static_cast<std::size_t>(tensor)].maker;
    if (maker < 0) continue;
    const Op& op = ops_[static_cast<std::size_t>(maker)];
    const bool inner = !piece.aligned;
    if (!op.matmul) {
      for (const std::int32_t input : op.inputs)
        add(input, {piece.rows, piece.columns, piece.aligned, inner});
    } else {
      const Axis reduction = piece.aligned ? by_part : whole;
      add(op.inputs[0], {piece.rows, reduction, false, inner});
      add(op.inputs[1], {reduction, piece.columns, false, inner});
    }
  }
}

void TileGroup::find_mixed() {
  for (const std::int32_t sink : sinks_) {
    const Tensor& a = tensors_[static_cast<std::size_t>(sink)];
    const Tensor& b = tensors_[static_cast<std::size_t>(sinks_.front())];
    if (a.width != b.width || a.height != b.height) one_shape_ = false;
  }
  plain_ = one_shape_;
  const auto mixed = [](unsigned axis) { return (axis & by_tile) != 0 && (axis & by_part) != 0; };
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    unsigned rows = 0, columns = 0, operand_rows = 0, operand_columns = 0;
    for (const Piece& piece : pieces_[t]) {
      rows |= piece.rows;
      columns |= piece.columns;
      if (piece.aligned) continue;
      operand_rows |= piece.rows;
      operand_columns |= piece.columns;
    }
    rows_.any = rows_.any || mixed(rows);
    rows_.operands = rows_.operands || mixed(operand_rows);
    columns_.any = columns_.any || mixed(columns);
    columns_.operands = columns_.operands || mixed(operand_columns);
    if (tensors_[t].output && pieces_[t].size() > 1) plain_ = false;
  }
}

}  // namespace tessera::cost
