// Decisions, restarts and clause deletion, around deduction and analysis.
//
// Two searches share the clauses and alternate at restarts, by work done: one decides orders of
// pairs with conflicts, the other places buffers at their lowest offset.
#pragma once

#include <functional>

#include "analysis.h"
#include "engine/engine.h"
#include "heap.h"
#include "place.h"

namespace tessera::search::learning {

/// Receives every step of the derivation.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;
  /// `lits` follows from the antecedents, in order; empty: the contradiction.
  virtual std::uint64_t learned(std::span<const Lit> lits, std::span<const Lemma> antecedents) = 0;
  virtual void forgotten(std::span<const std::uint64_t> ids) = 0;
  /// The learned clause `id` is a core; `weight` of the cost of each of its payments is counted
  /// with it.
  virtual void core(std::uint64_t id, Value weight) = 0;
};

enum class Outcome : std::uint8_t { solution, refuted, stopped, core };

struct Counters {
  std::int64_t conflicts = 0;
  std::int64_t decisions = 0;
  std::int64_t restarts = 0;
  std::int64_t learned_literals = 0;
  std::int64_t reductions = 0;
  std::uint64_t work[3] = {0, 0, 0};  ///< per Mode of the search
};

class Search {
 public:
  /// The deciding search: pairs by conflicts; buffers with all section rules; buffers with the
  /// floor only.
  enum class Mode : std::uint8_t { order, place, place_lightly };

  Search(Deduction& deduction, Plan plan, const LearningParams& params, std::uint64_t seed,
         Recorder* recorder);

  /// After Build::renew(): the counters begin at 0, and the plan has new sizes. The search keeps
  /// its activities and phases. `exact_root`: bounds of level 0 hold for these sizes only. require:
  /// restart() before the renewal.
  void renew(const Plan& plan, bool exact_root);
  /// A learned clause of one literal.
  struct Unit {
    Lit lit;
    bool exact;  ///< as ClauseDb::Head::exact
  };
  [[nodiscard]] const std::vector<Unit>& units() const { return units_; }
  /// Adds earlier work to the meter of a budget.
  void counts_from(std::uint64_t work) { worked_before_ = work; }
  /// At a solution every variable is fixed in deduction.state. Decrements `conflicts_left`.
  Outcome run(const Budget& budget, std::int64_t& conflicts_left, StopReason& stop);
  /// Literals that run() assumes, decided before anything else. Outcome::core: they contradict, and
  /// core() has the reason.
  void assume(std::vector<Lit> literals) { assumed_ = std::move(literals); }
  [[nodiscard]] const std::vector<Lit>& core() const { return core_; }
  /// The recorder's name of the clause that they are not all true.
  [[nodiscard]] std::uint64_t core_name() const { return core_name_; }
  /// Counts a core with this weight from here on.
  void weigh_core(std::uint64_t name, Value weight) {
    if (recorder_ != nullptr) recorder_->core(name, weight);
  }
  /// Backtracks to level 0, for example to tighten the cost limit.
  void restart();
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Called with every learned clause.
  std::function<void(std::span<const Lit>)> guard;

 private:
  static constexpr std::int64_t first_keep = 4000;
  /// run() with the meter of the budget as `metered`: stores the work done, returns true at the
  /// limit.
  Outcome run_until(const Budget& budget, const std::function<bool()>& metered,
                    std::int64_t& conflicts_left, StopReason& stop);
  bool resolve_conflict();
  void find_core(Lit assumption);
  void commit_root();
  void forget(const std::vector<std::uint64_t>& ids);
  void refuted_at_root(const Lemma& conflict);
  Lit decide_bool();
  Lit decide_place(bool& clash);
  Lit lowest_of(Var var) const;
  void backtrack(std::int32_t level);
  [[nodiscard]] Mode next_mode() const;
  void begin_turn(Mode mode);

  Deduction& deduction_;
  Plan plan_;
  const LearningParams& params_;
  Recorder* recorder_;
  Analysis analysis_;
  ActivityHeap heap_;
  Counters counters_;
  std::uint64_t worked_before_ = 0;
  std::vector<Lit> assumed_;
  std::vector<Lit> core_;
  std::uint64_t core_name_ = 0;
  std::vector<Unit> units_;
  bool exact_root_ = false;
  Learned learned_;
  Lemma conflict_;
  std::vector<std::int8_t> phase_;
  PlaceSearch place_;
  Mode mode_ = Mode::order;
  std::int64_t turn_ = 0;           // turns of the order search
  std::int64_t turn_left_ = 0;      // conflicts until the next restart
  std::int64_t keep_ = first_keep;  // learned clauses before the next reduction
};

}  // namespace tessera::search::learning
