#include <algorithm>
#include <array>

#include "io/problem_yaml.h"
#include "model/derived.h"
#include "model/hex_text.h"
#include "model/json_text.h"

namespace tessera::io {
namespace {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Plain if every YAML reader takes it as this text, otherwise double-quoted with the escapes of
/// JSON.
std::string scalar(std::string_view text) {
  constexpr std::array<std::string_view, 10> words{"null", "true", "false", "yes", "no",
                                                   "on",   "off",  "y",     "n",   "nan"};
  const auto safe = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; };
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  const bool word = std::any_of(words.begin(), words.end(), [&](std::string_view each) {
    return std::equal(text.begin(), text.end(), each.begin(), each.end(), same);
  });
  const bool number = !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
                      text.size() <= 15 && (text.size() == 1 || text.front() != '0');
  const bool plain = !text.empty() && is_letter(text.front()) && !word &&
                     std::all_of(text.begin(), text.end(), safe);
  return plain || number ? std::string(text) : json_string(text);
}

template <typename Items, typename Show>
std::string list_of(const Items& items, Show show) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += show(item);
  }
  return out += ']';
}

std::string pair(std::int64_t first, std::int64_t second) {
  return '[' + std::to_string(first) + ", " + std::to_string(second) + ']';
}
std::string range(const StepRange& steps) {
  return pair(steps.lower, steps.upper);
}
std::string addresses(const AddressRange& bytes) {
  return pair(bytes.begin, bytes.end);
}
std::string role(Role each) {
  return std::string(to_string(each));
}
std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string lives(const std::vector<StepRange>& live) {
  return live.size() == 1 ? range(live.front()) : list_of(live, range);
}

void write_memory(std::string& out, const Memory& memory) {
  // YAML rejects a plain `key: value` with a key longer than 1024 characters (1.2, section 7.4.2);
  // the form with a question mark has no limit.
  constexpr std::size_t longest_key = 1000;
  const std::string name = scalar(memory.name);
  out += name.size() <= longest_key ? "  " + name + ":" : "  ? " + name + "\n  :";
  std::string body;
  if (memory.capacity != unbounded) body += "\n    capacity: " + number(memory.capacity);
  if (memory.alignment != 1) body += "\n    alignment: " + number(memory.alignment);
  if (memory.base != 0) body += "\n    base: " + hex_text(memory.base);
  if (!memory.banks.empty()) {
    body += "\n    banks:";
    for (const Bank& bank : memory.banks) {
      body += "\n      - {name: " + scalar(bank.name) + ", size: " + number(bank.size);
      if (!bank.roles.empty()) body += ", roles: " + list_of(bank.roles, role);
      body += '}';
    }
  }
  if (!memory.straddle) body += "\n    straddle: false";
  if (memory.modes_per_bank) body += "\n    modes: per_bank";
  if (!memory.modes.empty()) {
    body += "\n    modes:";
    for (const Mode& mode : memory.modes) {
      body +=
          "\n      - {name: " + scalar(mode.name) + ", roles: " + list_of(mode.roles, role) + '}';
    }
  }
  if (!memory.reserved.empty()) body += "\n    reserved: " + list_of(memory.reserved, addresses);
  out += body.empty() ? " {}" : body;
  out += '\n';
}

void write_buffer(std::string& out, const PlacementProblem& problem, const Buffer& buffer) {
  out += "  - {id: " + scalar(buffer.id) + ", live: ";
  out += lives(buffer.live);
  out += ", size: " + number(buffer.size);
  if (buffer.alignment != 1) out += ", alignment: " + number(buffer.alignment);
  if (!buffer.gaps.empty()) {
    out += ", gaps: " + list_of(buffer.gaps, [](const Gap& gap) {
             return "{live: " + range(gap.steps) +
                    (gap.window ? ", window: " + addresses(*gap.window) : std::string()) + '}';
           });
  }
  if (!buffer.parts.empty()) {
    out += ", parts: " + list_of(buffer.parts, [](const BufferPart& part) {
             return "{live: " + lives(part.live) + ", offset: " + number(part.offset) +
                    ", size: " + number(part.size) +
                    (part.repeat.empty()
                         ? std::string()
                         : ", repeat: " + list_of(part.repeat,
                                                  [](const Repeat& repeat) {
                                                    return pair(repeat.count, repeat.stride);
                                                  })) +
                    '}';
           });
  }
  const auto name = [&](MemoryIndex m) { return scalar(problem.memories[m].name); };
  if (buffer.memories.size() == 1) out += ", memory: " + name(buffer.memories.front());
  if (buffer.memories.size() > 1) out += ", memory: " + list_of(buffer.memories, name);
  if (!buffer.read.empty()) out += ", read: " + list_of(buffer.read, number);
  if (!buffer.write.empty()) out += ", write: " + list_of(buffer.write, number);
  if (buffer.kind == BufferKind::weight) out += ", kind: weight";
  if (buffer.offset) out += ", offset: " + number(*buffer.offset);
  if (buffer.hint) out += ", hint: " + number(*buffer.hint);
  if (buffer.window) out += ", window: " + addresses(*buffer.window);
  if (buffer.optional) out += ", optional: true";
  if (buffer.benefit != 0) out += ", benefit: " + benefit_text(buffer.benefit);
  if (!buffer.group.empty()) out += ", group: " + scalar(buffer.group);
  out += "}\n";
}

void write_rules(std::string& out, const PlacementProblem& problem) {
  if (!problem.rules.empty()) out += "rules:\n";
  for (const ConditionRule& rule : problem.rules) {
    out += "  - {name: " + scalar(rule.name);
    if (!rule.steps.empty()) out += ", forall: {step: " + list_of(rule.steps, range) + '}';
    out += ", that: " + json_string(to_string(problem, rule.that)) + "}\n";
  }
}

}  // namespace

std::string write_problem_yaml(const PlacementProblem& problem) {
  std::string out = "tessera: problem/1\n";
  if (!problem.name.empty()) out += "name: " + scalar(problem.name) + '\n';
  out += "memories:\n";
  for (const Memory& memory : problem.memories) write_memory(out, memory);
  out += "buffers:\n";
  for (const Buffer& buffer : problem.buffers) write_buffer(out, problem, buffer);
  if (!problem.relations.empty()) out += "relations:\n";
  for (const Relation& relation : problem.relations) {
    out += "  - {" + std::string(to_string(relation.kind)) + ": " +
           list_of(relation.buffers, [&](BufferIndex b) { return scalar(problem.buffers[b].id); });
    if (relation.kind == RelationKind::avoid_overlap) out += ", cost: " + number(relation.cost);
    out += "}\n";
  }
  write_rules(out, problem);
  constexpr std::array<std::string_view, 4> objectives{"fit", "minimize_height", "minimize_cost",
                                                       "maximize_benefit"};
  out += "objective: ";
  std::vector<Objective> all{problem.objective};
  all.insert(all.end(), problem.next_objectives.begin(), problem.next_objectives.end());
  const auto word = [&](Objective each) {
    return std::string(objectives[static_cast<std::size_t>(each)]);
  };
  out += all.size() == 1 ? word(all.front()) : list_of(all, word);
  out += '\n';
  return out;
}

}  // namespace tessera::io
