#include "build.h"

#include <algorithm>
#include <numeric>

#include "facts/free_space.h"
#include "model/buffer_parts.h"
#include "model/differences.h"

namespace tessera::search::learning {

bool has_parts(const PlacementProblem& problem) {
  return std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [](const Buffer& buffer) { return !buffer.parts.empty(); });
}

Build::Build(const PlacementProblem& problem, Objective goal, Deduction& deduction,
             const LearningParams& params, Record record, Poll& poll)
    : problem_(problem),
      goal_(goal),
      deduction_(deduction),
      params_(params),
      record_(record),
      poll_(poll) {}

void Build::all() {
  // Measured over instances of all kinds: bytes per pair, and per cell of the parts x parts tables.
  constexpr double bytes_per_pair = 650;
  constexpr double bytes_per_cell = 4.5;
  const LivePairs live = live_pairs(problem_);
  const auto side = static_cast<double>(live.parts);
  poll_.check();
  poll_.check_memory(bytes_per_pair * static_cast<double>(live.pairs) +
                     bytes_per_cell * side * side);
  variables();
  pairs();
  kept_.numbers = true;
  capacities();
  kept_.numbers = false;
  modes();
  relations();
  cost();
  interchangeable();
  deduction_.orders.finish(deduction_.state, poll_);
  sections();
  if (record_ == Record::renewal) {
    keep_structure();
    kept_.numbers = true;
    symmetry_of_sizes();
  } else {
    symmetry();
  }
  orders();
  deduction_.finish(poll_);
  add_clauses();
}

void Build::add_clauses() {
  std::size_t begin = 0;
  for (const auto& [end, name] : clauses_) {
    const std::span<const Lit> lits(literals_.data() + begin, literals_.data() + end);
    const ClauseRef ref = deduction_.clauses.add(lits, deduction_.state, false, 0);
    deduction_.clauses.head(ref).id = name;
    begin = end;
    poll_();
  }
}

Var Build::new_bool(double activity, std::int8_t phase) {
  const Var var = deduction_.state.add_bool();
  plan.bools.emplace_back(var, activity);
  plan.phase.resize(var + 1, -1);
  plan.phase[var] = phase;
  return var;
}

void Build::clause(std::span<const Lit> lits) {
  if (record_ == Record::renewal && !kept_.numbers) {
    kept_.literals.insert(kept_.literals.end(), lits.begin(), lits.end());
    kept_.clauses.push_back(kept_.literals.size());
  }
  simplify(lits, axioms.count++);
}

// Adds the clause without literals that are false.
void Build::simplify(std::span<const Lit> lits, std::size_t number) {
  poll_();
  State& state = deduction_.state;
  const bool recorded = record_ == Record::uses || certifies();
  if (recorded) {
    axioms.clauses.emplace_back(lits.begin(), lits.end());
    for (Lit& lit : axioms.clauses.back()) lit = state.rounded(lit);
  }
  // The simplified clause is at the end of the literals.
  const std::size_t begin = literals_.size();
  const auto nothing_new = [&] { literals_.resize(begin); };
  for (const Lit& raw : lits) {
    const Lit lit = state.rounded(raw);
    if (state.holds(lit)) return nothing_new();
    if (state.fails(lit)) {
      if (recorded) axioms.dropped[number].push_back(lit);
      continue;
    }
    bool merged = false;
    for (std::size_t k = begin; k < literals_.size(); ++k) {
      Lit& other = literals_[k];
      if (other.key == lit.key) {
        other.value = std::min(other.value, lit.value);
        merged = true;
      } else if (other.key == opposite(lit.key) && lit.value <= state.negation(other).value) {
        return nothing_new();  // one of the two always holds
      }
    }
    if (!merged) literals_.push_back(lit);
  }
  if (literals_.size() == begin) {
    consistent_ = false;
  } else if (literals_.size() == begin + 1) {
    const Lit only = literals_.back();
    nothing_new();
    if (recorded) axioms.units[number] = only;
    consistent_ = state.raise(only, {.rule = Rule::root}) && consistent_;
  } else {
    clauses_.emplace_back(literals_.size(), number + 1);
  }
}

void Build::meaning(char letter, Var var, std::initializer_list<std::int64_t> numbers) {
  if (!certifies()) return;
  auto& [word, said] = axioms.choices.emplace_back(letter, std::vector<std::int64_t>{});
  said.push_back(var);
  said.insert(said.end(), numbers);
}

// The addresses of the buffer in memories of at most `capacity`.
AddressRange Build::inside(BufferIndex b, Size capacity) const {
  const Buffer& buffer = problem_.buffers[b];
  AddressRange inside{0, capacity};
  const auto narrow = [&inside](AddressRange by) {
    inside = {std::max(inside.begin, by.begin), std::min(inside.end, by.end)};
  };
  if (buffer.window) {  // of the bytes that are used
    const AddressRange used = extent(buffer);
    narrow({buffer.window->begin - used.begin, buffer.window->end + buffer.size - used.end});
  }
  if (buffer.offset) narrow({*buffer.offset, *buffer.offset + buffer.size});
  return inside;
}

void Build::variables() {
  State& state = deduction_.state;
  const Var truth = new_bool(0, 0);
  always_ = key_of(truth, 0);
  axioms.unsaid.insert(truth);
  state.raise({always_, 1}, {.rule = Rule::root});
  const Size ceiling = certifies() ? unbounded : facts::sufficient_capacity(problem_);
  for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
    const Buffer& buffer = problem_.buffers[b];
    const auto allowed = allowed_memories(problem_, buffer);
    Size stride = 0;
    Size capacity = 0;
    for (const MemoryIndex m : allowed) {
      stride = std::gcd(stride, effective_alignment(buffer, problem_.memories[m]));
      capacity = std::max(capacity, std::min(ceiling, problem_.memories[m].capacity));
    }
    const AddressRange range = inside(b, capacity);
    // Starts with the widest domain; the restrictions below raise its bounds.
    const Var var = state.add_offset(buffer.size, stride, 0, -unbounded);
    plan.phase.resize(var + 1, -1);
    offset_.push_back(var);
    plan.offsets.push_back(var);
    consistent_ = state.raise({key_of(var, 0), range.begin}, {.rule = Rule::root}) && consistent_;
    consistent_ = state.raise({key_of(var, 1), -range.end}, {.rule = Rule::root}) && consistent_;

    std::vector<Key> in(problem_.memories.size(), no_key);
    const auto say = [&](Var choice, MemoryIndex m) {
      meaning('m', choice, {static_cast<std::int64_t>(b), static_cast<std::int64_t>(m)});
    };
    if (allowed.size() == 1) {
      in[allowed[0]] = always_;
    } else if (allowed.size() == 2) {
      const Var choice = new_bool(1, 0);
      say(choice, allowed[0]);
      plan.first.push_back(choice);
      in[allowed[0]] = key_of(choice, 0);
      in[allowed[1]] = key_of(choice, 1);
    } else {
      std::vector<Lit> one;
      for (const MemoryIndex m : allowed) {
        const Var choice = new_bool(1, 0);
        say(choice, m);
        plan.first.push_back(choice);
        in[m] = key_of(choice, 0);
        for (const Lit& other : one) clause({{key_of(choice, 1), 1}, state.negation(other)});
        one.push_back({in[m], 1});
      }
      clause(one);
    }
    for (const MemoryIndex m : allowed) {
      const Size own = effective_alignment(buffer, problem_.memories[m]);
      if (own != stride) deduction_.strides.add(in[m], var, own);
    }
    memory_.push_back(std::move(in));
  }
}

bool Build::unless_in(BufferIndex b, MemoryIndex m, std::vector<Lit>& clause) const {
  const Key in = memory_[b][m];
  if (in == no_key) return false;
  if (in != always_) clause.push_back({opposite(in), 1});
  return true;
}

bool Build::may_share(BufferIndex a, BufferIndex b) const {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
    if (may_be_in(a, m) && may_be_in(b, m)) return true;
  return false;
}

// Are both always in the same memory?
bool Build::tied(BufferIndex a, BufferIndex b) const {
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
    if (memory_[a][m] == always_ && memory_[b][m] == always_) return true;
  return false;
}

void Build::avoid(BufferIndex b, AddressRange range, AddressRange forbidden,
                  std::vector<Lit>& clause) const {
  clause.push_back(starts_at(b, forbidden.end - range.begin));
  clause.push_back(ends_by(b, forbidden.begin + problem_.buffers[b].size - range.end));
}

// Capacity of each memory, reserved ranges, and borders that buffers may not cross.
void Build::capacities() {
  for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
    const AddressRange whole{0, problem_.buffers[b].size};
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      const Memory& memory = problem_.memories[m];
      std::vector<Lit> in;
      if (!unless_in(b, m, in)) continue;
      auto lits = in;
      lits.push_back(ends_by(b, memory.capacity));
      clause(lits);
      for (const AddressRange& reserved : memory.reserved) {
        if (reserved.empty()) continue;
        if (!problem_.buffers[b].parts.empty()) {
          for (const AddressRange& wrong : touching_offsets(problem_.buffers[b], reserved, poll_)) {
            lits = in;
            lits.push_back(starts_at(b, wrong.end));
            lits.push_back(ends_by(b, wrong.begin - 1 + problem_.buffers[b].size));
            clause(lits);
          }
          continue;
        }
        lits = in;
        avoid(b, whole, reserved, lits);
        clause(lits);
      }
      if (memory.straddle) continue;
      for (const AddressRange& bank : bank_ranges(memory)) {
        lits = in;
        avoid(b, whole, {bank.end, bank.end}, lits);
        clause(lits);
      }
    }
  }
}

void Build::orders() {
  // Figures of each buffer: the load at its steps, its lifetime and its size.
  const auto& buffers = problem_.buffers;
  std::vector<double> length(buffers.size());
  std::vector<double> load(buffers.size());
  std::map<Step, double> change;
  for (BufferIndex b = 0; b < buffers.size(); ++b)
    for (const StepRange& live : buffers[b].live) {
      length[b] += static_cast<double>(live.upper - live.lower);
      change[live.lower] += static_cast<double>(buffers[b].size);
      change[live.upper] -= static_cast<double>(buffers[b].size);
    }
  double now = 0;
  for (auto& [step, value] : change) value = now += value;
  for (BufferIndex b = 0; b < buffers.size(); ++b)
    for (const StepRange& live : buffers[b].live)
      for (auto at = change.lower_bound(live.lower); at != change.end() && at->first < live.upper;
           ++at) {
        load[b] = std::max(load[b], at->second);
        poll_();
      }
  plan.phase.resize(deduction_.state.variables(), -1);
  plan.neighbours.resize(deduction_.state.variables());
  for (const auto& [pair, key] : hard_.sorted()) {
    poll_(2);
    const auto& [i, j] = pair;
    const Var a = deduction_.orders.items()[i].var;
    const Var b = deduction_.orders.items()[j].var;
    const Key ij = deduction_.orders.below(i, j);
    const Key ji = deduction_.orders.below(j, i);
    plan.neighbours[a].push_back({b, ij, ji});
    plan.neighbours[b].push_back({a, ji, ij});
  }
  for (BufferIndex b = 0; b < buffers.size(); ++b)
    plan.traits.push_back({load[b], length[b], static_cast<double>(buffers[b].size),
                           static_cast<double>(plan.neighbours[offset_[b]].size())});
  rests();
}

// Buffers that can be lowered without affecting others than their neighbours.
void Build::rests() {
  if (!params_.rests || has_parts(problem_)) return;
  const auto& buffers = problem_.buffers;
  std::vector<char> tied_down(buffers.size(), 0);
  for (const Relation& relation : problem_.relations) {
    if (relation.kind == RelationKind::disjoint || relation.kind == RelationKind::may_overlap)
      continue;
    for (const BufferIndex b : relation.buffers) tied_down[b] = 1;
  }
  for (BufferIndex b = 0; b < buffers.size(); ++b) {
    const auto allowed = allowed_memories(problem_, buffers[b]);
    if (tied_down[b] != 0 || allowed.size() != 1 || buffers[b].offset || !buffers[b].gaps.empty())
      continue;
    const Memory& memory = problem_.memories[allowed[0]];
    if (!memory.banks.empty() || has_modes(memory) || !memory.reserved.empty()) continue;
    const Var var = offset_[b];
    deduction_.rests.add(var, deduction_.state.bound(key_of(var, 0)));
    for (const Neighbour& each : plan.neighbours[var])
      deduction_.rests.add_neighbour(var, each.above);
  }
}

std::vector<std::vector<BufferIndex>> Build::buffers_of_variables() const {
  std::vector<std::vector<BufferIndex>> buffers(deduction_.state.variables());
  for (BufferIndex b = 0; b < offset_.size(); ++b) {
    buffers[offset_[b]].push_back(b);
    for (const Key in : memory_[b])
      if (in != no_key && in != always_) buffers[var_of(in)].push_back(b);
  }
  for (Key key = 0; key < 2 * buffers.size(); key += 2) {
    const Edge* edge = deduction_.orders.edge(key);
    if (edge == nullptr) continue;
    for (const Var var : {edge->source, edge->target}) {
      const auto& whose = buffers[var];
      if (!whose.empty()) buffers[var_of(key)].push_back(whose.front());
    }
  }
  return buffers;
}

void Build::prefer(const Placement& placement) {
  const auto phase = [this](Key key) {
    plan.phase[var_of(key)] = static_cast<std::int8_t>(side_of(key));
  };
  for (BufferIndex b = 0; b < placement.places.size(); ++b) {
    const Key in = memory_[b][placement.places[b].memory];
    if (in != no_key) phase(in);
  }
  const auto at = [&](ItemIndex i) { return placement.places[item_buffer_[i]].offset; };
  for (const auto& [pair, key] : hard_.sorted()) {
    const auto& [i, j] = pair;
    const bool below = at(i) < at(j);
    const Key ij = deduction_.orders.below(i, j);
    const Key ji = deduction_.orders.below(j, i);
    phase(below ? ij : ji);
    if (ji != opposite(ij)) phase(opposite(below ? ji : ij));
  }
}

Placement Build::decode() const {
  const State& state = deduction_.state;
  Placement placement;
  for (BufferIndex b = 0; b < problem_.buffers.size(); ++b) {
    BufferPlace place;
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
      if (memory_[b][m] != no_key && state.bound(memory_[b][m]) > 0) place.memory = m;
    place.offset = state.bound(key_of(offset_[b], 0));
    placement.places.push_back(place);
  }
  placement.modes.resize(problem_.memories.size());
  for (MemoryIndex m = 0; m < problem_.memories.size(); ++m)
    if (has_modes(problem_.memories[m])) placement.modes[m] = decode_modes(m);
  return placement;
}

}  // namespace tessera::search::learning
