// Runs an engine on many tiny problems and compares every result with the oracle's.
//
//   AgreementParams params{.features = Features::all(), .count = 1000, .seed = 1};
//   AgreementReport report = compare_with_oracle(*engine, params);
//   for (const Disagreement& d : report.disagreements) std::cerr << d.message << d.problem_yaml;
//
// Compares the status, the placement (by the checker and by the literal rules), the cost or number
// of modes, and the proved bound. "Infeasible" has to have a reason. For sessions, every result has
// to equal that of a fresh solve.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {

struct AgreementParams {
  Features features{};
  std::size_t count = 1000;
  std::uint64_t seed = 1;  ///< problem k is generated from seed + k, so it can be repeated alone
  std::vector<Objective> goals = {Objective::fit};
  bool magnify = true;  ///< scale some problems in address and time
  /// For incomplete engines: "unknown" without a limit is counted and is no disagreement.
  bool may_give_up = false;
  bool must_support = false;                   ///< an unsupported problem counts as a disagreement
  std::chrono::milliseconds patience{20'000};  ///< per problem
  std::size_t stop_after = 3;                  ///< number of disagreements
  bool memo = true;        ///< sessions: consult earlier results before the engine's own session
  std::size_t layers = 6;  ///< sessions: queries, at least
};

struct Disagreement {
  std::uint64_t seed = 0;      ///< of the problem
  std::string message{};       ///< the error
  std::string problem_yaml{};  ///< the shrunk problem
};

struct AgreementReport {
  std::size_t asked = 0;
  std::size_t feasible = 0;
  std::size_t infeasible = 0;
  std::size_t unsupported = 0;
  std::size_t given_up = 0;  ///< if may_give_up allows it
  double engine_seconds = 0;
  double oracle_seconds = 0;
  std::vector<Disagreement> disagreements{};
};

/// The error in the engine's result for this problem; none if it is correct or the engine does not
/// support the problem.
[[nodiscard]] std::optional<std::string> wrong_answer(engine::PlacementEngine& engine,
                                                      const PlacementProblem& problem,
                                                      Objective goal,
                                                      std::chrono::milliseconds patience);

[[nodiscard]] AgreementReport compare_with_oracle(engine::PlacementEngine& engine,
                                                  const AgreementParams& params);

/// The same with sessions: each problem is loaded once and queried with several size layers,
/// alternating objectives.
[[nodiscard]] AgreementReport compare_sessions_with_oracle(engine::PlacementEngine& engine,
                                                           const AgreementParams& params);

/// For problems too large for the oracle: every two engines with results have to agree, and every
/// placement has to pass the checker. An engine may stop at its time limit. ensure: `unsupported`
/// of the report counts results that no other engine confirmed.
[[nodiscard]] AgreementReport compare_engines(const std::vector<engine::PlacementEngine*>& engines,
                                              const AgreementParams& params);

/// Number of problems, and the first seed.
struct RandomRun {
  std::uint64_t seed = 1;
  std::size_t count = 0;
};

/// TESSERA_RANDOM_COUNT and TESSERA_RANDOM_SEED override the given numbers; by default there are
/// fewer problems under a sanitizer.
[[nodiscard]] RandomRun from_environment(RandomRun run);

[[nodiscard]] PlacementProblem with_layer(PlacementProblem problem, const SizeLayer& layer);

}  // namespace tessera::testing
