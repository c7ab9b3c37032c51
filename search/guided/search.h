// The search tree over the next buffer, on top of a solver that follows every decision.
//
//   Search search(problem, params, deduction, build, seed, poll, spent);
//   Outcome outcome = search.run(budget, stop);
//   if (outcome == Outcome::placed) use(build.decode());
//
// Every level of the solver's state belongs to one point of the tree. At a point, a buffer was put
// at its lowest place, or a Boolean of the problem (a memory, a mode) got its value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/random.h"
#include "search/guided/conflict.h"
#include "search/guided/engine.h"
#include "search/guided/history.h"
#include "search/guided/retreat.h"
#include "search/learning/analysis.h"
#include "search/learning/build.h"

namespace tessera::search::guided {

enum class Outcome : std::uint8_t {
  placed,     ///< every variable of the solver is fixed
  refuted,    ///< the solver found a contradiction without a decision
  restart,    ///< the turn is over; run() never returns this
  exhausted,  ///< no candidate is left, which proves nothing
  stopped,
};

struct Counters {
  std::int64_t steps = 0;             ///< buffers placed, and Booleans decided
  std::int64_t minor_backtracks = 0;  ///< candidates that the solver refused at once
  std::int64_t major_backtracks = 0;  ///< points without a candidate left
  std::int64_t stuck_exits = 0;
  std::int64_t restarts = 0;
  std::int64_t retreats = 0;  ///< major backtracks chosen by the chooser
  std::int64_t asked = 0;     ///< calls of the advisor
  std::int64_t advised = 0;   ///< decisions that the advisor refuted
};

inline void add(Counters& sum, const Counters& more) {
  sum.steps += more.steps;
  sum.minor_backtracks += more.minor_backtracks;
  sum.major_backtracks += more.major_backtracks;
  sum.stuck_exits += more.stuck_exits;
  sum.restarts += more.restarts;
  sum.retreats += more.retreats;
  sum.asked += more.asked;
  sum.advised += more.advised;
}

/// The part that all trees of one call have spent of its budget.
struct Spent {
  std::int64_t steps = 0;
  std::uint64_t work = 0;  ///< of the solver
};

class Search {
 public:
  /// require: build.all() is done and consistent. `chooser` chooses backtrack targets; null:
  /// default. `advisor` is consulted after every decision; may be null. Throws BudgetEnded.
  Search(const PlacementProblem& problem, const GuidedParams& params,
         learning::Deduction& deduction, const learning::Build& build, std::uint64_t seed,
         Poll& poll, Spent& spent, RetreatChooser* chooser = nullptr,
         engine::Advisor* advisor = nullptr);

  /// Call once. `stop` receives the reason for stopping.
  [[nodiscard]] Outcome run(const Budget& budget, StopReason& stop);
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  enum class By : std::uint8_t { lifetime, size, area };
  static constexpr std::size_t orders = 3;
  [[nodiscard]] static std::size_t order_of(GuidedStrategy strategy);
  /// How a tree grows: which candidates, and which rules of the solver.
  struct Kind {
    bool lowest = false;  ///< the buffers with the lowest places, whatever their phase
    bool light = false;   ///< of the section rules only the floor
    [[nodiscard]] std::size_t index() const { return (lowest ? 2U : 0U) + (light ? 1U : 0U); }
  };

  struct Point {
    std::vector<BufferIndex> waiting;  ///< candidates, the next one last
    std::vector<BufferIndex> tried;
    std::vector<std::uint64_t> conflict;  ///< levels of the decisions that caused the failures here
    learning::Key boolean = learning::no_key;  ///< the Boolean that is decided here, if any
    int sides_left = 0;                        ///< of the Boolean
    bool others = false;                       ///< are the other buffers candidates, too?
    std::uint32_t phase = 0;                   ///< of the buffer placed here
    std::int64_t inside = 0;                   ///< backtracks in its subtree, for `stuck`
    std::int64_t below = 0;                    ///< the same, for the chooser
    std::int64_t returns = 0;                  ///< number of backtracks to this point
  };

  enum class Refusal : std::uint8_t { refuted, goes_on, reopen };

  /// Sorts the buffers of every phase; `noise` multiplies the sort key by up to 1 + noise.
  void rank(double noise);
  /// At level 0: adds what was learned to the problem, and removes clauses that do not help. False:
  /// contradiction.
  [[nodiscard]] bool simplify();
  /// Grows one tree. restart: another one is possible.
  [[nodiscard]] Outcome turn(const Budget& budget, StopReason& stop);
  /// Chooses the kind of the next tree. False: contradiction.
  [[nodiscard]] bool choose_kind();
  [[nodiscard]] Outcome run_once(const Budget& budget, StopReason& stop);
  [[nodiscard]] std::optional<StopReason> over(const Budget& budget);
  /// Opens the point at the current depth; `again`: keeps what was tried there. False: everything
  /// is decided.
  [[nodiscard]] bool open_point(bool again);
  void open_boolean(Point& point, learning::Var var);
  /// Handles a refusal at `depth`: removes the decision, and keeps the levels that caused it.
  [[nodiscard]] Refusal refused(std::int32_t depth);
  /// Handles a refusal by a learned clause; the search continues where the clause leaves a choice.
  [[nodiscard]] Refusal learn_from_refusal(std::int32_t depth);
  /// Consults the advisor about the current places. goes_on: no conflict is known. Otherwise the
  /// decision at `depth` was undone, or everything is refuted.
  [[nodiscard]] Refusal advised_against(std::int32_t depth, const Budget& budget);
  /// From level 0: repeats the decisions of the first `level` points as far as possible.
  void replay(std::int32_t level);
  /// The next decision of the point; nothing: none is left.
  [[nodiscard]] std::optional<learning::Lit> next_of(Point& point);
  /// The literal "the buffer ends where it ends at its lowest place".
  [[nodiscard]] learning::Lit lowest_of(learning::Var var) const;
  bool collect(std::uint32_t phase, std::size_t per_order, Point& now);
  bool collect_lowest(std::size_t count, Point& now);
  /// Adds the candidates of a new point. False: every buffer is placed.
  bool collect_candidates(Point& now);
  /// Makes all other unplaced buffers candidates of the point. False: there are none.
  bool add_others(Point& now);
  /// The tree is exhausted: the deepest point with other buffers; -1: none.
  std::int32_t last_resort(std::int32_t failed);
  [[nodiscard]] std::int32_t go_back(std::int32_t failed);
  void promote(const Point& failed, Point& target) const;
  /// The level to backtrack to, `own` or a lower one, by the chooser. `own` is the default level,
  /// with the conflict in its point.
  [[nodiscard]] std::int32_t retreat(std::int32_t failed, std::int32_t own);
  /// Notes that the decision of this level was in a conflict.
  void blame(std::int32_t level);
  /// The buffer placed at a decided point; no_buffer: a Boolean was decided.
  [[nodiscard]] static BufferIndex decided_at(const Point& point);
  [[nodiscard]] std::int32_t stuck_above(std::int32_t target) const;
  [[nodiscard]] bool unplaced(BufferIndex b) const {
    return !deduction_.state.fixed(build_.plan.offsets[b]);
  }
  Point& point(std::int32_t depth);

  const GuidedParams& params_;
  learning::Deduction& deduction_;
  const learning::Build& build_;
  Conflict conflict_;
  learning::Analysis analysis_;
  learning::Learned learned_;
  learning::Lemma lemma_;
  Counters counters_;
  RetreatChooser* chooser_;
  std::optional<History> history_;  // for the chooser only, as the next three
  std::vector<Retreat> retreats_;
  std::vector<Standing> standing_;
  std::int64_t turn_began_ = 0;                                  // backtracks before this tree
  std::vector<std::uint32_t> phase_;                             // by buffer
  std::vector<std::vector<BufferIndex>> ranked_[orders];         // by phase: best first
  std::vector<BufferIndex> longest_;                             // all buffers by lifetime
  std::vector<std::pair<learning::Value, BufferIndex>> places_;  // reused by collect_lowest()
  std::vector<std::vector<learning::Var>> choices_;  // by buffer: Booleans of its memory
  std::vector<Point> points_;
  engine::Advisor* advisor_;
  std::vector<engine::Placed> placed_;
  Random random_;
  std::int64_t turn_left_ = 0;  // backtracks until the next restart
  std::int64_t keep_ = 4000;    // learned clauses before the next reduction
  int exhausted_ = 0;           // trees that were exhausted and grown again
  Spent& spent_;
  std::uint64_t checked_at_ = 0;  // work of the solver at the last check of the budget
  Kind kind_;
  std::array<std::uint64_t, 4> work_{};  // by kind
  std::array<std::int64_t, 4> turns_{};  // by kind
};

}  // namespace tessera::search::guided
