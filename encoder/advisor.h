// CaDiCaL or Z3 as an advisor of another search (engine/advisor.h).
//
//   GuidedParams params{.advisor = make_solver_advisor({.solver = AdvisingSolver::cadical})};
//
// The solver receives the partial placement as assumptions: for each two placed buffers with
// overlapping lifetimes, which one lies below. Its failed assumptions name placements that
// conflict. The formula is loaded once. Supports one memory, with buffers tied to it.
#pragma once

#include <cstdint>

#include "engine/advisor.h"

namespace tessera::encoder {

enum class AdvisingSolver : std::uint8_t { cadical, chains, z3 };

struct SolverAdvisorParams {
  AdvisingSolver solver = AdvisingSolver::cadical;
  std::int64_t conflicts = 100;  ///< per query
};

[[nodiscard]] engine::MakeAdvisor make_solver_advisor(const SolverAdvisorParams& params);

}  // namespace tessera::encoder
