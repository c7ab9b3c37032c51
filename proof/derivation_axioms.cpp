// Declarations of variables, and clauses that follow from one rule of the problem: with all their
// literals false, every remaining place violates the rule.
#include "derivation.h"

namespace tessera::proof {

void Derivation::declare_offset(std::string_view& text) {
  Variable& var = declare(text);
  const std::size_t self = static_cast<std::size_t>(&var - variables_.data());
  var.kind = Kind::offset;
  var.buffer = index(text, facts_.buffers());
  var.span = facts_.buffer(var.buffer).size;
  var.stride = facts_.stride(var.buffer);
  offset_of_.resize(facts_.buffers(), unset);
  if (offset_of_[var.buffer] != unset) throw Wrong{"a buffer is declared twice"};
  offset_of_[var.buffer] = self;
  const AddressRange room = facts_.room(var.buffer);
  bound_[2 * self] = std::numeric_limits<std::int64_t>::min() / 4;
  bound_[2 * self + 1] = std::numeric_limits<std::int64_t>::min() / 4;
  fact({2 * self, room.begin});
  fact({2 * self + 1, -room.end});
}

void Derivation::declare_item(std::string_view& text) {
  Item item;
  item.buffer = index(text, offset_of_.size());
  if (offset_of_[item.buffer] == unset) throw Wrong{"an item of an unknown buffer"};
  item.range.begin = number(text);
  item.range.end = number(text);
  if (item.range.empty() || !AddressRange{0, facts_.buffer(item.buffer).size}.contains(item.range))
    throw Wrong{"an item is not inside its buffer"};
  if (facts_.has_parts(item.buffer)) throw Wrong{"an item of a buffer with parts"};
  items_.push_back(item);
}

void Derivation::declare_distance(std::string_view& text) {
  Variable& var = declare(text);
  const std::size_t self = static_cast<std::size_t>(&var - variables_.data());
  const std::size_t from = index(text, variables_.size());
  const std::size_t to = index(text, variables_.size());
  var.distance = number(text);
  if (variables_[from].kind != Kind::offset || variables_[to].kind != Kind::offset ||
      !facts_.at_distance(variables_[from].buffer, variables_[to].buffer, var.distance))
    throw Wrong{"no relation asks for this distance"};
  var.kind = Kind::distance;
  var.order = {from, to};
  fact({2 * self, 1});
}

void Derivation::declare_gap(char kind, std::string_view& text) {
  Variable& var = declare(text);
  const std::size_t from = index(text, variables_.size());
  const std::size_t to = index(text, variables_.size());
  if (variables_[from].kind != Kind::offset || variables_[to].kind != Kind::offset || from == to)
    throw Wrong{"a difference that is not between two offsets"};
  const BufferIndex a = variables_[from].buffer;
  const BufferIndex b = variables_[to].buffer;
  if (kind == 'f') var.back = number(text);
  var.distance = number(text);
  // One of the two has to hold, wherever the buffers are.
  if (kind == 'f' &&
      (!facts_.tied_together(a, b) || !facts_.always_meet(a, b, var.back, var.distance, poll_)))
    throw Wrong{"the buffers do not overlap at every difference in between"};
  var.kind = kind == 'f' ? Kind::gap : Kind::half_gap;
  var.order = {from, to};
}

void Derivation::declare_order(char kind, std::string_view& text) {
  Variable& var = declare(text);
  const std::size_t i = index(text, items_.size());
  const std::size_t j = index(text, items_.size());
  const BufferIndex a = items_[i].buffer;
  const BufferIndex b = items_[j].buffer;
  if (a == b) throw Wrong{"a buffer is not above or below itself"};
  var.kind = kind == 'p' ? Kind::pair : Kind::half;
  var.order = {i, j};
  if (kind != 'p') return;
  // One of the two orders has to hold, wherever the buffers are.
  if (!facts_.tied_together(a, b) || !facts_.apart(a, items_[i].range, b, items_[j].range))
    throw Wrong{"two items are ordered that may overlap"};
}

void Derivation::declare_choice(char kind, std::string_view& text) {
  Variable& var = declare(text);
  const std::size_t self = static_cast<std::size_t>(&var - variables_.data());
  if (kind == 'm') {
    var.kind = Kind::memory;
    var.buffer = index(text, facts_.buffers());
    var.memory = index(text, facts_.memories());
    memory_of_.resize(facts_.buffers());
    memory_of_[var.buffer].push_back(self);
    return;
  }
  var.memory = index(text, facts_.memories());
  var.step = number(text);
  if (var.step < 0 || var.step >= facts_.steps()) throw Wrong{"an unknown step or mode"};
  const Memory& memory = facts_.memory(var.memory);
  if (kind == 'k') {
    var.kind = Kind::mode;
    var.number = index(text, facts_.modes(var.memory));
  } else {
    var.kind = Kind::role;
    if (!memory.modes_per_bank) throw Wrong{"this memory has no modes per bank"};
    var.bank = index(text, memory.banks.size());
    var.number = index(text, memory.banks[var.bank].roles.size());
  }
}

std::vector<MemoryIndex> Derivation::memories_of(BufferIndex b) const {
  std::vector<MemoryIndex> left = facts_.allowed(b);
  if (left.size() == 1 || b >= memory_of_.size()) return left;
  for (const std::size_t var : memory_of_[b]) {
    const MemoryIndex m = variables_[var].memory;
    if (holds({2 * var, 1})) std::erase_if(left, [m](MemoryIndex other) { return other != m; });
    if (holds({2 * var + 1, 1})) std::erase(left, m);
  }
  return left;
}

void Derivation::axiom(std::string_view& text) {
  const std::int64_t name = number(text);
  const auto clause = literals(text);
  // The clause holds for all places, or no place violates it.
  undo_.clear();
  bool right = refuted_ || (clause.empty() ? relations_contradict()
                                           : names_every_choice(clause) || uses_its_mode(clause) ||
                                                 changes_its_mode(clause));
  if (!right) {
    for (const Literal& lit : clause) right = !raise(negation(lit)) || right;
    right = right || must_hold(clause);
    undo(0);
  }
  if (!right) throw Wrong{"no rule of the problem asks for this clause"};
  std::vector<Literal> open;
  for (const Literal& lit : clause)
    if (!fails(lit)) open.push_back(lit);
  if (open.empty()) refuted_ = true;
  if (open.size() == 1) fact(open[0]);
  clauses_[name] = clause;
}

// Do the relations of two buffers exclude all places?
bool Derivation::relations_contradict() const {
  for (BufferIndex b = 0; b < facts_.buffers(); ++b)
    for (BufferIndex a = 0; a < b; ++a)
      if (nothing_left({a, b}, nullptr, {}, {})) return true;
  return false;
}

// A memory in a mode uses that mode.
bool Derivation::uses_its_mode(const std::vector<Literal>& clause) const {
  if (clause.size() != 2) return false;
  const bool swapped = variables_[clause[0].key / 2].kind == Kind::used;
  const Literal& in = clause[swapped ? 1 : 0];
  const Literal& uses = clause[swapped ? 0 : 1];
  const Variable& mode = variables_[in.key / 2];
  const Variable& used = variables_[uses.key / 2];
  return mode.kind == Kind::mode && in.key % 2 == 1 && used.kind == Kind::used &&
         uses.key % 2 == 0 && mode.memory == used.memory && mode.number == used.number;
}

// A memory or bank that is in a mode or role at the first step of a change is in it at the second
// one, or the change is made.
bool Derivation::changes_its_mode(const std::vector<Literal>& clause) const {
  if (clause.size() != 3) return false;
  const Variable* from = nullptr;
  const Variable* to = nullptr;
  const Variable* change = nullptr;
  for (const Literal& lit : clause) {
    const Variable& var = variables_[lit.key / 2];
    (var.kind == Kind::change ? change : lit.key % 2 == 1 ? from : to) = &var;
    if (var.kind == Kind::change && lit.key % 2 == 1) return false;
  }
  if (from == nullptr || to == nullptr || change == nullptr) return false;
  return (from->kind == Kind::mode || from->kind == Kind::role) && to->kind == from->kind &&
         from->memory == change->memory && to->memory == change->memory && from->bank == to->bank &&
         from->number == to->number &&
         static_cast<std::size_t>(from->step) == change->order.lower &&
         static_cast<std::size_t>(to->step) == change->order.upper;
}

// At every step a memory is in one of its modes, and each bank in one of its roles. If there are
// steps, at least one mode is used.
bool Derivation::names_every_choice(const std::vector<Literal>& clause) const {
  const Variable& first = variables_[clause[0].key / 2];
  const bool used = first.kind == Kind::used && facts_.steps() > 0;
  if (first.kind != Kind::mode && first.kind != Kind::role && !used) return false;
  const Memory& memory = facts_.memory(first.memory);
  std::vector<char> named(
      first.kind == Kind::role ? memory.banks[first.bank].roles.size() : facts_.modes(first.memory),
      0);
  for (const Literal& lit : clause) {
    const Variable& var = variables_[lit.key / 2];
    if (lit.key % 2 == 0 && var.kind == first.kind && var.memory == first.memory &&
        var.step == first.step && var.bank == first.bank)
      named[var.number] = 1;
  }
  return std::all_of(named.begin(), named.end(), [](char each) { return each != 0; });
}

bool Derivation::must_hold(const std::vector<Literal>& clause) {
  std::vector<BufferIndex> about;
  const Variable* mode = nullptr;
  const Variable* shared = nullptr;
  const auto add = [&](BufferIndex b) {
    if (std::find(about.begin(), about.end(), b) == about.end()) about.push_back(b);
  };
  Orders orders;
  auto& [halves, gaps, overlap] = orders;
  for (const Literal& lit : clause) {
    const Variable& var = variables_[lit.key / 2];
    switch (var.kind) {
      case Kind::offset:
      case Kind::memory:
        add(var.buffer);
        break;
      case Kind::half:
        add(items_[var.order.lower].buffer);
        add(items_[var.order.upper].buffer);
        if (lit.key % 2 == 0) halves.push_back(&var);
        break;
      case Kind::half_gap:
        add(variables_[var.order.lower].buffer);
        add(variables_[var.order.upper].buffer);
        if (lit.key % 2 == 0) gaps.push_back(&var);
        break;
      case Kind::shared:
        if (lit.key % 2 != 0 || shared != nullptr) return false;
        shared = &var;
        break;
      case Kind::mode:
      case Kind::role:
        if (lit.key % 2 == 0 || mode != nullptr) return false;
        mode = &var;
        break;
      default:
        return false;
    }
  }
  if (about.empty() || about.size() > 2) return false;
  // Neither is below the other: in one memory they share an address.
  overlap = halves.size() == 2 && halves[0]->order.lower == halves[1]->order.upper &&
            halves[0]->order.upper == halves[1]->order.lower && about.size() == 2;
  if (overlap) {
    const Item& one = items_[halves[0]->order.lower];
    const Item& other = items_[halves[0]->order.upper];
    const auto pair = std::minmax(one.buffer, other.buffer);
    overlap = shared != nullptr
                  ? shared->order.lower == pair.first && shared->order.upper == pair.second
                  : facts_.apart(one.buffer, one.range, other.buffer, other.range);
  }
  if (shared != nullptr && !overlap) return false;
  // The difference lies between two bounds that exclude each other in one memory.
  if (gaps.size() == 2 && gaps[0]->order.lower == gaps[1]->order.upper &&
      gaps[0]->order.upper == gaps[1]->order.lower && about.size() == 2)
    overlap = overlap || facts_.always_meet(variables_[gaps[0]->order.lower].buffer,
                                            variables_[gaps[0]->order.upper].buffer,
                                            -gaps[1]->distance, gaps[0]->distance, poll_);
  std::vector<std::optional<Role>> roles;
  if (mode != nullptr) {
    const Memory& memory = facts_.memory(mode->memory);
    if (mode->kind == Kind::role) {
      roles.resize(memory.banks.size());
      roles[mode->bank] = memory.banks[mode->bank].roles[mode->number];
    } else {
      roles = facts_.roles_of(mode->memory, mode->number);
    }
  }
  if (nothing_left(about, mode, roles, orders)) return true;
  if (about.size() == 2) return false;
  // A second buffer with a single place, which needs no literal.
  for (BufferIndex other = 0; other < facts_.buffers(); ++other)
    if (other != about[0] && nothing_left({about[0], other}, mode, roles, {})) return true;
  return false;
}

// Does every remaining place of the one or two buffers violate a rule?
bool Derivation::nothing_left(const std::vector<BufferIndex>& about, const Variable* mode,
                              const std::vector<std::optional<Role>>& roles,
                              const Orders& orders) const {
  for (const BufferIndex b : about)
    if (b >= offset_of_.size() || offset_of_[b] == unset) return false;
  const auto boxes = [&](BufferIndex b) {
    std::vector<DerivationFacts::Box> left;
    const std::size_t key = 2 * offset_of_.at(b);
    for (const MemoryIndex m : memories_of(b)) {
      const DerivationFacts::Box box{b, bound_[key], -bound_[key + 1] - facts_.buffer(b).size, m};
      if (facts_.impossible(box)) continue;
      if (mode != nullptr && mode->memory == m && facts_.impossible(box, mode->step, roles))
        continue;
      left.push_back(box);
    }
    return left;
  };
  const auto first = boxes(about.front());
  const auto second = boxes(about.back());
  if (first.empty() || second.empty()) return true;
  if (about.size() == 1) return false;
  for (const auto& a : first)
    for (const auto& b : second)
      if (!facts_.impossible(a, b) && !(orders.overlap && a.memory == b.memory) &&
          !(a.buffer < b.buffer ? against_twins(a, b, orders) : against_twins(b, a, orders)))
        return false;
  return true;
}

// Do the places violate the canonical order of interchangeable buffers (twins)? require: a.buffer <
// b.buffer.
bool Derivation::against_twins(const DerivationFacts::Box& a, const DerivationFacts::Box& b,
                               const Orders& orders) const {
  if (!facts_.twins(a.buffer, b.buffer)) return false;
  // Is `one` known to be lower than the other?
  const auto lower = [&](BufferIndex one, BufferIndex other) {
    return std::any_of(orders.gaps.begin(), orders.gaps.end(), [&](const Variable* gap) {
      return variables_[gap->order.lower].buffer == other &&
             variables_[gap->order.upper].buffer == one && gap->distance <= 0;
    });
  };
  if (facts_.at_one_place(a.buffer, b.buffer))
    return a.memory != b.memory || a.low > b.high || b.low > a.high || lower(a.buffer, b.buffer) ||
           lower(b.buffer, a.buffer);
  if (a.memory != b.memory) return a.memory > b.memory;
  if (a.low > b.high || lower(b.buffer, a.buffer)) return true;
  return std::any_of(orders.halves.begin(), orders.halves.end(), [&](const Variable* half) {
    const Item& i = items_[half->order.lower];
    const Item& j = items_[half->order.upper];
    return i.buffer == a.buffer && j.buffer == b.buffer && j.range.end > i.range.begin &&
           facts_.apart(i.buffer, i.range, j.buffer, j.range);
  });
}

}  // namespace tessera::proof
