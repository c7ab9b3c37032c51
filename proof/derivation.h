// Checks proofs of kind "derivation": the conclusions of a clause-learning placement engine, step
// by step, by arithmetic and unit propagation. docs/reference/proofs.md defines each line and its
// conditions. Every pair, item, clause of the problem and symmetry is derived again from the
// problem.
//
//   Derivation derivation(problem, claim, text.size());
//   while (const auto line = lines.next())
//     if (derivation.line(*line)) return "proved";          // throws Wrong where a line is not
//
// derivation.cpp reads lines, derivation_axioms.cpp compares clauses with the problem,
// derivation_rules.cpp does the arithmetic of lemmas, derivation_payments.cpp that of costs.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "derivation_facts.h"
#include "model/claim_problem.h"
#include "model/poll.h"
#include "parts.h"
#include "tessera/claim.h"

namespace tessera::proof {
__extension__ typedef __int128 Wide;  // sums of arbitrary file values

struct Literal {
  std::size_t key = 0;
  std::int64_t value = 0;
};

struct Item {
  BufferIndex buffer = 0;
  AddressRange range;
};

struct Order {  ///< of a pair variable
  std::size_t lower = 0;
  std::size_t upper = 0;
};

/// Thrown with a message; caught where the line number is known.
struct Wrong {
  std::string why;
};

class Derivation {
 public:
  /// `bytes`: length of the whole text. All table sizes are bounded by it, because every entry is
  /// named in the text.
  Derivation(const PlacementProblem& problem, const Claim& claim, std::size_t bytes,
             const Budget& budget = {})
      : facts_(problem),
        poll_(budget),
        claim_(claim),
        most_variables_(std::min(bytes, std::size_t{1} << 24U)),
        most_paid_(counterexample_cost(claim)) {}

  /// Throws Wrong with a message if the line is not allowed, BudgetEnded at a limit.
  void line(std::string_view text);
  /// Is the contradiction proved, with no unfinished step?
  [[nodiscard]] bool done() const { return refuted_ && !open_; }
  std::int64_t lemmas = 0;
  std::int64_t propagations = 0;

 private:
  /// A false pair means the opposite order; a false half order only means that this order does not
  /// hold.
  enum class Kind : std::uint8_t {
    unknown,
    offset,
    pair,
    half,
    distance,
    gap,       ///< true: at least `distance` above; false: at most `back` above
    half_gap,  ///< true: at least `distance` above; false: nothing
    memory,
    mode,
    role,
    shared,  ///< two buffers share an address
    used,    ///< a memory uses a mode
    change,  ///< the modes of a memory at two steps differ
  };
  struct Variable {
    Kind kind = Kind::unknown;
    BufferIndex buffer = 0;
    std::int64_t span = -1;
    std::int64_t stride = 1;
    Order order;  ///< pair, half: items; distance, gaps: variables; shared: buffers; change: steps
    std::int64_t distance = 0;
    std::int64_t back = 0;   ///< gap
    MemoryIndex memory = 0;  ///< memory: the buffer is in it; mode, role, used, change: its
    Step step = 0;           ///< mode, role
    std::size_t number = 0;  ///< of the mode, or of the role among the bank's
    std::size_t bank = 0;    ///< role
  };

  static std::int64_t number(std::string_view& text) {
    const auto value = take_number(text);
    if (!value || *value < -limit || *value > limit)
      throw Wrong{"a number is missing or too large"};
    return *value;
  }
  static std::size_t index(std::string_view& text, std::size_t below) {
    const std::int64_t value = number(text);
    if (value < 0 || static_cast<std::size_t>(value) >= below)
      throw Wrong{"a number is out of range"};
    return static_cast<std::size_t>(value);
  }
  Literal literal(std::string_view& text);
  std::vector<Literal> literals(std::string_view& text);
  Variable& declare(std::string_view& text);

  [[nodiscard]] Literal negation(const Literal& lit) const {
    return {lit.key ^ 1, 1 - lit.value - variables_[lit.key / 2].span};
  }
  [[nodiscard]] bool holds(const Literal& lit) const { return bound_[lit.key] >= lit.value; }
  [[nodiscard]] bool fails(const Literal& lit) const { return holds(negation(lit)); }
  /// Asserts the literal. False: contradiction.
  bool raise(Literal lit);
  void undo(std::size_t to);
  void fact(const Literal& lit) {
    if (!raise(lit)) refuted_ = true;
    undo_.clear();
  }

  void declare_offset(std::string_view& text);
  void declare_item(std::string_view& text);
  void declare_distance(std::string_view& text);
  void declare_gap(char kind, std::string_view& text);
  /// The order of two variables that the literal 'KEY 1' implies, with its distance, if any.
  struct Above {
    std::size_t from = 0;
    std::size_t to = 0;
    Wide distance = 0;
  };
  [[nodiscard]] std::optional<Above> above(std::size_t key) const;
  void symmetry(std::string_view& text, bool mirrored);
  void declare_order(char kind, std::string_view& text);
  void declare_choice(char kind, std::string_view& text);
  void declare_payment(char kind, std::string_view& text);
  void core(std::string_view& text);
  [[nodiscard]] bool pays_too_much(const Literal* lit);
  void axiom(std::string_view& text);
  [[nodiscard]] bool uses_its_mode(const std::vector<Literal>& clause) const;
  [[nodiscard]] bool changes_its_mode(const std::vector<Literal>& clause) const;
  [[nodiscard]] bool names_every_choice(const std::vector<Literal>& clause) const;
  /// Does the problem rule out that all of them are false?
  [[nodiscard]] bool must_hold(const std::vector<Literal>& clause);
  /// The order and difference variables of a clause.
  struct Orders {
    std::vector<const Variable*> halves, gaps;  ///< those that are positive in it
    bool overlap = false;  ///< all of them false: the buffers overlap in every common memory
  };
  [[nodiscard]] bool nothing_left(const std::vector<BufferIndex>& about, const Variable* mode,
                                  const std::vector<std::optional<Role>>& roles,
                                  const Orders& orders) const;
  [[nodiscard]] bool against_twins(const DerivationFacts::Box& a, const DerivationFacts::Box& b,
                                   const Orders& orders) const;
  [[nodiscard]] bool relations_contradict() const;
  [[nodiscard]] std::vector<MemoryIndex> memories_of(BufferIndex b) const;
  void learn(std::string_view& text);
  void antecedent(char kind, std::string_view& text);
  void forget(std::string_view& text);
  void conclude();
  void use(const std::vector<Literal>& clause);
  [[nodiscard]] bool follows(char rule, const std::vector<Literal>& premises, const Literal* lit,
                             const std::vector<std::size_t>& members);
  [[nodiscard]] const Item& lower(std::size_t key) const {
    const Order& o = variables_[key / 2].order;
    return items_[key % 2 == 0 ? o.lower : o.upper];
  }
  [[nodiscard]] const Item& upper(std::size_t key) const { return lower(key ^ 1); }
  [[nodiscard]] std::size_t key_of(const Item& item) const { return 2 * offset_of_[item.buffer]; }
  /// Earliest start, latest end of an item.
  [[nodiscard]] Wide start(const Item& item) const {
    return Wide{bound_[key_of(item)]} + item.range.begin;
  }
  [[nodiscard]] Wide end(const Item& item) const {
    return -Wide{bound_[key_of(item) + 1]} - facts_.buffer(item.buffer).size + item.range.end;
  }
  [[nodiscard]] bool goes_round(const std::vector<Literal>& premises, const Literal* lit,
                                const std::vector<std::size_t>& orders) const;
  [[nodiscard]] bool distance_broken(std::size_t key) const;
  [[nodiscard]] bool window_overflows(const std::vector<std::size_t>& members,
                                      const std::vector<std::size_t>& orders);
  [[nodiscard]] bool cannot_be_first(const std::vector<std::size_t>& members, bool upside_down);
  [[nodiscard]] bool apart(std::size_t i, std::size_t j);
  [[nodiscard]] bool separated(const Item& x, const Item& y,
                               const std::vector<std::size_t>& orders) const;
  [[nodiscard]] bool nothing_carries(std::size_t key, const std::vector<Literal>& premises) const;
  [[nodiscard]] bool rounds_up_to(const Literal& lit) const;
  [[nodiscard]] bool orders_chain(std::size_t key, const std::vector<std::size_t>& orders) const;

  static constexpr std::int64_t limit = std::int64_t{1} << 62;
  static constexpr std::size_t unset = ~std::size_t{0};

  DerivationFacts facts_;
  Poll poll_;
  const Claim claim_;
  const std::size_t most_variables_;
  const std::optional<Cost> most_paid_;
  std::vector<Variable> variables_;
  std::vector<std::int64_t> bound_;  // by key
  std::vector<std::size_t> offset_of_;
  std::vector<Item> items_;
  std::vector<std::vector<std::size_t>> memory_of_;            // by buffer: its memory variables
  std::map<std::pair<std::size_t, std::size_t>, char> apart_;  // item pairs: never overlap?
  std::unordered_map<std::int64_t, std::vector<Literal>> clauses_;
  std::vector<std::pair<std::size_t, std::int64_t>> undo_;
  bool mirrored_ = false;
  bool refuted_ = false;

  /// A cost that is paid while its variable is true.
  struct Payment {
    std::size_t variable = 0;
    Cost cost = 0;
    Cost left = 0;  ///< remaining cost after the shares of the cores
    std::vector<std::size_t> cores;
  };
  std::vector<Payment> payments_;
  std::map<std::size_t, std::size_t> payment_of_;  // by variable
  std::set<std::pair<std::size_t, std::size_t>> paid_for_;
  std::vector<std::size_t> changed_;  ///< by memory: the end of its last change
  std::vector<Cost> core_weight_;
  // The step in progress.
  bool open_ = false;
  bool shown_ = false;
  std::int64_t name_ = 0;
  std::vector<Literal> lemma_;
};

}  // namespace tessera::proof
