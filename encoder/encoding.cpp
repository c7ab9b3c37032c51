#include "encoding.h"

#include <algorithm>
#include <numeric>

#include "layers/layers.h"
#include "model/buffer_parts.h"

namespace tessera::encoder {
namespace {

/// Memory for the order of two buffers: two atoms, their hash slots, two clauses, and half as much
/// again while a vector grows.
constexpr double bytes_per_pair = 400;

/// Pairs of segments that are live at one step.
std::int64_t live_pairs(const PlacementProblem& problem) {
  std::vector<std::pair<Step, bool>> events;  // ends before begins
  for (const Buffer& buffer : problem.buffers) {
    for (const Load& load : loads(buffer)) {
      events.emplace_back(load.steps.lower, true);
      events.emplace_back(load.steps.upper, false);
    }
  }
  std::sort(events.begin(), events.end());
  std::int64_t live = 0;
  std::int64_t pairs = 0;
  for (const auto& [step, begins] : events) {
    if (begins) {
      pairs += live++;
    } else {
      --live;
    }
  }
  return pairs;
}

void add_buffers(Context& context) {
  const PlacementProblem& problem = context.problem;
  Encoding& encoding = context.encoding;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const std::vector<MemoryIndex> allowed = allowed_memories(problem, buffer);
    Integer integer{.label = buffer.id, .upper = {}, .stride = 0};
    encoding.in.emplace_back(problem.memories.size(), false_lit);
    for (const MemoryIndex m : allowed) {
      integer.upper.push_back(last_offset(m, b));
      integer.stride = std::gcd(integer.stride, effective_alignment(buffer, problem.memories[m]));
      encoding.in[b][m] =
          allowed.size() == 1
              ? true_lit
              : context.formula.boolean(buffer.id + " in " + problem.memories[m].name);
    }
    encoding.offset.push_back(context.formula.integer(std::move(integer)));
    encoding.present.push_back(
        context.params.presence ? context.formula.boolean(buffer.id + " is present") : true_lit);
  }
  encoding.modes.resize(problem.memories.size());
}

}  // namespace

Encoding encode(const PlacementProblem& problem, const EncodeParams& params) {
  Encoding encoding;
  Context context(problem, params, encoding);
  context.poll.check();
  context.poll.check_memory(bytes_per_pair * static_cast<double>(live_pairs(problem)));
  add_buffers(context);
  add_liveness(context);
  add_order_axioms(context);
  add_memories(context);
  add_alignment(context);
  add_windows(context);
  add_reserved(context);
  add_straddle(context);
  add_modes(context);
  add_bank_relations(context);
  add_memory_relations(context);
  add_order_relations(context);
  add_rules(context);
  if (params.goal == Objective::cost) add_soft_costs(context);
  // A rule may distinguish buffers that are equal otherwise.
  if (params.break_symmetry && problem.rules.empty()) add_symmetry(context);
  return encoding;
}

void add_symmetry(const PlacementProblem& problem, Encoding& encoding, Poll* poll) {
  EncodeParams params;
  params.poll = poll;
  Context context(problem, params, encoding);
  add_symmetry(context);
}

std::vector<Cover> balance_covers(const PlacementProblem& problem, Encoding& encoding, Poll* poll) {
  EncodeParams params;
  params.poll = poll;
  Context context(problem, params, encoding);
  return balance_covers(context);
}

void add_balance(const PlacementProblem& problem, Encoding& encoding, Poll* poll) {
  for (const Cover& cover : balance_covers(problem, encoding, poll))
    encoding.formula.tautology(cover.clause);
}

namespace {

/// A true one of these literals: the last choice if it is true again.
std::size_t chosen(const std::vector<Lit>& literals, std::size_t last,
                   const std::function<bool(Lit)>& holds) {
  if (last < literals.size() && holds(literals[last])) return last;
  std::size_t k = 0;
  while (k + 1 < literals.size() && !holds(literals[k])) ++k;
  return k;
}

/// The mode of a choice; empty if no buffer depends on it. `last`: the choices before, one for the
/// mode or one per bank.
std::string chosen_mode(const Memory& memory, const ModeChoice& choice,
                        std::vector<std::size_t>& last, const std::function<bool(Lit)>& holds) {
  if (!choice.modes.empty()) {
    last[0] = chosen(choice.modes, last[0], holds);
    return memory.modes[last[0]].name;
  }
  if (choice.roles.empty()) return {};
  std::vector<Role> roles;
  for (std::size_t bank = 0; bank < choice.roles.size(); ++bank) {
    last[bank] = chosen(choice.roles[bank], last[bank], holds);
    roles.push_back(memory.banks[bank].roles[last[bank]]);
  }
  return per_bank_mode_name(roles);
}

std::string any_mode(const Memory& memory) {
  if (!memory.modes_per_bank) return memory.modes.front().name;
  std::vector<Role> roles;
  for (const Bank& bank : memory.banks) roles.push_back(bank.roles.front());
  return per_bank_mode_name(roles);
}

}  // namespace

Placement decode(const PlacementProblem& problem, const Encoding& encoding,
                 const std::function<Size(IntIndex)>& value,
                 const std::function<bool(Lit)>& holds) {
  Placement placement;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    BufferPlace place{0, value(encoding.offset[b])};
    while (place.memory + 1 < problem.memories.size() && !holds(encoding.in[b][place.memory])) {
      ++place.memory;
    }
    placement.places.push_back(place);
  }
  placement.modes.resize(problem.memories.size());
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (!has_modes(memory)) continue;
    std::vector<std::string> names;
    std::string fallback;
    std::vector<std::size_t> last(memory.banks.size() + 1, no_index);
    for (const ModeChoice& choice : encoding.modes[m]) {
      names.push_back(chosen_mode(memory, choice, last, holds));
      if (fallback.empty()) fallback = names.back();
    }
    if (fallback.empty()) fallback = any_mode(memory);
    // If no buffer depends on the mode, it does not change.
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) names[i] = i == 0 ? fallback : names[i - 1];
      const StepRange& steps = encoding.modes[m][i].steps;
      for (Step t = steps.lower; t < steps.upper; ++t) placement.modes[m].push_back(names[i]);
    }
  }
  return placement;
}

}  // namespace tessera::encoder
