#include "derivation.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "derivation_facts.h"
#include "parts.h"

namespace tessera::proof {
namespace {

__extension__ typedef __int128 Wide;  // sums of anything a file may claim

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

/// Thrown with a sentence; caught where the line number is known.
struct Wrong {
  std::string why;
};

class Derivation {
 public:
  explicit Derivation(const PlacementProblem& problem) : facts_(problem) {
    if (!facts_.expressible()) throw Wrong{"this problem has rules no derivation speaks of"};
  }

  /// One line; true once the contradiction is shown.
  bool line(std::string_view text);
  std::int64_t lemmas = 0;
  std::int64_t propagations = 0;

 private:
  enum class Kind : std::uint8_t { unknown, offset, pair, distance };
  struct Variable {
    Kind kind = Kind::unknown;
    BufferIndex buffer = 0;
    std::int64_t span = -1;
    std::int64_t stride = 1;
    Order order;  ///< pair: items; distance: variables
    std::int64_t distance = 0;
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
  /// False: contradiction.
  bool raise(Literal lit);
  void undo(std::size_t to);
  void fact(const Literal& lit) {
    if (!raise(lit)) refuted_ = true;
    undo_.clear();
  }

  void symmetry(std::string_view text, bool mirrored);
  void axiom(std::string_view text);
  void learn(std::string_view text);
  void antecedent(char kind, std::string_view text);
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
  [[nodiscard]] bool distance_broken(std::size_t key) const;
  [[nodiscard]] bool window_overflows(const std::vector<std::size_t>& members,
                                      const std::vector<std::size_t>& orders);
  [[nodiscard]] bool cannot_be_first(const std::vector<std::size_t>& members, bool upside_down);
  [[nodiscard]] bool apart(std::size_t i, std::size_t j);
  [[nodiscard]] bool nothing_carries(std::size_t key, const std::vector<std::size_t>& orders) const;

  static constexpr std::int64_t limit = std::int64_t{1} << 62;
  static constexpr std::size_t most_variables = std::size_t{1} << 24;

  DerivationFacts facts_;
  std::vector<Variable> variables_;
  std::vector<std::int64_t> bound_;  // by key
  std::vector<std::size_t> offset_of_;
  std::vector<Item> items_;
  std::map<std::pair<std::size_t, std::size_t>, char> apart_;  // item pairs: never overlap?
  std::unordered_map<std::int64_t, std::vector<Literal>> clauses_;
  std::vector<std::pair<std::size_t, std::int64_t>> undo_;
  bool mirrored_ = false;
  bool refuted_ = false;
  // The step being shown.
  bool open_ = false;
  bool shown_ = false;
  std::int64_t name_ = 0;
  std::vector<Literal> claim_;
};

Derivation::Variable& Derivation::declare(std::string_view& text) {
  const std::size_t var = index(text, most_variables);
  if (variables_.size() <= var) {
    variables_.resize(var + 1);
    bound_.resize(2 * var + 2, 0);
  }
  if (variables_[var].kind != Kind::unknown) throw Wrong{"a variable is declared twice"};
  return variables_[var];
}

Literal Derivation::literal(std::string_view& text) {
  Literal lit;
  lit.key = index(text, bound_.size());
  lit.value = number(text);
  const Variable& var = variables_[lit.key / 2];
  if (var.kind == Kind::unknown) throw Wrong{"a variable is used before it is declared"};
  if (var.kind != Kind::offset && lit.value != 1) throw Wrong{"an order is neither true nor false"};
  return lit;
}

std::vector<Literal> Derivation::literals(std::string_view& text) {
  std::vector<Literal> result(index(text, most_variables));
  for (Literal& lit : result) lit = literal(text);
  return result;
}

bool Derivation::raise(Literal lit) {
  const Variable& var = variables_[lit.key / 2];
  if (var.stride > 1) {
    const std::int64_t anchor = lit.key % 2 == 0 ? 0 : -var.span;
    const std::int64_t rest = ((lit.value - anchor) % var.stride + var.stride) % var.stride;
    if (rest != 0) lit.value += var.stride - rest;
  }
  if (holds(lit)) return true;
  ++propagations;
  const bool possible = !fails(lit);
  undo_.emplace_back(lit.key, bound_[lit.key]);
  bound_[lit.key] = lit.value;
  return possible;
}

void Derivation::undo(std::size_t to) {
  for (; undo_.size() > to; undo_.pop_back()) bound_[undo_.back().first] = undo_.back().second;
}

void Derivation::symmetry(std::string_view text, bool mirrored) {
  const std::size_t key = index(text, bound_.size());
  if (variables_[key / 2].kind != Kind::pair) throw Wrong{"symmetry speaks of an order"};
  const BufferIndex a = lower(key).buffer;
  const BufferIndex b = upper(key).buffer;
  if (!mirrored) {
    if (!facts_.identical(a, b) || a > b) throw Wrong{"these buffers are not identical"};
  } else {
    if (mirrored_ || !facts_.mirrors() || facts_.has_double(a) || facts_.has_double(b))
      throw Wrong{"mirroring does not allow to choose this order"};
    mirrored_ = true;
  }
  fact({key, 1});
}

void Derivation::axiom(std::string_view text) {
  const std::int64_t name = number(text);
  const auto clause = literals(text);
  if (clause.empty()) throw Wrong{"a clause of a buffer has no literals"};
  Offset start = std::numeric_limits<Offset>::min();
  Offset end = std::numeric_limits<Offset>::max();
  for (const Literal& lit : clause) {
    const Variable& var = variables_[lit.key / 2];
    const Variable& first = variables_[clause[0].key / 2];
    if (var.kind != Kind::offset || var.buffer != first.buffer)
      throw Wrong{"a clause of a buffer speaks of something else"};
    // Rounded literals say the same as the weakest value that rounds to them.
    if (lit.key % 2 == 0)
      start = lit.value - var.stride + 1;
    else
      end = -lit.value + var.stride - 1;
  }
  const bool given = std::any_of(clause.begin(), clause.end(), [&](const Literal& lit) {
    // The literal holds for every offset in the buffer's room.
    return bound_[lit.key] >= lit.value;
  });
  if (!given && (clause.size() != 2 || clause[0].key / 2 != clause[1].key / 2 ||
                 clause[0].key == clause[1].key ||
                 !facts_.keeps_out(variables_[clause[0].key / 2].buffer, start, end)))
    throw Wrong{"no rule of the problem keeps the buffer out of these addresses"};
  std::vector<Literal> open;
  for (const Literal& lit : clause)
    if (!fails(lit)) open.push_back(lit);
  if (open.empty()) refuted_ = true;
  if (open.size() == 1) fact(open[0]);
  clauses_[name] = clause;
}

void Derivation::learn(std::string_view text) {
  name_ = number(text);
  claim_ = literals(text);
  open_ = true;
  shown_ = refuted_;
  undo_.clear();
  for (const Literal& lit : claim_)
    if (!shown_ && !raise(negation(lit))) shown_ = true;
}

void Derivation::use(const std::vector<Literal>& clause) {
  if (shown_) return;
  const Literal* open = nullptr;
  for (const Literal& lit : clause) {
    if (fails(lit)) continue;
    if (open != nullptr) return;  // says nothing yet
    open = &lit;
  }
  if (open == nullptr || !raise(*open)) shown_ = true;
}

void Derivation::antecedent(char kind, std::string_view text) {
  ++lemmas;
  if (kind == 'c') {
    const auto found = clauses_.find(number(text));
    if (found == clauses_.end()) throw Wrong{"a clause is named that is not there"};
    use(found->second);
    return;
  }
  std::optional<Literal> conclusion;
  if (auto ahead = text; number(ahead) == -1)
    text = ahead;
  else
    conclusion = literal(text);
  const auto premises = literals(text);
  std::vector<std::size_t> members;
  if (kind == 'w' || kind == 'n') {
    members.resize(index(text, items_.size() + 1));
    for (std::size_t& member : members) member = index(text, items_.size());
  }
  if (shown_) return;
  // The lemma is checked where its premises hold: whatever else is assumed only follows from them.
  for (const Literal& lit : premises)
    if (!holds(lit)) throw Wrong{"a premise of a lemma does not hold"};
  const std::size_t mark = undo_.size();
  const bool right = follows(kind, premises, conclusion ? &*conclusion : nullptr, members);
  undo(mark);
  if (!right) throw Wrong{"the arithmetic of a lemma does not add up"};
  if (!conclusion || !raise(*conclusion)) shown_ = true;
}

bool Derivation::follows(char rule, const std::vector<Literal>& premises, const Literal* lit,
                         const std::vector<std::size_t>& members) {
  std::vector<std::size_t> orders;
  bool too_far = false;
  for (const Literal& each : premises)
    if (variables_[each.key / 2].kind == Kind::pair) orders.push_back(each.key);
  if (lit != nullptr) {
    const Literal against = negation(*lit);
    if (!raise(against)) return true;
    if (variables_[against.key / 2].kind == Kind::pair) orders.push_back(against.key);
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  for (const Literal& each : premises) too_far = too_far || distance_broken(each.key);
  switch (rule) {
    case 'e':
      return too_far || std::any_of(orders.begin(), orders.end(), [&](std::size_t key) {
               const Item& above = upper(key);
               const Item& below = lower(key);
               return start(below) + below.range.size() + above.range.size() > end(above);
             });
    case 't':
      // A below B below C below A.
      return orders.size() == 3 &&
             ((&upper(orders[0]) == &lower(orders[1]) && &upper(orders[1]) == &lower(orders[2]) &&
               &upper(orders[2]) == &lower(orders[0])) ||
              (&upper(orders[0]) == &lower(orders[2]) && &upper(orders[2]) == &lower(orders[1]) &&
               &upper(orders[1]) == &lower(orders[0])));
    case 'w':
      return window_overflows(members, orders);
    case 'n':
      return cannot_be_first(members, false) || cannot_be_first(members, true);
    case 'r':
      return lit != nullptr && nothing_carries(lit->key, orders);
    default:
      throw Wrong{"an unknown rule"};
  }
}

bool Derivation::distance_broken(std::size_t key) const {
  const Variable& var = variables_[key / 2];
  if (var.kind != Kind::distance || key % 2 != 0) return false;
  const std::size_t from = var.order.lower;
  const std::size_t to = var.order.upper;
  return Wide{bound_[2 * from]} + var.distance > -Wide{bound_[2 * to + 1]} - variables_[to].span;
}

bool Derivation::window_overflows(const std::vector<std::size_t>& members,
                                  const std::vector<std::size_t>& orders) {
  for (const std::size_t key : orders) {
    const Item& below = lower(key);
    const Item& above = upper(key);
    const Wide latest = end(above) - above.range.size();  // the lower one ends by then
    const Wide soonest = start(below) + below.range.size();
    const Wide high = -(latest - below.range.end + facts_.buffer(below.buffer).size);
    const Wide low = soonest - above.range.begin;
    if (high < limit && high > -limit &&
        !raise({key_of(below) + 1, static_cast<std::int64_t>(high)}))
      return true;
    if (low < limit && low > -limit && !raise({key_of(above), static_cast<std::int64_t>(low)}))
      return true;
  }
  Wide sum = 0;
  Wide e = Wide{1} << 100;
  Wide l = -e;
  for (std::size_t x = 0; x < members.size(); ++x) {
    const Item& item = items_[members[x]];
    sum += item.range.size();
    e = std::min(e, start(item));
    l = std::max(l, end(item));
    for (std::size_t y = 0; y < x; ++y)
      if (!apart(members[x], members[y])) return false;
  }
  return !members.empty() && e + sum > l;
}

bool Derivation::apart(std::size_t i, std::size_t j) {
  const auto [known, is_new] = apart_.try_emplace(std::minmax(i, j), 0);
  if (is_new)
    known->second =
        facts_.apart(items_[i].buffer, items_[i].range, items_[j].buffer, items_[j].range) ? 1 : 0;
  return known->second != 0;
}

// The first member of the list lies below all the others, or (upside down) above them: neither
// fits.
bool Derivation::cannot_be_first(const std::vector<std::size_t>& members, bool upside_down) {
  const auto from = [&](const Item& item) { return upside_down ? -end(item) : start(item); };
  const auto to = [&](const Item& item) { return upside_down ? -start(item) : end(item); };
  if (members.size() < 2) return false;
  const Item& who = items_[members[0]];
  const Wide latest_start = to(who) - who.range.size();
  Wide sum = who.range.size();
  Wide l = -(Wide{1} << 100);
  for (std::size_t x = 1; x < members.size(); ++x) {
    const Item& item = items_[members[x]];
    // Too long to end before the first one starts.
    if (from(item) + item.range.size() <= latest_start) return false;
    sum += item.range.size();
    l = std::max(l, to(item));
    for (std::size_t y = 0; y < x; ++y)
      if (!apart(members[x], members[y])) return false;
  }
  return from(who) + sum > l;
}

// Placements in which no buffer could be lowered by itself are enough. Where the offset may still
// be, could it be lowered, in every case?
bool Derivation::nothing_carries(std::size_t key, const std::vector<std::size_t>& orders) const {
  const Variable& var = variables_[key / 2];
  if (var.kind != Kind::offset || key % 2 != 0 || !facts_.may_be_lowered(var.buffer)) return false;
  const Wide first = bound_[key];
  const Wide last = -Wide{bound_[key + 1]} - var.span;
  if (first - var.stride < facts_.room(var.buffer).begin) return false;
  for (BufferIndex other = 0; other < facts_.buffers(); ++other) {
    for (const AddressRange& part : facts_.in_the_way(var.buffer, other)) {
      if (offset_of_[other] == most_variables) return false;
      const Item item{other, part};
      const Wide soonest = start(item) + part.size();  // of its end
      if (soonest > last || end(item) <= first - var.stride) continue;
      const bool above = std::any_of(orders.begin(), orders.end(), [&](std::size_t order) {
        const Item& upper_item = upper(order);
        return lower(order).buffer == var.buffer && upper_item.buffer == other &&
               (upper_item.range.contains(part) || part.contains(upper_item.range));
      });
      if (!above) return false;
    }
  }
  return true;
}

void Derivation::conclude() {
  if (!open_) throw Wrong{"'q' ends no step"};
  if (!shown_) throw Wrong{"the step does not follow"};
  open_ = false;
  undo(0);
  if (claim_.empty()) {
    refuted_ = true;
  } else if (claim_.size() == 1) {
    fact(claim_[0]);
  } else {
    clauses_[name_] = claim_;
  }
}

bool Derivation::line(std::string_view text) {
  const std::string_view word = take_word(text);
  if (word.size() != 1) throw Wrong{"a line begins with one letter"};
  const char kind = word[0];
  if (open_ && kind != 'q') {
    antecedent(kind, text);
    return false;
  }
  switch (kind) {
    case 'o': {
      Variable& var = declare(text);
      const std::size_t self = static_cast<std::size_t>(&var - variables_.data());
      var.kind = Kind::offset;
      var.buffer = index(text, facts_.buffers());
      var.span = facts_.buffer(var.buffer).size;
      var.stride = facts_.stride(var.buffer);
      offset_of_.resize(facts_.buffers(), most_variables);
      if (offset_of_[var.buffer] != most_variables) throw Wrong{"a buffer is declared twice"};
      offset_of_[var.buffer] = self;
      const AddressRange room = facts_.room(var.buffer);
      bound_[2 * self] = std::numeric_limits<std::int64_t>::min() / 4;
      bound_[2 * self + 1] = std::numeric_limits<std::int64_t>::min() / 4;
      fact({2 * self, room.begin});
      fact({2 * self + 1, -room.end});
      break;
    }
    case 'i': {
      Item item;
      item.buffer = index(text, offset_of_.size());
      if (offset_of_[item.buffer] == most_variables) throw Wrong{"an item of an unknown buffer"};
      item.range.begin = number(text);
      item.range.end = number(text);
      if (item.range.empty() ||
          !AddressRange{0, facts_.buffer(item.buffer).size}.contains(item.range))
        throw Wrong{"an item is not inside its buffer"};
      items_.push_back(item);
      break;
    }
    case 'p': {
      Variable& var = declare(text);
      const std::size_t i = index(text, items_.size());
      const std::size_t j = index(text, items_.size());
      if (!facts_.apart(items_[i].buffer, items_[i].range, items_[j].buffer, items_[j].range))
        throw Wrong{"two items are ordered that may overlap"};
      var.kind = Kind::pair;
      var.order = {i, j};
      apart_[std::minmax(i, j)] = 1;
      break;
    }
    case 'h': {
      Variable& var = declare(text);
      const std::size_t self = static_cast<std::size_t>(&var - variables_.data());
      const std::size_t from = index(text, variables_.size());
      const std::size_t to = index(text, variables_.size());
      var.distance = number(text);
      if (variables_[from].kind != Kind::offset || variables_[to].kind != Kind::offset ||
          !facts_.at_distance(variables_[from].buffer, variables_[to].buffer, var.distance))
        throw Wrong{"no relation asks for this distance"};
      var.kind = Kind::distance;
      var.order = {from, to};
      fact({2 * self, 1});
      break;
    }
    case 'y':
      symmetry(text, false);
      break;
    case 'z':
      symmetry(text, true);
      break;
    case 'a':
      axiom(text);
      break;
    case 'l':
      learn(text);
      break;
    case 'q':
      conclude();
      break;
    case 'd':
      for (auto n = index(text, most_variables); n > 0; --n) clauses_.erase(number(text));
      break;
    default:
      throw Wrong{"an unknown kind of line"};
  }
  return refuted_ && !open_;
}

}  // namespace

void check_derivation(const PlacementProblem& problem, std::string_view text,
                      ProofVerdict& verdict) {
  const auto body = unsealed(text, verdict.reason);
  if (!body) return;
  Lines lines(*body);
  static_cast<void>(lines.next());  // the kind
  try {
    Derivation derivation(problem);
    bool refuted = false;
    while (const auto line = lines.next()) {
      refuted = derivation.line(*line);
      if (refuted && line->starts_with('q')) break;
    }
    verdict.lemmas = derivation.lemmas;
    verdict.propagations = derivation.propagations;
    verdict.accepted = refuted;
    verdict.reason = refuted ? "The derivation ends in a contradiction: there is no placement."
                             : "The derivation ends before it shows a contradiction.";
  } catch (const Wrong& wrong) {
    verdict.reason = "Line " + std::to_string(lines.number()) + ": " + wrong.why + ".";
  }
}

}  // namespace tessera::proof
