#include "commands/canonical.h"

#include <algorithm>
#include <array>

#include "model/stored.h"
#include "tiling/ceil_div.h"

namespace tessera::commands {
namespace {

/// A loop over addresses and numbers together, in units of elements or bytes.
struct Pair {
  std::int64_t count = 1;
  std::int64_t address = 0;
  std::int64_t number = 0;
};

/// A range of channels with regular strides on both sides.
struct Chunk {
  std::int64_t count = 1;
  std::int64_t address = 0;  ///< of the first channel
  std::int64_t number = 0;
};

class Walk {
 public:
  /// Axes with regular strides.
  void add(std::int64_t count, std::int64_t address, std::int64_t number) {
    if (count > 1) loops_.push_back({count, address, number});
  }
  /// Calls see(address, number, length) for each run of elements `unit` apart.
  template <typename See>
  void run(std::int64_t address, std::int64_t number, std::int64_t unit, const See& see) {
    std::ranges::stable_sort(loops_, std::greater<>(), &Pair::address);
    std::vector<Pair> merged;
    for (const Pair& loop : loops_) {
      if (!merged.empty() && merged.back().address == loop.count * loop.address &&
          merged.back().number == loop.count * loop.number)
        merged.back() = {merged.back().count * loop.count, loop.address, loop.number};
      else
        merged.push_back(loop);
    }
    std::int64_t length = 1;
    if (!merged.empty() && merged.back().address == unit && merged.back().number == unit) {
      length = merged.back().count;
      merged.pop_back();
    }
    std::vector<std::int64_t> at(merged.size(), 0);
    for (;;) {
      see(address, number, length * unit);
      std::size_t k = merged.size();
      while (k > 0) {
        --k;
        address += merged[k].address;
        number += merged[k].number;
        if (++at[k] < merged[k].count) break;
        address -= merged[k].count * merged[k].address;
        number -= merged[k].count * merged[k].number;
        at[k] = 0;
        if (k == 0) return;
      }
      if (merged.empty()) return;
    }
  }

 private:
  std::vector<Pair> loops_;
};

}  // namespace

Canonical::Canonical(const Network& network, const Layout& layout) : network_(network) {
  for (TensorIndex t = 0; t < network.tensors.size(); ++t) {
    const Tensor& tensor = network.tensors[t];
    Order& order = orders_.emplace_back();
    const std::size_t rank = tensor.shape.size();
    if (has_layout(tensor)) {
      for (const std::uint8_t axis : layout.order)
        if (axis < rank) order.axes.push_back(axis);
      if (!is_outside(network, t)) order.brick = layout.brick;
    } else {
      for (std::size_t axis = 0; axis < rank; ++axis) order.axes.push_back(axis);
    }
    order.strides.assign(rank, 1);
    std::int64_t stride = order.brick;
    for (std::size_t k = order.axes.size(); k-- > 0;) {
      const std::size_t axis = order.axes[k];
      const bool bricks = axis == 1 && order.brick > 1;
      (bricks ? order.brick_stride : order.strides[axis]) = stride;
      stride *= bricks ? tiling::ceil_div(tensor.shape[1], order.brick) : tensor.shape[axis];
    }
  }
  for (OpIndex k = 0; k < network.ops.size(); ++k)
    if (network.ops[k].kind == OpKind::concat && network.ops[k].fused.empty())
      joined_by_.emplace(network.ops[k].outputs.front(), k);
}

std::int64_t Canonical::number(TensorIndex tensor, const std::vector<Dim>& at) const {
  const Order& order = orders_[tensor];
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    number += axis == 1 && order.brick > 1
                  ? at[1] / order.brick * order.brick_stride + at[1] % order.brick
                  : at[axis] * order.strides[axis];
  return number;
}

std::vector<Dim> Canonical::element(TensorIndex tensor, std::int64_t number) const {
  const Order& order = orders_[tensor];
  std::vector<Dim> at(order.strides.size(), 0);
  for (const std::size_t axis : order.axes) {
    const bool bricks = axis == 1 && order.brick > 1;
    const std::int64_t stride = bricks ? order.brick_stride : order.strides[axis];
    at[axis] = number / stride * (bricks ? order.brick : 1);
    number %= stride;
  }
  if (order.brick > 1 && at.size() > 1) at[1] += number;
  return at;
}

std::optional<Meaning> Canonical::in_operand(const Meaning& joined, Size length,
                                             Size element) const {
  const auto made = joined_by_.find(joined.tensor);
  if (made == joined_by_.end()) return std::nullopt;
  const Op& op = network_.ops[made->second];
  const std::size_t axis = op.axes.front();
  std::vector<Dim> at = this->element(joined.tensor, joined.first / element);
  std::vector<Dim> last = this->element(joined.tensor, (joined.first + length - 1) / element);
  for (const TensorIndex operand : op.inputs) {
    const Dim extent = network_.tensors[operand].shape[axis];
    if (at[axis] >= extent) {
      at[axis] -= extent;
      last[axis] -= extent;
      continue;
    }
    // A run of the output may have elements of other operands in between.
    const std::int64_t apart = number(operand, last) - number(operand, at);
    const std::int64_t wanted = (joined.first + length - 1) / element - joined.first / element;
    if (last[axis] < 0 || last[axis] >= extent || apart != wanted) return std::nullopt;
    return Meaning{.tensor = operand,
                   .first = number(operand, at) * element + joined.first % element,
                   .sums = joined.sums,
                   .defined = true};
  }
  return std::nullopt;
}

bool Canonical::same(const Meaning& a, const Meaning& b, Size length, Size element) const {
  if (a.defined != b.defined || a.sums != b.sums) return false;
  if (a.tensor == b.tensor) return a.first == b.first;
  if (a.sums != 0) return false;
  for (const auto& [joined, other] : {std::pair(a, b), std::pair(b, a)})
    if (const std::optional<Meaning> inner = in_operand(joined, length, element);
        inner && same(*inner, other, length, element))
      return true;
  return false;
}

/// Bytes of two elements, from runs of elements. A byte whose elements are consecutive has half the
/// number of the first one; if that is odd, counted from odd_begin() on. Others have negative
/// numbers.
class Canonical::Packer {
 public:
  Packer(Canonical& canonical, TensorIndex tensor, Offset begin, const See& see)
      : canonical_(canonical), odd_(canonical.odd_begin(tensor)), begin_(begin), see_(see) {}

  /// Elements at address / 2.
  void add(std::int64_t address, std::int64_t first, std::int64_t length) {
    if (address % 2 != 0) {
      if (low_ >= 0 && address / 2 != byte_) finish();
      byte_ = address / 2;
      high_ = first;
      finish();
      ++address, ++first, --length;
    } else {
      finish();
    }
    if (length > 1) {
      const Offset at = begin_ + address / 2;
      see_({at, at + length / 2}, first / 2 + (first % 2 != 0 ? odd_ : 0));
    }
    if (length % 2 != 0) {
      byte_ = (address + length) / 2;
      low_ = first + length - 1;
    }
  }
  /// The byte whose second element is not in the run of the first one.
  void finish() {
    if (low_ < 0 && high_ < 0) return;
    const std::int64_t number = low_ >= 0 && high_ == low_ + 1
                                    ? low_ / 2 + (low_ % 2 != 0 ? odd_ : 0)
                                    : canonical_.number_of({low_, high_});
    see_({begin_ + byte_, begin_ + byte_ + 1}, number);
    low_ = high_ = -1;
  }

 private:
  Canonical& canonical_;
  std::int64_t odd_;
  Offset begin_;
  const See& see_;
  std::int64_t byte_ = 0;
  std::int64_t low_ = -1;
  std::int64_t high_ = -1;
};

std::int64_t Canonical::odd_begin(TensorIndex tensor) const {
  return tiling::volume(tiling::whole(network_.tensors[tensor].shape)) / 2 + 1;
}

Canonical::Halves Canonical::halves(TensorIndex tensor, std::int64_t number) const {
  if (number < 0) return apart_[static_cast<std::size_t>(-1 - number)];
  const std::int64_t odd = odd_begin(tensor);
  const std::int64_t low = number < odd ? 2 * number : 2 * (number - odd) + 1;
  return {low, low + 1};
}

std::int64_t Canonical::number_of(const Halves& apart) {
  const auto [known, fresh] =
      numbers_.try_emplace(apart, -1 - static_cast<std::int64_t>(apart_.size()));
  if (fresh) apart_.push_back(apart);
  return known->second;
}

bool Canonical::same_halves(const Meaning& a, const Meaning& b, Size length) const {
  if (!a.defined || !b.defined || a.tensor != b.tensor || a.sums != b.sums) return false;
  if (a.first == b.first) return true;
  for (std::int64_t k = 0; k < length; ++k) {
    const Halves one = halves(a.tensor, a.first + k);
    const Halves other = halves(a.tensor, b.first + k);
    const auto differ = [](std::int64_t x, std::int64_t y) { return x >= 0 && y >= 0 && x != y; };
    if (differ(one.first, other.first) || differ(one.second, other.second)) return false;
  }
  return true;
}

void Canonical::each_run(const Operand& operand, const Part& part, const See& see) {
  const Order& order = orders_[operand.tensor];
  const bool packed = operand.bits < 8;
  const std::int64_t unit = packed ? 1 : operand.element_bytes;
  const tiling::Box& box = part.box;
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    if (axis != 1) number += box[axis].begin * order.strides[axis] * unit;
  std::vector<Chunk> chunks;
  const Dim in_memory = part.brick.channels;
  if (box.rank < 2) {
    chunks.push_back({1, 0, 0});
  } else if (in_memory == 1 && order.brick == 1) {
    chunks.push_back({box[1].size(), 0, box[1].begin * order.strides[1] * unit});
  } else {
    for (Dim c = box[1].begin; c < box[1].end;) {
      const Dim k = c - box[1].begin + part.brick.phase;
      Chunk chunk{.count = box[1].end - c};
      if (in_memory > 1) chunk.count = std::min(chunk.count, in_memory - k % in_memory);
      if (order.brick > 1) chunk.count = std::min(chunk.count, order.brick - c % order.brick);
      chunk.address = in_memory > 1
                          ? k / in_memory * part.brick.stride + k % in_memory * part.strides[1]
                          : (c - box[1].begin) * part.strides[1];
      chunk.number = (order.brick > 1 ? c / order.brick * order.brick_stride + c % order.brick
                                      : c * order.strides[1]) *
                     unit;
      c += chunk.count;
      chunks.push_back(chunk);
    }
  }
  Packer packer(*this, operand.tensor, part.address, see);
  for (const Chunk& chunk : chunks) {
    Walk walk;
    for (std::size_t axis = 0; axis < box.rank; ++axis)
      if (axis != 1) walk.add(box[axis].size(), part.strides[axis], order.strides[axis] * unit);
    if (box.rank > 1)
      walk.add(chunk.count, part.strides[1], order.brick > 1 ? unit : order.strides[1] * unit);
    walk.run(chunk.address, number + chunk.number, unit,
             [&](std::int64_t address, std::int64_t first, std::int64_t length) {
               if (packed)
                 packer.add(address, first, length);
               else
                 see({part.address + address, part.address + address + length}, first);
             });
  }
  packer.finish();
}

}  // namespace tessera::commands
