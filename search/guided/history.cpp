#include "search/guided/history.h"

#include <algorithm>
#include <cmath>

namespace tessera::search::guided {
namespace {

float logarithm(std::int64_t count) {
  return static_cast<float>(std::log2(1.0 + static_cast<double>(count)));
}

}  // namespace

History::History(std::span<const learning::BufferTraits> traits, std::vector<double> contention)
    : still_(traits.size()), blamed_(traits.size(), 0) {
  double size = 1;
  double length = 1;
  for (const learning::BufferTraits& l : traits) {
    size = std::max(size, l.size);
    length = std::max(length, l.length);
  }
  for (std::size_t b = 0; b < traits.size(); ++b)
    still_[b] = {static_cast<float>(traits[b].size / size),
                 static_cast<float>(traits[b].length / length), static_cast<float>(contention[b])};
}

RetreatFeatures History::known_of(BufferIndex buffer, const Moment& moment) const {
  const Still still = buffer == no_buffer ? Still{} : still_[buffer];
  const auto n = static_cast<float>(std::max<std::size_t>(still_.size(), 1));
  const std::int32_t distance = moment.failed - moment.level;
  // In the order of retreat_features.
  return {still.size,
          still.lifetime,
          still.contention,
          static_cast<float>(moment.level) / n,
          static_cast<float>(distance) / n,
          logarithm(distance),
          buffer == no_buffer ? 0 : logarithm(blamed_[buffer]),
          logarithm(moment.returns),
          logarithm(moment.below),
          moment.same_phase ? 1.0F : 0.0F,
          moment.in_conflict ? 1.0F : 0.0F,
          static_cast<float>(moment.rank),
          static_cast<float>(moment.conflict) / static_cast<float>(std::max(moment.failed, 1)),
          logarithm(moment.backtracks),
          logarithm(moment.since_restart),
          logarithm(static_cast<std::int64_t>(still_.size()))};
}

}  // namespace tessera::search::guided
