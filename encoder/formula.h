// Constraints of a placement, as clauses over four kinds of atoms.
//
//   Formula f;
//   IntIndex x = f.integer({.label = "a", .upper = {{.constant = 12}}});
//   IntIndex y = f.integer({.label = "b", .upper = {{.constant = 12}}});
//   f.clause({f.before(x, size_of(a), y), f.before(y, size_of(b), x)});   // a below b or b below a
//
// The clauses form the liveness and the hardware layer: they name buffers, not numbers. An Amount
// defines how a number follows from sizes and capacities (the size layer); Numbers holds one
// assignment of them. The same Formula serves CaDiCaL, Z3, DIMACS, SMT-LIB and the checker of
// certificates.
//
// Invariant: `before` and `multiple` occur without negation only, so every model can be pushed down
// to one in which offsets are sums of amounts (see granule.h). clause() rejects other clauses.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/poll.h"
#include "tessera/problem.h"

namespace tessera::encoder {

/// Atom number + 1, negative for its negation.
using Lit = std::int32_t;
using IntIndex = std::uint32_t;

inline constexpr Lit true_lit = 1;  ///< atom 0 is the constant
inline constexpr Lit false_lit = -1;

/// The atom of a literal, positive or negative.
[[nodiscard]] constexpr std::size_t atom_of(Lit literal) {
  return static_cast<std::size_t>(literal < 0 ? -literal : literal) - 1;
}

inline constexpr std::uint32_t no_index = 0xFFFFFFFF;

/// constant + size_factor * size[buffer] + capacity[memory]
struct Amount {
  Size constant = 0;
  std::int32_t size_factor = 0;     ///< -1, 0 or 1
  std::uint32_t buffer = no_index;  ///< whose size
  std::uint32_t memory = no_index;  ///< whose capacity
  friend bool operator==(const Amount&, const Amount&) = default;
};

[[nodiscard]] Amount fixed(Size constant);
[[nodiscard]] Amount size_of(BufferIndex buffer);
[[nodiscard]] Amount minus_size_of(BufferIndex buffer, Size constant);
/// The last offset at which the buffer still fits: capacity - size.
[[nodiscard]] Amount last_offset(MemoryIndex memory, BufferIndex buffer);

struct Integer;

/// The size layer of one query.
struct Numbers {
  std::vector<Size> sizes;
  std::vector<Size> capacities;  ///< bounded: see bounded_capacities()
  [[nodiscard]] Size value(const Amount& amount) const;
  /// The upper bound of an integer; negative: it has no value.
  [[nodiscard]] Size upper(const Integer& integer) const;
};

/// Capacities; an unbounded one is replaced by a height that is always sufficient.
[[nodiscard]] Numbers numbers_of(const PlacementProblem& problem);

enum class AtomKind : std::uint8_t {
  boolean,
  at_least,  ///< x >= amount
  before,    ///< x + amount <= y
  multiple,  ///< modulus divides x
};

struct Atom {
  AtomKind kind = AtomKind::boolean;
  IntIndex x = 0;
  IntIndex y = 0;
  Amount amount;
  Size modulus = 1;
};

/// An integer in [0, max(upper)], a multiple of `stride`.
struct Integer {
  std::string label;
  std::vector<Amount> upper;
  Size stride = 1;
};

/// Clauses stored contiguously.
class ClauseList {
 public:
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::span<const Lit> operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {literals_.data() + begin, ends_[index] - begin};
  }
  void add(std::span<const Lit> clause) {
    literals_.insert(literals_.end(), clause.begin(), clause.end());
    ends_.push_back(literals_.size());
  }
  /// Drops all but the first `count` clauses.
  void shrink(std::size_t count) {
    if (count >= ends_.size()) return;
    literals_.resize(count == 0 ? 0 : ends_[count - 1]);
    ends_.resize(count);
  }

 private:
  std::vector<Lit> literals_;
  std::vector<std::size_t> ends_;
};

class Formula {
 public:
  Formula();

  /// Polled on every addition; null: no poll. Not owned.
  void watch(Poll* poll) { poll_ = poll; }

  [[nodiscard]] IntIndex integer(Integer value);
  [[nodiscard]] Lit boolean(std::string label);
  [[nodiscard]] Lit at_least(IntIndex x, const Amount& amount);
  /// x > amount, that is x >= amount + 1.
  [[nodiscard]] Lit above(IntIndex x, Amount amount);
  [[nodiscard]] Lit before(IntIndex x, const Amount& amount, IntIndex y);
  [[nodiscard]] Lit multiple(IntIndex x, Size modulus);

  /// Adds a clause and folds the constants true and false. require: `before` and `multiple` atoms
  /// are not negated.
  void clause(std::span<const Lit> literals);
  void clause(std::initializer_list<Lit> literals) {
    clause(std::span<const Lit>(literals.begin(), literals.size()));
  }

  [[nodiscard]] const std::vector<Integer>& integers() const { return integers_; }
  [[nodiscard]] const std::vector<Atom>& atoms() const { return atoms_; }
  [[nodiscard]] const Atom& atom(Lit literal) const { return atoms_[atom_of(literal)]; }
  /// Adds a clause that every integer assignment satisfying the other clauses satisfies. It may
  /// negate any atom. It lets a solver reason about orders without offsets.
  void tautology(std::span<const Lit> literals) {
    work();
    tautologies_.add(literals);
  }
  void tautology(std::initializer_list<Lit> literals) {
    tautology(std::span<const Lit>(literals.begin(), literals.size()));
  }

  /// The present number of clauses, and a return to it. Atoms stay.
  struct Mark {
    std::size_t clauses = 0;
    std::size_t tautologies = 0;
    bool has_empty_clause = false;
  };
  [[nodiscard]] Mark mark() const {
    return {clauses_.size(), tautologies_.size(), has_empty_clause_};
  }
  void return_to(const Mark& mark) {
    clauses_.shrink(mark.clauses);
    tautologies_.shrink(mark.tautologies);
    has_empty_clause_ = mark.has_empty_clause;
  }

  [[nodiscard]] const ClauseList& clauses() const { return clauses_; }
  [[nodiscard]] const ClauseList& tautologies() const { return tautologies_; }
  [[nodiscard]] bool has_empty_clause() const { return has_empty_clause_; }
  /// "a", "mode m0 of sram at [0, 3)", ...; for arithmetic atoms composed of the integers' labels.
  [[nodiscard]] std::string label(std::size_t atom) const;

 private:
  [[nodiscard]] Lit intern(const Atom& atom);
  /// The slot that holds the atom, or the free slot for it.
  [[nodiscard]] std::size_t slot_of(const Atom& atom) const;
  void grow();
  void work() {
    if (poll_ != nullptr) (*poll_)();
  }

  std::vector<Integer> integers_;
  std::vector<Atom> atoms_;
  /// Hash table of positions in `atoms_`; 0: free, load at most one half. For millions of atoms it
  /// is faster than a node-based map and takes a tenth of the memory.
  std::vector<std::uint32_t> slots_;
  std::size_t interned_ = 0;
  std::unordered_map<std::uint32_t, std::string> labels_;
  ClauseList clauses_;
  ClauseList tautologies_;
  std::vector<Lit> scratch_;
  bool has_empty_clause_ = false;
  Poll* poll_ = nullptr;
};

/// Does the assignment satisfy every clause and every integer's range? It has one value per integer
/// and one truth value per atom, of which only those of boolean atoms are read.
[[nodiscard]] bool holds(const Formula& formula, const Numbers& numbers,
                         std::span<const Size> integers, std::span<const char> booleans);

}  // namespace tessera::encoder
