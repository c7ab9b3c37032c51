// Memo of array costs. Trying all blocks of an op dominates its cost estimate, and planning a
// network asks for the same parts of the same ops thousands of times.
//
//   ArrayMemo memo(hardware);                       // one for all plans on such arrays
//   ComputeCost c = compute_cost(net, op, extents, hardware, &memo);
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cost/mapping.h"
#include "model/key_hash.h"
#include "model/shared_table.h"
#include "tessera/hardware.h"
#include "tiling/loops.h"

namespace tessera::cost {

/// Thread-safe. Holds up to `most` entries of half a kilobyte each.
class ArrayMemo {
 public:
  static constexpr std::size_t most = 1 << 18;

  /// require: callers use hardware with the same engines and port bandwidths (array_key()).
  explicit ArrayMemo(const Hardware& hardware) : hardware_(hardware), port_(port_of(hardware)) {}

  /// ensure: array_choices() of the engine with this index.
  [[nodiscard]] ArrayChoices choices(const Op& op, const tiling::OpLoops& loops, std::size_t engine,
                                     OffChipOperands off_chip = {});

 private:
  /// Everything array_cost() depends on except the engine: the loops, the name of the op, and
  /// whether functions are fused into it.
  using Key = std::array<std::int64_t, 30>;

  [[nodiscard]] std::array<std::int64_t, 2> number_of(const std::string& name);

  Hardware hardware_;
  ArrayPort port_;
  std::mutex lock_;  ///< guards the numbering of long names
  std::unordered_map<std::string, std::int64_t> long_names_;  ///< function names of ops, numbered
  SharedTable<Key, ArrayChoices, KeyHash> known_{most};
};

}  // namespace tessera::cost
