#include "rule_forms.h"

#include <algorithm>
#include <numeric>

#include "model/derived.h"
#include "model/joint_modes.h"

namespace tessera::encoder {
namespace {

constexpr std::size_t most_cases = 4096;  ///< of the digits of one comparison
/// ... if it compares one remainder with a number, which intervals express.
constexpr std::size_t most_remainders = 1'000'000;
constexpr std::int64_t most_values = 20'000;  ///< of an offset that is compared value by value

class DigitFinder {
 public:
  DigitFinder(const PlacementProblem& problem, std::vector<Digit>& found)
      : problem_(problem), found_(found) {}

  void find(const RuleNode& term, Size modulus) {
    if (term.op == RuleOp::bank) add(term.buffer, 0);
    if (term.op == RuleOp::offset && modulus > 0) add(term.buffer, modulus);
    const Size inner = term.op == RuleOp::modulo ? term.of[1].number : modulus;
    for (const RuleNode& each : term.of) find(each, inner);
  }

 private:
  void add(BufferIndex b, Size modulus) {
    for (const Digit& known : found_)
      if (known.buffer == b && known.modulus == modulus) return;
    Digit digit{.buffer = b, .modulus = modulus};
    if (modulus == 0) {
      for (const MemoryIndex m : allowed_memories(problem_, problem_.buffers[b]))
        for (std::size_t k = 0; k < bank_ranges(problem_.memories[m]).size(); ++k)
          digit.options.push_back({static_cast<Size>(k), m});
    } else {
      const Size common = std::gcd(stride_of(problem_, b), modulus);
      const Size end = std::min(modulus, std::max<Size>(0, last_of(problem_, b)) + 1);
      for (Size rest = 0; rest < end && digit.options.size() <= most_remainders; rest += common)
        digit.options.push_back({.value = rest});
    }
    found_.push_back(std::move(digit));
  }

  const PlacementProblem& problem_;
  std::vector<Digit>& found_;
};

class FormReader {
 public:
  FormReader(const PlacementProblem& problem, const std::vector<Digit>& digits,
             const std::vector<Size>& values)
      : problem_(problem), digits_(digits), values_(values) {}

  LinearForm read(const RuleNode& term, Size modulus) const {
    switch (term.op) {
      case RuleOp::number:
        return {.constant = term.number};
      case RuleOp::size:
        return {.constant = problem_.buffers[term.buffer].size};
      case RuleOp::bank:
        return {.constant = value(term.buffer, 0)};
      case RuleOp::offset:
        if (modulus > 0) return {.constant = value(term.buffer, modulus)};
        return {.factors = {{term.buffer, 1}}};
      case RuleOp::plus:
        return difference(read(term.of[0], modulus), scaled(read(term.of[1], modulus), -1));
      case RuleOp::minus:
        return difference(read(term.of[0], modulus), read(term.of[1], modulus));
      case RuleOp::times:
        return product(read(term.of[0], modulus), read(term.of[1], modulus));
      default: {  // modulo: its offsets are digits
        const Size own = term.of[1].number;
        return {.constant = remainder_of(read(term.of[0], own).constant, own)};
      }
    }
  }

 private:
  [[nodiscard]] Size value(BufferIndex b, Size modulus) const {
    for (std::size_t d = 0; d < digits_.size(); ++d)
      if (digits_[d].buffer == b && digits_[d].modulus == modulus) return values_[d];
    return 0;
  }
  static LinearForm scaled(LinearForm form, WideInteger by) {
    for (auto& [buffer, factor] : form.factors) factor *= by;
    form.constant *= by;
    if (by == 0) form.factors.clear();
    return form;
  }
  static LinearForm product(const LinearForm& a, const LinearForm& b) {
    return a.factors.empty() ? scaled(b, a.constant) : scaled(a, b.constant);
  }

  const PlacementProblem& problem_;
  const std::vector<Digit>& digits_;
  const std::vector<Size>& values_;
};

/// Why this comparison has no form; nothing if it has one.
std::optional<std::string> unsupported_comparison(const PlacementProblem& problem,
                                                  const RuleNode& node) {
  const std::vector<Digit> digits = digits_of(problem, node);
  const LinearForm form = compared_form(problem, node, digits, std::vector<Size>(digits.size(), 0));
  const std::size_t most = is_one_remainder(digits, form) ? most_remainders : most_cases;
  std::size_t cases = 1;
  for (const Digit& digit : digits) {
    cases *= std::max<std::size_t>(1, digit.options.size());
    if (cases > most)
      return "compares banks or remainders with more than " + std::to_string(most) + " cases";
  }
  if (form.factors.size() > 2) return "has a sum of more than two offsets";
  if (!needs_table(form)) return std::nullopt;
  const BufferIndex first = form.factors.begin()->first;
  if (last_of(problem, first) / stride_of(problem, first) >= most_values)
    return "adds two offsets, and buffer '" + problem.buffers[first].id + "' has more than " +
           std::to_string(most_values) + " offsets";
  return std::nullopt;
}

std::optional<std::string> unsupported_condition(const PlacementProblem& problem,
                                                 const RuleNode& node) {
  if (is_comparison(node.op)) return unsupported_comparison(problem, node);
  for (const RuleNode& each : node.of)
    if (auto why = unsupported_condition(problem, each)) return why;
  return std::nullopt;
}

}  // namespace

std::vector<Digit> digits_of(const PlacementProblem& problem, const RuleNode& comparison) {
  std::vector<Digit> found;
  DigitFinder finder(problem, found);
  for (const RuleNode& term : comparison.of) finder.find(term, 0);
  return found;
}

LinearForm difference(LinearForm a, const LinearForm& b) {
  for (const auto& [buffer, factor] : b.factors) {
    const auto entry = a.factors.try_emplace(buffer, 0).first;
    entry->second -= factor;
    if (entry->second == 0) a.factors.erase(entry);
  }
  a.constant -= b.constant;
  return a;
}

LinearForm compared_form(const PlacementProblem& problem, const RuleNode& comparison,
                         const std::vector<Digit>& digits, const std::vector<Size>& values) {
  const FormReader reader(problem, digits, values);
  LinearForm form = reader.read(comparison.of[0], 0);
  if (comparison.op == RuleOp::one_of) return form;
  return difference(std::move(form), reader.read(comparison.of[1], 0));
}

bool is_one_remainder(const std::vector<Digit>& digits, const LinearForm& form) {
  return digits.size() == 1 && digits.front().modulus > 0 && form.factors.empty();
}

bool needs_table(const LinearForm& form) {
  return form.factors.size() == 2 &&
         form.factors.begin()->second != -std::next(form.factors.begin())->second;
}

Size stride_of(const PlacementProblem& problem, BufferIndex buffer) {
  Size stride = 0;
  for (const MemoryIndex m : allowed_memories(problem, problem.buffers[buffer]))
    stride = std::gcd(stride, effective_alignment(problem.buffers[buffer], problem.memories[m]));
  return stride;
}

Size last_of(const PlacementProblem& problem, BufferIndex buffer) {
  Size last = -1;
  for (const MemoryIndex m : allowed_memories(problem, problem.buffers[buffer]))
    last = std::max(last, problem.memories[m].capacity - problem.buffers[buffer].size);
  return last;
}

std::optional<std::string> unsupported_rule(const PlacementProblem& problem) {
  if (problem.rules.empty()) return std::nullopt;
  for (const Memory& memory : problem.memories)
    if (memory.capacity == unbounded)
      return "The problem has rules, which need a capacity of every memory, and memory '" +
             memory.name + "' has none.";
  for (const ConditionRule& rule : problem.rules)
    if (const auto why = unsupported_condition(problem, rule.that))
      return "Rule '" + rule.name + "' " + *why + '.';
  return std::nullopt;
}

PlacementProblem with_listed_modes(const PlacementProblem& problem) {
  PlacementProblem listed = problem;
  for (const ConditionRule& rule : problem.rules)
    for_each_node(rule.that, [&](const RuleNode& node) {
      if (node.op == RuleOp::in_mode) list_modes(listed.memories[node.memory]);
    });
  return listed;
}

}  // namespace tessera::encoder
