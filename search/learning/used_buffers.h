// Which buffers a refutation is about: follows every learned clause back to the rules it came from.
//
//   UsedBuffers used(build, deduction);
//   Search search(deduction, build.plan, params, seed, &used);
//   if (refuted) explain(used.buffers());
//
// A clause is about the buffers of its literals and of the clauses and bounds it was derived from.
// The buffers of the last one, the contradiction, cannot be placed by themselves; nobody promises
// that they are few, or all needed.
#pragma once

#include <unordered_map>
#include <vector>

#include "build.h"
#include "search.h"

namespace tessera::search::learning {

class UsedBuffers final : public Recorder {
 public:
  /// require: build.all() done.
  UsedBuffers(const Build& build, const Deduction& deduction);

  std::uint64_t learned(std::span<const Lit> lits, std::span<const Lemma> antecedents) override;
  void forgotten(std::span<const std::uint64_t> ids) override;
  void core(std::uint64_t, Value) override {}

  /// After a refutation: the buffers of the contradiction, ascending.
  [[nodiscard]] std::vector<BufferIndex> buffers() const;

 private:
  using Set = std::vector<std::uint64_t>;  // a bit for each buffer
  void add(const Lit& lit, Set& set) const;

  struct Root {
    Value value;
    std::uint64_t clause;
  };
  const Deduction& deduction_;
  std::vector<std::vector<BufferIndex>> of_var_;
  std::vector<BufferIndex> of_item_;
  std::size_t words_;
  std::unordered_map<std::uint64_t, Set> sets_;  // by clause
  std::vector<std::vector<Root>> roots_;         // by key: bounds that level 0 found, rising
  std::uint64_t axioms_;  ///< clauses of the problem have the names 1 to this
  std::uint64_t last_;
  Set contradiction_;
};

}  // namespace tessera::search::learning
