#include "tests/support/rule_oracle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "tests/support/literal_rules.h"

namespace tessera::testing {
namespace {

using Banks = std::map<BufferIndex, std::int64_t>;

/// The literal meaning of one condition.
struct RuleReading {
  const PlacementProblem& problem;
  const std::vector<BufferPlace>& places;
  const std::vector<std::vector<std::string>>* modes = nullptr;
  Step step = 0;

  [[nodiscard]] std::int64_t number(const RuleNode& node, const Banks& banks) const {
    switch (node.op) {
      case RuleOp::number:
        return node.number;
      case RuleOp::offset:
        return places[node.buffer].offset;
      case RuleOp::size:
        return problem.buffers[node.buffer].size;
      case RuleOp::bank:
        return banks.at(node.buffer);
      case RuleOp::plus:
        return number(node.of[0], banks) + number(node.of[1], banks);
      case RuleOp::minus:
        return number(node.of[0], banks) - number(node.of[1], banks);
      case RuleOp::times:
        return number(node.of[0], banks) * number(node.of[1], banks);
      default: {
        std::int64_t value = number(node.of[0], banks);
        const std::int64_t modulus = number(node.of[1], banks);
        while (value < 0) value += modulus;
        return value % modulus;
      }
    }
  }

  [[nodiscard]] bool compares(const RuleNode& node, const Banks& banks) const {
    const std::int64_t a = number(node.of[0], banks);
    if (node.op == RuleOp::one_of) {
      std::set<std::int64_t> list;
      for (std::size_t k = 1; k < node.of.size(); ++k) list.insert(node.of[k].number);
      return list.contains(a);
    }
    const std::int64_t b = number(node.of[1], banks);
    if (node.op == RuleOp::equal) return a == b;
    if (node.op == RuleOp::not_equal) return a != b;
    if (node.op == RuleOp::less) return a < b;
    return a <= b;
  }

  void name_banks(const RuleNode& node, Banks& banks) const {
    if (node.op == RuleOp::bank) banks[node.buffer] = 0;
    for (const RuleNode& each : node.of) name_banks(each, banks);
  }

  [[nodiscard]] std::set<std::int64_t> touched(BufferIndex b) const {
    std::set<std::int64_t> banks;
    for (const Offset address : literal::used(problem.buffers[b], places[b].offset))
      banks.insert(
          static_cast<std::int64_t>(literal::bank_at(problem.memories[places[b].memory], address)));
    return banks;
  }

  /// For every bank of every buffer whose bank is compared.
  [[nodiscard]] bool compares_everywhere(const RuleNode& node) const {
    Banks banks;
    name_banks(node, banks);
    std::vector<Banks> all{{}};
    for (const auto& [buffer, zero] : banks) {
      std::vector<Banks> more;
      for (const Banks& each : all)
        for (const std::int64_t bank : touched(buffer)) {
          more.push_back(each);
          more.back()[buffer] = bank;
        }
      all = more;
    }
    for (const Banks& each : all)
      if (!compares(node, each)) return false;
    return true;
  }

  [[nodiscard]] bool holds(const RuleNode& node) const {
    switch (node.op) {
      case RuleOp::all:
        for (const RuleNode& each : node.of)
          if (!holds(each)) return false;
        return true;
      case RuleOp::any:
        for (const RuleNode& each : node.of)
          if (holds(each)) return true;
        return false;
      case RuleOp::no:
        return !holds(node.of[0]);
      case RuleOp::in_memory:
        return places[node.buffer].memory == node.memory;
      case RuleOp::in_mode:
        return (*modes)[node.memory][static_cast<std::size_t>(node.next ? step + 1 : step)] ==
               node.mode;
      default:
        return compares_everywhere(node);
    }
  }
};

bool names(const RuleNode& node, const std::function<bool(const RuleNode&)>& wanted) {
  if (wanted(node)) return true;
  for (const RuleNode& each : node.of)
    if (names(each, wanted)) return true;
  return false;
}
void name_buffers(const RuleNode& node, std::set<BufferIndex>& buffers) {
  if (node.op == RuleOp::offset || node.op == RuleOp::size || node.op == RuleOp::bank ||
      node.op == RuleOp::in_memory)
    buffers.insert(node.buffer);
  for (const RuleNode& each : node.of) name_buffers(each, buffers);
}

bool names_modes(const RuleNode& node) {
  return names(node, [](const RuleNode& each) { return each.op == RuleOp::in_mode; });
}

bool selects(const ConditionRule& rule, Step step) {
  bool selected = rule.steps.empty();
  for (const StepRange& range : rule.steps)
    selected = selected || (range.lower <= step && step < range.upper);
  return selected;
}

using Modes = std::vector<std::vector<std::string>>;

/// Extends the modes step by step in all ways; keeps one way for each pair of last modes and used
/// modes.
class ModeSearch {
 public:
  ModeSearch(const PlacementProblem& problem, const std::vector<BufferPlace>& places,
             const std::vector<bool>& placed, const std::vector<Modes>& allowed, bool fewest)
      : problem_(problem), places_(places), allowed_(allowed), fewest_(fewest) {
    for (const ConditionRule& rule : problem.rules) {
      std::set<BufferIndex> buffers;
      name_buffers(rule.that, buffers);
      if (names_modes(rule.that) &&
          std::ranges::all_of(buffers, [&](BufferIndex b) { return placed[b]; }))
        rules_.push_back(&rule);
    }
    for (const ConditionRule* rule : rules_) name_modes(rule->that);
  }

  std::optional<Modes> run(Step steps) {
    std::map<Key, Modes> now{{{}, Modes(allowed_.size())}};
    for (Step t = 0; t < steps; ++t) {
      std::map<Key, Modes> next;
      for (const auto& [key, modes] : now) extend(modes, 0, t, next);
      now = std::move(next);
    }
    std::optional<Modes> best;
    std::size_t fewest = 0;
    for (const auto& [key, modes] : now) {
      std::size_t count = 0;
      for (const auto& used : key.second) count += used.size();
      if (best && count >= fewest) continue;
      best = modes;
      fewest = count;
    }
    return best;
  }

 private:
  using Key = std::pair<std::vector<std::string>, std::vector<std::set<std::string>>>;

  void name_modes(const RuleNode& node) {
    if (node.op == RuleOp::in_mode) named_.emplace(node.memory, node.mode);
    for (const RuleNode& each : node.of) name_modes(each);
  }

  void extend(const Modes& modes, MemoryIndex m, Step t, std::map<Key, Modes>& next) const {
    if (m < allowed_.size()) {
      if (allowed_[m].empty()) return extend(modes, m + 1, t, next);
      bool other = false;  // one mode that no rule names stands for all, unless they count
      for (const std::string& mode : allowed_[m][static_cast<std::size_t>(t)]) {
        if (!fewest_ && !named_.contains({m, mode}) && std::exchange(other, true)) continue;
        Modes longer = modes;
        longer[m].push_back(mode);
        extend(longer, m + 1, t, next);
      }
      return;
    }
    for (const ConditionRule* rule : rules_) {
      const bool looks_ahead = names(rule->that, [](const RuleNode& each) { return each.next; });
      const Step at = looks_ahead ? t - 1 : t;
      if (at < 0 || !selects(*rule, at)) continue;
      if (!RuleReading{problem_, places_, &modes, at}.holds(rule->that)) return;
    }
    Key key;
    for (const auto& of_memory : modes) {
      key.first.push_back(of_memory.empty() ? "" : of_memory.back());
      if (!fewest_ && !named_.contains({key.first.size() - 1, key.first.back()}))
        key.first.back().clear();
      if (fewest_) key.second.emplace_back(of_memory.begin(), of_memory.end());
    }
    next.emplace(std::move(key), modes);
  }

  const PlacementProblem& problem_;
  const std::vector<BufferPlace>& places_;
  const std::vector<Modes>& allowed_;
  const bool fewest_;                                    ///< the used modes matter
  std::set<std::pair<MemoryIndex, std::string>> named_;  ///< modes
  std::vector<const ConditionRule*> rules_;  ///< about modes, whose buffers are all placed
};

}  // namespace

std::vector<std::pair<std::set<BufferIndex>, bool>> buffers_of_rules(
    const PlacementProblem& problem) {
  std::vector<std::pair<std::set<BufferIndex>, bool>> found;
  for (const ConditionRule& rule : problem.rules) {
    name_buffers(rule.that, found.emplace_back().first);
    found.back().second = names_modes(rule.that);
  }
  return found;
}

std::optional<Modes> modes_by_rules(const PlacementProblem& problem,
                                    const std::vector<BufferPlace>& places,
                                    const std::vector<bool>& placed,
                                    const std::vector<Modes>& allowed, bool fewest) {
  Step steps = 0;
  for (const Buffer& buffer : problem.buffers) steps = std::max(steps, buffer.live.back().upper);
  return ModeSearch(problem, places, placed, allowed, fewest).run(steps);
}

std::optional<bool> keeps_rule(const PlacementProblem& problem, const RuleNode& node,
                               const std::vector<BufferPlace>& places,
                               const std::vector<bool>& placed) {
  const auto of = [&](const RuleNode& each) { return keeps_rule(problem, each, places, placed); };
  if (node.op == RuleOp::no) {
    const std::optional<bool> inner = of(node.of[0]);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (node.op == RuleOp::all || node.op == RuleOp::any) {
    std::optional<bool> result = node.op == RuleOp::all;
    for (const RuleNode& each : node.of) {
      const std::optional<bool> one = of(each);
      if (one == std::optional(node.op == RuleOp::any)) return one;
      if (!one) result = std::nullopt;
    }
    return result;
  }
  std::set<BufferIndex> buffers;
  name_buffers(node, buffers);
  for (const BufferIndex b : buffers)
    if (!placed[b]) return std::nullopt;
  return RuleReading{problem, places}.holds(node);
}

bool keeps_rules(const PlacementProblem& problem, const Placement& placement) {
  Step steps = 0;
  for (const Buffer& buffer : problem.buffers) steps = std::max(steps, buffer.live.back().upper);
  for (const ConditionRule& rule : problem.rules) {
    const bool next = names(rule.that, [](const RuleNode& each) { return each.next; });
    const bool modes = names_modes(rule.that);
    for (Step step = 0; step < (modes ? steps : 1); ++step) {
      if (modes && (!selects(rule, step) || (next && step + 1 == steps))) continue;
      if (!RuleReading{problem, placement.places, &placement.modes, step}.holds(rule.that))
        return false;
    }
  }
  return true;
}

}  // namespace tessera::testing
