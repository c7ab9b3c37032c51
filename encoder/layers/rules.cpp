// Rules of the machine. A literal implies its condition, so that orders occur without negation: the
// negation of an order is another order, and that of a condition is pushed down to its comparisons.
//
// The remainder of an offset x by m is x - y, where y is the largest multiple of m that is not
// above x: an integer of its own, between two orders.
#include <algorithm>
#include <map>

#include "encoder/rule_forms.h"
#include "layers.h"
#include "model/buffer_parts.h"
#include "model/differences.h"

namespace tessera::encoder {
namespace {

class RuleLayer {
 public:
  explicit RuleLayer(Context& context) : context_(context), problem_(context.problem) {}

  void run() {
    const Step end = horizon(problem_);
    for (const ConditionRule& rule : problem_.rules) {
      std::vector<Lit> absent;
      for (const BufferIndex b : buffers_of(rule.that))
        absent.push_back(-context_.encoding.present[b]);
      for_each_step(rule, end, [&](Step step) {
        step_ = step;
        std::vector<Lit> clause = absent;
        clause.push_back(implies(rule.that, true));
        context_.formula.clause(clause);
        return true;
      });
    }
  }

 private:
  /// A literal that implies the condition, or its negation.
  Lit implies(const RuleNode& node, bool positive) {
    switch (node.op) {
      case RuleOp::no:
        return implies(node.of[0], !positive);
      case RuleOp::all:
      case RuleOp::any: {
        std::vector<Lit> parts;
        for (const RuleNode& each : node.of) parts.push_back(implies(each, positive));
        return (node.op == RuleOp::all) == positive ? both(parts) : either(parts);
      }
      case RuleOp::in_memory:
        return positive ? context_.in(node.buffer, node.memory)
                        : -context_.in(node.buffer, node.memory);
      case RuleOp::in_mode:
        return positive ? mode(node) : -mode(node);
      default:
        return comparison(node, positive);
    }
  }

  Lit both(const std::vector<Lit>& parts) {
    std::vector<Lit> needed;
    for (const Lit each : parts) {
      if (each == false_lit) return false_lit;
      if (each != true_lit) needed.push_back(each);
    }
    if (needed.empty()) return true_lit;
    if (needed.size() == 1) return needed.front();
    const Lit all = context_.formula.boolean("all of a rule");
    for (const Lit each : needed) context_.formula.clause({-all, each});
    return all;
  }

  Lit either(const std::vector<Lit>& parts) {
    std::vector<Lit> clause;
    for (const Lit each : parts) {
      if (each == true_lit) return true_lit;
      if (each != false_lit) clause.push_back(each);
    }
    if (clause.empty()) return false_lit;
    if (clause.size() == 1) return clause.front();
    const Lit some = context_.formula.boolean("one of a rule");
    clause.push_back(-some);
    context_.formula.clause(clause);
    return some;
  }

  [[nodiscard]] Lit mode(const RuleNode& node) const {
    const Step step = step_ + (node.next ? 1 : 0);
    const std::vector<Mode>& modes = problem_.memories[node.memory].modes;
    const auto found = std::ranges::find(modes, node.mode, &Mode::name);
    return context_.encoding.modes[node.memory][static_cast<std::size_t>(step)]
        .modes[static_cast<std::size_t>(found - modes.begin())];
  }

  /// The comparison holds if it holds in each case of the digits, and does not hold if it fails in
  /// one of them. A remainder has exactly one value: then one case that occurs is as good as all,
  /// and the shorter of the two forms is taken.
  Lit comparison(const RuleNode& node, bool positive) {
    const std::vector<Digit> digits = digits_of(problem_, node);
    std::vector<Size> values(digits.size());
    if (std::ranges::any_of(digits, [](const Digit& digit) { return digit.options.empty(); }))
      return positive ? true_lit : false_lit;  // a buffer that fits nowhere
    if (is_one_remainder(digits, compared_form(problem_, node, digits, values)))
      return intervals(node, digits, positive);
    const std::vector<Case> cases = cases_of(node, digits, positive);
    if (const auto both_rests = two_remainders(digits, cases)) return *both_rests;
    const auto open = [&](Lit decided) {  // cases that need literals
      return std::ranges::count_if(cases, [&](const Case& each) { return each.holds != decided; });
    };
    const bool exact =
        std::ranges::all_of(digits, [](const Digit& digit) { return digit.modulus > 0; });
    const bool each_case = exact ? open(true_lit) <= open(false_lit) : positive;
    std::vector<Lit> parts;
    for (const Case& one : cases) {
      if (one.holds == (each_case ? true_lit : false_lit)) continue;
      context_.poll();
      std::vector<Lit> literals{one.holds};
      for (std::size_t d = 0; d < digits.size(); ++d)
        literals.push_back(digit_is(digits[d], digits[d].options[one.at[d]], !each_case));
      parts.push_back(each_case ? either(literals) : both(literals));
    }
    return each_case ? both(parts) : either(parts);
  }

  struct Case {
    std::vector<std::size_t> at;  ///< the option of each digit
    Lit holds = true_lit;         ///< implies the comparison in this case, or its negation
  };
  std::vector<Case> cases_of(const RuleNode& node, const std::vector<Digit>& digits,
                             bool positive) {
    std::vector<Size> values(digits.size());
    std::vector<std::size_t> at(digits.size(), 0);
    std::vector<Case> cases;
    for (;;) {
      context_.poll();
      for (std::size_t d = 0; d < digits.size(); ++d) values[d] = digits[d].options[at[d]].value;
      cases.push_back({at, linear(node, digits, values, positive)});
      std::size_t d = 0;
      while (d < digits.size() && ++at[d] == digits[d].options.size()) at[d++] = 0;
      if (d == digits.size()) return cases;
    }
  }

  /// Nothing if there are other digits, or cases that literals decide.
  std::optional<Lit> two_remainders(const std::vector<Digit>& digits,
                                    const std::vector<Case>& cases) {
    if (digits.size() != 2 || digits[0].modulus == 0 || digits[1].modulus == 0) return {};
    std::int64_t good = 0;
    for (const Case& each : cases) {
      if (each.holds != true_lit && each.holds != false_lit) return {};
      good += each.holds == true_lit ? 1 : 0;
    }
    if (good == 0 || good == std::ssize(cases)) return good == 0 ? false_lit : true_lit;
    const Lit holds = context_.formula.boolean("two remainders of a rule");
    for (const std::size_t own : {std::size_t{0}, std::size_t{1}}) {
      const std::vector<Lit> rests = rests_of(digits[own]);
      const std::vector<Lit> others = rests_of(digits[1 - own]);
      std::vector<std::vector<Lit>> partners(rests.size());
      for (const Case& each : cases)
        if (each.holds == true_lit) partners[each.at[own]].push_back(others[each.at[1 - own]]);
      for (std::size_t k = 0; k < rests.size(); ++k) {
        context_.poll();
        partners[k].push_back(-rests[k]);
        partners[k].push_back(-holds);
        context_.formula.clause(partners[k]);
      }
    }
    return holds;
  }

  /// A literal for each option, which implies it. One of them holds.
  const std::vector<Lit>& rests_of(const Digit& digit) {
    std::vector<Lit>& rests = rests_[{digit.buffer, digit.modulus}];
    if (!rests.empty()) return rests;
    for (const Digit::Option& option : digit.options) {
      rests.push_back(context_.formula.boolean("a remainder"));
      context_.formula.clause({-rests.back(), rest_at_least(digit, option.value)});
      context_.formula.clause({-rests.back(), rest_at_most(digit, option.value)});
    }
    context_.formula.clause(rests);
    return rests;
  }

  /// One of the intervals of remainders for which the comparison holds, or does not hold.
  Lit intervals(const RuleNode& node, const std::vector<Digit>& digits, bool positive) {
    const Digit& digit = digits.front();
    std::vector<Lit> parts;
    Size begin = 0;
    bool inside = false;
    for (const Digit::Option& option : digit.options) {
      context_.poll();
      const bool good = linear(node, digits, {option.value}, positive) == true_lit;
      if (good && !inside) begin = option.value;
      if (!good && inside)
        parts.push_back(both({rest_at_least(digit, begin), rest_at_most(digit, option.value - 1)}));
      inside = good;
    }
    if (inside) parts.push_back(rest_at_least(digit, begin));
    return either(parts);
  }

  /// A literal that implies that the digit has this value, or that it has not.
  Lit digit_is(const Digit& digit, const Digit::Option& option, bool positive) {
    const BufferIndex b = digit.buffer;
    if (digit.modulus == 0) {
      const auto bank = static_cast<std::size_t>(option.value);
      return positive ? touches(b, option.memory, bank) : -context_.touches(b, option.memory, bank);
    }
    if (digit.options.size() == 1) return positive ? true_lit : false_lit;
    const Size rest = option.value;
    if (positive) return both({rest_at_least(digit, rest), rest_at_most(digit, rest)});
    return either({rest_at_most(digit, rest - 1), rest_at_least(digit, rest + 1)});
  }

  /// A literal that implies that the buffer touches the bank; Context::touches() is the converse.
  Lit touches(BufferIndex b, MemoryIndex m, std::size_t bank) {
    const AddressRange range = bank_ranges(problem_.memories[m])[bank];
    std::vector<Lit> some;
    const Buffer& buffer = problem_.buffers[b];
    const auto within = [&](const AddressRange& offsets) {
      some.push_back(both({context_.formula.at_least(context_.offset(b), fixed(offsets.begin)),
                           -context_.formula.above(context_.offset(b), fixed(offsets.end - 1))}));
    };
    if (has_parts(buffer))
      for (const AddressRange& offsets : touching_offsets(buffer, range, context_.poll))
        within(offsets);
    else
      within({range.begin - buffer.size + 1, range.end});
    return both({context_.in(b, m), either(some)});
  }

  IntIndex floor_of(const Digit& digit) {
    const auto [entry, is_new] = floors_.try_emplace({digit.buffer, digit.modulus}, 0);
    if (!is_new) return entry->second;
    Formula& formula = context_.formula;
    const IntIndex x = context_.offset(digit.buffer);
    Integer integer = formula.integers()[x];
    integer.label += " / " + std::to_string(digit.modulus);
    integer.stride = digit.modulus;
    const IntIndex y = formula.integer(std::move(integer));
    formula.clause({formula.before(y, fixed(0), x)});
    formula.clause({formula.before(x, fixed(1 - digit.modulus), y)});
    return entry->second = y;
  }
  Lit rest_at_least(const Digit& digit, Size least) {
    if (least <= 0) return true_lit;
    if (least >= digit.modulus) return false_lit;
    return context_.formula.before(floor_of(digit), fixed(least), context_.offset(digit.buffer));
  }
  Lit rest_at_most(const Digit& digit, Size most) {
    if (most < 0) return false_lit;
    if (most >= digit.modulus - 1) return true_lit;
    return context_.formula.before(context_.offset(digit.buffer), fixed(-most), floor_of(digit));
  }

  /// The comparison in one case of its digits.
  Lit linear(const RuleNode& node, const std::vector<Digit>& digits,
             const std::vector<Size>& values, bool positive) {
    LinearForm form = compared_form(problem_, node, digits, values);
    if (node.op == RuleOp::one_of) {
      std::vector<Lit> parts;
      for (std::size_t k = 1; k < node.of.size(); ++k)
        parts.push_back(is_zero(difference(form, {.constant = node.of[k].number}), positive));
      return positive ? either(parts) : both(parts);
    }
    if (node.op == RuleOp::equal) return is_zero(form, positive);
    if (node.op == RuleOp::not_equal) return is_zero(form, !positive);
    if (node.op == RuleOp::less) ++form.constant;
    return positive ? at_most_zero(form) : at_most_zero(opposite(form, 1));
  }

  Lit is_zero(const LinearForm& form, bool positive) {
    if (positive) return both({at_most_zero(form), at_most_zero(opposite(form, 0))});
    LinearForm above = form;
    ++above.constant;
    return either({at_most_zero(above), at_most_zero(opposite(form, 1))});
  }

  /// more - form
  static LinearForm opposite(const LinearForm& form, WideInteger more) {
    return difference({.constant = more}, form);
  }

  static WideInteger floor_divide(WideInteger value, WideInteger by) {
    return (value - remainder_of(value, by)) / by;
  }
  static Size clamped(WideInteger value) {
    return static_cast<Size>(
        std::clamp<WideInteger>(value, -WideInteger{max_address}, WideInteger{max_address}));
  }

  Lit at_most_zero(const LinearForm& form) {
    if (form.factors.empty()) return form.constant <= 0 ? true_lit : false_lit;
    const auto& [b, factor] = *form.factors.begin();
    if (form.factors.size() == 1) return one_offset(b, factor, form.constant);
    if (needs_table(form)) return table(form);
    // factor * (x - y) + constant <= 0
    const BufferIndex other = std::next(form.factors.begin())->first;
    const bool swapped = factor < 0;
    const WideInteger most = floor_divide(-form.constant, swapped ? -factor : factor);
    if (most >= max_address) return true_lit;
    if (most <= -max_address) return false_lit;
    const IntIndex x = context_.offset(swapped ? other : b);
    const IntIndex y = context_.offset(swapped ? b : other);
    return context_.formula.before(x, fixed(-static_cast<Size>(most)), y);
  }

  Lit one_offset(BufferIndex b, WideInteger factor, WideInteger constant) {
    const IntIndex x = context_.offset(b);
    if (factor > 0) {
      const WideInteger most = floor_divide(-constant, factor);
      return most < 0 ? false_lit : -context_.formula.above(x, fixed(clamped(most)));
    }
    return context_.formula.at_least(x, fixed(clamped(-floor_divide(-constant, -factor))));
  }

  /// For each value of the first offset, what follows for the second one.
  Lit table(const LinearForm& form) {
    const auto& [b, factor] = *form.factors.begin();
    const auto& [other, second] = *std::next(form.factors.begin());
    const Size stride = stride_of(problem_, b);
    Formula& formula = context_.formula;
    const Lit holds = formula.boolean("a sum of offsets");
    for (Size value = 0; value <= last_of(problem_, b); value += stride) {
      context_.poll();
      const Lit rest = one_offset(other, second, form.constant + factor * value);
      const Lit outside = factor > 0 ? -formula.at_least(context_.offset(b), fixed(value))
                                     : formula.above(context_.offset(b), fixed(value));
      formula.clause({-holds, outside, rest});
    }
    return holds;
  }

  Context& context_;
  const PlacementProblem& problem_;
  Step step_ = 0;
  std::map<std::pair<BufferIndex, Size>, IntIndex> floors_;
  std::map<std::pair<BufferIndex, Size>, std::vector<Lit>> rests_;
};

}  // namespace

void add_rules(Context& context) {
  if (!context.problem.rules.empty()) RuleLayer(context).run();
}

}  // namespace tessera::encoder
