// The one table of switches: what the command line, the benchmarks' ablations and the tests that
// switch rules off all go by. Private to placer/.
//
//   EngineParams params = engine_params({"learning.balance=off", "guided.stuck_after=10"});
//   auto engine = make_engine("learning", params);
//   for (const Switch& each : switches_of("canonical")) if (each.rule) each.rule(params) = false;
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "search/guided/engine.h"
#include "search/learning/engine.h"
#include "search/placement/boxing/engine.h"
#include "search/placement/canonical.h"

namespace tessera::placer {

/// How each engine is made.
struct EngineParams {
  search::CanonicalParams canonical;
  search::LearningParams learning;
  encoder::SatParams sat;
  encoder::SmtParams smt;
  search::GuidedParams guided;
  search::BoxingParams boxing;
};

struct Switch {
  std::string_view name;  ///< "canonical.dominance"
  std::string_view what;  ///< one line, for whoever reads the list
  bool& (*rule)(EngineParams&) = nullptr;
  int& (*number)(EngineParams&) = nullptr;  ///< where it is no rule: 1 or more
};

/// Of one engine, or, for an empty name, of all of them.
[[nodiscard]] std::span<const Switch> switches_of(std::string_view engine = {});

/// What each of `settings`, a "name=value", says; the rest as by default. Throws BadInput that says
/// which one is wrong and what was probably meant.
[[nodiscard]] EngineParams engine_params(std::span<const std::string> settings);

/// Throws BadInput where one of `settings` is about an engine that `engine`, a name or "auto", does
/// not ask: it would change nothing. require: engine_params() took them.
void require_switches_of(std::string_view engine, std::span<const std::string> settings);

}  // namespace tessera::placer
