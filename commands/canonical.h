// Numbers the elements of tensors, and walks the bytes of operands in these numbers.
//
//   Canonical canonical(network, on_chip_layout(hardware));
//   canonical.each_run(operand, part, [&](AddressRange bytes, std::int64_t first) { ... });
//
// The order is that of the on-chip layout, so most parts of tensors are few runs. Private to
// commands/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commands/command.h"
#include "commands/contents.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/problem.h"

namespace tessera::commands {

class Canonical {
 public:
  using See = std::function<void(AddressRange bytes, std::int64_t first)>;

  Canonical(const Network& network, const Layout& layout);

  /// The bytes of a part, in runs of consecutive bytes and numbers. `first` is the number of the
  /// first byte: the number of its element times the size of an element. A byte of two elements has
  /// a number that same_halves() knows.
  void each_run(const Operand& operand, const Part& part, const See& see);

  /// Do both mean the same `length` bytes? The output of a concatenation has the elements of its
  /// operands. `element`: bytes of one.
  [[nodiscard]] bool same(const Meaning& a, const Meaning& b, Size length, Size element) const;
  /// The same for bytes of two elements. A half without an element may have any.
  [[nodiscard]] bool same_halves(const Meaning& a, const Meaning& b, Size length) const;

 private:
  /// The elements in the low and the high half of a byte; -1: none.
  using Halves = std::pair<std::int64_t, std::int64_t>;
  class Packer;
  [[nodiscard]] std::int64_t odd_begin(TensorIndex tensor) const;
  [[nodiscard]] Halves halves(TensorIndex tensor, std::int64_t number) const;
  [[nodiscard]] std::int64_t number_of(const Halves& apart);

  /// The number of an element, and the inverse.
  [[nodiscard]] std::int64_t number(TensorIndex tensor, const std::vector<Dim>& at) const;
  [[nodiscard]] std::vector<Dim> element(TensorIndex tensor, std::int64_t number) const;
  /// The same bytes in an operand of the concatenation that makes the tensor, if they are in one.
  [[nodiscard]] std::optional<Meaning> in_operand(const Meaning& joined, Size length,
                                                  Size element) const;

  struct Order {
    std::vector<std::int64_t> strides;  ///< elements, per axis
    Dim brick = 1;
    std::int64_t brick_stride = 0;
    std::vector<std::size_t> axes;  ///< from the outermost; axis 1 counts bricks
  };
  std::vector<Order> orders_;  ///< per tensor
  const Network& network_;
  std::unordered_map<TensorIndex, OpIndex> joined_by_;  ///< outputs of concatenations
  std::vector<Halves> apart_;                           ///< in one byte, but not consecutive
  std::map<Halves, std::int64_t> numbers_;              ///< of these bytes
};

}  // namespace tessera::commands
