#include "derivation.h"

#include "derivation_steps.h"

namespace tessera::proof {

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
    case 'p':
    case 'v':
      declare_order(kind, text);
      break;
    case 'm':
    case 'k':
    case 'b':
      declare_choice(kind, text);
      break;
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
