// Restricts a problem to some of its buffers and hardware rules. Every removal relaxes the problem;
// therefore removing same_offset leaves a may_overlap.
#include <algorithm>
#include <numeric>

#include "explain.h"
#include "model/derived.h"
#include "model/joint_modes.h"
#include "model/relations.h"
#include "model/rules.h"

namespace tessera::encoder {
namespace {

using Kind = HardwareRule::Kind;

/// Does each buffer have one effective alignment in all its memories? Only then can an alignment be
/// removed from one buffer alone.
bool alignments_are_uniform(const PlacementProblem& problem) {
  return std::all_of(problem.buffers.begin(), problem.buffers.end(), [&](const Buffer& buffer) {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, buffer);
    return std::all_of(allowed.begin(), allowed.end(), [&](MemoryIndex m) {
      return effective_alignment(buffer, problem.memories[m]) ==
             effective_alignment(buffer, problem.memories[allowed.front()]);
    });
  });
}

class Part {
 public:
  Part(const PlacementProblem& problem, const std::vector<BufferIndex>& buffers,
       const std::vector<HardwareRule>& rules)
      : whole_(problem), rules_(rules), buffers_(buffers), position_(problem.buffers.size(), gone) {
    std::sort(rules_.begin(), rules_.end(), before);
    std::sort(buffers_.begin(), buffers_.end());
    for (std::size_t k = 0; k < buffers_.size(); ++k) position_[buffers_[k]] = k;
  }

  PlacementProblem build() {
    part_.name = whole_.name;
    part_.memories = whole_.memories;
    uniform_ = alignments_are_uniform(whole_);
    for (MemoryIndex m = 0; m < part_.memories.size(); ++m) strip(part_.memories[m], m);
    for (const BufferIndex b : buffers_) add_buffer(b);
    for (std::size_t r = 0; r < whole_.relations.size(); ++r) add_relation(r);
    for (std::size_t r = 0; r < whole_.rules.size(); ++r)
      if (keeps(Kind::condition, r))
        if (auto left = remaining(whole_.rules[r], position_))
          part_.rules.push_back(std::move(*left));
    return std::move(part_);
  }

 private:
  [[nodiscard]] bool keeps(Kind kind, std::size_t index) const {
    return std::binary_search(rules_.begin(), rules_.end(), HardwareRule{kind, index}, before);
  }
  [[nodiscard]] static bool before(const HardwareRule& a, const HardwareRule& b) {
    return std::pair(a.kind, a.index) < std::pair(b.kind, b.index);
  }

  void strip(Memory& memory, MemoryIndex m) const {
    if (uniform_) memory.alignment = 1;  // each buffer carries the alignment
    if (!keeps(Kind::straddle, m)) memory.straddle = true;
    if (!keeps(Kind::reserved, m)) memory.reserved.clear();
    if (named_by_rule(m)) {
      list_modes(memory);
      if (keeps(Kind::modes, m)) return;
      // The rules choose among modes that restrict nothing else.
      for (Mode& mode : memory.modes) std::ranges::fill(mode.roles, Role::read_write);
      return;
    }
    if (keeps(Kind::modes, m)) return;
    memory.modes.clear();
    memory.modes_per_bank = false;
    for (Bank& bank : memory.banks) bank.roles.clear();
  }

  [[nodiscard]] bool named_by_rule(MemoryIndex m) const {
    bool named = false;
    for (std::size_t r = 0; r < whole_.rules.size(); ++r)
      if (keeps(Kind::condition, r))
        for_each_node(whole_.rules[r].that, [&](const RuleNode& node) {
          named = named || (node.op == RuleOp::in_mode && node.memory == m);
        });
    return named;
  }

  void add_buffer(BufferIndex b) {
    Buffer buffer = whole_.buffers[b];
    if (!keeps(Kind::alignment, b)) {
      buffer.alignment = 1;
    } else if (uniform_) {
      const MemoryIndex m = allowed_memories(whole_, buffer).front();
      buffer.alignment = effective_alignment(buffer, whole_.memories[m]);
    }
    if (!keeps(Kind::offset, b)) buffer.offset.reset();
    if (!keeps(Kind::window, b)) buffer.window.reset();
    part_.buffers.push_back(std::move(buffer));
  }

  void add_relation(std::size_t r) {
    Relation relation = whole_.relations[r];
    if (relation.kind == RelationKind::avoid_overlap) return;
    if (!keeps(Kind::relation, r) && meaning(relation.kind).forbids) {
      // Buffers at the same offset may overlap.
      if (!meaning(relation.kind).lifts_overlap) return;
      relation = {.kind = RelationKind::may_overlap, .buffers = std::move(relation.buffers)};
    }
    for (Relation& left : remaining(relation, position_))
      part_.relations.push_back(std::move(left));
  }

  const PlacementProblem& whole_;
  std::vector<HardwareRule> rules_;  ///< sorted
  std::vector<BufferIndex> buffers_;
  std::vector<BufferIndex> position_;  ///< per buffer of the problem: its index in the part
  bool uniform_ = true;
  PlacementProblem part_;
};

}  // namespace

PlacementProblem part_of(const PlacementProblem& problem, const std::vector<BufferIndex>& buffers,
                         const std::vector<HardwareRule>& rules) {
  return Part(problem, buffers, rules).build();
}

std::vector<HardwareRule> hardware_rules(const PlacementProblem& problem) {
  std::vector<HardwareRule> rules;
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    if (meaning(problem.relations[r].kind).forbids) rules.push_back({Kind::relation, r});
  }
  for (std::size_t r = 0; r < problem.rules.size(); ++r) rules.push_back({Kind::condition, r});
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (has_modes(memory)) rules.push_back({Kind::modes, m});
    if (!memory.straddle && memory.banks.size() > 1) rules.push_back({Kind::straddle, m});
    if (!memory.reserved.empty()) rules.push_back({Kind::reserved, m});
  }
  const bool uniform = alignments_are_uniform(problem);
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const MemoryIndex m = allowed_memories(problem, buffer).front();
    const Size alignment =
        uniform ? effective_alignment(buffer, problem.memories[m]) : buffer.alignment;
    if (alignment > 1) rules.push_back({Kind::alignment, b});
    if (buffer.offset) rules.push_back({Kind::offset, b});
    if (buffer.window) rules.push_back({Kind::window, b});
  }
  return rules;
}

namespace {

/// " at steps 0-2, 5"; empty for a condition at every step.
std::string at_steps(const std::vector<StepRange>& ranges) {
  if (ranges.empty()) return {};
  const bool one = ranges.size() == 1 && ranges.front().upper - ranges.front().lower == 1;
  std::string text = one ? " at step " : " at steps ";
  for (const StepRange& range : ranges) {
    if (&range != &ranges.front()) text += ", ";
    text += std::to_string(range.lower);
    if (range.upper - range.lower > 1) text += '-' + std::to_string(range.upper - 1);
  }
  return text;
}

}  // namespace

std::string describe(const PlacementProblem& problem, const HardwareRule& rule) {
  return describe(problem, rule, [&](BufferIndex b) { return problem.buffers[b].id; });
}

std::string describe(const PlacementProblem& problem, const HardwareRule& rule,
                     const BufferNames& name_of) {
  const auto range = [](const AddressRange& of) {
    return '[' + std::to_string(of.begin) + ", " + std::to_string(of.end) + ')';
  };
  switch (rule.kind) {
    case Kind::relation: {
      const Relation& relation = problem.relations[rule.index];
      std::string text = "the relation " + std::string(to_string(relation.kind)) + " {";
      for (std::size_t i = 0; i < relation.buffers.size(); ++i) {
        text += (i == 0 ? "" : ", ") + name_of(relation.buffers[i]);
      }
      return text + '}';
    }
    case Kind::modes:
      return "the modes of " + problem.memories[rule.index].name;
    case Kind::straddle:
      return "no buffer may cross a bank border of " + problem.memories[rule.index].name;
    case Kind::reserved: {
      std::string text = "the reserved ranges of " + problem.memories[rule.index].name;
      for (const AddressRange& each : problem.memories[rule.index].reserved) {
        text += ' ' + range(each);
      }
      return text;
    }
    case Kind::alignment: {
      const Buffer& buffer = problem.buffers[rule.index];
      const Size alignment =
          alignments_are_uniform(problem)
              ? effective_alignment(buffer,
                                    problem.memories[allowed_memories(problem, buffer).front()])
              : buffer.alignment;
      return "the alignment " + std::to_string(alignment) + " of " + name_of(rule.index);
    }
    case Kind::offset:
      return "the fixed offset " + std::to_string(*problem.buffers[rule.index].offset) + " of " +
             name_of(rule.index);
    case Kind::window:
      return "the window " + range(*problem.buffers[rule.index].window) + " of " +
             name_of(rule.index);
    case Kind::condition: {
      const ConditionRule& condition = problem.rules[rule.index];
      return "the rule " + condition.name + ": " + to_string(problem, condition.that) +
             at_steps(condition.steps);
    }
  }
  return {};
}

}  // namespace tessera::encoder
