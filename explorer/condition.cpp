#include "explorer/condition.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>

#include "io/error.h"
#include "io/units.h"

namespace tessera::explorer {

struct Condition::Term {
  enum class Unit : std::uint8_t {
    plain,
    any,  ///< of a product or a quotient: not tracked
    bytes,
    hertz,
    bytes_per_second,
    bytes_per_cycle,
    energy,
    energy_per_byte,
    power
  };
  struct Quantity {
    double number = 0;
    Unit unit = Unit::plain;
  };
  enum class Kind : std::uint8_t { number, key, apply } kind = Kind::number;
  Quantity value;
  std::string key;  ///< the key, or the operator
  std::vector<std::shared_ptr<const Term>> parts;
};

namespace {

using Term = Condition::Term;
using TermPtr = std::shared_ptr<const Term>;
using Quantity = Term::Quantity;
using Unit = Term::Unit;

const char* in_words(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "bytes";
    case Unit::hertz:
      return "Hz";
    case Unit::bytes_per_second:
      return "bytes per second";
    case Unit::bytes_per_cycle:
      return "bytes per cycle";
    case Unit::energy:
      return "an energy";
    case Unit::energy_per_byte:
      return "an energy per byte";
    case Unit::power:
      return "a power";
    default:
      return "a number without a unit";
  }
}

std::optional<Quantity> quantity_of(const std::string& text) {
  if (const auto real = io::parse_real(text)) return Quantity{*real, Unit::plain};
  if (const auto size = io::parse_size(text))
    return Quantity{static_cast<double>(*size), Unit::bytes};
  if (const auto hertz = io::parse_frequency(text)) return Quantity{*hertz, Unit::hertz};
  if (const auto speed = io::parse_bandwidth(text))
    return Quantity{speed.value.amount,
                    speed.value.per_cycle ? Unit::bytes_per_cycle : Unit::bytes_per_second};
  if (const auto energy = io::parse_energy(text)) return Quantity{*energy, Unit::energy};
  if (const auto energy = io::parse_energy_per_byte(text))
    return Quantity{*energy, Unit::energy_per_byte};
  if (const auto power = io::parse_power(text)) return Quantity{*power, Unit::power};
  return std::nullopt;
}

/// The common unit of both sides of a sum or a comparison. A size may be a plain number, as in
/// profiles, and 0 has every unit.
Unit common_unit(const Quantity& left, const Quantity& right, const std::string& sign) {
  if (left.unit == right.unit || right.unit == Unit::any) return left.unit;
  if (left.unit == Unit::any) return right.unit;
  for (const auto& [plain, other] : {std::pair(left, right), std::pair(right, left)})
    if (plain.unit == Unit::plain && (other.unit == Unit::bytes || plain.number == 0))
      return other.unit;
  throw ConditionError("a condition has " + std::string(in_words(left.unit)) + " on the left of " +
                       sign + " and " + in_words(right.unit) + " on its right");
}

constexpr int most_depth = 64;

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

/// Recursive descent: or, and, not, comparison, sum, product, value.
class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& keys) : text_(text), keys_(keys) {}

  TermPtr whole() {
    TermPtr term = either();
    blanks();
    if (at_ != text_.size()) wrong("has a syntax error at " + io::shown(text_.substr(at_)));
    return term;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw ConditionError("the condition " + io::shown(text_) + ' ' + what);
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  bool take(std::string_view token) {
    blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    if (in_word(token.front()) && token.front() != '-' && end < text_.size() && in_word(text_[end]))
      return false;
    at_ = end;
    return true;
  }

  static TermPtr apply(std::string name, std::vector<TermPtr> parts) {
    auto term = std::make_shared<Term>();
    term->kind = Term::Kind::apply;
    term->key = std::move(name);
    term->parts = std::move(parts);
    return term;
  }

  TermPtr either() {
    TermPtr left = both();
    while (take("or")) left = apply("or", {left, both()});
    return left;
  }
  TermPtr both() {
    TermPtr left = negated();
    while (take("and")) left = apply("and", {left, negated()});
    return left;
  }
  TermPtr negated() {
    if (!take("not")) return comparison();
    deeper();
    TermPtr inner = negated();
    --depth_;
    return apply("not", {std::move(inner)});
  }
  TermPtr comparison() {
    TermPtr left = sum();
    for (const char* sign : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(sign)) return apply(sign, {left, sum()});
    blanks();
    if (at_ < text_.size() && text_[at_] == '=') wrong("has `=`; write `==`");
    return left;
  }
  TermPtr sum() {
    TermPtr left = product();
    for (;;) {
      if (take("+"))
        left = apply("+", {left, product()});
      else if (take("-"))
        left = apply("-", {left, product()});
      else
        return left;
    }
  }
  TermPtr product() {
    TermPtr left = value();
    for (;;) {
      bool found = false;
      for (const char* sign : {"*", "/", "%"})
        if (!found && take(sign)) {
          left = apply(sign, {left, value()});
          found = true;
        }
      if (!found) return left;
    }
  }

  void deeper() {
    if (++depth_ > most_depth) wrong("is nested too deeply");
  }

  TermPtr value() {
    blanks();
    if (at_ == text_.size()) wrong("ends too early");
    if (take("(")) {
      deeper();
      TermPtr inner = either();
      --depth_;
      if (!take(")")) wrong("has an unclosed parenthesis");
      return inner;
    }
    if (text_[at_] == '`') {
      const std::size_t end = text_.find('`', at_ + 1);
      if (end == text_.npos) wrong("has an unclosed backquote");
      const std::string key(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return named(key);
    }
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')
      return number();
    std::size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    if (end == at_ || text_[at_] == '-')
      wrong("has " + io::shown(text_.substr(at_, 1)) + " where a key or a number is expected");
    const std::string key(text_.substr(at_, end - at_));
    at_ = end;
    return named(key);
  }

  TermPtr named(const std::string& key) {
    if (std::ranges::find(keys_, key) == keys_.end()) keys_.push_back(key);
    auto term = std::make_shared<Term>();
    term->kind = Term::Kind::key;
    term->key = key;
    return term;
  }

  /// With its unit, if the next word is one.
  TermPtr number() {
    std::size_t end = at_;
    while (end < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.'))
      ++end;
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E') && end + 1 < text_.size() &&
        (std::isdigit(static_cast<unsigned char>(text_[end + 1])) != 0 || text_[end + 1] == '-')) {
      end += 2;
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
    }
    std::size_t unit = end;
    while (unit < text_.size() && text_[unit] == ' ') ++unit;
    std::size_t after = unit;
    while (after < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[after])) != 0 ||
                                    (text_[after] == '/' && after > unit)))
      ++after;
    auto term = std::make_shared<Term>();
    const std::string with(text_.substr(at_, after - at_));
    const std::string_view word = text_.substr(unit, after - unit);
    if (after > unit && word != "and" && word != "or")
      if (const std::optional<Quantity> quantity = quantity_of(with)) {
        term->value = *quantity;
        at_ = after;
        return term;
      }
    const std::string bare(text_.substr(at_, end - at_));
    const std::optional<Quantity> quantity = quantity_of(bare);
    if (!quantity) wrong("has " + io::shown(bare) + ", which is not a number");
    term->value = *quantity;
    at_ = end;
    return term;
  }

  std::string_view text_;
  std::vector<std::string>& keys_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Quantity result(const Term& term, const ValueOf& value_of);

bool holds_of(const Term& term, const ValueOf& value_of) {
  return result(term, value_of).number != 0;
}

Quantity result(const Term& term, const ValueOf& value_of) {
  if (term.kind == Term::Kind::number) return term.value;
  if (term.kind == Term::Kind::key) {
    const std::string text = value_of(term.key);
    if (const std::optional<Quantity> quantity = quantity_of(text)) return *quantity;
    throw ConditionError(io::shown(term.key) + " is " + io::shown(text) +
                         ", which is not a number");
  }
  const auto truth = [](bool value) { return Quantity{value ? 1.0 : 0.0, Unit::plain}; };
  if (term.key == "not") return truth(!holds_of(*term.parts[0], value_of));
  if (term.key == "and")
    return truth(holds_of(*term.parts[0], value_of) && holds_of(*term.parts[1], value_of));
  if (term.key == "or")
    return truth(holds_of(*term.parts[0], value_of) || holds_of(*term.parts[1], value_of));
  const Quantity left = result(*term.parts[0], value_of);
  const Quantity right = result(*term.parts[1], value_of);
  const double l = left.number;
  const double r = right.number;
  if (r == 0 && (term.key == "/" || term.key == "%"))
    throw ConditionError("a condition divides by 0");
  if (term.key == "*" || term.key == "/") {
    const Unit unit = right.unit == Unit::plain                     ? left.unit
                      : left.unit == Unit::plain && term.key == "*" ? right.unit
                      : left.unit == right.unit && term.key == "/"  ? Unit::plain
                                                                    : Unit::any;
    return {term.key == "*" ? l * r : l / r, unit};
  }
  const Unit unit = common_unit(left, right, term.key);
  if (term.key == "+") return {l + r, unit};
  if (term.key == "-") return {l - r, unit};
  if (term.key == "%") return {std::fmod(l, r), unit};
  if (term.key == "<=") return truth(l <= r);
  if (term.key == ">=") return truth(l >= r);
  if (term.key == "==") return truth(l == r);
  if (term.key == "!=") return truth(l != r);
  if (term.key == "<") return truth(l < r);
  return truth(l > r);
}

}  // namespace

Condition::Condition(const std::string& text) {
  root_ = Parser(text, keys_).whole();
}

bool Condition::holds(const ValueOf& value_of) const {
  return holds_of(*root_, value_of);
}

bool number_of(const std::string& text, double& number) {
  const std::optional<Quantity> quantity = quantity_of(text);
  if (quantity) number = quantity->number;
  return quantity.has_value();
}

}  // namespace tessera::explorer
