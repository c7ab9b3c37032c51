#include "planner/piece_store.h"

#include <utility>

#include "planner/candidates.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

/// Everything make_piece() reads of a group.
std::string key_of(const PlannedSubgraph& planned) {
  std::string key;
  const auto number = [&](std::int64_t value) { (key += std::to_string(value)) += ' '; };
  const auto names = [&](const std::vector<std::string>& all) {
    number(static_cast<std::int64_t>(all.size()));
    for (const std::string& name : all) {
      number(static_cast<std::int64_t>(name.size()));
      key += name;
    }
  };
  number(static_cast<std::int64_t>(planned.ops.first));
  number(static_cast<std::int64_t>(planned.ops.last));
  for (const Dim extent : planned.extent) number(extent);
  for (const Dim count : planned.counts) number(count);
  key += variant_word(planned.variant);
  number(planned.variant.reduction);
  names(planned.kept);
  names(planned.early);
  names(planned.ahead);
  names(planned.passing);
  return key;
}

}  // namespace

PieceStore::PieceStore(const Network& network, const Hardware& hardware,
                       std::shared_ptr<cost::ArrayMemo> arrays)
    : network_(network),
      hardware_(hardware),
      readers_(tiling::last_readers(network)),
      arrays_(std::move(arrays)) {}

std::shared_ptr<const Piece> PieceStore::of(const PlannedSubgraph& planned) {
  const std::string key = key_of(planned);
  {
    const std::lock_guard guard(lock_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  auto piece = std::make_shared<const Piece>(make_piece(network_, hardware_, planned, readers_));
  const std::lock_guard guard(lock_);
  if (known_.size() >= most) known_.clear();
  known_.emplace(key, piece);
  return piece;
}

cost::GroupCost PieceStore::cost(const Piece& piece,
                                 const std::vector<PlannedPlacement>& placements) const {
  cost::TiledGroup run = piece_run(piece, hardware_, placements);
  run.memo = arrays_.get();
  return cost::group_cost(run);
}

}  // namespace tessera::planner
