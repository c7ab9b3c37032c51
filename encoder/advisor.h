// CaDiCaL or Z3 as somebody to ask in the middle of a search (engine/advisor.h).
//
//   GuidedParams params{.advisor = make_solver_advisor({.solver = AdvisingSolver::cadical})};
//
// What was placed is told to the solver as assumptions: of two placed buffers that meet, which one
// lies below. Its failed assumptions name the placements that are too much together. The formula is
// loaded once. One memory, and buffers that are tied to it.
#pragma once

#include <cstdint>

#include "engine/advisor.h"

namespace tessera::encoder {

enum class AdvisingSolver : std::uint8_t { cadical, chains, z3 };

struct SolverAdvisorParams {
  AdvisingSolver solver = AdvisingSolver::cadical;
  std::int64_t conflicts = 100;  ///< for one question
};

[[nodiscard]] engine::MakeAdvisor make_solver_advisor(const SolverAdvisorParams& params);

}  // namespace tessera::encoder
