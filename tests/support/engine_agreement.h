// Asks an engine many tiny questions and compares every answer with the oracle's.
//
//   AgreementParams params{.features = Features::all(), .count = 1000, .seed = 1};
//   AgreementReport report = compare_with_oracle(*engine, params);
//   for (const Disagreement& d : report.disagreements) std::cerr << d.message << d.problem_yaml;
//
// Compared are: the status, the placement (by the checker and by the rules word for word), the
// cost or number of modes and the proved bound, the sentence that goes with an "infeasible"; and
// for sessions that every answer is that of a fresh solve.
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
  std::uint64_t seed = 1;  ///< question k is made from seed + k, so one alone can be repeated
  std::vector<Objective> goals = {Objective::fit};
  bool magnify = true;  ///< ask some questions in other units of address and time
  /// Engines that are not complete: "unknown" without a limit is counted and is no disagreement.
  bool may_give_up = false;
  bool must_support = false;                   ///< an unsupported problem counts as a disagreement
  std::chrono::milliseconds patience{20'000};  ///< per question
  std::size_t stop_after = 3;                  ///< disagreements
};

struct Disagreement {
  std::uint64_t seed = 0;      ///< the question's own
  std::string message{};       ///< what is wrong
  std::string problem_yaml{};  ///< the shrunk problem
};

struct AgreementReport {
  std::size_t asked = 0;
  std::size_t feasible = 0;
  std::size_t infeasible = 0;
  std::size_t unsupported = 0;
  std::size_t given_up = 0;  ///< where may_give_up allows it
  double engine_seconds = 0;
  double oracle_seconds = 0;
  std::vector<Disagreement> disagreements{};
};

/// What is wrong with the engine's answer to this problem; nothing if it is right or the engine
/// does not take the problem.
[[nodiscard]] std::optional<std::string> wrong_answer(engine::PlacementEngine& engine,
                                                      const PlacementProblem& problem,
                                                      Objective goal,
                                                      std::chrono::milliseconds patience);

[[nodiscard]] AgreementReport compare_with_oracle(engine::PlacementEngine& engine,
                                                  const AgreementParams& params);

/// The same with sessions: each problem is loaded once and asked under several size layers, for
/// the goals in turn.
[[nodiscard]] AgreementReport compare_sessions_with_oracle(engine::PlacementEngine& engine,
                                                           const AgreementParams& params);

/// Problems too large for the oracle: every two engines that answer have to agree, and every
/// placement has to pass the checker. An engine may give up when its patience ends.
/// ensure: `unsupported` of the report counts answers that nobody else confirmed.
[[nodiscard]] AgreementReport compare_engines(const std::vector<engine::PlacementEngine*>& engines,
                                              const AgreementParams& params);

/// How many questions, and from which seed on.
struct RandomRun {
  std::uint64_t seed = 1;
  std::size_t count = 0;
};

/// TESSERA_RANDOM_COUNT and TESSERA_RANDOM_SEED take the place of the given numbers; without
/// them fewer questions are asked under a sanitizer.
[[nodiscard]] RandomRun from_environment(RandomRun run);

/// The problem with the numbers of a layer.
[[nodiscard]] PlacementProblem with_layer(PlacementProblem problem, const SizeLayer& layer);

}  // namespace tessera::testing
