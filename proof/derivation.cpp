#include "derivation.h"

namespace tessera::proof {

Derivation::Variable& Derivation::declare(std::string_view& text) {
  const std::size_t var = index(text, most_variables_);
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
  std::vector<Literal> result(index(text, text.size() + 1));
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

void Derivation::symmetry(std::string_view& text, bool mirrored) {
  const std::size_t key = index(text, bound_.size());
  if (variables_[key / 2].kind != Kind::pair) throw Wrong{"symmetry speaks of an order"};
  const BufferIndex a = lower(key).buffer;
  const BufferIndex b = upper(key).buffer;
  if (!mirrored) {
    if (a > b || !facts_.twins(a, b))
      throw Wrong{"these buffers are not interchangeable in this order"};
    // By their offsets, and so by where these items are.
    if (upper(key).range.end <= lower(key).range.begin)
      throw Wrong{"the order of interchangeable buffers does not imply this order of their items"};
  } else {
    if (mirrored_ || !facts_.mirrors() || facts_.has_twin(a) || facts_.has_twin(b))
      throw Wrong{"mirror symmetry does not allow this choice of order"};
    mirrored_ = true;
  }
  fact({key, 1});
}

void Derivation::learn(std::string_view& text) {
  name_ = number(text);
  lemma_ = literals(text);
  open_ = true;
  shown_ = refuted_;
  undo_.clear();
  for (const Literal& lit : lemma_)
    if (!shown_ && !raise(negation(lit))) shown_ = true;
}

void Derivation::use(const std::vector<Literal>& clause) {
  if (shown_) return;
  const Literal* open = nullptr;
  for (const Literal& lit : clause) {
    if (fails(lit)) continue;
    if (open != nullptr) return;  // implies nothing yet
    open = &lit;
  }
  if (open == nullptr || !raise(*open)) shown_ = true;
}

void Derivation::antecedent(char kind, std::string_view& text) {
  ++lemmas;
  if (kind == 'c') {
    const auto found = clauses_.find(number(text));
    if (found == clauses_.end()) throw Wrong{"an unknown clause is named"};
    use(found->second);
    return;
  }
  if (std::string_view("etwnsrg").find(kind) == std::string_view::npos)
    throw Wrong{"a step may contain only clauses and rules"};
  std::optional<Literal> conclusion;
  if (auto ahead = text; number(ahead) == -1)
    text = ahead;
  else
    conclusion = literal(text);
  const auto premises = literals(text);
  std::vector<std::size_t> members;
  if (kind == 'w' || kind == 'n') {
    members.resize(index(text, text.size() + 1));
    for (std::size_t& member : members) member = index(text, items_.size());
  }
  if (shown_) return;
  // A lemma is checked under its premises; all other assumptions follow from them.
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
  if (lemma_.empty()) refuted_ = true;
  if (lemma_.size() == 1) fact(lemma_[0]);
  clauses_[name_] = lemma_;
}

void Derivation::forget(std::string_view& text) {
  for (auto n = index(text, text.size() + 1); n > 0; --n) clauses_.erase(number(text));
}

void Derivation::line(std::string_view text) {
  const std::string_view word = first_word(text);
  if (word.size() != 1) throw Wrong{"a line must begin with one letter"};
  const char kind = word[0];
  if (open_ && kind != 'q') {
    antecedent(kind, text);
  } else {
    switch (kind) {
      case 'o':
        declare_offset(text);
        break;
      case 'i':
        declare_item(text);
        break;
      case 'p':
      case 'v':
        declare_order(kind, text);
        break;
      case 'm':
      case 'k':
      case 'b':
        declare_choice(kind, text);
        break;
      case 'x':
      case 'u':
      case 't':
        declare_payment(kind, text);
        break;
      case 'h':
        declare_distance(text);
        break;
      case 'f':
      case 'j':
        declare_gap(kind, text);
        break;
      case 'y':
        symmetry(text, false);
        break;
      case 'z':
        symmetry(text, true);
        break;
      case 'a':
        axiom(text);
        break;
      case 's':
        core(text);
        break;
      case 'l':
        learn(text);
        break;
      case 'q':
        conclude();
        break;
      case 'd':
        forget(text);
        break;
      default:
        throw Wrong{"an unknown kind of line"};
    }
  }
  if (!at_end(text)) throw Wrong{"the line has extra text"};
}

void check_derivation(const Body& body, ProofPart& part, std::optional<StopReason>& stop) {
  constexpr std::size_t lines_between_looks = 256;
  Lines lines(body.text, body.first_line);
  try {
    Derivation derivation(body.problem, body.claim, body.text.size(), body.budget);
    while (const auto line = lines.next()) {
      if (lines.number() % lines_between_looks == 0 && (stop = body.budget.exhausted())) {
        part.reason = "A limit ended the check of the derivation.";
        return;
      }
      derivation.line(*line);
    }
    part.lemmas = derivation.lemmas;
    part.propagations = derivation.propagations;
    part.accepted = derivation.done();
    part.reason = part.accepted ? "The derivation ends in a contradiction, " +
                                      std::to_string(derivation.lemmas) + " lemmas checked."
                                : "The derivation ends before it shows a contradiction.";
  } catch (const BudgetEnded& ended) {
    stop = ended.reason;
    part.reason = "A limit ended the check of the derivation.";
  } catch (const Wrong& wrong) {
    part.reason = at_line(lines.number(), wrong.why);
  }
}

}  // namespace tessera::proof
