#include "search/placement/canonical.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "facts/feature_sets.h"
#include "model/derived.h"
#include "search/placement/canonical_cliques.h"
#include "search/placement/canonical_core.h"
#include "search/placement/canonical_orders.h"
#include "search/placement/canonical_pairs.h"
#include "search/placement/canonical_search.h"
#include "search/placement/subset_sums.h"
#include "search/placement/tie_memories.h"

namespace tessera::search {

using canonical::Choice;
using canonical::Core;
using canonical::CoreCliques;
using canonical::Counters;
using canonical::FailedStates;
using canonical::Item;
using canonical::OrderFacts;
using canonical::Outcome;
using canonical::PairSearch;
using canonical::Part;
using canonical::Search;

namespace {

constexpr std::int64_t most_nodes = 512;       ///< between two checks of the budget
constexpr std::int64_t most_work = 1'000'000;  ///< likewise: one or two milliseconds

/// The remaining budget of one solve(), shared by all its searches.
class Allowance {
 public:
  explicit Allowance(const Budget& budget) : budget_(budget) {}

  /// Counts nodes for the limit and work for races. True: stop.
  bool spend(std::int64_t nodes, std::int64_t work) {
    spent_ += nodes;
    work_ += work;
    bool over = spent_ >= budget_.max_nodes;
    if (budget_.meter != nullptr) {
      budget_.meter->done.store(work_, std::memory_order_relaxed);
      over = over || work_ >= budget_.meter->limit.load(std::memory_order_relaxed);
    }
    if (!stop_) stop_ = budget_.exhausted();
    if (!stop_ && over) stop_ = StopReason::node_limit;
    return stop_.has_value();
  }
  [[nodiscard]] std::optional<StopReason> stopped() const { return stop_; }
  [[nodiscard]] std::int64_t spent() const { return spent_; }
  /// This many bytes, or as many as leave half of the memory to others.
  [[nodiscard]] std::size_t table_bytes(std::size_t wanted) const {
    if (!budget_.too_large(2.0 * static_cast<double>(wanted))) return wanted;
    return static_cast<std::size_t>(budget_.memory->left() / 2);
  }

 private:
  const Budget& budget_;
  std::int64_t spent_ = 0;
  std::int64_t work_ = 0;
  std::optional<StopReason> stop_;
};

std::string memory_name(const PlacementProblem& problem, MemoryIndex m) {
  return "memory '" + problem.memories[m].name + "'";
}

/// If only sizes determine offsets, heights are sums of sizes. Lowers the capacity to the largest
/// sum that the sizes can form.
Size reachable_capacity(const Core& core) {
  if (!core.general.empty()) return core.capacity;
  for (const Item& item : core.items) {
    // In a group, the size of any member may determine a height.
    if (item.last_member - item.first_member != 1) return core.capacity;
    if (!item.plain || item.earliest != 0) return core.capacity;
    for (int p = item.first_part; p < item.last_part; ++p) {
      const Part& part = core.parts[static_cast<std::size_t>(p)];
      if (part.lo != 0 || part.hi != item.size) return core.capacity;
    }
  }
  // A larger table of sums costs more than most searches.
  if (core.capacity > 1 << 14) return core.capacity;
  std::vector<Size> sizes;
  sizes.reserve(core.items.size());
  for (const Item& item : core.items) sizes.push_back(item.size);
  return largest_sum_at_most(sizes, core.capacity).value_or(core.capacity);
}

/// The searches over one value type, kept between problems to reuse memory.
template <typename T>
struct TypedSearch {
  FailedStates<T> table{0};
  std::unique_ptr<Search<T>> finder;
  std::unique_ptr<Search<T>> refuter;
  bool refuter_loaded = false;
};

struct Try {
  CanonicalOrder order;
  Choice choice;
};

/// The sections that refused placements in the tries so far. Their items are placed first in the
/// next tries ("squeaky wheel" optimization, Joslin and Clements, JAIR 10, 1999).
class Contention {
 public:
  void start(std::size_t sections) { weights_.assign(sections, 0); }
  void learn(std::span<const std::int32_t> refusals) {
    const double sum = std::accumulate(refusals.begin(), refusals.end(), 0.0);
    for (std::size_t s = 0; s < weights_.size(); ++s)
      weights_[s] = kept * weights_[s] + (sum > 0 ? refusals[s] / sum : 0);
  }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }

 private:
  static constexpr double kept = 0.97;  ///< decay per try: tens of tries count
  std::vector<double> weights_;
};

/// The tries of a round, the most successful first.
std::vector<Try> tries_of(const CanonicalParams& params) {
  std::vector<Try> tries = {
      {CanonicalOrder::total_width_area, Choice::lowest},
      {CanonicalOrder::width_area_total, Choice::lowest},
      {CanonicalOrder::total_width_area, Choice::blamed},
      {CanonicalOrder::total_width_area, Choice::fewest},
      {CanonicalOrder::overlaps, Choice::blamed},
      {CanonicalOrder::total_area_width, Choice::fewest},
      {CanonicalOrder::width_area_total, Choice::blamed},
      {CanonicalOrder::area, Choice::fewest},
      {CanonicalOrder::overlaps, Choice::lowest},
      {CanonicalOrder::size, Choice::fewest},
  };
  if (!params.orders.empty()) {
    tries.clear();
    for (const Choice choice : {Choice::lowest, Choice::blamed, Choice::fewest}) {
      for (const CanonicalOrder order : params.orders) tries.push_back({order, choice});
    }
  }
  if (!params.local_choice) {
    std::erase_if(tries, [](const Try& each) { return each.choice != Choice::lowest; });
  }
  return tries;
}

}  // namespace

struct CanonicalSolver::State {
  CanonicalParams params;
  CanonicalParams finder_params;
  Core core;
  CoreCliques cliques;
  OrderFacts facts;
  Contention contention;
  OrderFacts contended;  ///< as facts, but the total of an item is its contention
  std::vector<int> ranks;
  std::vector<Size> offsets;  ///< of the core's items, once placed
  TypedSearch<std::int16_t> small;
  TypedSearch<std::int32_t> medium;
  TypedSearch<std::int64_t> large;
  Counters counters;
  std::int64_t restarts = 0;

  template <typename T>
  Outcome search(TypedSearch<T>& typed, Allowance& allowance, std::uint64_t seed);
  void rank(const Try& each, std::size_t number, int round, Random& random);
  template <typename T>
  Outcome search_component(TypedSearch<T>& typed, int component, Allowance& allowance,
                           std::uint64_t seed);
  Outcome search_pairs(Allowance& allowance);
  /// Builds the core of one memory. Throws BudgetEnded.
  void load(const PlacementProblem& problem, MemoryIndex m, Poll& poll);
  Outcome search_core(Allowance& allowance, std::uint64_t seed);
  /// Writes the places of the members of the core's items.
  void write_places(MemoryIndex m, Placement& placement) const;
  /// Runs until the outcome is final, `nodes` are visited, or the allowance is spent.
  template <typename S>
  static Outcome drive(S& search, std::int64_t nodes, Allowance& allowance);
  void count(const Counters& more);
  [[nodiscard]] bool overfull() const;
  [[nodiscard]] Stats stats() const;
};

template <typename S>
Outcome CanonicalSolver::State::drive(S& search, std::int64_t nodes, Allowance& allowance) {
  // The position of a pause does not change the search.
  std::int64_t slice = most_nodes / 64;
  while (nodes > 0) {
    const std::int64_t now = std::min(nodes, slice);
    const std::int64_t before = search.work();
    const Outcome outcome = search.run(now);
    const std::int64_t work = search.work() - before;
    const bool stop = allowance.spend(outcome == Outcome::paused ? now : 0, work);
    if (work > most_work)
      slice = std::max<std::int64_t>(1, slice / 2);
    else if (work < most_work / 4)
      slice = std::min(most_nodes, slice * 2);
    if (outcome != Outcome::paused) return outcome;
    nodes -= now;
    if (stop) return Outcome::paused;
  }
  return Outcome::paused;
}

void CanonicalSolver::State::count(const Counters& more) {
  counters.nodes += more.nodes;
  counters.section_cuts += more.section_cuts;
  counters.one_machine_cuts += more.one_machine_cuts;
  counters.clique_cuts += more.clique_cuts;
  counters.failed_skips += more.failed_skips;
  counters.hatless_cuts += more.hatless_cuts;
  counters.state_cuts += more.state_cuts;
  counters.backjumps += more.backjumps;
  counters.splits += more.splits;
}

/// Does some section or clique exceed the capacity even without holes?
bool CanonicalSolver::State::overfull() const {
  std::vector<Size> change(static_cast<std::size_t>(core.sections) + 1, 0);
  for (const Part& part : core.parts) {
    if (!part.counted) continue;
    change[static_cast<std::size_t>(part.begin)] += part.hi - part.lo;
    change[static_cast<std::size_t>(part.end)] -= part.hi - part.lo;
  }
  Size load = 0;
  for (const Size each : change) {
    load += each;
    if (load > core.capacity) return true;
  }
  for (int c = 0; c < cliques.count(); ++c) {
    const auto at = cliques.extent.begin();
    const auto k = static_cast<std::size_t>(c);
    if (std::accumulate(at + cliques.first[k], at + cliques.first[k + 1], Size{0}) > core.capacity)
      return true;
  }
  return false;
}

template <typename T>
Outcome CanonicalSolver::State::search(TypedSearch<T>& typed, Allowance& allowance,
                                       std::uint64_t seed) {
  if (!typed.finder) {
    // A smaller table forgets more, which is better than no search.
    typed.table.resize(allowance.table_bytes(params.table_bytes));
    // Expensive inference pays if everything has to be refuted, not in short tries.
    finder_params = params;
    finder_params.one_machine = params.one_machine && !params.restarts;
    typed.finder = std::make_unique<Search<T>>(finder_params, typed.table);
    typed.refuter = std::make_unique<Search<T>>(params, typed.table);
  }
  typed.table.clear();
  canonical::collect_facts(core, facts);
  offsets.resize(core.items.size());
  typed.finder->load(core, cliques);
  typed.refuter_loaded = false;
  Outcome outcome = Outcome::placed;
  for (int component = 0; component < typed.finder->components() && outcome == Outcome::placed;
       ++component) {
    outcome = search_component(typed, component, allowance, seed);
  }
  count(typed.finder->counters());
  if (typed.refuter_loaded) count(typed.refuter->counters());
  return outcome;
}

/// The order of a try, numbered through all rounds.
void CanonicalSolver::State::rank(const Try& each, std::size_t number, int round, Random& random) {
  // Each later round mixes small and large noise: which one helps depends on the problem.
  constexpr std::array<double, 3> noises = {0.3, 0.1, 1.0};
  const double noise = round == 0 ? 0.0 : noises[(number + static_cast<std::size_t>(round)) % 3];
  // Every third round uses sizes only: for some problems contention misleads.
  if (round == 0 || !params.contention || round % 3 == 1) {
    canonical::rank_items(core, facts, each.order, noise, random, ranks);
    return;
  }
  contended.area = facts.area;
  canonical::collect_contention(core, contention.weights(), contended.total);
  canonical::rank_items(core, contended, CanonicalOrder::total_area_width, noise, random, ranks);
}

/// Two schedules share the time: short tries with changing orders search for a placement, and one
/// long run with a single order refutes. Each round increases the cost of a try, and gives the
/// refuting run half as much as all tries of the round had. Learned information is kept: failed
/// states, and the sections that refused. On shuffled rows, growing budgets were as good as Luby's
/// sequence; on uniformly hard problems, better.
template <typename T>
Outcome CanonicalSolver::State::search_component(TypedSearch<T>& typed, int component,
                                                 Allowance& allowance, std::uint64_t seed) {
  // Not a structured binding: clang before version 16 cannot capture one in a lambda.
  const auto range = typed.finder->component_items(component);
  const auto first = range.first;
  const auto last = range.second;
  Random random(seed);
  const auto run = [&](Search<T>& search, std::int64_t nodes) {
    const Outcome outcome = drive(search, nodes, allowance);
    if (outcome == Outcome::placed) {
      for (int i = first; i < last; ++i) {
        offsets[static_cast<std::size_t>(i)] = search.offset(i);
      }
    }
    return outcome;
  };
  const std::vector<Try> tries = tries_of(params);
  if (!params.restarts) {
    canonical::rank_items(core, facts, tries.front().order, 0, random, ranks);
    typed.finder->start(ranks, tries.front().choice, component, true);
    return run(*typed.finder, std::numeric_limits<std::int64_t>::max());
  }
  std::int64_t budget = params.first_budget > 0 ? params.first_budget : (last - first) * 5 / 4 + 32;
  contention.start(static_cast<std::size_t>(core.sections));
  bool refuting = false;
  std::size_t number = 0;
  for (int round = 0;; ++round) {
    std::int64_t tried = 0;
    for (const Try& each : tries) {
      rank(each, number++, round, random);
      // The first round usually goes straight down, so recording conflicts would not pay.
      typed.finder->start(ranks, each.choice, component, round > 0);
      ++restarts;
      const Outcome outcome = run(*typed.finder, budget);
      if (outcome != Outcome::paused || allowance.stopped()) return outcome;
      contention.learn(typed.finder->refusals());
      tried += budget;
    }
    if (!refuting) {
      if (!typed.refuter_loaded) typed.refuter->load(core, cliques);
      typed.refuter_loaded = true;
      canonical::rank_items(core, facts, tries.front().order, 0, random, ranks);
      typed.refuter->start(ranks, Choice::lowest, component, true);
      refuting = true;
    }
    const Outcome outcome = run(*typed.refuter, tried / 2 + 1);
    if (outcome != Outcome::paused || allowance.stopped()) return outcome;
    budget += budget / 8 + 1;
  }
}

Outcome CanonicalSolver::State::search_pairs(Allowance& allowance) {
  PairSearch pairs(core);
  const Outcome outcome = drive(pairs, std::numeric_limits<std::int64_t>::max(), allowance);
  counters.nodes += pairs.nodes();
  if (outcome != Outcome::placed) return outcome;
  offsets.resize(core.items.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = pairs.offset(static_cast<int>(i));
  return outcome;
}

void CanonicalSolver::State::load(const PlacementProblem& problem, MemoryIndex m, Poll& poll) {
  poll.check();
  // The core, and the flat copies of the two searches.
  constexpr double bytes_per_pair = 2.5 * canonical::bytes_per_core_pair;
  poll.check_memory(bytes_per_pair * static_cast<double>(canonical::count_pairs(
                                         problem, canonical::max_pairs, &poll)));
  canonical::build_core(problem, m, core, poll);
  if (core.contradiction.empty() && params.subset_sums && facts::is_measured(problem))
    core.capacity = reachable_capacity(core);
  cliques = {};
  if (params.cliques && core.contradiction.empty() && core.general.empty())
    canonical::find_cliques(core, cliques, poll);
}

Outcome CanonicalSolver::State::search_core(Allowance& allowance, std::uint64_t seed) {
  if (!core.contradiction.empty()) return Outcome::refuted;
  if (!core.general.empty()) return search_pairs(allowance);
  if (overfull()) return Outcome::refuted;
  if (canonical::fits<std::int16_t>(core)) return search(small, allowance, seed);
  if (canonical::fits<std::int32_t>(core)) return search(medium, allowance, seed);
  return search(large, allowance, seed);
}

void CanonicalSolver::State::write_places(MemoryIndex m, Placement& placement) const {
  for (std::size_t i = 0; i < core.items.size(); ++i) {
    const Item& item = core.items[i];
    for (int k = item.first_member; k < item.last_member; ++k)
      placement.places[core.members[static_cast<std::size_t>(k)]] = {m, offsets[i] * core.unit};
  }
}

Stats CanonicalSolver::State::stats() const {
  return {{"nodes", counters.nodes},
          {"restarts", restarts},
          {"section_cuts", counters.section_cuts},
          {"one_machine_cuts", counters.one_machine_cuts},
          {"clique_cuts", counters.clique_cuts},
          {"lifted_cuts", counters.failed_skips},
          {"hatless_cuts", counters.hatless_cuts},
          {"failed_state_cuts", counters.state_cuts},
          {"backjumps", counters.backjumps},
          {"splits", counters.splits}};
}

CanonicalSolver::CanonicalSolver(const CanonicalParams& params)
    : state_(std::make_unique<State>()) {
  state_->params = params;
}

CanonicalSolver::~CanonicalSolver() = default;

facts::FeatureSet CanonicalSolver::features() {
  return facts::together(facts::address_features, facts::sharing_features);
}

std::optional<std::string> CanonicalSolver::outgrown(const PlacementProblem& problem) {
  if (canonical::count_pairs(problem, canonical::max_pairs) <= canonical::max_pairs)
    return std::nullopt;
  return "More than " + std::to_string(canonical::max_pairs) +
         " pairs of buffers overlap in time, the limit of the canonical search.";
}

bool CanonicalSolver::takes(const PlacementProblem& problem) {
  return features().contains(facts::features_of(problem)) && !outgrown(problem);
}

engine::SearchResult CanonicalSolver::solve(const PlacementProblem& problem,
                                            const engine::SearchParams& params) {
  State& state = *state_;
  state.counters = {};
  state.restarts = 0;
  engine::SearchResult result;
  Allowance allowance(params.budget);
  Outcome outcome = Outcome::placed;
  if (auto why = memories_contradict(problem)) {
    result.reason = *std::move(why);
    outcome = Outcome::refuted;
  }
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  Poll poll(params.budget);
  std::optional<BudgetEnded> ended;
  for (MemoryIndex m = 0; m < problem.memories.size() && outcome == Outcome::placed; ++m) {
    try {
      state.load(problem, m, poll);
    } catch (const BudgetEnded& each) {
      ended = each;
      outcome = Outcome::paused;
      break;
    }
    outcome = state.search_core(allowance, params.seed);
    if (outcome == Outcome::placed) state.write_places(m, placement);
    if (outcome == Outcome::refuted) {
      result.reason = !state.core.contradiction.empty()
                          ? state.core.contradiction
                          : "No placement fits into " + memory_name(problem, m) +
                                ": the search excluded every placement.";
    }
  }
  allowance.spend(0, 0);
  switch (outcome) {
    case Outcome::placed:
      result.status = Status::feasible;
      result.placement = std::move(placement);
      break;
    case Outcome::refuted:
      result.status = Status::infeasible;
      break;
    case Outcome::paused:
      result.status = Status::unknown;
      result.stop = ended ? ended->reason : allowance.stopped().value_or(StopReason::node_limit);
      result.reason = ended && ended->foreseen
                          ? "The canonical search needs more memory than is available for this "
                            "many pairs of buffers."
                          : "A limit stopped the canonical search before a result.";
      break;
  }
  result.stats = state.stats();
  return result;
}

namespace {

class CanonicalEngine final : public engine::PlacementEngine {
 public:
  explicit CanonicalEngine(const CanonicalParams& params) : solver_(params) {}
  [[nodiscard]] std::string_view name() const override { return "canonical"; }
  [[nodiscard]] facts::FeatureSet features() const override { return CanonicalSolver::features(); }
  [[nodiscard]] std::optional<std::string> outgrown(const PlacementProblem& problem,
                                                    Objective /*goal*/) const override {
    return CanonicalSolver::outgrown(problem);
  }
  [[nodiscard]] engine::SearchResult solve(const PlacementProblem& problem,
                                           const engine::SearchParams& params) override {
    return solver_.solve(problem, params);
  }

 private:
  CanonicalSolver solver_;
};

}  // namespace

std::unique_ptr<engine::PlacementEngine> make_canonical_engine(const CanonicalParams& params) {
  return std::make_unique<CanonicalEngine>(params);
}

}  // namespace tessera::search
