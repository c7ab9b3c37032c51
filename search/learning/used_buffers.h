// The buffers of a refutation: follows every learned clause back to its rules.
//
//   UsedBuffers used(build, deduction);
//   Search search(deduction, build.plan, params, seed, &used);
//   if (refuted) explain(used.buffers());
//
// A clause depends on the buffers of its literals, and of the clauses and bounds it is derived
// from. The buffers of the last clause, the contradiction, have no placement by themselves. The set
// may be large, and may not be minimal.
#pragma once

#include <unordered_map>
#include <vector>

#include "build.h"
#include "search.h"

namespace tessera::search::learning {

class UsedBuffers final : public Recorder {
 public:
  /// require: build.all() is done.
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
  std::vector<std::vector<Root>> roots_;         // by key: bounds of level 0, ascending
  std::uint64_t axioms_;  ///< clauses of the problem have the names 1 to this
  std::uint64_t last_;
  Set contradiction_;
};

}  // namespace tessera::search::learning
