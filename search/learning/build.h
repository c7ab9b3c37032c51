// A placement problem as variables, rules and clauses of a Deduction; one file per layer.
//
//   Poll poll(budget);
//   Build build(problem, goal, deduction, params, record, poll);    // throws BudgetEnded
//   build.all();
//   ... search ...
//   Placement placement = build.decode();
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "deduction.h"
#include "facts/interchangeable.h"
#include "model/derived.h"
#include "model/poll.h"
#include "pair_keys.h"
#include "search.h"

namespace tessera::search::learning {

class Build {
 public:
  /// Data recorded in addition to the rules: nothing; data for renew(); data for used_buffers.h;
  /// or the axioms of a certificate, which excludes rules that a certificate cannot express.
  enum class Record : std::uint8_t { nothing, renewal, uses, certificate };
  Build(const PlacementProblem& problem, Objective goal, Deduction& deduction,
        const LearningParams& params, Record record, Poll& poll);

  /// Builds everything in the right order; afterwards `plan` is complete. Throws BudgetEnded,
  /// before the construction if the memory will not suffice.
  void all();
  /// May sizes change, with Record::renewal? Not if numbers decide which rules there are.
  [[nodiscard]] static bool renewable(const PlacementProblem& problem, Objective goal);
  /// After the sizes or capacities of the problem changed: the same rules with the new numbers, and
  /// no clauses. Throws BudgetEnded; then nothing may be used any longer.
  /// require: all() is done, with Record::renewal.
  void renew();
  /// Orders that symmetry fixed for the present numbers, ascending.
  /// require: Record::renewal.
  [[nodiscard]] const std::vector<Key>& fixed_orders() const { return kept_.symmetry; }
  /// Adds a clause that follows from the rules, after renew(). `lits` is overwritten. True: it
  /// raised a bound that depends on the present sizes.
  bool add_kept(std::span<Lit> lits, const ClauseDb::Head& head);
  /// False: a clause was empty, so the problem has no solution.
  [[nodiscard]] bool consistent() const { return consistent_; }
  /// require: every variable is fixed.
  [[nodiscard]] Placement decode() const;
  /// The buffers that each variable is about.
  [[nodiscard]] std::vector<std::vector<BufferIndex>> buffers_of_variables() const;
  [[nodiscard]] const std::vector<BufferIndex>& buffers_of_items() const { return item_buffer_; }
  /// Tries orders and memories first as in this placement of the same buffers.
  void prefer(const Placement& placement);

  Plan plan;

  /// The axioms of a certificate, and data for used_buffers.h: how building simplified the clauses,
  /// by position in `clauses`.
  struct Axioms {
    std::vector<std::pair<char, std::vector<std::int64_t>>> choices;  ///< meanings of Booleans
    std::vector<std::vector<Lit>> clauses;  ///< as they were added, if anything is recorded
    std::size_t count = 0;                  ///< number of clauses, recorded or not
    std::map<std::size_t, const Relation*> of_relation;  ///< the relation of a clause
    std::map<std::size_t, std::vector<Lit>> dropped;     ///< literals that were already false
    std::map<std::size_t, Lit> units;                    ///< the only remaining literal
    std::set<Var> unsaid;        ///< Booleans of clauses that are not written
    std::vector<Key> identical;  ///< orders of interchangeable buffers
    Key mirrored = no_key;       ///< the order that mirroring fixes
  };
  Axioms axioms;

  // Functions for the layers.
  [[nodiscard]] Lit starts_at(BufferIndex b, Offset at) const {
    return {key_of(offset_[b], 0), at};
  }
  [[nodiscard]] Lit ends_by(BufferIndex b, Offset end) const {
    return {key_of(offset_[b], 1), -end};
  }
  /// The part [range) of the buffer lies outside of [forbidden): adds two literals to a clause.
  void avoid(BufferIndex b, AddressRange range, AddressRange forbidden,
             std::vector<Lit>& clause) const;
  /// Adds "b is not in memory m" to a clause. False: b never is, so the clause is not needed.
  [[nodiscard]] bool unless_in(BufferIndex b, MemoryIndex m, std::vector<Lit>& clause) const;
  [[nodiscard]] bool may_be_in(BufferIndex b, MemoryIndex m) const {
    return memory_[b][m] != no_key;
  }
  /// Can both be in one memory?
  [[nodiscard]] bool may_share(BufferIndex a, BufferIndex b) const;
  [[nodiscard]] Var new_bool(double activity, std::int8_t phase);
  void clause(std::span<const Lit> lits);
  void clause(std::initializer_list<Lit> lits) { clause(std::span(lits.begin(), lits.size())); }
  /// Records what the Boolean means, in the terms of a certificate.
  void meaning(char letter, Var var, std::initializer_list<std::int64_t> numbers);

 private:
  [[nodiscard]] bool certifies() const { return record_ == Record::certificate; }
  void variables();
  [[nodiscard]] AddressRange inside(BufferIndex b, Size capacity) const;
  void simplify(std::span<const Lit> lits, std::size_t number);
  void add_clauses();
  void keep_structure();
  void renew_traits();
  void symmetry_of_sizes();
  void pairs();
  void gaps(const std::set<std::pair<BufferIndex, BufferIndex>>& apart);
  void outside(BufferIndex a, BufferIndex b, const AddressRange& differences);
  void sections();
  void capacities();
  void modes();
  void relations();
  void relation(const Relation& relation);
  void same_memory(BufferIndex a, BufferIndex b);
  void different_memories(BufferIndex a, BufferIndex b);
  /// The start of b equals that of a + distance.
  void fix_distance(BufferIndex a, BufferIndex b, Size distance);
  /// b crosses no bank border, and lies in the same bank as `like`.
  void within_banks(BufferIndex b, std::optional<BufferIndex> like);
  void different_banks(BufferIndex a, BufferIndex b);
  void cost();
  void interchangeable();
  void memories_ascend(BufferIndex a, BufferIndex b);
  void if_together(BufferIndex a, BufferIndex b, Key order);
  void order_class(const facts::InterchangeableClass& same);
  void symmetry();
  void orders();
  void rests();

  struct StepClass;
  void step_modes(MemoryIndex m, const StepClass& steps);
  [[nodiscard]] std::vector<char> needless_modes(MemoryIndex m, const StepClass& steps) const;
  [[nodiscard]] std::vector<StepClass> step_classes(MemoryIndex m) const;
  void count_modes(MemoryIndex m);
  void count_switches(MemoryIndex m);
  [[nodiscard]] std::vector<std::string> decode_modes(MemoryIndex m) const;
  ItemIndex item(BufferIndex b, AddressRange range);
  void hard_pair(BufferIndex a, AddressRange of_a, BufferIndex b, AddressRange of_b);
  [[nodiscard]] bool tied(BufferIndex a, BufferIndex b) const;
  void clique(MemoryIndex m, std::vector<ItemIndex> items, int splits, bool in_time);
  void cliques(MemoryIndex m);

  const PlacementProblem& problem_;
  const Objective goal_;
  Deduction& deduction_;
  const LearningParams& params_;
  const Record record_;
  Poll& poll_;
  std::vector<std::pair<BufferIndex, BufferIndex>> exempt_;  ///< pairs that may overlap, sorted
  std::unique_ptr<facts::InterchangeableBuffers> interchangeable_;  ///< with params.symmetry
  bool consistent_ = true;
  Key always_ = no_key;
  std::vector<Var> offset_;               ///< by buffer
  std::vector<std::vector<Key>> memory_;  ///< by buffer and memory; no_key: not permitted
  /// Per clause, the end of its literals in `literals_`, and its number in the axioms.
  std::vector<std::pair<std::size_t, std::uint64_t>> clauses_;
  std::vector<Lit> literals_;
  std::map<std::pair<BufferIndex, AddressRange>, ItemIndex> items_;
  std::vector<BufferIndex> item_buffer_;
  PairKeys hard_;  ///< item pairs that must not overlap

  /// Steps with equal requirements on a memory's mode share one choice; if switches count, only
  /// consecutive ones.
  struct StepClass {
    std::vector<Step> steps;
    std::vector<std::pair<BufferIndex, AddressRange>> reads, writes, live;
  };
  struct Kept {
    std::vector<ItemIndex> item;          ///< by buffer
    std::vector<MemoryIndex> of_section;  ///< by section
    std::vector<std::size_t> clauses;     ///< of the structure: the end of each in `literals`
    std::vector<Lit> literals;
    bool numbers = false;  ///< clauses that depend on numbers are not kept
    /// By buffer, its live ranges as positions in `load`.
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> live;
    std::vector<double> load;                     ///< reused
    std::vector<std::vector<BufferIndex>> apart;  ///< interchangeable if their sizes are equal
    std::vector<Key> symmetry;                    ///< orders that symmetry fixed, ascending
    std::vector<char> ordered;                    ///< reused, by buffer: in one of these classes
  };
  Kept kept_;  ///< for renew()
  struct Choice {
    std::vector<Step> steps;
    std::vector<std::vector<Key>> mode;  ///< [0][k]: joint mode k (or no_key); or [bank][role]
  };
  std::vector<std::vector<Choice>> choices_;  ///< by memory
  std::vector<std::vector<Mode>> tables_;     ///< by memory: explicit modes; empty: per bank
  std::vector<std::vector<Key>> used_;        ///< by memory: mode k is used (Objective::modes)
};

/// Does any buffer have parts? Parts are separated by differences of offsets only.
[[nodiscard]] bool has_parts(const PlacementProblem& problem);

/// The counts of live_pairs().
struct LivePairs {
  std::size_t parts = 0;  ///< of buffers: one each without gaps
  std::size_t pairs = 0;  ///< of parts that are live at the same step
};
[[nodiscard]] LivePairs live_pairs(const PlacementProblem& problem);

/// Does mirroring map every placement to a placement?
[[nodiscard]] bool mirrors(const PlacementProblem& problem);

}  // namespace tessera::search::learning
