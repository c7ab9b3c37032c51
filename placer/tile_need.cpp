#include "placer/tile_need.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "facts/load.h"
#include "model/derived.h"
#include "tessera/place.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"

namespace tessera::placer {

namespace {

/// Is a height all there is to say about the memory?
bool is_plain(const PlacementProblem& problem) {
  return problem.memories.size() == 1 && problem.memories.front().banks.empty() &&
         !has_modes(problem.memories.front());
}

/// Search nodes for the height of one tile: some seconds, hardly ever reached.
constexpr std::int64_t most_work = 1'000'000;

MissingBytes over_load(const PlacementProblem& problem) {
  std::vector<Size> sizes;
  for (const Buffer& buffer : problem.buffers) sizes.push_back(buffer.size);
  return {facts::LoadTest(problem).excess(sizes), false};
}

/// What one tile needs beyond the capacity of the only memory; nothing where no capacity would do.
std::optional<MissingBytes> over_height(PlacementProblem problem, const Budget& budget) {
  using Clock = std::chrono::steady_clock;
  const auto now = Clock::now();
  if (budget.deadline <= now) return over_load(problem);
  const Size capacity = std::exchange(problem.memories.front().capacity, unbounded);
  Limits limits{.work = most_work, .stop = budget.stop};
  if (budget.deadline != Clock::time_point::max()) limits.timeout = budget.deadline - now;
  const PlacementResult least =
      place(problem, {.minimize = Minimize::height, .limits = limits, .progress = nullptr});
  if (least.status == Status::infeasible) return std::nullopt;
  return MissingBytes{(least.proven_minimum ? least.height : least.lower_bound) - capacity,
                      least.proven_minimum};
}

MissingBytes missing_in(const tiling::Subgraph& part, const Hardware& hardware,
                        const TileVariant& variant, const Budget& budget) {
  tiling::TileGeometry geometry(part, variant.halo);
  const tiling::TileSpace& space = geometry.space();
  tiling::TileShape least = space.whole;
  for (std::size_t axis = 0; axis < tiling::tile_axes; ++axis)
    if (space.axis[axis]) least.extent[axis] = 1;
  const tiling::Lowering lowering = tiling::lower(part, space, hardware, variant);
  MissingBytes missing;
  const bool plain = is_plain(lowering.problem);
  for (const std::vector<Size>& demand :
       tiling::demands(part, space, lowering, geometry.grid(least).tiles)) {
    PlacementProblem problem = lowering.problem;
    for (std::size_t b = 0; b < problem.buffers.size(); ++b) problem.buffers[b].size = demand[b];
    const std::optional<MissingBytes> more =
        plain ? over_height(problem, budget) : over_load(problem);
    if (!more) return {};  // it is not bytes that are missing
    missing.bytes = std::max(missing.bytes, more->bytes);
    missing.exact = missing.exact && more->exact;
  }
  // It is known not to fit, whatever a bound says.
  if (plain && missing.bytes == 0) missing = {1, false};
  return missing;
}

}  // namespace

MissingBytes missing_bytes(const tiling::Subgraph& part, const Hardware& hardware,
                           const std::vector<TileVariant>& variants, const Budget& budget) {
  MissingBytes least = missing_in(part, hardware, variants.front(), budget);
  for (std::size_t k = 1; k < variants.size(); ++k) {
    MissingBytes other = missing_in(part, hardware, variants[k], budget);
    other.variant = k;
    if (other.bytes < least.bytes) least = other;
  }
  return least;
}

std::string to_string(const MissingBytes& missing) {
  return (missing.exact ? "" : "at least ") + std::to_string(missing.bytes) +
         (missing.bytes == 1 ? " byte more" : " bytes more");
}

}  // namespace tessera::placer
