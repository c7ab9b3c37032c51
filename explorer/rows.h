// The rows of results.csv for one candidate. Private to explorer/.
#pragma once

#include <optional>
#include <vector>

#include "explorer/candidate.h"
#include "explorer/sweep.h"
#include "tessera/explore.h"

namespace tessera::explorer {

struct RowMaker {
  const Sweep::State& sweep;
  const Comparison& comparison;
  const CandidateState& state;
  std::size_t candidate = 0;

  /// Adds a row per network, then the row of the set.
  void add_to(std::vector<ExploreRow>& rows) const;

 private:
  [[nodiscard]] ExploreRow empty(const std::string& network) const;
  [[nodiscard]] ExploreRow of_network(std::size_t n) const;
  [[nodiscard]] ExploreRow of_set() const;
};

/// Silicon area of a machine in mm2; none if its profile does not state it.
[[nodiscard]] std::optional<double> area_of(const Profile& profile);

}  // namespace tessera::explorer
