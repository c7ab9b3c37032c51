// The tree over "which buffer next", on top of a solver that follows every decision.
//
//   Search search(problem, params, deduction, build, seed, poll);
//   Outcome outcome = search.run(budget, stop);
//   if (outcome == Outcome::placed) use(build.decode());
//
// Every level of the solver's state belongs to one point of the tree: there a buffer was put at its
// lowest place, or a Boolean of the problem (a memory, a mode) got its value.
#pragma once

#include <cstdint>
#include <optional>
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
  refuted,    ///< the solver found a contradiction that needs no decision
  restart,    ///< enough of this tree: never an answer of run()
  exhausted,  ///< no candidate is left, which proves nothing
  stopped,
};

struct Counters {
  std::int64_t steps = 0;             ///< buffers put somewhere, and Booleans decided
  std::int64_t minor_backtracks = 0;  ///< candidates the solver refused at once
  std::int64_t major_backtracks = 0;  ///< points without a candidate left
  std::int64_t stuck_exits = 0;
  std::int64_t widenings = 0;
  std::int64_t restarts = 0;
  std::int64_t retreats = 0;  ///< major backtracks that went where the chooser said
  std::int64_t asked = 0;     ///< of the advisor
  std::int64_t advised = 0;   ///< decisions that it refuted
};

class Search {
 public:
  /// require: build.all() is done and consistent. `chooser`: who says how far to go back; null:
  /// nobody; `advisor`: who is asked after every decision, or null. Throws BudgetEnded.
  Search(const PlacementProblem& problem, const GuidedParams& params,
         learning::Deduction& deduction, const learning::Build& build, std::uint64_t seed,
         Poll& poll, RetreatChooser* chooser = nullptr, engine::Advisor* advisor = nullptr);

  /// `stop` says why it was stopped.
  [[nodiscard]] Outcome run(const Budget& budget, StopReason& stop);
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  /// The orders candidates are taken from, the first of them where only one is wanted.
  enum class By : std::uint8_t { lifetime, size, area };
  static constexpr std::size_t orders = 3;

  struct Point {
    std::vector<BufferIndex> waiting;  ///< candidates, the next one last
    std::vector<BufferIndex> tried;
    std::vector<std::uint64_t> conflict;       ///< levels that the failures here are made of
    learning::Key boolean = learning::no_key;  ///< what is decided, if it is no buffer
    int sides_left = 0;                        ///< of the Boolean
    std::uint32_t phase = 0;                   ///< of the buffer put here
    std::int64_t inside = 0;                   ///< backtracks in its subtree, for `stuck`
    std::int64_t below = 0;                    ///< the same, for the chooser
    std::int64_t returns = 0;                  ///< how often the search came back here
  };

  enum class Refusal : std::uint8_t { refuted, goes_on, reopen };

  /// Puts the buffers of every phase in order; `noise` multiplies what decides by up to 1 + noise.
  void rank(double noise);
  /// At level 0: what was learned becomes part of the problem, and clauses that do not help are
  /// forgotten. False: that contradicts itself.
  [[nodiscard]] bool tidy();
  [[nodiscard]] Outcome run_once(const Budget& budget, StopReason& stop);
  [[nodiscard]] std::optional<StopReason> over(const Budget& budget);
  /// Opens the point at the present depth; `again`: what was tried there is remembered. False:
  /// everything is decided.
  [[nodiscard]] bool open_point(bool again);
  void open_boolean(Point& point, learning::Var var);
  /// What the solver refused at `depth` is forgotten at once, but for the levels it is made of.
  [[nodiscard]] Refusal refused(std::int32_t depth);
  /// Or it becomes a clause, and the search goes on wherever that leaves a choice.
  [[nodiscard]] Refusal learn_from_refusal(std::int32_t depth);
  /// What the advisor says of the places so far. Goes on: nothing is known; else the decision at
  /// `depth` was taken back, or everything is refuted.
  [[nodiscard]] Refusal advised_against(std::int32_t depth, const Budget& budget);
  /// From level 0: the decisions of the first `level` points again, as far as they still can be.
  void replay(std::int32_t level);
  /// The next decision of the point; nothing: none is left.
  [[nodiscard]] std::optional<learning::Lit> next_of(Point& point);
  /// "The buffer ends where it ends at its lowest place."
  [[nodiscard]] learning::Lit lowest_of(learning::Var var) const;
  bool collect(std::uint32_t phase, std::size_t per_order, Point& now);
  [[nodiscard]] std::int32_t go_back(std::int32_t failed);
  void promote(const Point& failed, Point& target) const;
  /// From the level `own` that the search would go back to, with the conflict in its point, to the
  /// one that the chooser prefers: `own` or a lower one.
  [[nodiscard]] std::int32_t retreat(std::int32_t failed, std::int32_t own);
  /// The decision of this level was part of a conflict.
  void blame(std::int32_t level);
  /// What was put at a point that has a decision; no_buffer: a Boolean was decided.
  [[nodiscard]] static BufferIndex decided_at(const Point& point);
  [[nodiscard]] std::int32_t stuck_above(std::int32_t target) const;
  [[nodiscard]] bool open(BufferIndex b) const {
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
  std::optional<History> history_;  // for the chooser alone, as the next three
  std::vector<Retreat> retreats_;
  std::vector<Standing> standing_;
  std::int64_t turn_began_ = 0;                           // backtracks before this tree
  std::vector<std::uint32_t> phase_;                      // by buffer
  std::vector<std::vector<BufferIndex>> ranked_[orders];  // by phase: best first
  std::vector<std::vector<learning::Var>> choices_;       // by buffer: Booleans of its memory
  std::vector<Point> points_;
  engine::Advisor* advisor_;
  std::vector<engine::Placed> placed_;
  Random random_;
  std::size_t per_order_ = 1;
  std::int64_t turn_left_ = 0;   // backtracks until the next restart
  std::int64_t keep_ = 4000;     // learned clauses before the next reduction
  std::uint64_t looked_at_ = 0;  // work of the solver at the last look at the budget
};

}  // namespace tessera::search::guided
