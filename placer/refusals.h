// Why no engine supports a problem.
//
//   Refusals refusals;
//   if (const auto why = engine.unsupported(problem, goal)) refusals.add(engine, asked, *why);
//   throw BadInput("no engine supports this problem: " + refusals.text());
#pragma once

#include <string>

#include "engine/engine.h"

namespace tessera::placer {

/// If an engine supports every feature of the problem, only the reasons of such engines count: the
/// others would not help if these reasons were gone.
class Refusals {
 public:
  void add(const engine::PlacementEngine& engine, const facts::FeatureSet& asked,
           const std::string& why) {
    std::string& reasons = (asked - engine.features()).empty() ? of_limits_ : of_features_;
    if (reasons.find(why) != std::string::npos) return;  // of another engine
    reasons += (reasons.empty() ? "" : " ") + why;
  }
  [[nodiscard]] const std::string& text() const {
    return of_limits_.empty() ? of_features_ : of_limits_;
  }

 private:
  std::string of_limits_;    ///< of engines that support all features
  std::string of_features_;  ///< of the others
};

}  // namespace tessera::placer
