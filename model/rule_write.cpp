// The text of a condition, as rule_text.cpp reads it.
#include <cstdint>
#include <string_view>

#include "model/rule_words.h"
#include "model/rules.h"
#include "tessera/rules.h"

namespace tessera {
namespace {

/// In quotes if it is not one word.
std::string name_text(const std::string& name) {
  if (is_rule_word(name) && !is_reserved(name)) return name;
  std::string text = "'";
  for (const char c : name) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + '\'';
}

class RuleWriter {
 public:
  explicit RuleWriter(const PlacementProblem& problem) : problem_(problem) {}

  [[nodiscard]] std::string text(const RuleNode& node) const {
    switch (node.op) {
      case RuleOp::number:
        return std::to_string(node.number);
      case RuleOp::offset:
        return "offset(" + id(node) + ')';
      case RuleOp::size:
        return "size(" + id(node) + ')';
      case RuleOp::bank:
        return "bank(" + id(node) + ')';
      case RuleOp::in_memory:
      case RuleOp::in_mode:
        return named(node, " == ");
      case RuleOp::one_of:
        return list(node);
      case RuleOp::no:
        return is_named(node.of[0]) ? named(node.of[0], " != ")
                                    : "not " + within(node.of[0], negation);
      case RuleOp::all:
      case RuleOp::any:
        return chain(node);
      default:
        return operation(node);
    }
  }

 private:
  /// How tightly the words of a condition bind, the loosest first.
  enum Binding : std::uint8_t {
    implication,
    either,
    both,
    negation,
    comparison,
    sum,
    product,
    name
  };

  static bool is_named(const RuleNode& node) {
    return node.op == RuleOp::in_memory || node.op == RuleOp::in_mode;
  }
  /// A condition and its consequence, as `implies` is read.
  static bool is_implication(const RuleNode& node) {
    return node.op == RuleOp::any && node.of.size() == 2 && node.of[0].op == RuleOp::no &&
           node.of[1].op != RuleOp::no;
  }

  static bool is_minus_sign(const RuleNode& node) {
    return node.op == RuleOp::minus && node.of[0].op == RuleOp::number && node.of[0].number == 0;
  }

  static Binding binding(const RuleNode& node) {
    switch (node.op) {
      case RuleOp::plus:
      case RuleOp::minus:
        return is_minus_sign(node) ? name : sum;
      case RuleOp::times:
      case RuleOp::modulo:
        return product;
      case RuleOp::no:
        return is_named(node.of[0]) ? comparison : negation;
      case RuleOp::all:
      case RuleOp::any:
        if (node.of.empty()) return comparison;
        return is_implication(node) ? implication : node.op == RuleOp::any ? either : both;
      default:
        return is_comparison(node.op) || is_named(node) ? comparison : name;
    }
  }

  static std::string_view sign(RuleOp op) {
    switch (op) {
      case RuleOp::plus:
        return " + ";
      case RuleOp::minus:
        return " - ";
      case RuleOp::times:
        return " * ";
      case RuleOp::modulo:
        return " % ";
      case RuleOp::equal:
        return " == ";
      case RuleOp::not_equal:
        return " != ";
      case RuleOp::less:
        return " < ";
      default:
        return " <= ";
    }
  }

  [[nodiscard]] std::string id(const RuleNode& node) const {
    return name_text(problem_.buffers[node.buffer].id);
  }

  [[nodiscard]] std::string named(const RuleNode& node, std::string_view compared) const {
    const std::string& memory = problem_.memories[node.memory].name;
    if (node.op == RuleOp::in_memory)
      return "memory(" + id(node) + ')' + std::string(compared) + name_text(memory);
    return std::string(node.next ? "next_mode(" : "mode(") + name_text(memory) + ')' +
           std::string(compared) + name_text(node.mode);
  }

  /// In parentheses if it binds less tightly.
  [[nodiscard]] std::string within(const RuleNode& node, Binding least) const {
    return binding(node) >= least ? text(node) : '(' + text(node) + ')';
  }

  /// Of two children.
  [[nodiscard]] std::string operation(const RuleNode& node) const {
    const RuleNode& a = node.of[0];
    const RuleNode& b = node.of[1];
    if (is_minus_sign(node)) return '-' + within(b, name);
    if (!is_comparison(node.op)) {
      const Binding own = binding(node);
      return within(a, own) + std::string(sign(node.op)) +
             within(b, static_cast<Binding>(own + 1));  // equal operators bind from the left
    }
    const bool ordered = node.op == RuleOp::less || node.op == RuleOp::at_most;
    if (ordered && !varies(a) && varies(b))
      return within(b, sum) + (node.op == RuleOp::less ? " > " : " >= ") + within(a, sum);
    return within(a, sum) + std::string(sign(node.op)) + within(b, sum);
  }

  [[nodiscard]] std::string chain(const RuleNode& node) const {
    if (node.of.empty()) return node.op == RuleOp::all ? "0 == 0" : "0 == 1";
    if (is_implication(node))
      return within(node.of[0].of[0], either) + " implies " + within(node.of[1], implication);
    const auto own = node.op == RuleOp::any ? either : both;
    std::string result;
    for (const RuleNode& each : node.of) {
      if (!result.empty()) result += node.op == RuleOp::any ? " or " : " and ";
      result += within(each, static_cast<Binding>(own + 1));
    }
    return result;
  }

  [[nodiscard]] std::string list(const RuleNode& node) const {
    std::string result = within(node.of[0], sum) + " in [";
    for (std::size_t k = 1; k < node.of.size(); ++k)
      result += (k == 1 ? "" : ", ") + std::to_string(node.of[k].number);
    return result + ']';
  }

  const PlacementProblem& problem_;
};

}  // namespace

std::string to_string(const PlacementProblem& problem, const RuleNode& node) {
  return RuleWriter(problem).text(node);
}

}  // namespace tessera
