// The text of a condition, as rule_text.cpp reads it.
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
        return "memory(" + id(node) + ") == " + name_text(problem_.memories[node.memory].name);
      case RuleOp::in_mode:
        return std::string(node.next ? "next_mode(" : "mode(") +
               name_text(problem_.memories[node.memory].name) + ") == " + name_text(node.mode);
      case RuleOp::one_of:
        return list(node);
      case RuleOp::no:
        return "not " + inner(node.of[0]);
      case RuleOp::all:
      case RuleOp::any:
        if (node.of.empty()) return node.op == RuleOp::all ? "0 == 0" : "0 == 1";
        return chain(node, node.op == RuleOp::all ? " and " : " or ");
      default:
        return inner(node.of[0]) + std::string(sign(node.op)) + inner(node.of[1]);
    }
  }

 private:
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

  /// With parentheses if it has an operator.
  [[nodiscard]] std::string inner(const RuleNode& node) const {
    if (node.op == RuleOp::number && node.number >= 0) return text(node);
    if (node.of.empty() && is_term(node.op)) return text(node);
    return '(' + text(node) + ')';
  }

  [[nodiscard]] std::string chain(const RuleNode& node, std::string_view word) const {
    std::string result;
    for (const RuleNode& each : node.of) {
      if (!result.empty()) result += word;
      const bool plain =
          is_comparison(each.op) || each.op == RuleOp::in_memory || each.op == RuleOp::in_mode;
      result += plain ? text(each) : inner(each);
    }
    return result;
  }

  [[nodiscard]] std::string list(const RuleNode& node) const {
    std::string result = inner(node.of[0]) + " in [";
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
