// One CaDiCaL for all size layers of a formula: what it learns in one query is used in the next.
//
//   LiveChains solver(seed, formula, poll);                 // the clauses that name no number
//   if (!solver.renumber(formula, numbers, clauses, poll)) return use_another_solver();
//   if (solver.ask(budget) == Answer::yes) x = solver.value(encoding.offset[0]);
//
// A clause that holds for some sizes only is a lemma. Lemmas are in groups. Every clause of a group
// has the negation of the group's selector as one more literal, and a query assumes exactly the
// selectors of groups whose lemmas all hold for its numbers. A learned clause therefore contains
// the selectors it rests on, and is sound for every later query: docs/internals/incremental.md.
#pragma once

#include <unordered_map>
#include <vector>

#include "chain_backend.h"
#include "live_solver.h"

namespace tessera::encoder {

class LiveChains final : public LiveSolver, public ChainBackend {
 public:
  LiveChains(std::uint64_t seed, const Formula& formula, Poll& poll);

  bool renumber(const Formula& formula, const Numbers& numbers, const SizeClauses& clauses,
                Poll& poll) override;
  Answer ask(const Budget& budget) override { return run(budget); }
  std::int64_t patience(const Formula& formula, const Numbers& numbers) const override {
    return chains_are_faster(formula, numbers) ? std::numeric_limits<std::int64_t>::max() : 200;
  }
  Backend& backend() override { return *this; }
  std::int64_t kept() const override { return kept_; }
  bool outgrown() const override { return lemmas_of_.size() > most_lemmas; }
  void report(Stats& stats) const override;

 private:
  static constexpr std::size_t most_lemmas = 100'000;
  static constexpr std::size_t most_groups = 48;

  struct Lemma {
    std::vector<Lit> clause;
    Chain chain;                       ///< of a chain
    std::vector<BufferIndex> buffers;  ///< of a cover
    MemoryIndex memory = 0;            ///< of a cover
    std::uint64_t listed = 0;          ///< of a symmetry clause: the last query that listed it
    enum class Kind : std::uint8_t { chain, cover, symmetry } kind = Kind::chain;
    bool holds = false;   ///< for the numbers of this query
    bool active = false;  ///< in a group that is assumed
  };
  struct Group {
    int selector = 0;
    std::size_t sort = 0;
    std::uint64_t used = 0;  ///< the last query that assumed it
    std::vector<std::uint32_t> lemmas;
  };

  void lemma(Chain chain) override;
  /// The number of the lemma with this clause; a new one if there is none.
  std::uint32_t find(const std::vector<Lit>& clause);
  [[nodiscard]] bool true_now(const Lemma& lemma) const;
  /// Lemmas of one sort tend to hold for the same numbers.
  [[nodiscard]] std::size_t sort_of(const Lemma& lemma) const;
  void activate(std::uint32_t lemma);
  void retire();

  std::vector<Lemma> lemmas_of_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::vector<Group> groups_;
  std::vector<std::size_t> open_;  ///< per sort: the group that takes new lemmas; none: no_index
  Numbers numbers_;
  std::uint64_t query_ = 0;
  std::int64_t kept_ = 0;  ///< lemmas of this query that were there before
  std::int64_t new_groups_ = 0;
};

}  // namespace tessera::encoder
