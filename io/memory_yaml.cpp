#include "io/memory_yaml.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "io/text.h"
#include "io/units.h"
#include "model/derived.h"

namespace tessera::io {
namespace {

Role read_role(const Sources& sources, const Node& node) {
  const std::optional<Role> role = role_from(as_text(sources, node, "roles"));
  if (role) return *role;
  throw sources.error(node, shown(node.text) + " is not a role",
                      "roles are read, write, read_write, weight, data, hold and off");
}

std::vector<Role> read_roles(const Sources& sources, const Node& list) {
  std::vector<Role> roles;
  for (const Node& node : as_list(sources, list, "roles")) {
    roles.push_back(read_role(sources, node));
  }
  return roles;
}

/// "3" or "0-7", both ends included.
std::pair<std::size_t, std::size_t> read_bank_range(const Sources& sources, const Node& node,
                                                    std::size_t banks) {
  const std::string_view key = node.key;
  const std::size_t dash = key.find('-');
  const Parsed<std::int64_t> first = parse_whole(key.substr(0, dash));
  const Parsed<std::int64_t> last = dash == key.npos ? first : parse_whole(key.substr(dash + 1));
  if (!first || !last || *first < 0 || *first > *last) {
    throw sources.error_at_key(node, shown(key) + " is not a range of banks",
                               "write 3 for one bank, 0-7 for the first eight");
  }
  if (static_cast<std::size_t>(*last) >= banks) {
    throw sources.error_at_key(node, "bank " + std::to_string(*last) +
                                         " does not exist: there are " + std::to_string(banks) +
                                         ", counted from 0");
  }
  return {static_cast<std::size_t>(*first), static_cast<std::size_t>(*last)};
}

/// {0-7: read_write, 8-15: weight}
std::vector<Role> read_role_ranges(const Sources& sources, const Node& map, std::size_t banks,
                                   const std::string& mode) {
  std::vector<std::optional<Role>> roles(banks);
  for (const Node& node : map.children) {
    const auto [first, last] = read_bank_range(sources, node, banks);
    const Role role = read_role(sources, node);
    for (std::size_t k = first; k <= last; ++k) {
      if (roles[k]) {
        throw sources.error_at_key(
            node, "mode " + shown(mode) + " gives bank " + std::to_string(k) + " two roles");
      }
      roles[k] = role;
    }
  }
  std::vector<Role> all;
  for (std::size_t k = 0; k < banks; ++k) {
    if (!roles[k]) {
      throw sources.error(map,
                          "mode " + shown(mode) + " gives bank " + std::to_string(k) + " no role");
    }
    all.push_back(*roles[k]);
  }
  return all;
}

Mode read_mode(const Sources& sources, const Node& node, std::size_t banks) {
  Fields fields(sources, node, "a mode");
  Mode mode;
  mode.name = as_text(sources, fields.need("name"), "name");
  const Node& roles = fields.need("roles");
  if (roles.kind == Node::Kind::map) {
    mode.roles = read_role_ranges(sources, roles, banks, mode.name);
  } else {
    mode.roles = read_roles(sources, roles);
    if (mode.roles.size() != banks) {
      throw sources.error(roles, "mode " + shown(mode.name) + " has " +
                                     std::to_string(mode.roles.size()) + " roles for " +
                                     std::to_string(banks) + (banks == 1 ? " bank" : " banks"));
    }
  }
  fields.finish();
  return mode;
}

/// The size of each bank, if the capacity is a multiple of their number.
std::string bank_size_hint(const Sources& sources, Fields& fields, std::int64_t count) {
  const Node* const capacity = fields.find("capacity");
  const Size whole = capacity == nullptr ? 0 : as_size(sources, *capacity, "capacity", 1);
  return "write `bank_size: " +
         (whole > 0 && whole % count == 0 ? std::to_string(whole / count) : "32 KiB") +
         "`, or list the banks";
}

std::vector<Bank> read_banks(const Sources& sources, Fields& fields, const Node& node) {
  std::vector<Bank> banks;
  const Node* bank_size = fields.find("bank_size");
  if (node.kind == Node::Kind::list || node.kind == Node::Kind::null) {
    if (bank_size != nullptr) {
      throw sources.error_at_key(*bank_size, "`bank_size` needs a number of banks, not a list");
    }
    for (const Node& each : node.children) {
      Fields bank(sources, each, "a bank");
      const std::string& name = as_text(sources, bank.need("name"), "name");
      banks.push_back(
          {.name = name, .size = as_size(sources, bank.need("size"), "size", 1), .roles = {}});
      if (const Node* roles = bank.find("roles")) banks.back().roles = read_roles(sources, *roles);
      bank.finish();
    }
    return banks;
  }
  const std::int64_t count = as_whole(sources, node, "banks", 1, most_banks);
  if (bank_size == nullptr) {
    throw sources.error_at_key(node, fields.what() + " has `banks` but no `bank_size`",
                               bank_size_hint(sources, fields, count));
  }
  const Size size = as_size(sources, *bank_size, "bank_size", 1);
  for (std::int64_t k = 0; k < count; ++k) {
    banks.push_back(
        {.name = std::string("b").append(std::to_string(k)), .size = size, .roles = {}});
  }
  return banks;
}

void read_modes(const Sources& sources, const Node& node, Memory& memory) {
  if (node.kind == Node::Kind::text) {
    if (node.text != "per_bank") {
      throw sources.error(node, "`modes` must be a list or `per_bank`, not " + described(node));
    }
    memory.modes_per_bank = true;
    return;
  }
  const std::size_t banks = std::max<std::size_t>(1, memory.banks.size());
  std::unordered_set<std::string> names;
  for (const Node& each : as_list(sources, node, "modes")) {
    Mode mode = read_mode(sources, each, banks);
    if (!names.insert(mode.name).second) {
      throw sources.error(
          each, "memory " + shown(memory.name) + " has two modes named " + shown(mode.name));
    }
    memory.modes.push_back(std::move(mode));
  }
}

}  // namespace

AddressRange read_address_range(const Sources& sources, const Node& node, std::string_view what) {
  const auto [begin, end] = as_pair(sources, node, what);
  const AddressRange range{as_size(sources, *begin, what), as_size(sources, *end, what)};
  if (range.empty()) {
    throw sources.error(node, shown(what) + " is [" + std::to_string(range.begin) + ", " +
                                  std::to_string(range.end) + "), which is empty");
  }
  return range;
}

void require_few_memories(const Sources& sources, const Node& node) {
  if (node.children.size() <= most_memories) return;
  throw sources.error_at_key(node, shown(node.key) + " lists " +
                                       std::to_string(node.children.size()) + ", but at most " +
                                       std::to_string(most_memories) + " are accepted");
}

Memory read_memory(const Sources& sources, Fields& fields, const std::string& name) {
  Memory memory;
  memory.name = name;
  const Node* capacity = fields.find("capacity");
  if (capacity != nullptr) memory.capacity = as_size(sources, *capacity, "capacity", 1);
  if (const Node* node = fields.find("alignment")) {
    memory.alignment = as_size(sources, *node, "alignment", 1);
  }
  const Node* const base = fields.find("base");
  if (base != nullptr) memory.base = as_address(sources, *base, "base");
  if (const Node* node = fields.find("banks")) {
    memory.banks = read_banks(sources, fields, *node);
    Size sum = 0;
    for (const Bank& bank : memory.banks) {
      if (bank.size > max_address - sum) {
        throw sources.error_at_key(
            *node, "the sizes of the banks add up to more than " + std::to_string(max_address));
      }
      sum += bank.size;
    }
    if (capacity == nullptr && sum > 0) memory.capacity = sum;
    if (capacity != nullptr && !memory.banks.empty() && memory.capacity != sum) {
      throw sources.error(*capacity,
                          "`capacity` is " + std::to_string(memory.capacity) +
                              ", but the banks add up to " + std::to_string(sum),
                          "without `capacity`, it is the sum: change the banks (`bank_size`)");
    }
  } else if (const Node* size = fields.find("bank_size")) {
    throw sources.error_at_key(*size, fields.what() + " has `bank_size` but no `banks`");
  }
  const Size least = memory.capacity == unbounded ? 1 : memory.capacity;
  if (base != nullptr && memory.base > max_address - least) {
    throw sources.error(*base, "`base` is " + shown(base->text) + ", and " + std::to_string(least) +
                                   " bytes from there end above the largest address, 2^60");
  }
  if (const Node* node = fields.find("straddle")) {
    memory.straddle = as_bool(sources, *node, "straddle");
  }
  if (const Node* node = fields.find("modes")) read_modes(sources, *node, memory);
  if (const Node* node = fields.find("reserved")) {
    for (const Node& range : as_list(sources, *node, "reserved")) {
      memory.reserved.push_back(read_address_range(sources, range, "reserved"));
      if (memory.reserved.back().end > memory.capacity) {
        throw sources.error(range, "reserves up to " + std::to_string(memory.reserved.back().end) +
                                       ", but the capacity is " + std::to_string(memory.capacity));
      }
    }
  }
  return memory;
}

}  // namespace tessera::io
