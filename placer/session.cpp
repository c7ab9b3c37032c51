#include "tessera/session.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include "engine/memo.h"
#include "engine/race.h"
#include "facts/load.h"
#include "model/size_layer.h"
#include "placer/decide.h"
#include "placer/lifted.h"
#include "placer/make_engine.h"
#include "placer/repack.h"
#include "placer/tile_engine.h"
#include "tessera/check.h"
#include "validation/limited_budget.h"
#include "validation/requirements.h"

namespace tessera::placer {
namespace {

/// Budget of the session's engines before the full `auto` procedure starts.
constexpr std::int64_t nodes_in_session = 200'000;

constexpr const char* automatic = "auto";

/// Null: no engine supports incremental queries on such a problem; each query is solved from
/// scratch.
std::unique_ptr<engine::PlacementEngine> engine_for(const PlacementProblem& problem,
                                                    const std::string& name) {
  if (name != automatic) {
    require_engine(problem, name, Objective::fit);
    return make_engine(name);
  }
  std::unique_ptr<engine::PlacementEngine> engine = session_engine(facts::features_of(problem));
  if (engine && engine->outgrown(problem, Objective::fit)) engine.reset();
  return engine;
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

struct Session::State {
  State(PlacementProblem given, const SessionParams& params)
      : problem(std::move(given)),
        name(params.engine),
        engine((validation::require_valid(problem),
                placer::require_aligned_bases(problem, "a session does"),
                placer::engine_for(problem, name))),
        layer(size_layer(problem)),
        memo(problem, 1),
        repack(problem) {}

  PlacementProblem problem;
  std::string name;  ///< as requested
  std::unique_ptr<engine::PlacementEngine> engine;
  std::unique_ptr<engine::PlacementSession> own;  ///< of the engine, opened on first use
  SizeLayer layer;                                ///< the numbers of the problem
  bool valid = true;                              ///< validate(problem) accepted them
  engine::Memo memo;
  placer::Repack repack;
  std::optional<facts::LoadTest> load;  ///< for the current capacities
  std::string decided_by;

  engine::SearchResult known(Status status, std::string reason) {
    decided_by = "session";
    engine::SearchResult result;
    result.status = status;
    result.reason = std::move(reason);
    return result;
  }

  engine::SearchResult ask(const engine::SearchParams& search, int threads) {
    if (memo.refutes(layer))
      return known(Status::infeasible,
                   "Known from an earlier call: buffers of at most these sizes do not fit.");
    if (name == placer::automatic) {
      if (!load) load.emplace(problem);
      if (load->first_excess(layer.sizes) > 0) {
        engine::SearchResult result = known(
            Status::infeasible, "The buffers that live at one step do not fit into the capacity.");
        decided_by = "bounds";
        return result;
      }
    }
    if (name == placer::automatic)
      if (auto placement = repack.with(layer)) {
        engine::SearchResult result = known(Status::feasible, "");
        result.placement = std::move(*placement);
        return result;
      }
    if (const auto placement = memo.placement_for(layer)) {
      engine::SearchResult result = known(Status::feasible, "");
      result.placement = *placement;
      return result;
    }
    engine::SearchResult result = search_now(search, threads);
    if (result.status == Status::feasible) {
      memo.placed(layer, std::make_shared<const Placement>(*result.placement));
      repack.follow(*result.placement);
    }
    if (result.status == Status::infeasible) memo.refuted(layer);
    return result;
  }

  engine::SearchResult search_now(const engine::SearchParams& search, int threads) {
    if (engine) {
      engine::SearchParams brief = search;
      if (name == placer::automatic)
        brief.budget.max_nodes = std::min(brief.budget.max_nodes, placer::nodes_in_session);
      decided_by = engine->name();
      engine::SearchResult result = within_memory(brief);
      if (result.status != Status::unknown || name != placer::automatic ||
          search.budget.exhausted())
        return result;
    }
    placer::Decision decision =
        placer::decide(problem, search, {.engine = placer::automatic, .threads = threads});
    decided_by = std::move(decision.engine);
    return std::move(decision.found);
  }

  engine::SearchResult within_memory(const engine::SearchParams& search) {
    try {
      if (!own) own = engine->open(problem);
      return own->solve(layer, search);
    } catch (const std::bad_alloc&) {
      own.reset();
      return engine::out_of_memory(engine->name());
    }
  }
};

Session::Session(PlacementProblem problem, const SessionParams& params)
    : state_(std::make_unique<State>(std::move(problem), params)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const PlacementProblem& Session::problem() const {
  return state_->problem;
}

}  // namespace tessera

namespace tessera::placer {

namespace {

/// `what` returns its text only on errors, because sizes come by the hundred thousand.
template <typename What>
void require_quantity(Size value, What what) {
  if (value >= 1 && value <= max_address) return;
  throw BadInput(what() + " is " + std::to_string(value),
                 "it must be between 1 and " + std::to_string(max_address));
}

std::string size_of_buffer(const PlacementProblem& problem, BufferIndex buffer) {
  return "the size of buffer '" + problem.buffers[buffer].id + "'";
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

void Session::set_size(BufferIndex buffer, Size size) {
  State& state = *state_;
  if (buffer >= state.layer.sizes.size())
    throw BadInput("unknown buffer number " + std::to_string(buffer),
                   "the problem has " + std::to_string(state.layer.sizes.size()));
  placer::require_quantity(size, [&] { return placer::size_of_buffer(state.problem, buffer); });
  if (state.layer.sizes[buffer] == size) return;
  state.layer.sizes[buffer] = state.problem.buffers[buffer].size = size;
  state.valid = false;
}

void Session::set_sizes(std::span<const Size> sizes) {
  State& state = *state_;
  if (sizes.size() != state.layer.sizes.size())
    throw BadInput("there are " + std::to_string(sizes.size()) + " sizes for " +
                   std::to_string(state.layer.sizes.size()) + " buffers");
  for (BufferIndex b = 0; b < sizes.size(); ++b)
    placer::require_quantity(sizes[b], [&] { return placer::size_of_buffer(state.problem, b); });
  for (BufferIndex b = 0; b < sizes.size(); ++b) set_size(b, sizes[b]);
}

void Session::set_capacity(MemoryIndex memory, Size capacity) {
  State& state = *state_;
  if (memory >= state.layer.capacities.size())
    throw BadInput("unknown memory number " + std::to_string(memory),
                   "the problem has " + std::to_string(state.layer.capacities.size()));
  Memory& changed = state.problem.memories[memory];
  if (!changed.banks.empty())
    throw BadInput("memory '" + changed.name + "' has banks, whose sizes are its capacity",
                   "open a new session for other banks");
  if (capacity != unbounded)
    placer::require_quantity(capacity,
                             [&] { return "the capacity of memory '" + changed.name + "'"; });
  if (changed.capacity == capacity) return;
  state.layer.capacities[memory] = changed.capacity = capacity;
  state.valid = false;
  state.load.reset();
}

PlacementResult Session::place(const Limits& limits) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  State& state = *state_;
  const validation::LimitedBudget limited(limits);
  if (!state.valid && !state.repack.surely_valid(state.layer))
    validation::require_valid(state.problem);
  state.valid = true;
  engine::SearchParams search{.budget = limited.budget(), .seed = limits.seed};
  engine::SearchResult found;
  try {
    found = state.ask(search, limits.threads);
  } catch (const std::bad_alloc&) {
    found = engine::out_of_memory("the search");
  }
  PlacementResult result;
  result.status = found.status;
  result.stop = found.stop;
  result.reason = std::move(found.reason);
  result.engine = state.decided_by;
  result.seed = limits.seed;
  result.lower_bounds.assign(state.problem.memories.size(), 0);
  result.heights.assign(state.problem.memories.size(), 0);
  if (result.status == Status::feasible) {
    result.placement = std::move(found.placement);
    validation::require_right(state.problem, *result.placement, result.engine);
    result.heights = heights(state.problem, *result.placement);
    result.cost = soft_cost(state.problem, *result.placement);
    result.proven_optimal = result.cost == 0;
  }
  result.height = *std::ranges::max_element(result.heights);
  result.stats = std::move(found.stats);
  result.stats.push_back({"from_memory", std::int64_t{result.engine == "session"}});
  result.stats = added_up(result.stats);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace tessera
