#include "formula.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "facts/free_space.h"
#include "model/key_hash.h"

namespace tessera::encoder {

Amount fixed(Size constant) {
  return {.constant = constant};
}

Amount size_of(BufferIndex buffer) {
  return {.size_factor = 1, .buffer = static_cast<std::uint32_t>(buffer)};
}

Amount minus_size_of(BufferIndex buffer, Size constant) {
  return {.constant = constant, .size_factor = -1, .buffer = static_cast<std::uint32_t>(buffer)};
}

Amount last_offset(MemoryIndex memory, BufferIndex buffer) {
  return {.size_factor = -1,
          .buffer = static_cast<std::uint32_t>(buffer),
          .memory = static_cast<std::uint32_t>(memory)};
}

Size Numbers::value(const Amount& amount) const {
  Size result = amount.constant;
  if (amount.size_factor != 0) result += amount.size_factor * sizes[amount.buffer];
  if (amount.memory != no_index) result += capacities[amount.memory];
  return result;
}

Size Numbers::upper(const Integer& integer) const {
  Size upper = -1;
  for (const Amount& amount : integer.upper) upper = std::max(upper, value(amount));
  return upper;
}

Numbers numbers_of(const PlacementProblem& problem) {
  Numbers numbers;
  numbers.sizes.reserve(problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) numbers.sizes.push_back(buffer.size);
  const Size enough = facts::sufficient_capacity(problem);
  for (const Memory& memory : problem.memories)
    numbers.capacities.push_back(memory.capacity == unbounded ? enough : memory.capacity);
  return numbers;
}

namespace {

std::size_t hash_of(const Atom& atom) {
  return KeyHash{}(std::array<std::uint64_t, 8>{
      static_cast<std::uint64_t>(atom.kind), atom.x, atom.y,
      static_cast<std::uint64_t>(atom.amount.constant),
      static_cast<std::uint64_t>(atom.amount.size_factor), atom.amount.buffer, atom.amount.memory,
      static_cast<std::uint64_t>(atom.modulus)});
}

bool are_same(const Atom& a, const Atom& b) {
  return a.kind == b.kind && a.x == b.x && a.y == b.y && a.amount == b.amount &&
         a.modulus == b.modulus;
}

}  // namespace

Formula::Formula() {
  atoms_.push_back({});
}

IntIndex Formula::integer(Integer value) {
  integers_.push_back(std::move(value));
  return static_cast<IntIndex>(integers_.size() - 1);
}

Lit Formula::boolean(std::string label) {
  labels_.emplace(static_cast<std::uint32_t>(atoms_.size()), std::move(label));
  atoms_.push_back({});
  return static_cast<Lit>(atoms_.size());
}

Lit Formula::at_least(IntIndex x, const Amount& amount) {
  if (amount.size_factor == 0 && amount.memory == no_index && amount.constant <= 0) return true_lit;
  return intern({.kind = AtomKind::at_least, .x = x, .amount = amount});
}

Lit Formula::above(IntIndex x, Amount amount) {
  ++amount.constant;
  return at_least(x, amount);
}

Lit Formula::before(IntIndex x, const Amount& amount, IntIndex y) {
  assert(x != y);
  return intern({.kind = AtomKind::before, .x = x, .y = y, .amount = amount});
}

Lit Formula::multiple(IntIndex x, Size modulus) {
  if (integers_[x].stride % modulus == 0) return true_lit;
  return intern({.kind = AtomKind::multiple, .x = x, .modulus = modulus});
}

void Formula::clause(std::span<const Lit> literals) {
  work();
  scratch_.clear();
  for (const Lit literal : literals) {
    if (literal == true_lit) return;
    if (literal == false_lit) continue;
    assert(literal > 0 ||
           (atom(literal).kind != AtomKind::before && atom(literal).kind != AtomKind::multiple));
    if (std::find(scratch_.begin(), scratch_.end(), -literal) != scratch_.end()) return;
    if (std::find(scratch_.begin(), scratch_.end(), literal) != scratch_.end()) continue;
    scratch_.push_back(literal);
  }
  if (scratch_.empty()) has_empty_clause_ = true;
  clauses_.add(scratch_);
}

std::string Formula::label(std::size_t index) const {
  const Atom& of = atoms_[index];
  const auto number = [&] {
    std::string text;
    if (of.amount.memory != no_index) text += "cap" + std::to_string(of.amount.memory) + '+';
    if (of.amount.size_factor != 0) {
      text += (of.amount.size_factor < 0 ? "-size" : "size") + std::to_string(of.amount.buffer);
      if (of.amount.constant >= 0) text += '+';
    }
    return text + std::to_string(of.amount.constant);
  };
  switch (of.kind) {
    case AtomKind::boolean: {
      const auto found = labels_.find(static_cast<std::uint32_t>(index));
      return found == labels_.end() ? "true" : found->second;
    }
    case AtomKind::at_least:
      return integers_[of.x].label + " >= " + number();
    case AtomKind::before:
      return integers_[of.x].label + " below " + integers_[of.y].label;
    case AtomKind::multiple:
      return std::to_string(of.modulus) + " divides " + integers_[of.x].label;
  }
  return {};
}

std::size_t Formula::slot_of(const Atom& atom) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash_of(atom) & mask;; slot = (slot + 1) & mask)
    if (slots_[slot] == 0 || are_same(atoms_[slots_[slot]], atom)) return slot;
}

void Formula::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  for (std::size_t index = 1; index < atoms_.size(); ++index) {
    work();
    if (atoms_[index].kind == AtomKind::boolean) continue;
    slots_[slot_of(atoms_[index])] = static_cast<std::uint32_t>(index);
  }
}

Lit Formula::intern(const Atom& atom) {
  work();
  if (2 * (interned_ + 1) > slots_.size()) grow();
  std::uint32_t& index = slots_[slot_of(atom)];
  if (index == 0) {
    index = static_cast<std::uint32_t>(atoms_.size());
    atoms_.push_back(atom);
    ++interned_;
  }
  return static_cast<Lit>(index) + 1;
}

bool holds(const Formula& formula, const Numbers& numbers, std::span<const Size> integers,
           std::span<const char> booleans) {
  for (std::size_t i = 0; i < formula.integers().size(); ++i) {
    const Integer& range = formula.integers()[i];
    Size upper = -1;
    for (const Amount& amount : range.upper) upper = std::max(upper, numbers.value(amount));
    if (integers[i] < 0 || integers[i] > upper || integers[i] % range.stride != 0) return false;
  }
  const auto is_true = [&](Lit literal) {
    const Atom& atom = formula.atom(literal);
    bool value = false;
    switch (atom.kind) {
      case AtomKind::boolean:
        value = literal == true_lit || literal == false_lit ||
                booleans[static_cast<std::size_t>(std::abs(literal)) - 1] != 0;
        break;
      case AtomKind::at_least:
        value = integers[atom.x] >= numbers.value(atom.amount);
        break;
      case AtomKind::before:
        value = integers[atom.x] + numbers.value(atom.amount) <= integers[atom.y];
        break;
      case AtomKind::multiple:
        value = integers[atom.x] % atom.modulus == 0;
        break;
    }
    return value == (literal > 0);
  };
  for (const ClauseList* list : {&formula.clauses(), &formula.tautologies()}) {
    for (std::size_t c = 0; c < list->size(); ++c) {
      const std::span<const Lit> clause = (*list)[c];
      if (std::none_of(clause.begin(), clause.end(), is_true)) return false;
    }
  }
  return true;
}

}  // namespace tessera::encoder
