// One query: build the rules, search, decode.
#pragma once

#include "engine.h"
#include "engine/engine.h"
#include "model/poll.h"
#include "search.h"

namespace tessera::search::learning {

/// require: as PlacementEngine::solve. `like`, which may be null, is a placement of the same
/// buffers at other sizes, to be tried first.
[[nodiscard]] engine::SearchResult solve_once(const PlacementProblem& problem,
                                              const LearningParams& learning,
                                              const engine::SearchParams& params,
                                              const Placement* like);

// The same for all kinds of queries.

inline constexpr const char* no_rule_holds =
    "A rule of the problem cannot be satisfied, independent of all other buffers.";
inline constexpr const char* all_excluded =
    "No placement exists: the search excluded every placement.";
inline constexpr const char* search_stopped = "A limit stopped the search before a result.";

/// The result if the construction exceeded the budget.
[[nodiscard]] engine::SearchResult given_up(const BudgetEnded& ended);
void add_stats(engine::SearchResult& result, const Counters& counters, std::size_t clauses);
/// The work of building the model, since a race would otherwise wait for it; at most half of a
/// short turn.
[[nodiscard]] std::uint64_t work_of(const Poll& poll, const Budget& budget);
/// Buffers sorted by their properties: rows of a file have any order, and the search should not
/// depend on it.
[[nodiscard]] std::vector<BufferIndex> by_lives(const PlacementProblem& problem);

}  // namespace tessera::search::learning
