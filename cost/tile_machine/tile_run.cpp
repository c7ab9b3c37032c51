#include "cost/tile_machine/tile_run.h"

#include <algorithm>

namespace tessera::cost {
std::pair<std::int64_t, std::int64_t> walk_step(TileWalk walk, std::int64_t rows,
                                                std::int64_t columns, std::int64_t at) {
  if (walk == TileWalk::snake_columns) {
    const std::int64_t column = at / rows;
    const std::int64_t row = at % rows;
    return {column % 2 == 0 ? row : rows - 1 - row, column};
  }
  const std::int64_t row = at / columns;
  const std::int64_t column = at % columns;
  return {row, walk == TileWalk::rows || row % 2 == 0 ? column : columns - 1 - column};
}

std::pair<std::int64_t, std::int64_t> TileSimulation::grid(const TileGroup& group,
                                                           const Granularity& size) const {
  const Granularity& native = machine_.native;
  if (size.width > native.width || size.height > native.height) return {0, 0};
  if (group.has_matmul() && size.depth > native.depth) return {0, 0};
  if (machine_.rulings && group.has_matmul() && size.depth > group.least_depth()) return {0, 0};
  std::pair<std::int64_t, std::int64_t> grid{0, 0};
  for (const std::int32_t sink : group.sinks()) {
    const TileGroup::Tensor& tensor = group.tensors()[static_cast<std::size_t>(sink)];
    const std::pair<std::int64_t, std::int64_t> mine{parts_of(tensor.height, size.height),
                                                     parts_of(tensor.width, size.width)};
    if (grid.first != 0 && grid != mine && !machine_.rulings) return {0, 0};
    grid = {std::max(grid.first, mine.first), std::max(grid.second, mine.second)};
  }
  return grid;
}

double TileSimulation::cost(const TileGroup& group, const TileChoice& choice, double limit) {
  if (!begin(group, choice.granularity)) return infinity;
  return walk([&](std::int64_t at) { return walk_step(choice.walk, rows_, columns_, at); }, limit);
}

double TileSimulation::cost(const TileGroup& group, const Granularity& granularity,
                            std::span<const std::size_t> traversal) {
  if (!begin(group, granularity)) return infinity;
  return walk(
      [&](std::int64_t at) {
        const auto flat = static_cast<std::int64_t>(traversal[static_cast<std::size_t>(at)]);
        return std::pair{flat / columns_, flat % columns_};
      },
      infinity);
}

bool TileSimulation::fits(const TileGroup& group, const Granularity& granularity,
                          std::int64_t accumulated) {
  if (!begin(group, granularity)) return false;
  accumulated_ = accumulated;
  const std::int64_t peak = run_tile({}).peak;
  accumulated_ = 0;
  return group.base() + peak <= machine_.capacity;
}

bool TileSimulation::begin(const TileGroup& group, const Granularity& granularity) {
  group_ = &group;
  size_ = granularity;
  std::tie(rows_, columns_) = grid(group, granularity);
  if (rows_ == 0) return false;
  parts_ = 1;
  for (const std::int64_t depth : group.depths())
    parts_ = std::max(parts_, parts_of(depth, size_.depth));
  regular_ = group.regular(rows_, columns_) && group.tensors().size() <= 64;
  tile_compute_ = 0;
  if (group.one_shape())
    tile_compute_ = group.aligned_compute(machine_.rulings ? 0 : machine_.native.depth) *
                    static_cast<double>(machine_.bandwidth) * (1 - tolerance);
  find_events();
  known_ever_.clear();
  if (!regular_) stored_.assign(group.tensors().size(), {});
  memo_.clear();
  before_.clear();
  whole_ = 0;
  row_visited_.assign(static_cast<std::size_t>(rows_), 0);
  column_visited_.assign(static_cast<std::size_t>(columns_), 0);
  return true;
}

double TileSimulation::least_tile(const TileGroup& group, const Granularity& granularity) {
  if (!begin(group, granularity) || !regular_) return 0;
  if (group.mixed_rows() || group.mixed_columns()) return 0;
  for (std::size_t t = 0; t < group.tensors().size(); ++t)
    if (machine_.rulings && group.tensors()[t].maker < 0 && group.pieces(t).size() > 1) return 0;
  const Tile tile{.first = false, .first_in_row = false, .first_in_column = false};
  rebuild_loads(tile, parts_ - 1, true);
  // The tile before is another one: it shares the row or the column.
  std::erase_if(before_, [](const Piece& each) { return each.tile_rows && each.tile_columns; });
  return run_tile(tile).cost;
}

void TileSimulation::find_events() {
  events_.assign({0, parts_ - 1, parts_});
  for (const std::int64_t depth : group_->depths()) {
    const std::int64_t last = parts_of(depth, size_.depth);
    events_.push_back(last - 1);
    events_.push_back(last);
  }
  std::ranges::sort(events_);
  events_.erase(std::unique(events_.begin(), events_.end()), events_.end());
}

TileSimulation::Signature TileSimulation::signature(const Tile& tile, const Tile& before,
                                                    std::uint64_t whole) const {
  const TileGroup::Tensor& sink =
      group_->tensors()[static_cast<std::size_t>(group_->sinks().front())];
  // Along mixed axes the position matters, too.
  const auto tall = [&](const Tile& each) {
    const std::int64_t height = std::min(size_.height, sink.height - each.row * size_.height);
    return group_->mixed_rows() ? each.row * sink.height + height : height;
  };
  const auto wide = [&](const Tile& each) {
    const std::int64_t width = std::min(size_.width, sink.width - each.column * size_.width);
    return group_->mixed_columns() ? each.column * sink.width + width : width;
  };
  const unsigned flags = (tile.first ? 1U : 0U) | (tile.first_in_row ? 2U : 0U) |
                         (tile.first_in_column ? 4U : 0U) | (tile.row == before.row ? 8U : 0U) |
                         (tile.column == before.column ? 16U : 0U) | (before.first ? 32U : 0U) |
                         (before.first_in_row ? 64U : 0U) | (before.first_in_column ? 128U : 0U);
  return {tall(tile), wide(tile), tall(before), wide(before), flags, whole};
}

double TileSimulation::walk(const Positions& positions, double limit) {
  double total = 0;
  std::int64_t resident = group_->base();
  Tile before;
  bool built = true;  // before_ holds the loads of the tile before
  for (std::int64_t at = 0; at < rows_ * columns_; ++at) {
    Tile tile;
    std::tie(tile.row, tile.column) = positions(at);
    char& in_row = row_visited_[static_cast<std::size_t>(tile.row)];
    char& in_column = column_visited_[static_cast<std::size_t>(tile.column)];
    tile.first = at == 0;
    tile.first_in_row = in_row == 0;
    tile.first_in_column = in_column == 0;
    in_row = in_column = 1;
    TileCost now;
    bool found = false;
    Signature key{};
    if (regular_) {
      key = signature(tile, before, whole_);
      for (const auto& [other, cost] : memo_)
        if (other == key) {
          now = cost;
          found = true;
          break;
        }
    }
    if (found) {
      whole_ = now.whole;
      built = false;
    } else {
      if (!built) rebuild_loads(before, parts_ - 1, true);
      now = run_tile(tile);
      built = true;
      if (regular_) memo_.emplace_back(key, now);
    }
    if (resident + now.peak > machine_.capacity) return infinity;
    resident += now.retained;
    total += now.cost;
    if (total + tile_compute_ * static_cast<double>(rows_ * columns_ - 1 - at) >= limit)
      return infinity;
    before = tile;
  }
  return total;
}

TileSimulation::TileCost TileSimulation::run_tile(const Tile& tile) {
  tile_ = tile;
  known_.clear();
  stored_here_.clear();
  TileCost sum;
  std::size_t event = 0;
  for (std::int64_t part = 0; part < parts_;) {
    while (events_[event] < part) ++event;
    const bool plain = regular_ && events_[event] > part && part > 0 &&
                       (event == 0 || events_[event - 1] < part - 1);
    const std::int64_t repeat = plain ? events_[event] - part : 1;
    run_part(tile, part, sum, repeat);
    part += repeat;
    if (repeat > 1) rebuild_loads(tile, part - 1, false);
  }
  sum.whole = whole_;
  return sum;
}

void TileSimulation::run_part(const Tile& tile, std::int64_t part, TileCost& sum,
                              std::int64_t repeat) {
  ++work_;
  require(tile, part);
  std::int64_t memory = sum.retained;
  std::int64_t retained = 0;
  std::int64_t moved = load(memory);
  moved += store(memory, retained);
  // Repeated parts retain alike, so that the last of them needs the most.
  sum.peak = std::max(sum.peak, memory + retained * (repeat - 1));
  sum.retained += retained * repeat;
  sum.cost +=
      static_cast<double>(repeat) *
      std::max(compute_ * static_cast<double>(machine_.bandwidth), static_cast<double>(moved));
  std::swap(before_, loads_);
}

/// Sets before_ to the loads of a part of a tile, without its cost. `fresh`: a tile that was not
/// simulated before.
void TileSimulation::rebuild_loads(const Tile& tile, std::int64_t part, bool fresh) {
  if (fresh) {
    tile_ = tile;
    known_.clear();
    if (machine_.rulings && part > 0) require(tile, 0);  // pieces that later parts do not need
  }
  require(tile, part);
  group_pieces(loads_);
  if (!machine_.rulings) drop_covered(loads_);
  if (machine_.rulings)
    for (Piece& piece : loads_)
      if ((whole_ & whole_bit(piece.tensor)) != 0) piece.area = all_of(piece.tensor);
  std::swap(before_, loads_);
}

void TileSimulation::require(const Tile& tile, std::int64_t part) {
  compute_ = 0;
  loads_.clear();
  outputs_.clear();
  accumulators_.clear();
  seen_.clear();
  seen_tiles_.assign(group_->tensors().size(), 0);
  for (const std::int32_t sink : group_->sinks()) {
    const TileGroup::Tensor& whole = group_->tensors()[static_cast<std::size_t>(sink)];
    const std::int64_t top = tile.row * size_.height;
    const std::int64_t left = tile.column * size_.width;
    if (top >= whole.height || left >= whole.width) continue;
    need_tile(sink,
              {top, std::min(whole.height, top + size_.height), left,
               std::min(whole.width, left + size_.width)},
              part);
  }
}

void TileSimulation::need_tile(std::int32_t tensor, const Rectangle& area, std::int64_t part) {
  char& seen = seen_tiles_[static_cast<std::size_t>(tensor)];
  if (seen != 0) return;
  seen = 1;
  const TileGroup::Tensor& what = group_->tensors()[static_cast<std::size_t>(tensor)];
  const bool last = part == parts_ - 1;
  const Piece piece{tensor, area, true, true};
  if (what.maker < 0) {
    if (last && !what.resident) loads_.push_back(piece);
    return;
  }
  const TileGroup::Op& op = group_->ops()[static_cast<std::size_t>(what.maker)];
  if (last && what.output) outputs_.push_back(piece);
  if (!op.matmul) {
    if (last) compute_ += static_cast<double>(op.cost);
    for (const std::int32_t input : op.inputs) need_tile(input, area, part);
    return;
  }
  const std::int64_t begin = part * size_.depth;
  const std::int64_t end = std::min(op.depth, begin + size_.depth);
  if (size_.depth < op.depth && op.depth >= accumulated_ &&
      !(machine_.rulings && last && !what.output))
    accumulators_.push_back(piece);
  if (begin >= op.depth) return;
  compute_ += static_cast<double>(op.cost) * static_cast<double>(end - begin) /
              static_cast<double>(machine_.rulings ? op.depth : machine_.native.depth);
  need_operand({op.inputs[0], {area.top, area.bottom, begin, end}, true, false}, true);
  need_operand({op.inputs[1], {begin, end, area.left, area.right}, false, true}, false);
}

void TileSimulation::need_operand(const Piece& piece, bool along_columns) {
  if (piece.area.empty()) return;
  for (const Piece& each : seen_)
    if (each.tensor == piece.tensor && each.area == piece.area) return;
  seen_.push_back(piece);
  const TileGroup::Tensor& what = group_->tensors()[static_cast<std::size_t>(piece.tensor)];
  if (what.maker < 0) {
    if (!what.resident) loads_.push_back(piece);
    return;
  }
  if (what.output) outputs_.push_back(piece);
  if (machine_.rulings && known(piece)) return;
  const TileGroup::Op& op = group_->ops()[static_cast<std::size_t>(what.maker)];
  const auto cost = static_cast<double>(op.cost);
  const Rectangle& area = piece.area;
  const std::int64_t tall = parts_of(area.height(), machine_.native.height);
  const std::int64_t wide = parts_of(area.width(), machine_.native.width);
  if (!op.matmul) {
    compute_ += cost * static_cast<double>(tall * wide);
    for (const std::int32_t input : op.inputs)
      need_operand({input, area, piece.tile_rows, piece.tile_columns}, along_columns);
    return;
  }
  // The whole reduction: in proportion along the stream, full native tiles across it.
  const double along =
      along_columns
          ? static_cast<double>(area.width() * tall) / static_cast<double>(machine_.native.width)
          : static_cast<double>(area.height() * wide) / static_cast<double>(machine_.native.height);
  const double reduction =
      machine_.rulings ? 1.0
                       : static_cast<double>(op.depth) / static_cast<double>(machine_.native.depth);
  compute_ += cost * along * reduction;
  need_operand({op.inputs[0], {area.top, area.bottom, 0, op.depth}, piece.tile_rows, false}, true);
  need_operand({op.inputs[1], {0, op.depth, area.left, area.right}, false, piece.tile_columns},
               false);
}

/// Did an earlier tile of a regular group need the piece? A piece that depends on the row alone is
/// needed by every tile of the row.
bool TileSimulation::made_before(const Piece& piece) const {
  if (piece.tile_rows) return !piece.tile_columns && !tile_.first_in_row;
  return piece.tile_columns ? !tile_.first_in_column : !tile_.first;
}

/// Was the piece made before in this call? Notes that it is.
bool TileSimulation::known(const Piece& piece) {
  if (!regular_) return !known_ever_.insert({piece.tensor, piece.area}).second;
  if (made_before(piece)) return true;
  for (const Piece& each : known_)
    if (each.tensor == piece.tensor && each.area == piece.area) return true;
  known_.push_back(piece);
  return false;
}

Rectangle TileSimulation::all_of(std::int32_t tensor) const {
  const TileGroup::Tensor& what = group_->tensors()[static_cast<std::size_t>(tensor)];
  return {0, what.height, 0, what.width};
}

/// Sorts the pieces so that those of one tensor are adjacent.
void TileSimulation::group_pieces(std::vector<Piece>& pieces) {
  // A stable insertion sort: there are few pieces, and they are nearly sorted.
  for (std::size_t k = 1; k < pieces.size(); ++k)
    for (std::size_t at = k; at > 0 && pieces[at].tensor < pieces[at - 1].tensor; --at)
      std::swap(pieces[at], pieces[at - 1]);
}

/// Drops pieces that another piece of their tensor covers.
void TileSimulation::drop_covered(std::vector<Piece>& pieces) {
  const auto covers = [](const Rectangle& a, const Rectangle& b) {
    return a.top <= b.top && a.bottom >= b.bottom && a.left <= b.left && a.right >= b.right;
  };
  std::size_t kept = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    bool covered = false;
    for (std::size_t other = 0; other < pieces.size() && !covered; ++other)
      covered = other != k && pieces[other].tensor == pieces[k].tensor &&
                covers(pieces[other].area, pieces[k].area) &&
                (other < k || pieces[other].area != pieces[k].area);
    if (!covered) pieces[kept++] = pieces[k];
  }
  pieces.resize(kept);
}

/// The end of the pieces of the tensor at `begin`.
std::size_t TileSimulation::end_of(const std::vector<Piece>& pieces, std::size_t begin) {
  std::size_t end = begin;
  while (end < pieces.size() && pieces[end].tensor == pieces[begin].tensor) ++end;
  return end;
}

Rectangles TileSimulation::areas_of(const std::vector<Piece>& pieces, std::int32_t tensor) {
  Rectangles out;
  for (const Piece& each : pieces)
    if (each.tensor == tensor) out.push_back(each.area);
  return out;
}

/// Adds the loads to the memory. Returns the elements that are moved.
std::int64_t TileSimulation::load(std::int64_t& memory) {
  group_pieces(loads_);
  std::int64_t moved = 0;
  if (machine_.rulings) return load_rulings(memory);
  drop_covered(loads_);
  for (std::size_t begin = 0; begin < loads_.size();) {
    const std::size_t end = end_of(loads_, begin);
    const std::int32_t tensor = loads_[begin].tensor;
    std::size_t from = 0;
    while (from < before_.size() && before_[from].tensor != tensor) ++from;
    const std::size_t until = from < before_.size() ? end_of(before_, from) : from;
    if (end == begin + 1 && until <= from + 1) {
      const Rectangle& now = loads_[begin].area;
      memory += now.area();
      moved += now.area() - (until > from ? common_area(before_[from].area, now) : 0);
    } else {
      const Rectangles now = areas_of(loads_, tensor);
      memory += union_area(now);
      moved += new_area(areas_of(before_, tensor), now);
    }
    begin = end;
  }
  return moved;
}

/// Only identical pieces are reused, or any piece of a tensor that is loaded as a whole.
std::int64_t TileSimulation::load_rulings(std::int64_t& memory) {
  std::int64_t moved = 0;
  std::size_t kept = 0;
  whole_ = 0;
  const auto before = [&](const Piece& piece, const Rectangle& area) {
    return std::ranges::any_of(before_, [&](const Piece& each) {
      return each.tensor == piece.tensor && each.area == area;
    });
  };
  for (std::size_t begin = 0; begin < loads_.size();) {
    const std::size_t end = end_of(loads_, begin);
    const Rectangle all = all_of(loads_[begin].tensor);
    const bool whole_before = before(loads_[begin], all);
    bool whole = whole_before;
    for (std::size_t k = begin; k < end; ++k) whole = whole || loads_[k].area == all;
    const std::size_t first = kept;
    for (std::size_t k = begin; k < (whole ? begin + 1 : end); ++k) {
      Piece piece = loads_[k];
      if (whole) piece.area = all;
      bool again = false;
      for (std::size_t other = first; other < kept; ++other)
        again = again || loads_[other].area == piece.area;
      if (again) continue;
      memory += piece.area.area();
      if (!whole_before && !before(piece, piece.area)) moved += piece.area.area();
      loads_[kept++] = piece;
    }
    if (whole) whole_ |= whole_bit(loads_[first].tensor);
    begin = end;
  }
  loads_.resize(kept);
  return moved;
}

/// Adds outputs and accumulators to the memory. Returns the elements that are moved.
std::int64_t TileSimulation::store(std::int64_t& memory, std::int64_t& retained) {
  group_pieces(outputs_);
  std::int64_t moved = 0;
  for (std::size_t begin = 0; begin < outputs_.size();) {
    const std::size_t end = end_of(outputs_, begin);
    const std::int32_t tensor = outputs_[begin].tensor;
    const bool kept = group_->tensors()[static_cast<std::size_t>(tensor)].kept;
    const bool free = group_->tensors()[static_cast<std::size_t>(tensor)].free;
    if (free) {
      begin = end;
      continue;
    }
    const std::int64_t added =
        regular_ ? store_once(outputs_[begin], kept, memory) : store_any(tensor, kept, memory);
    (kept ? retained : moved) += added;
    begin = end;
  }
  for (std::size_t k = 0; k < accumulators_.size(); ++k) {
    const std::int32_t tensor = accumulators_[k].tensor;
    const auto same = [&](const Piece& piece) { return piece.tensor == tensor; };
    if (std::ranges::none_of(outputs_, same)) memory += accumulators_[k].area.area();
  }
  return moved;
}

/// An output with one piece per iteration; an accumulator is the same piece.
std::int64_t TileSimulation::store_once(const Piece& piece, bool kept, std::int64_t& memory) {
  bool fresh = !made_before(piece);
  for (const Piece& each : stored_here_)
    if (each.tensor == piece.tensor && each.area == piece.area) fresh = false;
  if (fresh) stored_here_.push_back(piece);
  const std::int64_t added = fresh ? piece.area.area() : 0;
  memory += kept ? added : piece.area.area();
  return added;
}

std::int64_t TileSimulation::store_any(std::int32_t tensor, bool kept, std::int64_t& memory) {
  Rectangles& stored = stored_[static_cast<std::size_t>(tensor)];
  const Rectangles pieces = areas_of(outputs_, tensor);
  Rectangles all = pieces;
  for (const Rectangle& each : areas_of(accumulators_, tensor)) all.push_back(each);
  const std::int64_t added = new_area(stored, pieces);
  memory += kept ? new_area(stored, all) : union_area(all);
  if (added > 0)
    for (const Rectangle& piece : pieces) cover(stored, piece);
  return added;
}

}  // namespace tessera::cost
