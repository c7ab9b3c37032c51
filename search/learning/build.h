// A placement problem as variables, rules and clauses of a Deduction: one layer a file.
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
#include "facts/twins.h"
#include "model/derived.h"
#include "model/poll.h"
#include "pair_keys.h"
#include "search.h"

namespace tessera::search::learning {

class Build {
 public:
  /// What is written down beside the rules: nothing; what used_buffers.h wants to know; or what a
  /// certificate says, and then nothing is taken for granted that it cannot say.
  enum class Record : std::uint8_t { nothing, uses, certificate };
  Build(const PlacementProblem& problem, Objective goal, Deduction& deduction,
        const LearningParams& params, Record record, Poll& poll);

  /// Everything, in the right order. Afterwards plan is complete. Throws BudgetEnded, beforehand
  /// where there is not memory enough for it.
  void all();
  /// False: a clause was empty, the problem has no solution.
  [[nodiscard]] bool consistent() const { return consistent_; }
  /// require: every variable is fixed.
  [[nodiscard]] Placement decode() const;
  /// Whom each variable, each item speaks of.
  [[nodiscard]] std::vector<std::vector<BufferIndex>> buffers_of_variables() const;
  [[nodiscard]] const std::vector<BufferIndex>& buffers_of_items() const { return item_buffer_; }
  /// Orders and memories are first tried as they were in this placement of the same buffers.
  void prefer(const Placement& placement);

  Plan plan;

  /// What a certificate says before its first step, and what it says nothing of: what building made
  /// of the clauses (by position in `clauses`), which used_buffers.h wants to know.
  struct Axioms {
    std::vector<std::pair<char, std::vector<std::int64_t>>> choices;  ///< what Booleans mean
    std::vector<std::vector<Lit>> clauses;  ///< as they were added, if anything is recorded
    std::size_t count = 0;                  ///< of them, recorded or not
    std::map<std::size_t, const Relation*> of_relation;  ///< whose clause it is
    std::map<std::size_t, std::vector<Lit>> dropped;     ///< literals that were false already
    std::map<std::size_t, Lit> units;                    ///< the only literal that was left
    std::set<Var> unsaid;        ///< Booleans of clauses that are not to be written
    std::vector<Key> identical;  ///< orders of twins
    Key mirrored = no_key;       ///< the order that mirroring fixes
  };
  Axioms axioms;

  // What the layers are written with.
  [[nodiscard]] Lit starts_at(BufferIndex b, Offset at) const {
    return {key_of(offset_[b], 0), at};
  }
  [[nodiscard]] Lit ends_by(BufferIndex b, Offset end) const {
    return {key_of(offset_[b], 1), -end};
  }
  /// The part [range) of the buffer lies outside of [forbidden): two literals of a clause.
  void avoid(BufferIndex b, AddressRange range, AddressRange forbidden,
             std::vector<Lit>& clause) const;
  /// Adds "b is not in memory m" to a clause. False: it never can be, the clause is not needed.
  [[nodiscard]] bool unless_in(BufferIndex b, MemoryIndex m, std::vector<Lit>& clause) const;
  [[nodiscard]] bool may_be_in(BufferIndex b, MemoryIndex m) const {
    return memory_[b][m] != no_key;
  }
  /// Both could be in it at once.
  [[nodiscard]] bool may_share(BufferIndex a, BufferIndex b) const;
  [[nodiscard]] Var new_bool(double activity, std::int8_t phase);
  void clause(std::span<const Lit> lits);
  void clause(std::initializer_list<Lit> lits) { clause(std::span(lits.begin(), lits.size())); }
  /// What the Boolean means, in the words of a certificate.
  void meaning(char letter, Var var, std::initializer_list<std::int64_t> numbers);

 private:
  [[nodiscard]] bool certifies() const { return record_ == Record::certificate; }
  void variables();
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
  /// The start of b is that of a + distance.
  void fix_distance(BufferIndex a, BufferIndex b, Size distance);
  /// b crosses no border of a bank, and lies in the same one as `like`.
  void within_banks(BufferIndex b, std::optional<BufferIndex> like);
  void different_banks(BufferIndex a, BufferIndex b);
  void cost();
  void twins();
  void memories_ascend(BufferIndex a, BufferIndex b);
  void if_together(BufferIndex a, BufferIndex b, Key order);
  void order_twins(const facts::TwinClass& same);
  void symmetry();
  void orders();
  void rests();

  struct StepClass;
  void step_modes(MemoryIndex m, const StepClass& steps);
  [[nodiscard]] std::vector<char> needless_modes(MemoryIndex m, const StepClass& steps) const;
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
  std::unique_ptr<facts::Twins> twins_;                      ///< with params.symmetry
  bool consistent_ = true;
  Key always_ = no_key;
  std::vector<Var> offset_;               ///< by buffer
  std::vector<std::vector<Key>> memory_;  ///< by buffer and memory; no_key: not allowed
  /// Where its literals end in `literals_`, and its number in axioms.
  std::vector<std::pair<std::size_t, std::uint64_t>> clauses_;
  std::vector<Lit> literals_;
  std::map<std::pair<BufferIndex, AddressRange>, ItemIndex> items_;
  std::vector<BufferIndex> item_buffer_;
  PairKeys hard_;  ///< item pairs that must not overlap

  /// Steps that ask the same of a memory's mode share one choice.
  struct StepClass {
    std::vector<Step> steps;
    std::vector<std::pair<BufferIndex, AddressRange>> reads, writes, live;
  };
  struct Choice {
    std::vector<Step> steps;
    std::vector<std::vector<Key>> mode;  ///< [0][k]: joint mode k (or no_key); or [bank][role]
  };
  std::vector<std::vector<Choice>> choices_;  ///< by memory
  std::vector<std::vector<Mode>> tables_;     ///< by memory: explicit modes; empty: per bank
  std::vector<std::vector<Key>> used_;        ///< by memory: mode k is used (Objective::modes)
};

/// Does any buffer have parts? They are kept apart by differences of offsets, and by nothing else.
[[nodiscard]] bool has_parts(const PlacementProblem& problem);

/// What live_pairs() counts.
struct LivePairs {
  std::size_t parts = 0;  ///< of buffers: one each, where there are no gaps
  std::size_t pairs = 0;  ///< of parts that are live at one time
};
[[nodiscard]] LivePairs live_pairs(const PlacementProblem& problem);

/// Is every placement turned upside down again a placement?
[[nodiscard]] bool mirrors(const PlacementProblem& problem);

}  // namespace tessera::search::learning
