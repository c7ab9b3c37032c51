#include "model/derived.h"
#include "validate_parts.h"

namespace tessera::validation {
namespace {

void check_banks(const Memory& memory, Findings& found) {
  Size sum = 0;
  bool sums_up = true;
  for (std::size_t k = 0; k < memory.banks.size(); ++k) {
    const Bank& bank = memory.banks[k];
    if (bank.name.empty()) found.add("banks", "has a bank without a name at position ", k);
    if (!is_printable(bank.name)) found.add("banks", "gives bank ", k, not_printable);
    if (!is_quantity(bank.size)) {
      found.add("banks", "has bank '", bank.name, "' of size ", bank.size,
                ", but it must be between 1 and ", max_address);
      sums_up = false;
    } else if (sums_up) {
      // No overflow: both terms are at most max_address.
      sum += bank.size;
      if (sum > max_address) {
        found.add("banks", "has banks whose sizes add up to more than ", max_address);
        sums_up = false;
      }
    }
    if (memory.modes_per_bank && bank.roles.empty()) {
      found.add("banks", "has modes per bank, but its bank '", bank.name, "' has no roles");
    } else if (!memory.modes_per_bank && !bank.roles.empty()) {
      found.add("banks", "gives roles to its bank '", bank.name, "', which need modes per bank");
    }
    std::vector<Role> roles = bank.roles;
    std::sort(roles.begin(), roles.end());
    const auto twice = std::adjacent_find(roles.begin(), roles.end());
    if (twice != roles.end()) {
      found.add("banks", "lists role ", to_string(*twice), " of its bank '", bank.name, "' twice");
    }
  }
  if (const std::string* name = first_repeated(
          memory.banks, [](const Bank& bank) -> const std::string& { return bank.name; })) {
    found.add("banks", "has two banks named '", *name, "'");
  }
  if (sums_up && !memory.banks.empty() && sum != memory.capacity) {
    found.add("banks", "has capacity ", memory.capacity, ", but the sizes of its banks add up to ",
              sum);
  }
}

void check_modes(const Memory& memory, Findings& found) {
  if (memory.modes_per_bank && !memory.modes.empty()) {
    found.add("modes", "has a table of modes and modes per bank; keep one of them");
  }
  if (memory.modes_per_bank && memory.banks.empty()) {
    found.add("modes", "has modes per bank, but no banks");
  }
  const auto unknown = [](Role role) { return role > Role::off; };
  for (const Bank& bank : memory.banks)
    if (std::any_of(bank.roles.begin(), bank.roles.end(), unknown))
      found.add("banks", "gives bank '", bank.name, "' an unknown role");
  for (const Mode& mode : memory.modes)
    if (std::any_of(mode.roles.begin(), mode.roles.end(), unknown))
      found.add("modes", "has mode '", mode.name, "' with an unknown role");
  const std::size_t banks = std::max<std::size_t>(1, memory.banks.size());
  for (std::size_t k = 0; k < memory.modes.size(); ++k) {
    const Mode& mode = memory.modes[k];
    if (mode.name.empty()) found.add("modes", "has a mode without a name at position ", k);
    if (!is_printable(mode.name)) found.add("modes", "gives mode ", k, not_printable);
    if (mode.roles.size() != banks) {
      found.add("modes", "has mode '", mode.name, "' with ", mode.roles.size(),
                " role(s), but it has ", banks, " bank(s); each needs one");
    }
  }
  if (const std::string* name = first_repeated(
          memory.modes, [](const Mode& mode) -> const std::string& { return mode.name; })) {
    found.add("modes", "has two modes named '", *name, "'");
  }
}

}  // namespace

void validate_memories(const PlacementProblem& problem, std::vector<Defect>& out) {
  if (problem.memories.empty()) {
    out.push_back({ProblemPart::problem, 0, "memories", "The problem has no memory."});
  }
  std::unordered_set<std::string_view> names;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    Findings found(out, ProblemPart::memory, m, memory.name);
    if (memory.name.empty()) {
      found.add("name", "has no name");
    } else if (!is_printable(memory.name)) {
      found.add("name", "has", not_printable);
    } else if (!names.insert(memory.name).second) {
      found.add("name", "has the name of an earlier memory");
    }
    if (!is_quantity(memory.capacity) && memory.capacity != unbounded) {
      found.add("capacity", "has capacity ", memory.capacity, ", but it must be between 1 and ",
                max_address);
    }
    if (!is_quantity(memory.alignment)) {
      found.add("alignment", "has alignment ", memory.alignment, ", but it must be between 1 and ",
                max_address);
    }
    if (memory.base < 0 || memory.base > max_address) {
      found.add("base", "has base ", memory.base, ", but it must be between 0 and ", max_address);
    } else if (memory.base > max_address - (is_quantity(memory.capacity) ? memory.capacity : 1)) {
      found.add("base", "has base ", memory.base, ", which brings its last address above ",
                max_address);
    }
    check_banks(memory, found);
    check_modes(memory, found);
    for (const AddressRange& range : memory.reserved) {
      if (range.empty()) {
        found.add("reserved", "reserves ", range, ", which is empty");
      } else if (range.begin < 0 || range.end > std::min(memory.capacity, max_address)) {
        found.add("reserved", "reserves ", range, ", which is not inside [0, ",
                  std::min(memory.capacity, max_address), ")");
      }
    }
  }
}

}  // namespace tessera::validation
