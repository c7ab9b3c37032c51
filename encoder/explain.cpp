// If the load of one step exceeds the capacity, that is the explanation. Otherwise, if buffers that
// may not share a byte are too large together, the explanation starts with them. The rest is
// deletion: members are removed (in halves if many can go at once) as long as the contradiction
// remains. Each refutation also names the buffers it used, through one literal per buffer, which
// removes many members at once.
#include "explain.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "backend.h"
#include "encoding.h"
#include "facts/clique.h"
#include "facts/conflicts.h"
#include "facts/cut.h"
#include "facts/joined.h"
#include "load_cut.h"
#include "model/op_labels.h"

namespace tessera::encoder {
namespace {

/// For more buffers the engine runs without clique sums.
constexpr std::size_t most_added_up = 20'000;
/// For more buffers the smallest capacity is not computed.
constexpr std::size_t most_searched = 500;

struct Members {
  std::vector<BufferIndex> buffers;
  std::vector<HardwareRule> rules;
};

struct Verdict {
  Answer answer = Answer::unknown;
  std::vector<BufferIndex> used;  ///< used by a refutation: positions in the part's buffers
};

class Explainer {
 public:
  Explainer(const PlacementProblem& problem, const ExplainParams& params)
      : problem_(problem), budget_(params.budget), engine_(params.engine) {}

  Explanation run() {
    std::vector<BufferIndex> all(problem_.buffers.size());
    std::iota(all.begin(), all.end(), BufferIndex{0});
    members_ = {all, hardware_rules(problem_)};
    if (budget_.exhausted()) return stopped();
    std::optional<LoadCut> cut;
    try {
      Poll poll(budget_);
      cut = find_load_cut(problem_, poll);
    } catch (const BudgetEnded&) {
      return stopped();
    }
    if (cut) {
      if (stacks_but_for_one(*cut)) return tell_of_load(*cut);
      members_.buffers = cut->buffers;
      std::erase_if(members_.rules, [](const HardwareRule& rule) {
        return rule.kind != HardwareRule::Kind::reserved;
      });
    } else {
      begin_with_clique();
    }
    const Answer first = shrink_to_refutation(members_);
    if (first == Answer::unknown) return stopped();
    if (first == Answer::yes) {
      result_.status = Status::feasible;
      result_.text = "The problem is feasible: a placement exists, nothing to explain.\n";
      return finish();
    }
    result_.status = Status::infeasible;
    result_.minimal = true;
    drop_rules();
    drop_buffers();
    result_.buffers = members_.buffers;
    result_.rules = members_.rules;
    weigh();
    find_smallest_capacity();
    tell();
    return finish();
  }

 private:
  Explanation stopped() {
    result_.stop = stop_reason(budget_);
    result_.text = "Unknown: a limit ended the search before it decided feasibility.\n";
    return finish();
  }

  /// Do clique sums prove more than the load of steps, in little time?
  [[nodiscard]] static bool cliques_count(const PlacementProblem& part) {
    return part.buffers.size() <= most_added_up && facts::separates(part);
  }

  /// Starts with buffers that are too large together because no two of them may share a byte; not
  /// if other buffers are needed to keep them apart.
  void begin_with_clique() {
    if (!cliques_count(problem_)) return;
    const std::optional<facts::Cut> clique = facts::find_cut(problem_, budget_);
    if (!clique || clique->buffers.size() < 2) return;
    const auto member = [&clique](BufferIndex b) {
      return std::binary_search(clique->buffers.begin(), clique->buffers.end(), b);
    };
    Members trial{clique->buffers, members_.rules};
    std::erase_if(trial.rules, [&](const HardwareRule& rule) {
      if (rule.kind != HardwareRule::Kind::relation) return false;
      const std::vector<BufferIndex>& named = problem_.relations[rule.index].buffers;
      return std::count_if(named.begin(), named.end(), member) < 2;
    });
    if (facts::find_cut(part_of(problem_, trial.buffers, trial.rules), budget_))
      members_ = std::move(trial);
  }

  /// "No two of them may share a byte ...", if that is the reason.
  [[nodiscard]] std::string clique_story() const {
    if (result_.status != Status::infeasible || members_.buffers.size() < 2) return {};
    const PlacementProblem part = part_of(problem_, members_.buffers, members_.rules);
    const std::optional<facts::Cut> cut = facts::find_cut(part, budget_);
    if (!cut || cut->step || cut->range || cut->buffers.size() != part.buffers.size()) return {};
    std::ostringstream text;
    text << "No two of them may share a byte (" << facts::why_apart(part, cut->buffers)
         << "): they need " << cut->asked << " bytes";
    if (cut->grain > 1) text << " at multiples of " << cut->grain;
    text << ", but " << part.memories[cut->memories.front()].name << " has " << cut->available
         << ".\n";
    return text.str();
  }

  /// Do the buffers of the cut fit into its memory after removing any one of them? If only sizes
  /// matter, stacking them proves it without an engine.
  [[nodiscard]] bool stacks_but_for_one(const LoadCut& cut) const {
    if (cut.memories.size() != 1) return false;
    const Memory& memory = problem_.memories[cut.memories.front()];
    if (!memory.reserved.empty() && cut.asked <= memory.capacity) return false;
    // The memory's own alignment remains unless it is that of every buffer.
    const PlacementProblem part = part_of(problem_, cut.buffers, {});
    if (part.memories[cut.memories.front()].alignment != 1) return false;
    return std::all_of(cut.buffers.begin(), cut.buffers.end(), [this](BufferIndex b) {
      return problem_.buffers[b].gaps.empty() && problem_.buffers[b].parts.empty();
    });
  }

  Explanation tell_of_load(const LoadCut& cut) {
    result_.status = Status::infeasible;
    result_.minimal = true;
    members_ = {cut.buffers, {}};
    result_.buffers = members_.buffers;
    weigh();
    find_smallest_capacity();
    tell();
    return finish();
  }

  Verdict ask(const PlacementProblem& part) {
    try {
      return ask_within(part);
    } catch (const BudgetEnded&) {
      return {};
    }
  }

  Verdict ask_within(const PlacementProblem& part) {
    ++questions_;
    if (const auto found = ask_engine(part)) {
      if (found->status == Status::feasible) return {.answer = Answer::yes, .used = {}};
      if (found->status == Status::infeasible) return {.answer = Answer::no, .used = found->used};
      return {};
    }
    Poll poll(budget_);
    const Encoding encoding = encode(part, {.presence = true, .poll = &poll});
    const std::unique_ptr<Backend> solver = make_cadical({});
    solver->load(encoding.formula, numbers_of(part), poll);
    std::vector<int> present;
    for (const Lit literal : encoding.present) present.push_back(solver->literal(literal));
    // A literal without clauses constrains nothing.
    std::vector<int> assumptions = present;
    std::erase(assumptions, 0);
    Verdict verdict{.answer = solver->solve(assumptions, budget_), .used = {}};
    if (verdict.answer != Answer::no) return verdict;
    for (BufferIndex b = 0; b < present.size(); ++b) {
      if (present[b] != 0 && solver->failed(present[b])) verdict.used.push_back(b);
    }
    return verdict;
  }

  /// Infeasibility by sums needs no search, which may not terminate.
  [[nodiscard]] std::optional<engine::SearchResult> ask_cut(const PlacementProblem& part) const {
    if (!cliques_count(part)) return std::nullopt;
    const std::optional<facts::Cut> cut = facts::find_cut(part, budget_);
    if (!cut) return std::nullopt;
    engine::SearchResult found;
    found.status = Status::infeasible;
    // Other buffers at the same offset may be what keeps them apart.
    const bool alone = std::none_of(
        part.relations.begin(), part.relations.end(),
        [](const Relation& relation) { return relation.kind == RelationKind::same_offset; });
    if (alone) found.used = cut->buffers;
    return found;
  }

  std::optional<engine::SearchResult> ask_engine(const PlacementProblem& part) {
    if (auto found = ask_cut(part)) return found;
    if (engine_ == nullptr || engine_->unsupported(part, Objective::fit)) return std::nullopt;
    return engine_->solve(part, {.budget = budget_, .tell_used = true});
  }

  /// If these members have no placement, they become the current members, without the buffers the
  /// refutation did not use.
  Answer shrink_to_refutation(const Members& trial) {
    const Verdict verdict = ask(part_of(problem_, trial.buffers, trial.rules));
    if (verdict.answer == Answer::unknown) result_.minimal = false;
    if (verdict.answer != Answer::no) return verdict.answer;
    Members kept = trial;
    // No buffer used: a single buffer has no possible offset, and deletion finds it.
    if (!verdict.used.empty()) {
      kept.buffers.clear();
      for (const BufferIndex position : verdict.used) {
        kept.buffers.push_back(trial.buffers[position]);
      }
    }
    members_ = std::move(kept);
    return verdict.answer;
  }

  void drop_rules() {
    const auto without = [](Members members, std::span<const HardwareRule> out) {
      std::erase_if(members.rules, [&](const HardwareRule& rule) {
        return std::find(out.begin(), out.end(), rule) != out.end();
      });
      return members;
    };
    const std::vector<HardwareRule> candidates = members_.rules;
    drop(std::span<const HardwareRule>(candidates), without, [this](const HardwareRule& rule) {
      return std::find(members_.rules.begin(), members_.rules.end(), rule) != members_.rules.end();
    });
  }

  void drop_buffers() {
    const auto without = [](Members members, std::span<const BufferIndex> out) {
      std::erase_if(members.buffers, [&](BufferIndex b) {
        return std::find(out.begin(), out.end(), b) != out.end();
      });
      return members;
    };
    const std::vector<BufferIndex> candidates = members_.buffers;
    drop(std::span<const BufferIndex>(candidates), without, [this](BufferIndex b) {
      return std::binary_search(members_.buffers.begin(), members_.buffers.end(), b);
    });
  }

  /// Removes unnecessary members: all at once if possible, else each half, and so on.
  template <typename T, typename Without, typename Present>
  void drop(std::span<const T> candidates, const Without& without, const Present& present) {
    std::vector<T> still;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(still), present);
    if (still.empty()) return;
    if (budget_.exhausted()) {
      result_.minimal = false;
      return;
    }
    const Members trial = without(members_, std::span<const T>(still));
    if (shrink_to_refutation(trial) == Answer::no || still.size() == 1) return;
    const auto half = static_cast<std::ptrdiff_t>(still.size() / 2);
    const std::vector<T> first(still.begin(), still.begin() + half);
    const std::vector<T> second(still.begin() + half, still.end());
    drop(std::span<const T>(first), without, present);
    drop(std::span<const T>(second), without, present);
  }

  /// Memory and step with the largest demand of these members.
  void weigh() {
    const PlacementProblem part = part_of(problem_, members_.buffers, members_.rules);
    std::vector<MemoryIndex> memories;
    for (const Buffer& buffer : part.buffers) {
      for (const MemoryIndex m : allowed_memories(part, buffer)) memories.push_back(m);
    }
    std::sort(memories.begin(), memories.end());
    memories.erase(std::unique(memories.begin(), memories.end()), memories.end());
    if (memories.size() == 1) result_.memory = memories.front();
    Poll never;
    const std::optional<LoadCut> heaviest = heaviest_step(part, memories, never);
    if (!heaviest) return;
    // If a rule and not the load is the reason, a step at which some members are dead is
    // irrelevant.
    const bool all_live =
        std::all_of(part.buffers.begin(), part.buffers.end(),
                    [&](const Buffer& buffer) { return live_at(buffer, heaviest->step); });
    const bool enough = heaviest->asked <= heaviest->available;
    if (enough && !members_.rules.empty() && !all_live) return;
    result_.step = heaviest->step;
    result_.asked = heaviest->asked;
    result_.available = heaviest->available;
  }

  /// Two members that must have one offset and may not share a byte.
  [[nodiscard]] std::string offset_story() const {
    const PlacementProblem part = part_of(problem_, members_.buffers, members_.rules);
    facts::Joined at_one_offset(part.buffers.size());
    for (const Relation& relation : part.relations)
      if (relation.kind == RelationKind::same_offset)
        for (const BufferIndex b : relation.buffers)
          at_one_offset.join(relation.buffers.front(), b);
    for (BufferIndex a = 0; a < part.buffers.size(); ++a)
      for (BufferIndex b = a + 1; b < part.buffers.size(); ++b) {
        if (at_one_offset.find(a) != at_one_offset.find(b)) continue;
        const std::string apart = facts::reason(part, a, b);
        if (!apart.empty())
          return part.buffers[a].id + " and " + part.buffers[b].id +
                 " must have the same offset (same_offset) but may not share a byte (" + apart +
                 ").\n";
      }
    return {};
  }

  /// With all rules about the members: a capacity that violates another rule is no solution.
  void find_smallest_capacity() {
    // Clauses of rules need a capacity.
    if (!result_.memory || !problem_.rules.empty()) return;
    const std::vector<HardwareRule> rules = hardware_rules(problem_);
    PlacementProblem part = part_of(problem_, members_.buffers, rules);
    Memory& memory = part.memories[*result_.memory];
    if (!memory.banks.empty() || memory.capacity == unbounded) return;
    if (stacks_without_gaps(part)) {
      result_.smallest_capacity = result_.asked;
      return;
    }
    if (part.buffers.size() > most_searched) return;
    Size low = std::max(memory.capacity, result_.asked - 1);  // too small
    memory.capacity = unbounded;
    std::optional<Size> high = height_with(part);
    while (high && *high > low + 1) {
      memory.capacity = low + (*high - low) / 2;
      const std::optional<Size> height = height_with(part);
      if (!height && budget_.exhausted()) return;
      if (height) {
        high = *height;
      } else {
        low = memory.capacity;
      }
    }
    result_.smallest_capacity = high;
  }

  /// Can these buffers, all live at one step, be stacked without gaps? Sorted by decreasing
  /// alignment they can if each size is a multiple of the next alignment.
  [[nodiscard]] bool stacks_without_gaps(const PlacementProblem& part) const {
    const Memory& memory = part.memories[*result_.memory];
    const std::vector<HardwareRule> rules = hardware_rules(part);
    const bool only_alignments = std::all_of(
        rules.begin(), rules.end(),
        [](const HardwareRule& rule) { return rule.kind == HardwareRule::Kind::alignment; });
    if (!only_alignments) return false;
    std::vector<std::pair<Size, Size>> stack;  // alignment and size
    for (const Buffer& buffer : part.buffers)
      stack.emplace_back(effective_alignment(buffer, memory), buffer.size);
    std::sort(stack.rbegin(), stack.rend());
    Offset end = 0;
    for (const auto& [alignment, size] : stack) {
      if (end % alignment != 0) return false;
      end += size;
    }
    return end == result_.asked;
  }

  /// The height of some placement, if there is one.
  std::optional<Size> height_with(const PlacementProblem& part) {
    try {
      return height_within(part);
    } catch (const BudgetEnded&) {
      return std::nullopt;
    }
  }

  std::optional<Size> height_within(const PlacementProblem& part) {
    ++questions_;
    const auto height_of = [&part](const auto& offset_of) {
      Size height = 0;
      for (BufferIndex b = 0; b < part.buffers.size(); ++b) {
        height = std::max(height, offset_of(b) + part.buffers[b].size);
      }
      return height;
    };
    if (const auto found = ask_engine(part)) {
      if (found->status != Status::feasible) return std::nullopt;
      return height_of([&](BufferIndex b) { return found->placement->places[b].offset; });
    }
    Poll poll(budget_);
    const Encoding encoding = encode(part, {.break_symmetry = true, .poll = &poll});
    const std::unique_ptr<Backend> solver = make_cadical({});
    solver->load(encoding.formula, numbers_of(part), poll);
    if (solver->solve({}, budget_) != Answer::yes) return std::nullopt;
    return height_of([&](BufferIndex b) { return solver->value(encoding.offset[b]); });
  }

  /// Names of the members and of the buffers in their rules; shortened if some are long.
  [[nodiscard]] BufferNames names() const {
    std::set<BufferIndex> named(members_.buffers.begin(), members_.buffers.end());
    for (const HardwareRule& rule : members_.rules)
      if (rule.kind == HardwareRule::Kind::relation)
        named.insert(problem_.relations[rule.index].buffers.begin(),
                     problem_.relations[rule.index].buffers.end());
    std::vector<std::string> ids;
    for (const BufferIndex b : named) ids.push_back(problem_.buffers[b].id);
    ids = readable_names(std::move(ids));
    std::map<BufferIndex, std::string> name;
    for (std::size_t k = 0; const BufferIndex b : named) name[b] = ids[k++];
    return [this, name = std::move(name)](BufferIndex b) {
      const auto found = name.find(b);
      return found == name.end() ? problem_.buffers[b].id : found->second;
    };
  }

  /// ", allowed in a and b" if the buffer may not be in every memory.
  [[nodiscard]] std::string allowed_text(const Buffer& buffer) const {
    const std::vector<MemoryIndex> allowed = allowed_memories(problem_, buffer);
    if (allowed.size() == problem_.memories.size()) return "";
    std::string text;
    for (std::size_t k = 0; k < allowed.size(); ++k)
      text += (k == 0                   ? ", allowed in "
               : k + 1 < allowed.size() ? ", "
                                        : " and ") +
              problem_.memories[allowed[k]].name;
    return text;
  }

  void tell() {
    const BufferNames name_of = names();
    std::ostringstream text;
    const std::size_t count = members_.buffers.size();
    text << (count == 1 ? "This buffer" : "These " + std::to_string(count) + " buffers")
         << (members_.rules.empty() ? "" : " and hardware rules") << " cannot be placed"
         << (count + members_.rules.size() > 1 ? " together" : "") << ":\n";
    for (const BufferIndex b : members_.buffers) {
      const Buffer& buffer = problem_.buffers[b];
      text << "  " << name_of(b) << ": " << buffer.size << " bytes, live";
      for (const StepRange& live : buffer.live) {
        text << " [" << live.lower << ", " << live.upper << ')';
      }
      text << allowed_text(buffer);
      text << '\n';
    }
    for (const HardwareRule& rule : members_.rules) {
      text << "  " << describe(problem_, rule, name_of) << '\n';
    }
    const std::string pairs = clique_story() + offset_story();
    text << pairs;
    if (pairs.empty() && !result_.step) {
      text << "No placement satisfies every rule.\n";
    } else if (pairs.empty()) {
      const std::string where = result_.memory
                                    ? "memory '" + problem_.memories[*result_.memory].name + "'"
                                    : "their memories";
      text << "At step " << *result_.step << (count == 1 ? " it needs " : " they need ")
           << result_.asked << " bytes; " << where << (result_.memory ? " has " : " have ")
           << result_.available << " bytes";
      if (result_.asked > result_.available)
        text << ".\n";
      else if (members_.rules.empty())
        text << ". The sum fits, but in every arrangement a buffer lacks enough contiguous bytes "
                "(fragmentation).\n";
      else
        text << ". That is enough, but no placement satisfies every rule.\n";
    }
    const bool all_rules = members_.rules.size() == hardware_rules(problem_).size();
    if (!result_.minimal) {
      text << "A limit ended the search: the set may not be minimal.\n";
    } else if (all_rules) {
      text << "The set is minimal: without any one of its members, the rest fits.\n";
    } else {
      text << "The set is minimal: without any one of its members, the rest fits if only the "
              "listed rules count.\n";
    }
    if (result_.smallest_capacity) {
      text << "Smallest capacity for this set: " << *result_.smallest_capacity << " bytes.\n";
    }
    result_.text = text.str();
  }

  Explanation finish() {
    result_.stats.push_back({"explain_questions", questions_});
    return std::move(result_);
  }

  const PlacementProblem& problem_;
  const Budget& budget_;
  engine::PlacementEngine* engine_;
  Members members_;
  Explanation result_;
  std::int64_t questions_ = 0;
};

}  // namespace

Explanation explain(const PlacementProblem& problem, const ExplainParams& params) {
  return Explainer(problem, params).run();
}

}  // namespace tessera::encoder
