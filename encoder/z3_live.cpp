// Z3 for all size layers of a formula. Every atom about numbers is a Boolean. A selector for each
// value of an amount ties the atoms with that amount to the offsets; a query assumes the selectors
// of its numbers. A learned clause contains the selectors it rests on, so it holds for every query.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "live_solver.h"
#include "z3_base.h"

namespace tessera::encoder {
namespace {

class LiveZ3 final : public LiveSolver, public Z3Base {
 public:
  LiveZ3(std::uint64_t seed, const Formula& formula, Poll& poll)
      : Z3Base({.theory = SmtTheory::automatic, .seed = seed}) {
    poll.check();
    poll.check_memory(z3_bytes_per_atom * static_cast<double>(formula.atoms().size()));
  }

  using Backend::load;
  void load(const Formula& formula, const Numbers& numbers, Poll& poll) override {
    static_cast<void>(renumber(formula, numbers, {}, poll));
  }
  bool renumber(const Formula& formula, const Numbers& numbers, const SizeClauses& clauses,
                Poll& poll) override {
    return in_common_words([&] { return prepare(formula, numbers, clauses, poll); });
  }
  Answer ask(const Budget& budget) override {
    return in_common_words([&] { return solve(assumed_, budget); });
  }
  std::int64_t patience(const Formula&, const Numbers&) const override { return 200; }
  Backend& backend() override { return *this; }
  std::int64_t kept() const override { return kept_; }
  bool outgrown() const override { return stored_ > most_stored; }

 private:
  static constexpr std::int64_t most_stored = 100'000;

  struct Selector {
    int literal = 0;
    std::size_t tied = 0;  ///< of the atoms of its amount
  };
  /// The atoms with one amount.
  struct Tie {
    Amount amount;
    std::vector<std::size_t> atoms;
    std::map<Size, Selector> selectors;  ///< by value
  };

  bool prepare(const Formula& formula, const Numbers& numbers, const SizeClauses& clauses,
               Poll& poll) {
    if (!mostly_known(numbers)) return false;
    std::vector<Size> uppers;
    Size largest = *std::ranges::max_element(numbers.sizes);
    for (const Integer& each : formula.integers()) {
      uppers.push_back(numbers.upper(each));
      largest = std::max(largest, uppers.back());
    }
    if (integers_.empty()) begin(formula, largest, poll);
    if (largest / unit_ > largest_) return false;
    assumed_.clear();
    kept_ = 0;
    atoms_.resize(formula.atoms().size(), 0);
    for (IntIndex x = 0; x < uppers.size(); ++x) limit(formula, x, uppers[x]);
    choose_symmetry(formula, clauses.symmetry);
    for (Tie& tie : amounts_) {
      poll(16);
      choose(formula, tie, numbers.value(tie.amount));
    }
    return true;
  }

  void begin(const Formula& formula, Size largest, Poll& poll) {
    unit_ = 0;
    for (const Integer& each : formula.integers()) unit_ = std::gcd(unit_, each.stride);
    for (const Atom& atom : formula.atoms())
      if (atom.kind == AtomKind::multiple) unit_ = std::gcd(unit_, atom.modulus);
    unit_ = std::max<Size>(unit_, 1);
    largest_ = 4 * (largest / unit_ + 1);
    std::vector<Domain> domains;
    for (const Integer& each : formula.integers()) domains.push_back({.stride = each.stride});
    choose_theory(formula, domains, largest_);
    make_solver();
    z3::params options(context_);
    options.set("arith.solver", 2U);  // for incremental use: bench/README.md
    solver_.set(options);
    atoms_.assign(formula.atoms().size(), 0);
    atoms_[0] = always;
    for (const Domain& domain : domains) {
      const Size factor = domain.stride / unit_;
      make_integer(factor, largest_ / factor);
    }
    uppers_.resize(domains.size());
    if (formula.has_empty_clause()) clause({});
    for (std::size_t c = 0; c < formula.clauses().size(); ++c) {
      poll(16);  // each term takes time
      say(formula, formula.clauses()[c], 0);
    }
  }

  void say(const Formula& formula, std::span<const Lit> literals, int guard) {
    said_.clear();
    if (guard != 0) said_.push_back(guard);
    for (const Lit each : literals) {
      const std::size_t index = atom_of(each);
      if (atoms_[index] == 0) atoms_[index] = make(formula, index);
      said_.push_back(each < 0 ? -atoms_[index] : atoms_[index]);
    }
    clause(std::span<const int>(said_));
  }

  int make(const Formula& formula, std::size_t index) {
    const Atom& atom = formula.atoms()[index];
    if (atom.kind == AtomKind::multiple) {
      if (formula.integers()[atom.x].stride % atom.modulus == 0) return always;
      return keep(divides(atom.modulus / unit_, atom.x));
    }
    if (atom.kind != AtomKind::boolean) {
      const Amount& amount = atom.amount;
      const auto [entry, is_new] = amount_numbers_.try_emplace(
          std::tuple(amount.constant, amount.size_factor, amount.buffer, amount.memory),
          amounts_.size());
      if (is_new) amounts_.push_back({.amount = amount, .atoms = {}, .selectors = {}});
      amounts_[entry->second].atoms.push_back(index);
    }
    return fresh();
  }

  /// Were most sizes asked about before? Ties of values that do not come back only slow Z3 down.
  [[nodiscard]] bool mostly_known(const Numbers& numbers) {
    seen_.resize(numbers.sizes.size());
    std::size_t known = 0;
    for (std::size_t b = 0; b < seen_.size(); ++b)
      known += seen_[b].insert(numbers.sizes[b]).second ? 0U : 1U;
    stored_ += std::ssize(seen_) - static_cast<std::int64_t>(known);
    return 2 * known > seen_.size();
  }

  /// Assumes the selector of this value; ties the atoms that it does not tie yet.
  void choose(const Formula& formula, Tie& tie, Size value) {
    const bool fixed = tie.amount.size_factor == 0 && tie.amount.memory == no_index;
    Selector& selector = tie.selectors[value];
    if (!fixed && selector.literal == 0) selector.literal = fresh();
    kept_ += static_cast<std::int64_t>(selector.tied);
    for (; selector.tied < tie.atoms.size(); ++selector.tied)
      add_tie(formula, tie.atoms[selector.tied], value, -selector.literal);
    if (!fixed) assumed_.push_back(selector.literal);
  }

  void add_tie(const Formula& formula, std::size_t index, Size value, int guard) {
    const Atom& atom = formula.atoms()[index];
    const int literal = atoms_[index];
    const Size stride = formula.integers()[atom.x].stride;
    ++stored_;
    if (atom.kind == AtomKind::before) {
      const Size common = std::gcd(stride, formula.integers()[atom.y].stride);
      const Size amount = rounded_up(value, common);
      guarded(guard, {-literal, keep(order(atom.x, amount / unit_, atom.y))});
      return;
    }
    const Size least = std::min(value <= 0 ? 0 : align_up(value, stride) / unit_, largest_ + 1);
    const int reached = least == 0 ? always : keep(at_most(number(least), integers_[atom.x]));
    guarded(guard, {-literal, reached});
    guarded(guard, {literal, reached == always ? never : -reached});
  }

  void guarded(int guard, std::initializer_list<int> literals) {
    said_.assign(literals);
    if (guard != 0) said_.push_back(guard);
    clause(std::span<const int>(said_));
  }

  void limit(const Formula& formula, IntIndex x, Size upper) {
    int& selector = uppers_[x][upper];
    if (selector == 0) {
      selector = fresh();
      const Size stride = formula.integers()[x].stride;
      ++stored_;
      guarded(-selector,
              {upper < 0 ? never
                         : keep(at_most(integers_[x], number(align_down(upper, stride) / unit_)))});
    }
    assumed_.push_back(selector);
  }

  void choose_symmetry(const Formula& formula, const std::vector<std::vector<Lit>>& clauses) {
    if (clauses.empty()) return;
    int& selector = symmetries_[clauses];
    if (selector == 0) {
      selector = fresh();
      for (const std::vector<Lit>& clause : clauses) say(formula, clause, -selector);
      stored_ += std::ssize(clauses);
    }
    assumed_.push_back(selector);
  }

  Size largest_ = 0;  ///< the largest number of units that the width of integers permits
  std::vector<std::set<Size>> seen_;  ///< per buffer: sizes of earlier queries
  std::vector<Tie> amounts_;
  std::map<std::tuple<Size, std::int32_t, std::uint32_t, std::uint32_t>, std::size_t>
      amount_numbers_;
  std::vector<std::map<Size, int>> uppers_;  ///< per integer: the selector of an upper bound
  std::map<std::vector<std::vector<Lit>>, int> symmetries_;
  std::vector<int> assumed_;
  std::vector<int> said_;
  std::int64_t stored_ = 0;  ///< ties, clauses of symmetry and sizes
  std::int64_t kept_ = 0;    ///< ties of this query that were there before
};

}  // namespace

std::unique_ptr<LiveSolver> make_live_z3(std::uint64_t seed, const Formula& formula, Poll& poll) {
  return in_common_words([&] { return std::make_unique<LiveZ3>(seed, formula, poll); });
}

}  // namespace tessera::encoder
