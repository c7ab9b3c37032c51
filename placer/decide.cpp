#include "placer/decide.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/goal.h"
#include "engine/race.h"
#include "engine/relax.h"
#include "engine/share_of_time.h"
#include "facts/conflicts.h"
#include "model/joint_modes.h"
#include "placer/boxing_sizes.h"
#include "placer/decide_parts.h"
#include "placer/first_choice.h"
#include "placer/make_engine.h"
#include "placer/refusals.h"
#include "search/offchip/weave.h"
#include "search/placement/bounds.h"
#include "search/placement/boxing/engine.h"
#include "search/placement/canonical_core.h"
#include "search/placement/clique_costs.h"
#include "search/placement/clique_prices.h"
#include "search/placement/cost_moves.h"
#include "search/placement/greedy.h"
#include "search/placement/slots.h"
#include "tessera/check.h"
#include "tessera/errors.h"

namespace tessera::placer {

namespace {

/// Approximate time of a node of canonical search.
constexpr double ns_per_node = 2'000;

/// Up to this many buffers, greedy placement is no slower than the bounds.
constexpr std::size_t few_buffers = 2'000;

/// Nodes of canonical search before a second engine starts: some tens of milliseconds.
constexpr std::int64_t small_budget = 20'000;

/// Time for canonical search alone before the other engine of a race joins, in virtual nanoseconds.
/// Most problems need less, and on problems hard for canonical search the delay is short. The
/// learning engine first encodes rules about pairs; the head start is a small multiple of that
/// time.
constexpr double head_start_per_pair = 12'000;
constexpr double least_head_start = 10e6;
constexpr double most_head_start = 50e6;

double head_start(const PlacementProblem& problem) {
  constexpr auto enough = static_cast<std::int64_t>(most_head_start / head_start_per_pair);
  const std::int64_t pairs = search::canonical::count_pairs(problem, enough);
  return std::clamp(head_start_per_pair * static_cast<double>(pairs), least_head_start,
                    most_head_start);
}

/// Used if the forest predicts a large advantage of the learning engine: nodes of canonical search
/// before the forest is evaluated, the time the learning engine then has alone, and its larger
/// share of work afterwards.
constexpr std::int64_t tiny_budget = 1'000;
constexpr double learning_head_start = 20e6;
constexpr double favour = 3;

/// Nodes of the search for minimum-cost slots, some seconds. If buffers take several slots, it
/// first runs for some tenths of a second, then in a race with the rest of its nodes.
constexpr std::int64_t slot_nodes = 5'000'000;
constexpr std::int64_t wide_slot_nodes = 100'000;
constexpr double ns_per_slot_node = 300;

/// Conflicts of the learning engine when it searches a placement that meets a cost bound.
constexpr std::int64_t meeting_conflicts = 50'000;
constexpr std::int64_t brief_meeting_conflicts = 5'000;  // if slots may also decide
constexpr std::int64_t clique_meeting_conflicts = 1'000;

/// The clique bound takes some tenths of a second, limited to this share of the time. Placements
/// often cost more than the bound; a search for one that meets it gets the same time.
constexpr int share_for_cliques = 8;

/// Evaluated moves of single buffers towards a lower cost: some hundredths of a second, or some
/// seconds if bounds and a first search leave the cost unproved.
constexpr std::int64_t first_moves = 20'000;
constexpr std::int64_t many_moves = 3'000'000;

/// A conflict of the SAT engine when minimising costs: most come from small cores.
constexpr double ns_per_core_conflict = 200'000;

/// Above this many pairs, a general solver with clauses per pair is not worth its memory if another
/// engine takes the problem.
constexpr std::int64_t many_pairs = 1'000'000;

/// Rounds of boxing before the race: one for each of its fixed orders.
constexpr std::int64_t brief_rounds = 17;

/// Race order, most promising engine first. The SAT engine supports every rule and is last.
constexpr std::array<std::string_view, 4> racers = {"canonical", "learning", "sat", "smt"};

bool boxing_takes(const PlacementProblem& problem) {
  return search::boxing_features().contains(facts::features_of(problem));
}

/// The contenders of a race for this problem.
struct Field {
  std::vector<std::unique_ptr<engine::PlacementEngine>> engines;
  std::vector<engine::Contender> contenders;
  Refusals refusals;
};

Field line_up(const PlacementProblem& problem, Objective goal, int threads,
              const EngineParams& engines, bool slots) {
  Field field;
  const bool boxes =
      goal == Objective::fit && problem.buffers.size() >= boxing_fits_from && boxing_takes(problem);
  // Usually one kind of engine finds minimum costs and another kind proves them.
  const std::size_t most = goal == Objective::cost ? 3 : 2;
  for (const std::string_view name : racers) {
    if (field.contenders.size() == most) break;
    // General solvers race only if no specialised engine applies.
    const bool alone = field.contenders.empty();
    if (!alone && name == "smt") break;
    if (name == "sat" && (boxes || !alone) &&
        search::canonical::count_pairs(problem, many_pairs) > many_pairs)
      break;
    std::unique_ptr<engine::PlacementEngine> engine = make_engine(name, engines);
    if (!engine) continue;  // a build without Z3
    if (const auto why = engine->unsupported(problem, goal)) {
      field.refusals.add(*engine, engine::features_asked(problem, goal), *why);
      continue;
    }
    const bool costs = goal == Objective::cost && name == "sat";
    field.contenders.push_back({*engine, costs ? ns_per_core_conflict : ns_per_unit(name)});
    // The SAT engine encodes all rules first; most races end before that.
    if (name == "sat" && !alone && goal == Objective::fit)
      field.contenders.back().begins_at = most_head_start;
    field.engines.push_back(std::move(engine));
  }
  if (slots) {
    field.engines.push_back(search::make_slots_engine());
    field.contenders.push_back({*field.engines.back(), ns_per_slot_node});
  }
  if (boxes) {
    // Boxing cannot prove infeasibility: an engine that can has to run in parallel.
    search::BoxingParams boxing = engines.boxing;
    boxing.threads = field.engines.empty() ? threads : 1;
    field.engines.push_back(search::make_boxing_engine(boxing));
    field.contenders.push_back({*field.engines.back(), ns_per_unit("boxing")});
  }
  return field;
}

/// The attempts to decide a problem, and what previous attempts found.
struct Attempts {
  const PlacementProblem& problem;
  const engine::SearchParams& params;
  const DecideParams& settings;
  Stats stats;
  /// messages about engines that ran out of memory while others continued
  std::string shortages{};
  Cost cost_bound = 0;                 ///< proved by slots and by cliques
  std::optional<Decision> in_slots{};  ///< not proved to have minimum cost
  bool in_slots_undecided = false;     ///< a slot assignment exists, its minimum cost is not proved
  bool plain_slots = false;            ///< each buffer takes one slot
  std::optional<Cost> clique_bound{};
  /// Pairs that do not overlap in any placement cheaper than the incumbent.
  std::vector<std::pair<BufferIndex, BufferIndex>> apart{};
  std::vector<engine::PairRule> rules{};  ///< rules from cliques, with prices
  bool canonical_first = false;           ///< in a feasibility race, canonical search starts alone
  bool learning_first = false;            ///< in such a race
  bool placed = false;                    ///< a placement exists, its value is not proved optimal

  void phase(std::string_view name) const {
    if (settings.phase) settings.phase(name);
  }

  void note(std::string_view engine, const Stats& more) {
    for (const Stat& stat : more)
      stats.push_back({std::string(engine) + "." + stat.name, stat.value});
  }

  Decision decided(engine::SearchResult found, std::string_view engine) {
    found.stats = std::move(stats);
    if (!shortages.empty())
      found.reason = shortages + (found.reason.empty() ? "" : " ") + found.reason;
    return {std::move(found), std::string(engine)};
  }

  Decision limit(StopReason stop, std::string reason) {
    engine::SearchResult found;
    found.stop = stop;
    found.reason = std::move(reason);
    return decided(std::move(found), settings.engine);
  }

  /// The result of an attempt, if any; none if it runs out of memory, since the next attempt may
  /// need less.
  template <typename Attempt>
  std::optional<Decision> within_memory(std::string_view who, Attempt&& attempt) {
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Attempt>>) {
        attempt();
        return std::nullopt;
      } else {
        return attempt();
      }
    } catch (const std::bad_alloc&) {
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::resource_unavailable_try_again) throw;
    }
    shortages += (shortages.empty() ? "" : " ") + engine::out_of_memory(who).reason;
    return std::nullopt;
  }

  std::optional<Decision> by_bounds() {
    phase("bounds");
    search::Bounds bounds = search::lower_bounds(problem, {.budget = params.budget});
    if (!bounds.infeasible) return std::nullopt;
    engine::SearchResult found;
    found.status = Status::infeasible;
    found.reason = std::move(*bounds.infeasible);
    return decided(std::move(found), "bounds");
  }

  /// A placement of the problem or of its relaxation is a result if it satisfies every rule.
  std::optional<Decision> lifted(const Placement& placement, std::string_view engine) {
    std::optional<Placement> whole = engine::lift(problem, placement);
    if (!whole) return std::nullopt;
    engine::SearchResult found;
    found.status = Status::feasible;
    found.placement = std::move(whole);
    return decided(std::move(found), engine);
  }

  std::optional<Decision> by_greedy() {
    if (settings.skip_greedy || !search::greedy_features().contains(facts::features_of(problem)))
      return std::nullopt;
    phase("greedy");
    search::GreedyResult quick = search::place_greedily(
        problem, {.budget = params.budget, .seed = params.seed, .first_fit_is_enough = true});
    note("greedy", quick.stats);
    if (!quick.placement) return std::nullopt;
    return lifted(*quick.placement, "greedy");
  }

  /// Canonical search for a short time if the race does not begin with it; without the rules about
  /// banks if necessary.
  std::optional<Decision> by_canonical() {
    std::unique_ptr<engine::PlacementEngine> canonical = make_engine("canonical", settings.engines);
    if (canonical->unsupported(problem, Objective::fit)) {
      canonical = engine::make_relaxing_engine(std::move(canonical));
      if (canonical->unsupported(problem, Objective::fit)) return std::nullopt;
    } else {
      // If each node is slow, the race begins at once.
      if (problem.buffers.size() >= boxing_fits_from) return std::nullopt;
      canonical_first = params.goal == Objective::fit;
      if (canonical_first) return by_first_choice(*canonical);
    }
    return by_canonical_within(*canonical, small_budget);
  }

  /// If the learning engine goes first, canonical search still gets a very small budget before it.
  std::optional<Decision> by_first_choice(engine::PlacementEngine& canonical) {
    if (make_engine("learning", settings.engines)->unsupported(problem, Objective::fit) ||
        !learning_goes_first(problem))
      return std::nullopt;
    learning_first = true;
    return by_canonical_within(canonical, tiny_budget);
  }

  std::optional<Decision> by_canonical_within(engine::PlacementEngine& canonical,
                                              std::int64_t nodes) {
    phase("canonical");
    engine::SearchParams small = params;
    small.goal = Objective::fit;
    small.budget.meter = nullptr;
    small.budget.max_nodes = std::min(small.budget.max_nodes, nodes);
    engine::SearchResult found = canonical.solve(problem, small);
    note("canonical", found.stats);
    if (found.status == Status::infeasible) return decided(std::move(found), "canonical");
    if (found.status == Status::feasible) return lifted(*found.placement, "canonical");
    return std::nullopt;
  }

  /// For very many buffers, boxing finds low placements sooner than a complete search, whose nodes
  /// are slow. It runs a few rounds only; the race decides the rest.
  std::optional<Decision> by_boxing() {
    if (problem.buffers.size() < boxing_fits_from || !boxing_takes(problem)) return std::nullopt;
    phase("boxing");
    search::BoxingParams own = settings.engines.boxing;
    own.budget = params.budget;
    own.seed = params.seed;
    own.threads = settings.threads;
    own.max_rounds = brief_rounds;
    for (const Memory& memory : problem.memories) own.targets.push_back(memory.capacity);
    search::BoxingResult low = search::box(problem, own);
    stats.insert(stats.end(), low.stats.begin(), low.stats.end());
    if (low.status != Status::feasible) return std::nullopt;
    return lifted(*low.placement, "boxing");
  }

  /// Interleaved buffers are first placed one by one: no other fast method supports parts.
  std::optional<Decision> by_weaving() {
    const facts::FeatureSet used = facts::features_of(problem);
    if (!used.contains(facts::Feature::parts) || !search::weave_features().contains(used))
      return std::nullopt;
    phase("weave");
    search::WeaveParams own{.budget = share_of(2), .seed = params.seed};
    for (const Memory& memory : problem.memories) own.targets.push_back(memory.capacity);
    search::WeaveResult low = search::weave(problem, own);
    note("weave", low.stats);
    if (!low.placement) return std::nullopt;
    return lifted(*low.placement, "weave");
  }

  Decision by_race(const Placement* known) {
    if (auto answer = within_memory("the race", [&] { return std::optional(race_of_all(known)); }))
      return std::move(*answer);
    return limit(StopReason::memory_limit, {});
  }

  [[nodiscard]] EngineParams with_rules() const {
    EngineParams engines = settings.engines;
    engines.sat.rules = rules;
    return engines;
  }

  /// The problem restricted to placements cheaper than the incumbent.
  [[nodiscard]] PlacementProblem with_apart() const {
    PlacementProblem harder = problem;
    for (const auto& [a, b] : apart)
      harder.relations.push_back({RelationKind::disjoint, {a, b}, 0});
    return harder;
  }
  /// Translates a result of that restricted problem to the original problem.
  void restrict_to_cheaper(engine::SearchResult& found, const Placement& known) const {
    const Cost paid = soft_cost(problem, known);
    if (found.status == Status::infeasible) {
      found.status = Status::feasible;
      found.placement = known;
      found.bound = paid;
      found.reason.clear();
    }
    found.bound = std::min(found.bound, paid);
  }

  Decision race_of_all(const Placement* known) {
    phase(params.goal == Objective::fit ? "race" : "optimize");
    std::optional<PlacementProblem> harder;
    if (known != nullptr && !apart.empty()) harder = with_apart();
    const PlacementProblem& asked = harder ? *harder : problem;
    Field field = line_up(asked, params.goal, settings.threads, with_rules(), in_slots_undecided);
    if (field.contenders.empty()) {
      if (!placed) throw BadInput("no engine supports this problem: " + field.refusals.text());
      return limit(StopReason::completed,
                   "No engine supports this problem: " + field.refusals.text());
    }
    if (field.contenders.size() > 1 && canonical_first) {
      if (learning_first) {
        std::swap(field.engines[0], field.engines[1]);
        std::swap(field.contenders[0], field.contenders[1]);
        field.contenders[1].ns_per_unit *= favour;
        field.contenders[1].begins_at = learning_head_start;
      } else {
        field.contenders[1].begins_at = head_start(problem);
      }
    }
    engine::SearchParams own = params;
    if (params.goal == Objective::cost && !params.at_most) own.at_least = cost_bound;
    own.known = known;
    engine::RaceResult won = engine::race(asked, field.contenders, own, settings.threads);
    if (harder) restrict_to_cheaper(won.found, *known);
    const std::string name(field.engines[won.winner]->name());
    note(name, won.found.stats);
    return decided(std::move(won.found), name);
  }

  Decision by_name() {
    phase(settings.engine);
    const std::unique_ptr<engine::PlacementEngine> engine =
        make_engine(settings.engine, settings.engines);
    engine::SearchResult found = engine::solve_within_memory(*engine, problem, params);
    note(settings.engine, found.stats);
    return decided(std::move(found), settings.engine);
  }

  /// Time limit of one of several attempts.
  [[nodiscard]] Budget share_of(int attempts) const {
    Budget share = params.budget;
    share.deadline = engine::share_of_time(params.budget, attempts);
    return share;
  }

  /// Buffers of one size: returns a proved result; otherwise keeps the incumbent.
  std::optional<Decision> by_slots() {
    const std::optional<search::Slots> slots = search::slots_of(problem);
    if (!slots) return std::nullopt;
    phase("slots");
    engine::SearchParams own = params;
    own.budget = share_of(2);
    own.budget.max_nodes =
        std::min(own.budget.max_nodes, slots->spans.empty() ? slot_nodes : wide_slot_nodes);
    engine::SearchResult found = search::place_in_slots(problem, *slots, own);
    note("slots", found.stats);
    cost_bound = std::max(cost_bound, found.bound);
    in_slots_undecided = true;
    plain_slots = slots->spans.empty();
    if (found.status == Status::infeasible) return decided(std::move(found), "slots");
    if (found.status != Status::feasible) return std::nullopt;
    const bool proved = soft_cost(problem, *found.placement) == found.bound;
    Decision answer = decided(std::move(found), "slots");
    if (proved) return answer;
    raise_cost_bound();
    if (soft_cost(problem, *answer.found.placement) == cost_bound) {
      answer.found.bound = cost_bound;
      return answer;
    }
    stats = answer.found.stats;
    in_slots = std::move(answer);
    return std::nullopt;
  }

  /// Raises the cost bound by cliques; runs only once.
  void raise_cost_bound() {
    if (params.goal != Objective::cost || params.at_most || clique_bound) return;
    clique_bound = search::cost_bound_by_cliques(problem, share_of(share_for_cliques));
    cost_bound = std::max(cost_bound, *clique_bound);
  }

  /// The cheapest placement found so far.
  [[nodiscard]] const Placement* cheapest(const std::optional<Decision>& first) const {
    const Placement* one = first ? &*first->found.placement : nullptr;
    const Placement* slots = in_slots ? &*in_slots->found.placement : nullptr;
    if (one == nullptr || slots == nullptr) return one == nullptr ? slots : one;
    return soft_cost(problem, *slots) < soft_cost(problem, *one) ? slots : one;
  }

  /// Replaces the first placement by a cheaper one.
  void by_moves(std::optional<Decision>& first, std::int64_t looks) {
    phase("moves");
    const Placement* start = cheapest(first);
    search::CostMovesParams own{
        .budget = share_of(2), .seed = params.seed, .start = start, .enough = cost_bound};
    own.budget.meter = nullptr;
    own.budget.max_nodes = std::min(own.budget.max_nodes, looks);
    search::CostMoves cheap = search::cheapest_by_moves(problem, own);
    note("moves", {{"looks", cheap.evaluations}});
    if (!cheap.placement || (start != nullptr && cheap.cost >= soft_cost(problem, *start))) return;
    engine::SearchResult found;
    found.status = Status::feasible;
    found.placement = std::move(cheap.placement);
    found.stats = stats;
    first = Decision{std::move(found), "moves"};
  }

  /// Optimises the prices of the clique bound, which depend on the incumbent.
  void by_prices(const std::optional<Decision>& first) {
    const Cost known = soft_cost(problem, *cheapest(first));
    search::CliquePrices proved =
        search::cost_bound_by_prices(problem, known, share_of(share_for_cliques));
    note("prices", {{"rounds", proved.rounds}, {"rules", proved.rules}});
    cost_bound = std::max(cost_bound, proved.bound);
    apart = std::move(proved.apart);
    rules = std::move(proved.kept);
  }

  [[nodiscard]] bool pays_only_bound(std::optional<Decision>& first) const {
    if (!first || soft_cost(problem, *first->found.placement) != cost_bound) return false;
    first->found.bound = cost_bound;
    return true;
  }

  /// Searches a placement that meets the cost bound, which proves it optimal.
  std::optional<Decision> by_meeting_bound() {
    if (cost_bound == 0) return std::nullopt;
    const std::unique_ptr<engine::PlacementEngine> engine =
        make_engine("learning", settings.engines);
    if (engine->unsupported(problem, Objective::cost)) return std::nullopt;
    phase("optimize");
    engine::SearchParams own = params;
    // Placements meet slot bounds more often than clique bounds.
    const bool by_cliques = cost_bound == clique_bound;
    own.budget = share_of(by_cliques ? share_for_cliques : 3);
    own.budget.meter = nullptr;
    own.budget.max_nodes =
        std::min(own.budget.max_nodes, by_cliques           ? clique_meeting_conflicts
                                       : in_slots_undecided ? brief_meeting_conflicts
                                                            : meeting_conflicts);
    own.at_most = cost_bound;
    engine::SearchResult found = engine::solve_within_memory(*engine, problem, own);
    note("learning", found.stats);
    if (found.status == Status::infeasible) ++cost_bound;
    if (found.status != Status::feasible) return std::nullopt;
    found.bound = cost_bound;
    return decided(std::move(found), "learning");
  }

  /// The better of the search result and the slot result, with the larger bound of both.
  Decision with_bound(Decision answer) {
    if (params.goal != Objective::cost || answer.found.status == Status::infeasible) return answer;
    const Cost bound = std::max(cost_bound, answer.found.bound);
    if (in_slots && (answer.found.status != Status::feasible ||
                     soft_cost(problem, *in_slots->found.placement) <
                         soft_cost(problem, *answer.found.placement))) {
      in_slots->found.stop = answer.found.stop;
      in_slots->found.stats = std::move(answer.found.stats);
      answer = std::move(*in_slots);
    }
    answer.found.bound = bound;
    return answer;
  }

  Decision automatic() {
    if (params.goal == Objective::cost && !params.at_most) {
      if (auto answer = decide_by_parts(problem, params, settings)) return std::move(*answer);
      if (auto answer = within_memory("slots", [&] { return by_slots(); }))
        return std::move(*answer);
    }
    return with_bound(search_all());
  }

  Decision search_all() {
    // Trying a greedy placement is fast and decides feasibility; cliques take longer.
    const bool tries_first = params.goal == Objective::fit &&
                             problem.buffers.size() <= few_buffers && facts::separates(problem);
    std::optional<Decision> first;
    if (tries_first) first = within_memory("greedy", [&] { return by_greedy(); });
    if (!first && !settings.skip_bounds)
      if (auto answer = within_memory("bounds", [&] { return by_bounds(); }))
        return std::move(*answer);
    if (!first && !tries_first) first = within_memory("greedy", [&] { return by_greedy(); });
    if (!first) {
      if (const auto stop = params.budget.exhausted()) return limit(*stop, {});
      first = within_memory("boxing", [&] { return by_boxing(); });
      if (!first) first = within_memory("canonical", [&] { return by_canonical(); });
      if (!first) first = within_memory("weave", [&] { return by_weaving(); });
    }
    if (first && (params.goal == Objective::fit || first->found.status == Status::infeasible))
      return std::move(*first);
    if (const auto stop = params.budget.exhausted()) {
      if (!first) return limit(*stop, {});
      first->found.stop = *stop;
      return std::move(*first);
    }
    const bool least_cost = params.goal == Objective::cost && !params.at_most;
    if (!first && least_cost) {
      raise_cost_bound();
      within_memory("moves", [&] { by_moves(first, many_moves); });
    }
    if (!first) return by_race(cheapest(first));
    // An objective beyond feasibility: keep the first placement for the case of a limit.
    if (engine::goal_value(problem, *first->found.placement, params.goal) ==
        engine::goal_floor(problem, params.goal)) {
      first->found.bound = engine::goal_floor(problem, params.goal);
      return std::move(*first);
    }
    placed = true;
    stats = first->found.stats;
    if (least_cost) {
      raise_cost_bound();
      const auto moves = [&](std::int64_t looks) {
        within_memory("moves", [&] { by_moves(first, looks); });
        return pays_only_bound(first);
      };
      if (moves(first_moves)) return std::move(*first);
      if (!plain_slots)
        cost_bound = std::max(cost_bound, search::cost_bound_by_slots(problem, share_of(4)));
      const auto prices = [&] {
        within_memory("prices", [&] { by_prices(first); });
        return pays_only_bound(first);
      };
      if (pays_only_bound(first) || prices()) return std::move(*first);
      if (auto met = by_meeting_bound()) return std::move(*met);
      if (moves(many_moves) || prices()) return std::move(*first);
    }
    Decision best = by_race(least_cost ? cheapest(first) : nullptr);
    if (best.found.status == Status::infeasible) return best;
    const bool better = best.found.status == Status::feasible &&
                        engine::goal_value(problem, *best.found.placement, params.goal) <=
                            engine::goal_value(problem, *first->found.placement, params.goal);
    if (better) return best;
    first->found.stop = best.found.stop;
    first->found.bound = best.found.bound;
    first->found.reason = std::move(best.found.reason);
    first->found.stats = std::move(best.found.stats);
    return std::move(*first);
  }
};

}  // namespace

Decision decide(const PlacementProblem& problem, const engine::SearchParams& params,
                const DecideParams& settings) {
  if (settings.engine != "auto") return Attempts{problem, params, settings, {}}.by_name();
  if (params.goal != Objective::modes) return Attempts{problem, params, settings, {}}.automatic();
  // More engines support tables of modes than independently switched banks.
  PlacementProblem listed = problem;
  for (Memory& memory : listed.memories) list_modes(memory);
  return Attempts{listed, params, settings, {}}.automatic();
}

engine::SearchResult decide_by_turns(const PlacementProblem& problem,
                                     const engine::SearchParams& params,
                                     const EngineParams& engines) {
  const Field field = line_up(problem, params.goal, 1, engines, false);
  if (field.contenders.empty()) {
    engine::SearchResult none;
    none.reason = "No engine supports this problem: " + field.refusals.text();
    return none;
  }
  engine::SearchParams own = params;
  own.budget.max_nodes = std::numeric_limits<std::int64_t>::max();
  const double share = static_cast<double>(params.budget.max_nodes) * ns_per_node;
  return engine::take_turns(problem, field.contenders, own, share).won.found;
}

}  // namespace tessera::placer
