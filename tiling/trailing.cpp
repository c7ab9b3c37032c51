#include "tiling/trailing.h"

#include "tiling/engine_choice.h"
#include "tiling/geometry.h"

namespace tessera::tiling {
namespace {

/// Do tiles of some shape compute parts of the tensor that the tile before has computed? Tiles that
/// are as small as possible share most.
bool shares_parts(const TileGeometry& geometry, std::size_t local) {
  const TileSpace& space = geometry.space();
  if (space.entangled[local].any()) return true;
  TileShape least = space.whole;
  for (std::size_t axis = 0; axis < tile_axes; ++axis)
    if (space.axis[axis]) least.extent[axis] = 1;
  const TileGeometry::Positions positions = geometry.positions(least);
  for (const std::vector<TileRegions>& along : positions.along)
    for (std::size_t k = 1; k < along.size(); ++k)
      if (!intersect(along[k - 1].fresh[local], along[k].fresh[local]).none) return true;
  return false;
}

/// Resident tensors of which tiles compute parts again.
std::vector<std::size_t> written_again(const Subgraph& part) {
  std::vector<std::size_t> again;
  std::optional<TileGeometry> geometry;
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const LocalTensor& local = part.tensors[t];
    if (!local.kept || !local.producer || local.consumers.empty()) continue;
    if (!geometry) geometry.emplace(part, HaloPolicy::recompute);
    if (shares_parts(*geometry, t)) again.push_back(t);
  }
  return again;
}

}  // namespace

bool works_side_by_side(const Hardware& hardware) {
  return hardware.tiling.engines == EngineOrder::side_by_side;
}

std::vector<std::int64_t> trailing_choices(const Subgraph& part, const Hardware& hardware) {
  std::vector<std::int64_t> choices;
  if (!works_side_by_side(hardware) || part.own) return choices;
  const auto queue = [&](std::size_t step) {
    return queue_of(*part.network, part.op(static_cast<Step>(step)), hardware);
  };
  const std::vector<std::size_t> again = written_again(part);
  for (std::size_t step = part.steps(); step-- > 1;) {
    const auto first = static_cast<Step>(step);
    // The leading ops would write what the trailing ops of the tile before read.
    const bool unsafe = std::ranges::any_of(again, [&](std::size_t t) {
      return *part.tensors[t].producer < first && part.tensors[t].consumers.back() >= first;
    });
    if (queue(step) != queue(step - 1) && !unsafe)
      choices.push_back(static_cast<std::int64_t>(part.steps() - step));
  }
  return choices;
}

}  // namespace tessera::tiling
