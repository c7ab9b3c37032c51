#include "tests/support/rule_oracle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
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

/// A rule about modes whose other conditions the places have decided.
struct ModeRule {
  const ConditionRule* rule = nullptr;
  RuleNode that;
  bool next = false;
};

/// Extends the modes step by step in all ways; keeps the best way for each combination of last
/// modes and, if they count, used modes.
class ModeSearch {
 public:
  ModeSearch(const PlacementProblem& problem, const std::vector<BufferPlace>& places,
             const std::vector<bool>& placed, const std::vector<Modes>& allowed, ModeWish wish)
      : problem_(problem), places_(places), allowed_(allowed), wish_(wish) {
    for (const ConditionRule& rule : problem.rules) {
      std::set<BufferIndex> buffers;
      name_buffers(rule.that, buffers);
      if (!names_modes(rule.that) ||
          !std::ranges::all_of(buffers, [&](BufferIndex b) { return placed[b]; }))
        continue;
      rules_.push_back(
          {&rule, rule.that, names(rule.that, [](const RuleNode& each) { return each.next; })});
      decide(rules_.back().that);
      name_modes(rules_.back().that);
    }
  }

  std::optional<Modes> run(Step steps) {
    std::vector<Layer> layers(1);
    layers[0].emplace_back();
    layers[0][0].names.resize(allowed_.size());
    layers[0][0].used.resize(allowed_.size());
    for (Step t = 0; t < steps; ++t) {
      std::vector<Names> now;
      Names names(allowed_.size());
      combine(names, 0, t, now);
      layers.push_back(extend(layers.back(), now, t));
    }
    const Layer& last = layers.back();
    if (last.empty()) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t w = 1; w < last.size(); ++w)
      if (last[w].value < last[best].value) best = w;
    Modes modes(allowed_.size());
    for (Step t = steps; t > 0; --t) {
      const Way& way = layers[static_cast<std::size_t>(t)][best];
      for (MemoryIndex m = 0; m < allowed_.size(); ++m)
        if (!allowed_[m].empty()) modes[m].insert(modes[m].begin(), way.names[m]);
      best = way.before;
    }
    return modes;
  }

 private:
  using Names = std::vector<std::string>;  ///< a mode per memory
  struct Way {
    Names names;
    std::vector<std::set<std::string>> used;
    std::int64_t value = 0;
    std::size_t before = 0;  ///< in the layer before
  };
  using Layer = std::vector<Way>;
  static constexpr std::size_t most_ways = 20'000;

  /// Replaces conditions that are not about modes by what they are.
  void decide(RuleNode& node) const {
    if (names_modes(node)) {
      for (RuleNode& each : node.of) decide(each);
      return;
    }
    const bool holds = RuleReading{problem_, places_}.holds(node);
    node = RuleNode{};
    node.op = holds ? RuleOp::all : RuleOp::any;
  }

  void name_modes(const RuleNode& node) {
    if (node.op == RuleOp::in_mode) named_.emplace(node.memory, node.mode);
    for (const RuleNode& each : node.of) name_modes(each);
  }

  /// The combinations of modes at a step that the rules about one step allow.
  void combine(Names& names, MemoryIndex m, Step t, std::vector<Names>& found) const {
    if (m == allowed_.size()) {
      if (holds_all(names, names, t, false)) found.push_back(names);
      if (found.size() > most_ways) throw std::length_error("too many modes for the oracle");
      return;
    }
    if (allowed_[m].empty()) return combine(names, m + 1, t, found);
    bool other = false;  // one mode that no rule names stands for all, unless they count
    for (const std::string& mode : allowed_[m][static_cast<std::size_t>(t)]) {
      if (wish_ == ModeWish::any && !named_.contains({m, mode}) && std::exchange(other, true))
        continue;
      names[m] = mode;
      combine(names, m + 1, t, found);
    }
  }

  /// The rules about one step, or those that also name the next one.
  [[nodiscard]] bool holds_all(const Names& now, const Names& next, Step t, bool two) const {
    Modes both(now.size());
    for (MemoryIndex m = 0; m < now.size(); ++m) both[m] = {now[m], next[m]};
    return std::ranges::all_of(rules_, [&](const ModeRule& each) {
      return each.next != two || !selects(*each.rule, t) ||
             RuleReading{problem_, places_, &both, 0}.holds(each.that);
    });
  }

  [[nodiscard]] Layer extend(const Layer& before, const std::vector<Names>& now, Step t) const {
    Layer after;
    std::map<std::pair<Names, std::vector<std::set<std::string>>>, std::size_t> known;
    const bool two = std::ranges::any_of(rules_, &ModeRule::next);
    for (std::size_t w = 0; w < before.size(); ++w)
      for (const Names& names : now) {
        if (t > 0 && two && !holds_all(before[w].names, names, t - 1, true)) continue;
        Way way{names, before[w].used, before[w].value, w};
        Names last = names;
        for (MemoryIndex m = 0; m < names.size(); ++m) {
          if (wish_ == ModeWish::any && !named_.contains({m, last[m]})) last[m].clear();
          if (wish_ == ModeWish::fewest && !allowed_[m].empty() &&
              way.used[m].insert(names[m]).second)
            ++way.value;
          if (wish_ == ModeWish::least_switches && t > 0 && names[m] != before[w].names[m])
            ++way.value;
        }
        const auto [entry, is_new] = known.try_emplace({last, way.used}, after.size());
        if (is_new)
          after.push_back(std::move(way));
        else if (way.value < after[entry->second].value)
          after[entry->second] = std::move(way);
        if (after.size() > most_ways) throw std::length_error("too many modes for the oracle");
      }
    return after;
  }

  const PlacementProblem& problem_;
  const std::vector<BufferPlace>& places_;
  const std::vector<Modes>& allowed_;
  const ModeWish wish_;
  std::set<std::pair<MemoryIndex, std::string>> named_;  ///< modes
  std::vector<ModeRule> rules_;  ///< about modes, whose buffers are all placed
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
                                    const std::vector<Modes>& allowed, ModeWish wish) {
  Step steps = 0;
  for (const Buffer& buffer : problem.buffers) steps = std::max(steps, buffer.live.back().upper);
  return ModeSearch(problem, places, placed, allowed, wish).run(steps);
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
