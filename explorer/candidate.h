// What is known of one candidate, network by network, and of the set as a whole. Private to
// explorer/.
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

/// What a row says of a plan.
[[nodiscard]] KnownPlan summary_of(const NetworkPlan& plan);

/// Open because the sweep itself came to an end: asked again, the question may be answered.
[[nodiscard]] bool cut_short(const NetworkPlan& plan, const KnownPlan& known, bool sweep_ended);

/// Under `timed_key` what more time for one plan may change.
void keep(Store& store, const std::string& key, const std::string& timed_key,
          const KnownPlan& known, const std::string& json);

struct CandidateState {
  std::string failed;  ///< why there is no such machine; empty: there is one
  double clock_hz = 0;
  std::optional<double> area;
  std::shared_ptr<const Hardware> hardware;     ///< until it is planned, unless there are many
  std::string machine;                          ///< fingerprint of what plans depend on
  std::vector<LeastCost> least;                 ///< per network; empty: not asked for
  std::vector<std::optional<KnownPlan>> plans;  ///< per network; nothing: not planned
  std::string excluded;                         ///< why the rest was not planned; empty: it was
  bool stopped = false;                         ///< a limit of the whole sweep came first
  [[nodiscard]] bool has_all_plans() const;
};

/// What candidates are compared in.
struct Comparison {
  std::vector<double> shares;  ///< of the networks
  bool latency = false, energy = false, dram = false, peak = false, area = false;
  [[nodiscard]] std::vector<std::string> axes() const;

  /// On the axes: from plans where there are any, else from what is the least possible. Weighted
  /// means, and the largest peak.
  [[nodiscard]] Point point(const CandidateState& state) const;
  /// The same and the score of the set, which may rank machines otherwise than any of the axes.
  [[nodiscard]] Point with_score(const CandidateState& state) const;
  [[nodiscard]] double score(const CandidateState& state) const;
};

}  // namespace tessera::explorer
