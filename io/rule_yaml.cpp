#include "io/rule_yaml.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tessera::io {
namespace {

/// One value, or a list of values.
std::vector<const Node*> one_or_more(const Node& node) {
  if (node.kind != Node::Kind::list) return {&node};
  std::vector<const Node*> all;
  for (const Node& each : node.children) all.push_back(&each);
  return all;
}

/// `step: 3`, `step: [0, 4]` (half-open) or a list of such pairs.
std::vector<StepRange> read_rule_steps(const Sources& sources, const Node& node) {
  const auto pair = [&](const Node& each) {
    const auto [lower, upper] = as_pair(sources, each, "step");
    const StepRange range{as_whole(sources, *lower, "step"), as_whole(sources, *upper, "step")};
    if (range.empty())
      throw sources.error(each, "the range of steps is empty", "[0, 2] are the steps 0 and 1");
    return range;
  };
  if (node.kind != Node::Kind::list) {
    const Step step = as_whole(sources, node, "step");
    return {{step, step + 1}};
  }
  if (node.children.empty()) throw sources.error(node, "`step` is empty");
  if (node.children.front().kind != Node::Kind::list) return {pair(node)};
  std::vector<StepRange> ranges;
  for (const Node& each : node.children) ranges.push_back(pair(each));
  return ranges;
}

class ProblemRuleReader {
 public:
  ProblemRuleReader(const Sources& sources, ProblemYaml& read) : sources_(sources), read_(read) {}

  void read(const Node& node) {
    Fields fields(sources_, node, "a rule");
    RuleText rule;
    rule.name = as_text(sources_, fields.need("name"), "name");
    if (rule.name.empty()) throw sources_.error(node, "the name of the rule is empty");
    if (const Node* chosen = fields.find("forall")) select(*chosen, rule);
    const Node& that = fields.need("that");
    rule.that = as_text(sources_, that, "that");
    fields.finish();
    const bool none = node.find("forall") != nullptr && selects_buffers_ && rule.buffers.empty();
    if (none) {
      read_.notes.push_back("Rule '" + rule.name + "' (" + sources_.file(node) + ":" +
                            std::to_string(node.line) + ") applies to no buffer.");
      return;
    }
    try {
      add_rule(read_.problem, rule);
    } catch (const BadInput& error) {
      throw sources_.error(that, error.what(), error.hint);
    }
    read_.source.rules.resize(read_.problem.rules.size(), node.line);
  }

 private:
  void select(const Node& node, RuleText& rule) {
    selects_buffers_ = false;
    Fields fields(sources_, node, "`forall`");
    const Node* named = fields.find("buffer");
    const Node* kind = fields.find("kind");
    if (const Node* step = fields.find("step")) rule.steps = read_rule_steps(sources_, *step);
    for (const char* key : {"role", "op"})
      if (const Node* field = fields.find(key))
        throw sources_.error_at_key(*field,
                                    "`" + std::string(key) +
                                        "` selects operands of ops, which only "
                                        "the rules of a profile can",
                                    "in a problem, select by `buffer`, `kind` or `step`");
    fields.finish();
    if (named == nullptr && kind == nullptr) return;
    selects_buffers_ = true;
    std::set<BufferIndex> wanted;
    if (named != nullptr)
      for (const Node* each : one_or_more(*named)) add_named(*each, wanted);
    std::optional<BufferKind> only;
    if (kind != nullptr)
      only = static_cast<BufferKind>(as_one_of(sources_, *kind, "kind", {"activation", "weight"}));
    const std::vector<Buffer>& buffers = read_.problem.buffers;
    for (BufferIndex b = 0; b < buffers.size(); ++b)
      if ((named == nullptr || wanted.contains(b)) && (!only || buffers[b].kind == *only))
        rule.buffers.push_back(b);
  }

  void add_named(const Node& node, std::set<BufferIndex>& wanted) const {
    const std::string& id = as_text(sources_, node, "buffer");
    const std::vector<Buffer>& buffers = read_.problem.buffers;
    if (id == "*") {
      for (BufferIndex b = 0; b < buffers.size(); ++b) wanted.insert(b);
      return;
    }
    const auto found = std::ranges::find(buffers, id, &Buffer::id);
    if (found == buffers.end())
      throw sources_.error(node, "unknown buffer " + shown(id), "'*' selects all buffers");
    wanted.insert(static_cast<BufferIndex>(found - buffers.begin()));
  }

  const Sources& sources_;
  ProblemYaml& read_;
  bool selects_buffers_ = false;
};

}  // namespace

OperandRule read_operand_rule(const Sources& sources, const Node& node) {
  Fields fields(sources, node, "a rule");
  OperandRule rule;
  rule.name = as_text(sources, fields.need("name"), "name");
  if (const Node* chosen = fields.find("forall")) {
    Fields of(sources, *chosen, "`forall`");
    const auto read = [&](const char* key, std::vector<std::string>& into) {
      const Node* field = of.find(key);
      if (field == nullptr) return;
      for (const Node* each : one_or_more(*field)) into.push_back(as_text(sources, *each, key));
    };
    read("role", rule.roles);
    read("op", rule.ops);
    for (const char* key : {"buffer", "step", "kind"})
      if (const Node* field = of.find(key))
        throw sources.error_at_key(*field,
                                   "`" + std::string(key) +
                                       "` selects in problems only: a profile "
                                       "does not know the buffers",
                                   "in a profile, select by `role` and `op`");
    of.finish();
  }
  rule.that = as_text(sources, fields.need("that"), "that");
  fields.finish();
  return rule;
}

void read_problem_rules(const Sources& sources, const Node& node, ProblemYaml& read,
                        Collected& wrong) {
  for (const Node& each : as_list(sources, node, "rules"))
    wrong.attempt([&] { ProblemRuleReader(sources, read).read(each); });
}

}  // namespace tessera::io
