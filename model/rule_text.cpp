// A recursive descent parser for the conditions of rules. Words bind in this order, the tightest
// first: * %, + -, comparisons and `in`, not, and, or, implies.
#include "model/rule_text.h"

#include <array>
#include <utility>

#include "model/derived.h"
#include "model/joint_modes.h"
#include "model/relations.h"
#include "model/rule_words.h"
#include "model/rules.h"
#include "model/words.h"
#include "tessera/names.h"

namespace tessera {
namespace {

// A text that to_string() writes has less nesting and fewer words: validate() limits the tree.
constexpr int deepest = 400;     ///< of calls, about three for each parenthesis
constexpr int longest_sum = 60;  ///< operators in a row, each of which makes the tree deeper
constexpr int most_words = 100'000;

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k)
    text += (k == 0 ? "" : ", ") + names[k];
  return names.size() > most ? text + ", ..." : text;
}

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

struct Token {
  enum class Kind : std::uint8_t { end, number, word, name, sign };
  Kind kind = Kind::end;
  std::string text;  ///< without quotes
  std::size_t column = 1;
};

/// The meaning of an expression before it is compared.
struct Value {
  enum class Kind : std::uint8_t { term, condition, memory, mode, name };
  Kind kind = Kind::term;
  RuleNode node;  ///< for memory and mode: an in_memory or in_mode without the name
  std::string name;
  std::size_t column = 1;
};

class RuleParser {
 public:
  RuleParser(std::string_view text, const RuleNames& names) : text_(text), names_(names) { next(); }

  RuleNode run() {
    RuleNode node = condition(implication());
    if (token_.kind != Token::Kind::end)
      fail(token_.column, quoted(token_.text) + " does not continue the condition",
           "join conditions by `and`, `or` or `implies`");
    return node;
  }

 private:
  [[noreturn]] static void fail(std::size_t column, const std::string& message,
                                const std::string& hint = {}) {
    throw RuleTextError(column, message, hint);
  }

  void next() {
    if (++words_ > most_words) fail(at_ + 1, "the condition is too long", "write several rules");
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    token_ = {.kind = Token::Kind::end, .text = "the end", .column = at_ + 1};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (begins_rule_word(c) || is_rule_digit(c)) {
      const bool number = is_rule_digit(c);
      const std::size_t begin = at_;
      while (at_ < text_.size() && (number ? is_rule_digit(text_[at_]) : in_rule_word(text_[at_])))
        ++at_;
      token_.kind = number ? Token::Kind::number : Token::Kind::word;
      token_.text = text_.substr(begin, at_ - begin);
    } else if (c == '\'' || c == '"') {
      token_.kind = Token::Kind::name;
      token_.text = quoted_name();
    } else {
      constexpr std::array<std::string_view, 4> two{"==", "!=", "<=", ">="};
      token_.kind = Token::Kind::sign;
      token_.text = text_.substr(at_, 1);
      for (const std::string_view each : two)
        if (text_.substr(at_, 2) == each) token_.text = each;
      at_ += token_.text.size();
    }
  }

  /// Between quotes; a backslash takes the next character as it is.
  std::string quoted_name() {
    const char quote = text_[at_];
    std::string name;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_];
    }
    if (at_ == text_.size()) fail(token_.column, "the quote is not closed");
    ++at_;
    return name;
  }

  [[nodiscard]] bool is(std::string_view text) const {
    return token_.text == text &&
           (token_.kind == Token::Kind::word || token_.kind == Token::Kind::sign);
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    next();
    return true;
  }
  void need(std::string_view text, std::string_view after) {
    if (!take(text))
      fail(token_.column,
           quoted(text) + " is missing after " + std::string(after) + ", before " +
               (token_.kind == Token::Kind::end ? token_.text : quoted(token_.text)));
  }

  /// Counts nested calls, so that no text overflows the stack.
  struct Depth {
    explicit Depth(RuleParser& parser) : of(parser) {
      if (++of.depth_ > deepest) fail(of.token_.column, "the condition is nested too deeply");
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ~Depth() { --of.depth_; }
    RuleParser& of;
  };

  static RuleNode condition(Value value) {
    if (value.kind == Value::Kind::condition) return std::move(value.node);
    if (value.kind == Value::Kind::name)
      fail(value.column, "unknown word " + quoted(value.name), property_hint(value.name));
    fail(value.column, "a comparison is missing here", "for example `offset % 8 == 4`");
  }
  static RuleNode term(Value value) {
    if (value.kind == Value::Kind::term) return std::move(value.node);
    if (value.kind == Value::Kind::name)
      fail(value.column, "unknown word " + quoted(value.name), property_hint(value.name));
    fail(value.column,
         value.kind == Value::Kind::condition ? "a condition is not a number"
         : value.kind == Value::Kind::memory  ? "`memory` is compared with the name of a memory"
                                              : "`mode` is compared with the name of a mode",
         "numbers come from offset, size, bank and integers");
  }
  static std::string property_hint(std::string_view word) {
    const std::string_view close = closest_word(word, rule_properties);
    if (!close.empty()) return "did you mean `" + std::string(close) + "`?";
    return "a rule knows offset, size, bank, memory, mode(MEMORY) and next_mode(MEMORY)";
  }

  static Value of_condition(RuleNode node, std::size_t column) {
    return {Value::Kind::condition, std::move(node), {}, column};
  }
  static Value of_term(RuleNode node, std::size_t column) {
    return {Value::Kind::term, std::move(node), {}, column};
  }

  Value implication() {
    const Depth depth(*this);
    const std::size_t column = token_.column;
    Value left = chain(RuleOp::any);
    if (!take("implies")) return left;
    RuleNode right = condition(implication());
    return of_condition(joined(RuleOp::any, negated(condition(std::move(left))), std::move(right)),
                        column);
  }

  Value chain(RuleOp op) {
    const std::string_view word = op == RuleOp::any ? "or" : "and";
    const std::size_t column = token_.column;
    Value first = op == RuleOp::any ? chain(RuleOp::all) : negation();
    if (!is(word)) return first;
    RuleNode node{.op = op};
    node.of.push_back(condition(std::move(first)));
    while (take(word))
      node.of.push_back(condition(op == RuleOp::any ? chain(RuleOp::all) : negation()));
    return of_condition(std::move(node), column);
  }

  Value negation() {
    const Depth depth(*this);
    const std::size_t column = token_.column;
    if (!take("not")) return comparison();
    return of_condition(negated(condition(negation())), column);
  }

  Value comparison() {
    Value left = sum();
    const std::size_t column = left.column;
    if (take("in")) return of_condition(member(std::move(left)), column);
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!is(sign)) continue;
      next();
      RuleNode node = compare(std::move(left), sign, sum());
      for (const std::string_view again : {"==", "!=", "<=", ">=", "<", ">"})
        if (is(again)) fail(token_.column, "two comparisons in a row", "join them by `and`");
      return of_condition(std::move(node), column);
    }
    return left;
  }

  RuleNode compare(Value left, std::string_view sign, Value right) {
    const auto named = [](const Value& value) {
      return value.kind == Value::Kind::memory || value.kind == Value::Kind::mode;
    };
    if (named(right) && !named(left)) std::swap(left, right);
    if (named(left)) {
      if (sign != "==" && sign != "!=")
        fail(left.column, "names are compared by == and != only, not by " + quoted(sign));
      RuleNode node = named(right) ? same(left, right) : with_name(left, right);
      return sign == "==" ? std::move(node) : negated(std::move(node));
    }
    RuleNode a = term(std::move(left));
    RuleNode b = term(std::move(right));
    if (sign == "==") return joined(RuleOp::equal, std::move(a), std::move(b));
    if (sign == "!=") return joined(RuleOp::not_equal, std::move(a), std::move(b));
    const RuleOp op = sign.size() == 1 ? RuleOp::less : RuleOp::at_most;
    return sign[0] == '<' ? joined(op, std::move(a), std::move(b))
                          : joined(op, std::move(b), std::move(a));
  }

  RuleNode member(Value left) {
    need("[", "`in`");
    RuleNode node{.op = RuleOp::any};
    const bool names = left.kind == Value::Kind::memory || left.kind == Value::Kind::mode;
    if (!names) {
      node.op = RuleOp::one_of;
      node.of.push_back(term(left));
    }
    do {
      Value each = sum();
      if (names) {
        node.of.push_back(with_name(left, each));
        continue;
      }
      const std::size_t column = each.column;
      const std::optional<std::int64_t> number = constant(term(std::move(each)));
      if (!number) fail(column, "a list after `in` has integers only");
      node.of.push_back({.op = RuleOp::number, .number = *number});
    } while (take(","));
    need("]", "the list");
    return node;
  }

  static std::optional<std::int64_t> constant(const RuleNode& node) {
    if (node.op == RuleOp::number) return node.number;
    if (node.op == RuleOp::minus && node.of[0].op == RuleOp::number && node.of[0].number == 0 &&
        node.of[1].op == RuleOp::number)
      return -node.of[1].number;
    return std::nullopt;
  }

  RuleNode with_name(const Value& left, const Value& right) {
    if (right.kind != Value::Kind::name)
      fail(right.column, left.kind == Value::Kind::memory ? "the name of a memory is missing here"
                                                          : "the name of a mode is missing here");
    RuleNode node = left.node;
    if (left.kind == Value::Kind::memory) {
      node.memory = memory_named(right.name, right.column);
      return node;
    }
    const Memory& memory = names_.memories[node.memory];
    if (mode_roles(memory, right.name).empty()) {
      std::vector<std::string> known;
      for (const Mode& mode : listed_modes(memory)) known.push_back(mode.name);
      fail(right.column, "memory `" + memory.name + "` has no mode " + quoted(right.name),
           known.empty() ? "a mode is a list of roles such as 'read|write'"
                         : "its modes: " + listed(known));
    }
    node.mode = right.name;
    return node;
  }

  /// The same memory, or modes of one name.
  RuleNode same(const Value& left, const Value& right) {
    if (left.kind != right.kind) fail(right.column, "a memory is not a mode");
    RuleNode node{.op = RuleOp::any};
    const auto both = [&](RuleNode a, RuleNode b) {
      node.of.push_back(joined(RuleOp::all, std::move(a), std::move(b)));
    };
    if (left.kind == Value::Kind::memory) {
      for (MemoryIndex m = 0; m < names_.memories.size(); ++m) {
        RuleNode a = left.node;
        RuleNode b = right.node;
        a.memory = b.memory = m;
        both(std::move(a), std::move(b));
      }
      return node;
    }
    const auto modes = joint_modes(names_.memories[left.node.memory], most_counted_modes);
    if (!modes) fail(left.column, "the memory has too many modes to compare them");
    for (const Mode& mode : *modes) {
      if (mode_roles(names_.memories[right.node.memory], mode.name).empty()) continue;
      RuleNode a = left.node;
      RuleNode b = right.node;
      a.mode = b.mode = mode.name;
      both(std::move(a), std::move(b));
    }
    return node;
  }

  void limit_chain(int operators) const {
    if (operators == longest_sum)
      fail(token_.column, "there are too many operators in a row", "use fewer terms");
  }

  Value sum() {
    Value left = product();
    for (int k = 0; is("+") || is("-"); ++k) {
      limit_chain(k);
      const RuleOp op = is("+") ? RuleOp::plus : RuleOp::minus;
      const std::size_t column = left.column;
      next();
      RuleNode a = term(std::move(left));
      left = of_term(joined(op, std::move(a), term(product())), column);
    }
    return left;
  }

  Value product() {
    Value left = primary();
    for (int k = 0; is("*") || is("%"); ++k) {
      limit_chain(k);
      const bool modulo = is("%");
      const std::size_t column = left.column;
      next();
      RuleNode a = term(std::move(left));
      const std::size_t second = token_.column;
      RuleNode b = term(primary());
      if (modulo && (b.op != RuleOp::number || b.number < 1))
        fail(second, "the number after `%` is not an integer of at least 1");
      if (!modulo && varies(a) && varies(b))
        fail(second, "a product of two variables is not linear",
             "one factor has to be an integer or a size");
      left = of_term(joined(modulo ? RuleOp::modulo : RuleOp::times, std::move(a), std::move(b)),
                     column);
    }
    return left;
  }

  Value primary() {
    const Depth depth(*this);
    const Token token = token_;
    next();
    if (token.kind == Token::Kind::number) return of_term(number(token), token.column);
    if (token.kind == Token::Kind::name) return {Value::Kind::name, {}, token.text, token.column};
    if (token.kind == Token::Kind::sign && token.text == "(") {
      Value inner = implication();
      need(")", "the condition");
      return inner;
    }
    if (token.kind == Token::Kind::sign && token.text == "-") {
      RuleNode zero{.op = RuleOp::number};
      return of_term(joined(RuleOp::minus, std::move(zero), term(primary())), token.column);
    }
    if (token.kind == Token::Kind::end) fail(token.column, "the condition ends too early");
    if (token.kind == Token::Kind::sign ||
        std::ranges::find(rule_connectives, token.text) != rule_connectives.end())
      fail(token.column, quoted(token.text) + " is not expected here");
    return property(token);
  }

  RuleNode number(const Token& token) {
    constexpr std::size_t most_digits = 18;
    if (token.text.size() > most_digits)
      fail(token.column, "the number " + quoted(token.text) + " is too large");
    return {.op = RuleOp::number, .number = std::stoll(token.text)};
  }

  Value property(const Token& token) {
    const auto found = std::ranges::find(rule_properties, token.text);
    if (found == rule_properties.end()) return {Value::Kind::name, {}, token.text, token.column};
    switch (found - rule_properties.begin()) {
      case 0:
        return of_term(about_buffer(RuleOp::offset, token), token.column);
      case 1:
        return of_term(about_buffer(RuleOp::size, token), token.column);
      case 2:
        return of_term(about_buffer(RuleOp::bank, token), token.column);
      case 3:
        return {Value::Kind::memory, about_buffer(RuleOp::in_memory, token), {}, token.column};
      default:
        return {Value::Kind::mode, about_memory(token), {}, token.column};
    }
  }

  RuleNode about_buffer(RuleOp op, const Token& token) {
    RuleNode node{.op = op};
    const std::size_t column = token_.column;
    if (!is("(")) {
      if (!names_.selected)
        fail(token.column,
             quoted(token.text) + " does not say of which " + std::string(names_.noun),
             "write " + token.text + "(NAME), or select buffers under `forall`");
      node.buffer = *names_.selected;
      return node;
    }
    const std::string name = name_in_parentheses();
    const std::optional<BufferIndex> found = names_.buffer(name);
    if (!found)
      fail(column + 1, "unknown " + std::string(names_.noun) + " " + quoted(name),
           std::string(names_.noun) + "s: " + listed(names_.known));
    node.buffer = *found;
    return node;
  }

  RuleNode about_memory(const Token& token) {
    RuleNode node{.op = RuleOp::in_mode, .next = token.text == "next_mode"};
    const std::size_t column = token_.column;
    if (!is("("))
      fail(token.column, quoted(token.text) + " does not say of which memory",
           "write " + token.text + "(MEMORY)");
    node.memory = memory_named(name_in_parentheses(), column + 1);
    const Memory& memory = names_.memories[node.memory];
    if (!has_modes(memory)) fail(column + 1, "memory `" + memory.name + "` has no modes");
    return node;
  }

  /// The text up to the closing parenthesis, or a quoted name. The current token is "(".
  std::string name_in_parentheses() {
    std::size_t begin = at_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    if (begin < text_.size() && (text_[begin] == '\'' || text_[begin] == '"')) {
      next();
      std::string name = token_.text;
      next();
      need(")", "the name");
      return name;
    }
    const std::size_t end = text_.find(')', begin);
    if (end == std::string_view::npos) fail(token_.column, "`(` is not closed");
    std::string_view name = text_.substr(begin, end - begin);
    while (name.ends_with(' ')) name.remove_suffix(1);
    at_ = end + 1;
    const std::string result(name);
    next();
    return result;
  }

  MemoryIndex memory_named(std::string_view name, std::size_t column) {
    std::vector<std::string> known;
    for (MemoryIndex m = 0; m < names_.memories.size(); ++m) {
      if (names_.memories[m].name == name) return m;
      known.push_back(names_.memories[m].name);
    }
    fail(column, "unknown memory " + quoted(name), "memories: " + listed(known));
  }

  std::string_view text_;
  const RuleNames& names_;
  std::size_t at_ = 0;
  Token token_;
  int depth_ = 0;
  int words_ = 0;
};

}  // namespace

RuleNode parse_rule(std::string_view text, const RuleNames& names) {
  return RuleParser(text, names).run();
}

void add_rule(PlacementProblem& problem, const RuleText& rule) {
  RuleNames names{.memories = problem.memories};
  names.buffer = [&](std::string_view id) -> std::optional<BufferIndex> {
    const auto found = std::ranges::find(problem.buffers, id, &Buffer::id);
    if (found == problem.buffers.end()) return std::nullopt;
    return static_cast<BufferIndex>(found - problem.buffers.begin());
  };
  for (const Buffer& buffer : problem.buffers) names.known.push_back(buffer.id);
  std::vector<ConditionRule> made;
  const auto make = [&] { made.push_back({rule.name, parse_rule(rule.that, names), rule.steps}); };
  try {
    if (rule.buffers.empty()) make();
    for (const BufferIndex b : rule.buffers) {
      names.selected = b;
      make();
    }
  } catch (const RuleTextError& error) {
    throw BadInput("rule `" + rule.name + "`, " + error.what(), error.hint);
  }
  problem.rules.insert(problem.rules.end(), made.begin(), made.end());
}

}  // namespace tessera
