// Store of pieces: a search makes the same groups repeatedly.
//
//   PieceStore pieces(network, hardware);
//   const std::shared_ptr<const Piece> piece = pieces.of(planned);
//   const cost::GroupCost cost = pieces.cost(*piece, planned.placements);
//
// Thread-safe. Private to planner/.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cost/array_memo.h"
#include "cost/tiled_group.h"
#include "planner/piece.h"
#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tessera/network_plan.h"

namespace tessera::planner {

class PieceStore {
 public:
  /// require: both outlive the store.
  PieceStore(const Network& network, const Hardware& hardware,
             std::shared_ptr<cost::ArrayMemo> arrays = nullptr);

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const Hardware& hardware() const { return hardware_; }
  /// make_piece(). Placements and costs of `planned` are ignored.
  [[nodiscard]] std::shared_ptr<const Piece> of(const PlannedSubgraph& planned);
  [[nodiscard]] cost::GroupCost cost(const Piece& piece,
                                     const std::vector<PlannedPlacement>& placements) const;

 private:
  static constexpr std::size_t most = 4096;  ///< the store is cleared when it is full

  const Network& network_;
  const Hardware& hardware_;
  std::vector<std::optional<OpIndex>> readers_;
  std::shared_ptr<cost::ArrayMemo> arrays_;
  std::mutex lock_;
  std::unordered_map<std::string, std::shared_ptr<const Piece>> known_;
};

}  // namespace tessera::planner
