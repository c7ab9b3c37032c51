#include "session.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "facts/modes.h"
#include "first_fit.h"
#include "load_cut.h"
#include "model/size_layer.h"
#include "tessera/check.h"

namespace tessera::encoder {
namespace {

struct Counters {
  std::int64_t load_cuts = 0;
  std::int64_t orders_reused = 0;
  std::int64_t first_fits = 0;
  std::int64_t repairs = 0;
  std::int64_t solver_calls = 0;
  std::int64_t fresh = 0;  ///< queries about costs or modes
};

class Session final : public engine::PlacementSession {
 public:
  Session(const PlacementProblem& problem, const DecideParams& params)
      : params_(params), current_(problem) {
    has_modes_ = std::any_of(problem.memories.begin(), problem.memories.end(), has_modes);
  }

  engine::SearchResult solve(const SizeLayer& layer, const engine::SearchParams& search) override {
    replace_sizes(current_, layer);
    engine::SearchResult result;
    try {
      result = answer(search);
    } catch (const BudgetEnded& ended) {
      result = given_up(params_.engine, ended);
    }
    report(result.stats);
    return result;
  }

 private:
  static constexpr std::size_t most_placements = 6;
  static constexpr int most_repairs = 150;
  static constexpr std::int64_t most_patience = 8;
  static constexpr std::size_t most_tables = 8;

  engine::SearchResult answer(const engine::SearchParams& search) {
    engine::SearchResult result;
    if (search.goal != Objective::fit) {
      ++counters_.fresh;
      result = decide(current_, params_, search);
      if (result.status == Status::feasible) remember(*result.placement);
      return result;
    }
    if (const auto why = search.budget.exhausted()) {
      result.stop = *why;
      result.reason = "a limit ended the call before the search began";
      return result;
    }
    Poll never;  // the problem of a tile is small
    if (const auto cut = find_load_cut(current_, never)) {
      ++counters_.load_cuts;
      result.step = "load";
      result.status = Status::infeasible;
      result.reason = describe(current_, *cut);
      return result;
    }
    if (params_.try_orders) {
      if (std::optional<Placement> known = from_earlier(search.budget, result.step)) {
        result.status = Status::feasible;
        result.placement = std::move(*known);
        return result;
      }
    }
    return ask(search);
  }

  std::optional<Placement> from_earlier(const Budget& budget, std::string_view& step) {
    Poll poll(budget);
    if (!first_fit_) first_fit_.emplace(current_, poll);
    for (const Placement& placement : placements_) {
      if (auto found = propose(placement, by_offset(placement), {.other_memories = true})) {
        ++counters_.orders_reused;
        step = "order";
        return found;
      }
    }
    const std::vector<std::vector<BufferIndex>> orders = first_orders();
    const Placement like = placements_.empty() ? anywhere() : placements_.front();
    const int modes = most_modes();
    for (int mode = -1; mode < modes; ++mode) {
      for (const std::vector<BufferIndex>& order : orders) {
        if (auto found = propose(like, order, {.other_memories = true, .mode = mode})) {
          ++counters_.first_fits;
          step = "first fit";
          return found;
        }
      }
    }
    const std::vector<BufferIndex> start = placements_.empty() ? orders[0] : by_offset(like);
    for (int mode = modes > 0 ? 0 : -1; mode < modes || mode < 0; ++mode) {
      const int rounds = most_repairs / std::max(1, modes);
      if (auto found = repair(like, start, {.other_memories = true, .mode = mode}, rounds)) {
        ++counters_.repairs;
        step = "repair";
        return found;
      }
      if (mode < 0) break;
    }
    return std::nullopt;
  }

  /// Number of modes that first fit may assume to be constant.
  [[nodiscard]] int most_modes() const {
    std::size_t modes = 0;
    for (const Memory& memory : current_.memories) modes = std::max(modes, memory.modes.size());
    return static_cast<int>(std::min<std::size_t>(modes, most_tables));
  }

  std::optional<Placement> propose(const Placement& like, const std::vector<BufferIndex>& order,
                                   const FirstFitRules& rules) {
    return confirm(first_fit_->place(current_, like, order, rules));
  }

  std::optional<Placement> confirm(Placement proposal) {
    if (!check(current_, proposal, 1).empty()) {
      auto modes = has_modes_ ? facts::resolve_modes(current_, proposal.places) : std::nullopt;
      if (!modes) return std::nullopt;
      proposal.modes = std::move(*modes);
      if (!check(current_, proposal, 1).empty()) return std::nullopt;
    }
    remember(proposal);
    return proposal;
  }

  /// Repairs an order: each buffer that ends above its memory moves forward in the order,
  /// repeatedly (Joslin, Clements: Squeaky wheel optimization, 1999). No randomness: the distance
  /// depends on how often the buffer has failed.
  std::optional<Placement> repair(const Placement& like, std::vector<BufferIndex> order,
                                  const FirstFitRules& rules, int rounds) {
    std::vector<std::int64_t> complaints(order.size(), 0);
    for (int round = 0; round < rounds; ++round) {
      Placement proposal = first_fit_->place(current_, like, order, rules);
      std::vector<char> complains(order.size(), 0);
      bool any = false;
      for (BufferIndex b = 0; b < order.size(); ++b) {
        const BufferPlace& place = proposal.places[b];
        if (place.offset + current_.buffers[b].size <= current_.memories[place.memory].capacity) {
          continue;
        }
        complains[b] = 1;
        any = true;
        ++complaints[b];
      }
      if (!any) return confirm(std::move(proposal));
      std::vector<std::int64_t> rank(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        const BufferIndex b = order[i];
        const auto position = static_cast<std::int64_t>(2 * i);
        rank[b] = complains[b] == 0 ? position : position / (1 + complaints[b]) - 1;
      }
      std::stable_sort(order.begin(), order.end(),
                       [&rank](BufferIndex a, BufferIndex b) { return rank[a] < rank[b]; });
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<BufferIndex> by_offset(const Placement& placement) const {
    return sorted([&](BufferIndex b) { return placement.places[b].offset; });
  }

  /// The usual orders of first fit: large size first, large area first, early begin first.
  [[nodiscard]] std::vector<std::vector<BufferIndex>> first_orders() const {
    const auto& buffers = current_.buffers;
    const auto lifetime = [&](BufferIndex b) {
      return buffers[b].live.back().upper - buffers[b].live.front().lower;
    };
    return {sorted([&](BufferIndex b) { return -buffers[b].size; }), sorted([&](BufferIndex b) {
              return -static_cast<double>(buffers[b].size) * static_cast<double>(lifetime(b));
            }),
            sorted([&](BufferIndex b) { return buffers[b].live.front().lower; })};
  }

  template <typename Key>
  [[nodiscard]] std::vector<BufferIndex> sorted(const Key& key) const {
    std::vector<BufferIndex> order(current_.buffers.size());
    std::iota(order.begin(), order.end(), BufferIndex{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](BufferIndex a, BufferIndex b) { return key(a) < key(b); });
    return order;
  }

  /// Every buffer in the largest of its memories: the memories of the first orders.
  [[nodiscard]] Placement anywhere() const {
    Placement placement;
    for (const Buffer& buffer : current_.buffers) {
      const std::vector<MemoryIndex> allowed = allowed_memories(current_, buffer);
      placement.places.push_back({*std::max_element(allowed.begin(), allowed.end(),
                                                    [this](MemoryIndex a, MemoryIndex b) {
                                                      return current_.memories[a].capacity <
                                                             current_.memories[b].capacity;
                                                    }),
                                  0});
    }
    placement.modes.resize(current_.memories.size());
    return placement;
  }

  engine::SearchResult ask(const engine::SearchParams& search) {
    ++counters_.solver_calls;
    try {
      return ask_solver(search);
    } catch (...) {  // a formula or a solver may be half made
      again_.reset();
      live_.reset();
      structure_.reset();
      throw;
    }
  }

  engine::SearchResult ask_solver(const engine::SearchParams& search) {
    Poll poll(search.budget);
    if (!structure_) structure_ = encode(current_, {.poll = &poll});
    const Numbers numbers = numbers_of(current_);
    const SizeClauses clauses = size_clauses(poll);
    if (patience_ > 0) {
      if (live_ && live_->outgrown()) live_.reset();
      if (!live_) live_ = params_.make_live_solver(search.seed, structure_->formula, poll);
      if (live_->renumber(structure_->formula, numbers, clauses, poll)) {
        Budget patient = search.budget;
        const std::int64_t patience = live_->patience(structure_->formula, numbers);
        if (patience < patient.max_nodes / patience_) patient.max_nodes = patience * patience_;
        const Answer answer = live_->ask(patient);
        if (answer != Answer::unknown || search.budget.exhausted() ||
            patient.max_nodes == search.budget.max_nodes) {
          patience_ = std::min(most_patience, 2 * patience_);
          engine::SearchResult result = told(*structure_, live_->backend(), answer, search.budget);
          result.kept = live_->kept();
          return result;
        }
        patience_ /= 4;
      }
    }
    Encoding encoding = *structure_;
    for (const std::vector<Lit>& clause : clauses.symmetry) encoding.formula.clause(clause);
    for (const Cover& cover : clauses.covers) encoding.formula.tautology(cover.clause);
    if (again_ && again_->reloads())
      again_->load(encoding.formula, numbers, poll);
    else
      again_ = params_.make_solver(
          {.formula = encoding.formula, .numbers = numbers, .seed = search.seed, .poll = poll});
    const Answer answer = again_->solve({}, search.budget);
    return told(encoding, *again_, answer, search.budget);
  }

  /// Adds atoms to the structure, but no clauses.
  SizeClauses size_clauses(Poll& poll) {
    SizeClauses clauses;
    if (params_.break_symmetry) {
      const Formula::Mark mark = structure_->formula.mark();
      add_symmetry(current_, *structure_, &poll);
      for (std::size_t c = mark.clauses; c < structure_->formula.clauses().size(); ++c) {
        const std::span<const Lit> clause = structure_->formula.clauses()[c];
        clauses.symmetry.emplace_back(clause.begin(), clause.end());
      }
      structure_->formula.return_to(mark);
    }
    if (params_.balance) clauses.covers = balance_covers(current_, *structure_, &poll);
    return clauses;
  }

  engine::SearchResult told(const Encoding& encoding, Backend& solver, Answer answer,
                            const Budget& budget) {
    engine::SearchResult result;
    if (answer == Answer::unknown) {
      result.stop = stop_reason(budget);
      result.reason = "a limit ended the search of engine " + params_.engine + " before a result";
    } else if (answer == Answer::yes) {
      result.status = Status::feasible;
      result.placement = decode(
          current_, encoding, [&](IntIndex x) { return solver.value(x); },
          [&](Lit literal) { return solver.holds(solver.literal(literal)); });
      remember(*result.placement);
    } else {
      result.status = Status::infeasible;
      result.reason = "engine " + params_.engine + " proved that the constraints have no solution";
    }
    solver.report(result.stats);
    return result;
  }

  void remember(const Placement& placement) {
    placements_.push_front(placement);
    if (placements_.size() > most_placements) placements_.pop_back();
  }

  void report(Stats& stats) const {
    stats.push_back({"session_load_cuts", counters_.load_cuts});
    stats.push_back({"session_orders_reused", counters_.orders_reused});
    stats.push_back({"session_first_fits", counters_.first_fits});
    stats.push_back({"session_repairs", counters_.repairs});
    stats.push_back({"session_solver_calls", counters_.solver_calls});
    stats.push_back({"session_fresh", counters_.fresh});
  }

  DecideParams params_;
  PlacementProblem current_;
  bool has_modes_ = false;             ///< some memory has modes
  std::optional<FirstFit> first_fit_;  ///< made on first use
  std::optional<Encoding> structure_;  ///< liveness and hardware layer
  std::unique_ptr<LiveSolver> live_;   ///< made on first use
  std::unique_ptr<Backend> again_;     ///< loaded anew for each query that it gets
  std::int64_t patience_ = 1;          ///< with the live solver; it grows with its successes
  std::deque<Placement> placements_;
  Counters counters_;
};

}  // namespace

std::unique_ptr<engine::PlacementSession> make_session(const PlacementProblem& problem,
                                                       const DecideParams& params) {
  return std::make_unique<Session>(problem, params);
}

}  // namespace tessera::encoder
