// The mode of every step, as variables. Steps without begins, ends or accesses between them share
// one choice. Choices with equal demands are merged; if switches count, only consecutive ones.
// Modes per bank are one choice per bank: the product of the banks' roles is never enumerated. If
// rules name modes, every step has a choice of exactly one.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "layers.h"
#include "model/rules.h"

namespace tessera::encoder {
namespace {

enum class Use : char { read, write, live };

/// A demand on a choice: buffer, kind of use, and the live piece.
struct Demand {
  BufferIndex buffer = 0;
  Use use = Use::live;
  std::size_t piece = 0;
  friend auto operator<=>(const Demand&, const Demand&) = default;
};

bool allows(Role role, Use use, BufferKind kind) {
  switch (use) {
    case Use::read:
      return may_read(role, kind);
    case Use::write:
      return may_write(role, kind);
    case Use::live:
      return role != Role::off;
  }
  return false;
}

class MemoryModes {
 public:
  MemoryModes(Context& context, MemoryIndex m)
      : context_(context), problem_(context.problem), m_(m), memory_(problem_.memories[m]) {
    const auto is_off = [](Role role) { return role == Role::off; };
    for (const Mode& mode : memory_.modes) {
      off_ = off_ || std::any_of(mode.roles.begin(), mode.roles.end(), is_off);
    }
    for (const Bank& bank : memory_.banks) {
      off_ = off_ || std::any_of(bank.roles.begin(), bank.roles.end(), is_off);
    }
    for (const ConditionRule& rule : problem_.rules)
      for_each_node(rule.that, [&](const RuleNode& node) {
        ruled_ = ruled_ || (node.op == RuleOp::in_mode && node.memory == m_);
      });
    pieces_.resize(problem_.buffers.size());
  }

  void run() {
    collect();
    std::map<std::vector<Demand>, ModeChoice> known;
    std::vector<ModeChoice>& choices = context_.encoding.modes[m_];
    for (std::size_t i = 0; i + 1 < borders_.size(); ++i) {
      const StepRange steps{borders_[i], borders_[i + 1]};
      std::vector<Demand> demands = demands_at(steps.lower);
      // If the number of modes is minimised, even a memory without demands uses one mode.
      const bool counted = context_.params.goal == Objective::modes && i == 0;
      if (ruled_) {
        choices.push_back(choose(steps, demands));
        only_one(choices.back().modes);
        continue;
      }
      if (demands.empty() && !counted) {
        choices.push_back({.steps = steps, .modes = {}, .roles = {}});
        continue;
      }
      // Apart in time, equal demands may have different modes: that can save switches.
      if (context_.params.goal == Objective::switches && !known.contains(demands)) known.clear();
      const auto [entry, is_new] = known.try_emplace(std::move(demands));
      if (is_new) entry->second = choose(steps, entry->first);
      choices.push_back(entry->second);
      choices.back().steps = steps;
    }
  }

 private:
  void collect() {
    std::set<Step> borders{0, horizon(problem_)};
    const auto access = [&](BufferIndex b, Step step, Use use) {
      accesses_[step].push_back({b, use, 0});
      borders.insert(step);
      borders.insert(step + 1);
    };
    for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
      if (!context_.may_be_in(b, m_)) continue;
      for (const Step step : problem_.buffers[b].read) access(b, step, Use::read);
      for (const Step step : problem_.buffers[b].write) access(b, step, Use::write);
      if (!off_) continue;
      pieces_[b] = pieces(problem_.buffers[b]);
      for (std::size_t p = 0; p < pieces_[b].size(); ++p) {
        borders.insert(pieces_[b][p].steps.lower);
        borders.insert(pieces_[b][p].steps.upper);
        living_.push_back({b, Use::live, p});
      }
    }
    if (ruled_)
      for (Step step = 0; step < horizon(problem_); ++step) borders.insert(step);
    borders_.assign(borders.begin(), borders.end());
  }

  [[nodiscard]] std::vector<Demand> demands_at(Step step) const {
    context_.poll(static_cast<std::int64_t>(living_.size()));
    std::vector<Demand> result;
    if (const auto found = accesses_.find(step); found != accesses_.end()) result = found->second;
    for (const Demand& each : living_) {
      if (pieces_[each.buffer][each.piece].steps.contains(step)) result.push_back(each);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  ModeChoice choose(const StepRange& steps, const std::vector<Demand>& demands) {
    ModeChoice choice{.steps = steps, .modes = {}, .roles = {}};
    const std::string at = " of " + memory_.name + " from step " + std::to_string(steps.lower);
    if (memory_.modes_per_bank) {
      for (std::size_t k = 0; k < memory_.banks.size(); ++k) {
        const Bank& bank = memory_.banks[k];
        choice.roles.emplace_back();
        for (const Role role : bank.roles) {
          const Lit taken =
              bank.roles.size() == 1
                  ? true_lit
                  : context_.formula.boolean(std::string(to_string(role)) + ' ' + bank.name + at);
          choice.roles.back().push_back(taken);
          for (const Demand& each : demands) forbid(taken, role, k, each);
        }
        context_.formula.clause(choice.roles.back());
      }
      return choice;
    }
    for (const Mode& mode : memory_.modes) {
      const Lit taken =
          memory_.modes.size() == 1 ? true_lit : context_.formula.boolean("mode " + mode.name + at);
      choice.modes.push_back(taken);
      for (std::size_t k = 0; k < mode.roles.size(); ++k) {
        for (const Demand& each : demands) forbid(taken, mode.roles[k], k, each);
      }
    }
    context_.formula.clause(choice.modes);
    return choice;
  }

  /// At most one of them: a chain of literals "one up to here".
  void only_one(const std::vector<Lit>& modes) {
    Lit before = false_lit;
    for (const Lit each : modes) {
      context_.formula.clause({-before, -each});
      const Lit now = context_.formula.boolean("a mode up to here");
      context_.formula.clause({-before, now});
      context_.formula.clause({-each, now});
      before = now;
    }
  }

  /// The buffer does not use bank k while the bank has this role, unless the role allows it.
  void forbid(Lit taken, Role role, std::size_t k, const Demand& demand) {
    const BufferIndex b = demand.buffer;
    if (allows(role, demand.use, problem_.buffers[b].kind)) return;
    if (demand.use != Use::live || pieces_[b][demand.piece].whole) {
      context_.require({b}, {-taken, -context_.touches(b, m_, k)});
      return;
    }
    const AddressRange& window = pieces_[b][demand.piece].window;
    const AddressRange bank = bank_ranges(memory_)[k];
    context_.require({b},
                     {-taken, -context_.in(b, m_),
                      context_.formula.at_least(context_.offset(b), fixed(bank.end - window.begin)),
                      -context_.formula.above(context_.offset(b), fixed(bank.begin - window.end))});
  }

  Context& context_;
  const PlacementProblem& problem_;
  MemoryIndex m_;
  const Memory& memory_;
  bool off_ = false;    ///< can a bank be off at all?
  bool ruled_ = false;  ///< rules name its modes: a choice for every step
  std::vector<std::vector<Piece>> pieces_;
  std::map<Step, std::vector<Demand>> accesses_;
  std::vector<Demand> living_;
  std::vector<Step> borders_;
};

/// One literal per mode that is true if the mode is used at any step.
void count_modes(Context& context, MemoryIndex m) {
  const Memory& memory = context.problem.memories[m];
  for (std::size_t k = 0; k < memory.modes.size(); ++k) {
    const Lit used =
        context.formula.boolean("mode " + memory.modes[k].name + " of " + memory.name + " is used");
    for (const ModeChoice& choice : context.encoding.modes[m]) {
      if (!choice.modes.empty()) context.formula.clause({used, -choice.modes[k]});
    }
    context.encoding.soft.push_back({used, 1});
  }
}

/// One literal per two consecutive choices that is true if the mode changes between them. A mode
/// that no buffer depends on does not change. Without a change, every mode that is true before is
/// true after, so decode() can keep it.
void count_switches(Context& context, MemoryIndex m) {
  const Memory& memory = context.problem.memories[m];
  const ModeChoice* before = nullptr;
  for (const ModeChoice& choice : context.encoding.modes[m]) {
    if (choice.modes.empty() && choice.roles.empty()) continue;
    const ModeChoice* last = std::exchange(before, &choice);
    if (last == nullptr || (last->modes == choice.modes && last->roles == choice.roles)) continue;
    const Lit changes = context.formula.boolean("mode of " + memory.name + " changes at step " +
                                                std::to_string(choice.steps.lower));
    for (std::size_t k = 0; k < choice.modes.size(); ++k)
      context.formula.clause({-last->modes[k], choice.modes[k], changes});
    for (std::size_t bank = 0; bank < choice.roles.size(); ++bank)
      for (std::size_t k = 0; k < choice.roles[bank].size(); ++k)
        context.formula.clause({-last->roles[bank][k], choice.roles[bank][k], changes});
    context.encoding.soft.push_back({changes, 1});
  }
}

}  // namespace

void add_modes(Context& context) {
  for (MemoryIndex m = 0; m < context.problem.memories.size(); ++m) {
    if (!has_modes(context.problem.memories[m])) continue;
    MemoryModes(context, m).run();
    if (context.params.goal == Objective::modes) count_modes(context, m);
    if (context.params.goal == Objective::switches) count_switches(context, m);
  }
}

}  // namespace tessera::encoder
