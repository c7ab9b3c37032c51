#include "model/derived.h"
#include "model/joint_modes.h"
#include "model/rules.h"
#include "tessera/names.h"
#include "validate_parts.h"

namespace tessera::validation {
namespace {

// The reader of texts allows more, so that every valid rule can be written and read.
constexpr std::size_t deepest_rule = 60;
constexpr std::size_t most_nodes = 10'000;
constexpr double largest_value = 1e30;  ///< below 2^100

/// Checks one rule and words its defects.
class RuleCheck {
 public:
  RuleCheck(const PlacementProblem& problem, Findings& found) : problem_(problem), found_(found) {}

  void run(const ConditionRule& rule) {
    if (rule.name.empty()) return found_.add("name", "has no name");
    if (!is_printable(rule.name)) return found_.add("name", "has", not_printable);
    if (!condition(rule.that, 0)) return;
    std::size_t nodes = 0;
    for_each_node(rule.that, [&](const RuleNode&) { ++nodes; });
    if (nodes > most_nodes)
      return found_.add("that", "is too long: it has ", nodes, " nodes, of at most ", most_nodes);
    if (!rule.steps.empty() && !about_modes(rule.that))
      return found_.add("step",
                        "names steps, but its condition is not about modes, which alone "
                        "depend on the step");
    for (const StepRange& range : rule.steps)
      if (range.empty() || range.lower < 0 || range.upper > max_address)
        return found_.add("step", "has the range of steps ", range,
                          ", but it must not be empty or negative");
  }

 private:
  template <typename... Pieces>
  bool wrong(const Pieces&... pieces) {
    found_.add("that", pieces...);
    return false;
  }

  bool children(const RuleNode& node, std::size_t least, std::size_t most) {
    if (node.of.size() >= least && node.of.size() <= most) return true;
    return wrong("has a node with ", node.of.size(), " children, which its kind does not allow");
  }

  bool condition(const RuleNode& node, std::size_t depth) {
    if (depth > deepest_rule) return wrong("is nested too deeply");
    if (is_comparison(node.op)) return comparison(node, depth);
    switch (node.op) {
      case RuleOp::all:
      case RuleOp::any:
        for (const RuleNode& each : node.of)
          if (!condition(each, depth + 1)) return false;
        return true;
      case RuleOp::no:
        return children(node, 1, 1) && condition(node.of[0], depth + 1);
      case RuleOp::in_memory:
        return children(node, 0, 0) && buffer(node) && memory(node);
      case RuleOp::in_mode:
        return children(node, 0, 0) && memory(node) && mode(node);
      default:
        return wrong("has a term where a condition is needed");
    }
  }

  bool comparison(const RuleNode& node, std::size_t depth) {
    if (!children(node, 2, node.op == RuleOp::one_of ? node.of.size() : 2)) return false;
    for (const RuleNode& each : node.of)
      if (!term(each, depth + 1)) return false;
    if (node.op == RuleOp::one_of)
      for (std::size_t k = 1; k < node.of.size(); ++k)
        if (node.of[k].op != RuleOp::number) return wrong("has a list that is not of numbers");
    for (const RuleNode& each : node.of)
      if (largest(each) > largest_value) return wrong("may reach values that are too large");
    return true;
  }

  bool term(const RuleNode& node, std::size_t depth) {
    if (depth > deepest_rule) return wrong("is nested too deeply");
    if (!is_term(node.op)) return wrong("has a condition where a term is needed");
    if (node.op == RuleOp::number) return children(node, 0, 0);
    if (names_buffer(node.op)) return children(node, 0, 0) && buffer(node);
    if (!children(node, 2, 2) || !term(node.of[0], depth + 1) || !term(node.of[1], depth + 1))
      return false;
    if (node.op == RuleOp::modulo &&
        (node.of[1].op != RuleOp::number || !is_quantity(node.of[1].number)))
      return wrong("has a remainder by something else than a number of at least 1");
    if (node.op == RuleOp::times && varies(node.of[0]) && varies(node.of[1]))
      return wrong("has a product of two variables");
    return true;
  }

  /// The largest absolute value of a term.
  static double largest(const RuleNode& term) {
    switch (term.op) {
      case RuleOp::number:
        return std::abs(static_cast<double>(term.number));
      case RuleOp::plus:
      case RuleOp::minus:
        return largest(term.of[0]) + largest(term.of[1]);
      case RuleOp::times:
        return largest(term.of[0]) * largest(term.of[1]);
      case RuleOp::modulo:
        return std::max(largest(term.of[0]), largest(term.of[1]));
      default:
        return static_cast<double>(max_address);
    }
  }

  bool buffer(const RuleNode& node) {
    if (node.buffer < problem_.buffers.size()) return true;
    return wrong("names buffer number ", node.buffer, ", but there are only ",
                 problem_.buffers.size());
  }
  bool memory(const RuleNode& node) {
    if (node.memory < problem_.memories.size()) return true;
    return wrong("names memory number ", node.memory, ", but there are only ",
                 problem_.memories.size());
  }
  bool mode(const RuleNode& node) {
    const Memory& memory = problem_.memories[node.memory];
    if (!has_modes(memory))
      return wrong("is about modes of memory '", memory.name, "', which has none");
    if (!joint_modes(memory, most_counted_modes))
      return wrong("is about modes of memory '", memory.name, "', which has more than ",
                   most_counted_modes, " combinations of roles");
    if (!mode_roles(memory, node.mode).empty()) return true;
    return wrong("is about mode '", node.mode, "' of memory '", memory.name,
                 "', which has no such mode");
  }

  const PlacementProblem& problem_;
  Findings& found_;
};

}  // namespace

void validate_rules(const PlacementProblem& problem, std::vector<Defect>& out) {
  for (std::size_t r = 0; r < problem.rules.size(); ++r) {
    Findings found(out, ProblemPart::rule, r, problem.rules[r].name);
    RuleCheck(problem, found).run(problem.rules[r]);
  }
}

}  // namespace tessera::validation
