// Results of one candidate, per network and for the set. Private to explorer/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explorer/bounds.h"
#include "explorer/front.h"
#include "explorer/store.h"
#include "tessera/network_plan.h"

namespace tessera::explorer {

/// The fields of a plan that rows show.
[[nodiscard]] KnownPlan summary_of(const NetworkPlan& plan);

/// Undecided because the sweep itself ended: planned again, it may be decided.
[[nodiscard]] bool cut_short(const NetworkPlan& plan, const KnownPlan& known, bool sweep_ended);

/// Stores plans that more time could change under `timed_key`.
void keep(Store& store, const std::string& key, const std::string& timed_key,
          const KnownPlan& known, const std::string& json);

struct CandidateState {
  std::string failed;  ///< why the machine is invalid; empty: it is valid
  double clock_hz = 0;
  std::optional<double> area;
  /// until it is planned; empty if there are many machines
  std::shared_ptr<const Hardware> hardware;
  std::string machine;                          ///< fingerprint of everything that plans depend on
  std::vector<LeastCost> least;                 ///< per network; empty: not computed
  std::vector<std::optional<KnownPlan>> plans;  ///< per network; none: not planned
  std::string excluded;  ///< why other networks were not planned; empty: all were
  bool stopped = false;  ///< a limit of the whole sweep ended it
  [[nodiscard]] bool has_all_plans() const;
};

/// Basis of the comparison of candidates.
struct Comparison {
  std::vector<double> shares;  ///< of the networks
  bool latency = false, energy = false, dram = false, peak = false, area = false;
  [[nodiscard]] std::vector<std::string> axes() const;

  /// Values on the axes, from plans if there are any, otherwise from lower bounds. Weighted means,
  /// and the largest peak.
  [[nodiscard]] Point point(const CandidateState& state) const;
  /// The same plus the score of the set, which may rank machines differently from every axis.
  [[nodiscard]] Point with_score(const CandidateState& state) const;
  [[nodiscard]] double score(const CandidateState& state) const;
};

}  // namespace tessera::explorer
