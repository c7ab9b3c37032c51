// The table of switches, shared by the command line, the ablation benchmarks and the tests that
// turn rules off. Private to placer/.
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
#include "search/offchip/taa.h"
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
  search::TaaStep taa_step = search::TaaStep::past;
  std::string greedy_order = "all";  ///< or one of search::greedy_engine_orders()
};

struct WordSwitch {
  std::vector<std::string> (*words)();
  std::string (*get)(const EngineParams&);
  void (*set)(EngineParams&, const std::string& word);  ///< require: one of words()
};

/// A rule, a number or a word.
struct Switch {
  std::string_view name;  ///< "canonical.dominance"
  std::string_view what;  ///< one line of help
  bool& (*rule)(EngineParams&) = nullptr;
  int& (*number)(EngineParams&) = nullptr;  ///< 1 or more
  /// One of some words, if it is neither a rule nor a number.
  const WordSwitch* word = nullptr;
};

/// Of one engine, or of all engines for an empty name.
[[nodiscard]] std::span<const Switch> switches_of(std::string_view engine = {});

/// Parses `settings`, each a "name=value"; everything else has its default. Throws BadInput with
/// the wrong entry and the likely intended one.
[[nodiscard]] EngineParams engine_params(std::span<const std::string> settings);

/// Throws BadInput if one of `settings` concerns an engine that `engine` (a name or "auto") does
/// not run, since it would have no effect. require: engine_params() accepts them.
void require_switches_of(std::string_view engine, std::span<const std::string> settings);

}  // namespace tessera::placer
