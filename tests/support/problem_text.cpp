#include "tests/support/problem_text.h"

#include <sstream>

#include "model/derived.h"

namespace tessera::testing {
namespace {

/// "[a, b, c]" of the outputs of write(item).
template <typename Items, typename Write>
void list(std::ostream& out, const Items& items, Write write) {
  out << '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out << ", ";
    first = false;
    write(item);
  }
  out << ']';
}

class YamlWriter {
 public:
  explicit YamlWriter(const PlacementProblem& problem) : problem_(problem) {}

  std::string write() {
    out_ << "tessera: problem/1\n";
    if (!problem_.name.empty()) out_ << "name: " << problem_.name << '\n';
    out_ << "memories:\n";
    for (const Memory& memory : problem_.memories) write(memory);
    out_ << "buffers:" << (problem_.buffers.empty() ? " []\n" : "\n");
    for (const Buffer& buffer : problem_.buffers) write(buffer);
    if (!problem_.relations.empty()) out_ << "relations:\n";
    for (const Relation& relation : problem_.relations) write(relation);
    if (!problem_.rules.empty()) out_ << "rules:\n";
    for (const ConditionRule& rule : problem_.rules) {
      out_ << "  - {name: " << rule.name;
      if (!rule.steps.empty()) {
        out_ << ", forall: {step: ";
        list(out_, rule.steps, [&](const StepRange& steps) {
          out_ << '[' << steps.lower << ", " << steps.upper << ']';
        });
        out_ << '}';
      }
      out_ << ", that: \"" << to_string(problem_, rule.that) << "\"}\n";
    }
    out_ << "objective: [" << word_of(problem_.objective);
    for (const Objective each : problem_.next_objectives) out_ << ", " << word_of(each);
    out_ << "]\n";
    return out_.str();
  }

 private:
  static const char* word_of(Objective objective) {
    switch (objective) {
      case Objective::fit:
        return "fit";
      case Objective::height:
        return "minimize_height";
      case Objective::cost:
        return "minimize_cost";
      case Objective::benefit:
        return "maximize_benefit";
      case Objective::modes:
      case Objective::switches:
        break;
    }
    return "?";
  }
  void write(const AddressRange& range) { out_ << '[' << range.begin << ", " << range.end << ']'; }
  void write(const StepRange& range) { out_ << '[' << range.lower << ", " << range.upper << ']'; }
  void write_steps(const char* key, const std::vector<Step>& steps) {
    if (steps.empty()) return;
    out_ << "    " << key << ": ";
    list(out_, steps, [&](Step step) { out_ << step; });
    out_ << '\n';
  }
  void write_roles(const std::vector<Role>& roles) {
    list(out_, roles, [&](Role role) { out_ << to_string(role); });
  }

  void write(const Memory& memory) {
    out_ << "  " << memory.name << ":\n";
    if (memory.capacity != unbounded) out_ << "    capacity: " << memory.capacity << '\n';
    if (memory.alignment != 1) out_ << "    alignment: " << memory.alignment << '\n';
    if (memory.base != 0) out_ << "    base: " << memory.base << '\n';
    if (!memory.banks.empty()) {
      out_ << "    banks: ";
      list(out_, memory.banks, [&](const Bank& bank) {
        out_ << "{name: " << bank.name << ", size: " << bank.size;
        if (!bank.roles.empty()) {
          out_ << ", roles: ";
          write_roles(bank.roles);
        }
        out_ << '}';
      });
      out_ << '\n';
    }
    if (!memory.straddle) out_ << "    straddle: false\n";
    if (memory.modes_per_bank) out_ << "    modes: per_bank\n";
    if (!memory.modes.empty()) {
      out_ << "    modes: ";
      list(out_, memory.modes, [&](const Mode& mode) {
        out_ << "{name: " << mode.name << ", roles: ";
        write_roles(mode.roles);
        out_ << '}';
      });
      out_ << '\n';
    }
    if (memory.reserved.empty()) return;
    out_ << "    reserved: ";
    list(out_, memory.reserved, [&](const AddressRange& range) { write(range); });
    out_ << '\n';
  }

  void write(const Buffer& buffer) {
    out_ << "  - id: " << buffer.id << "\n    live: ";
    if (buffer.live.size() == 1) {
      write(buffer.live.front());
    } else {
      list(out_, buffer.live, [&](const StepRange& range) { write(range); });
    }
    out_ << "\n    size: " << buffer.size << '\n';
    if (buffer.alignment != 1) out_ << "    alignment: " << buffer.alignment << '\n';
    if (!buffer.gaps.empty()) {
      out_ << "    gaps: ";
      list(out_, buffer.gaps, [&](const Gap& gap) {
        out_ << "{live: ";
        write(gap.steps);
        if (gap.window) {
          out_ << ", window: ";
          write(*gap.window);
        }
        out_ << '}';
      });
      out_ << '\n';
    }
    if (!buffer.parts.empty()) {
      out_ << "    parts:\n";
      for (const BufferPart& part : buffer.parts) write(part);
    }
    if (!buffer.memories.empty()) {
      out_ << "    memory: ";
      list(out_, buffer.memories, [&](MemoryIndex m) { out_ << problem_.memories[m].name; });
      out_ << '\n';
    }
    write_steps("read", buffer.read);
    write_steps("write", buffer.write);
    if (buffer.kind == BufferKind::weight) out_ << "    kind: weight\n";
    if (buffer.offset) out_ << "    offset: " << *buffer.offset << '\n';
    if (buffer.hint) out_ << "    hint: " << *buffer.hint << '\n';
    if (buffer.optional) out_ << "    optional: true\n";
    if (buffer.benefit != 0) out_ << "    benefit: " << benefit_text(buffer.benefit) << '\n';
    if (!buffer.group.empty()) out_ << "    group: " << buffer.group << '\n';
    if (buffer.window) {
      out_ << "    window: ";
      write(*buffer.window);
      out_ << '\n';
    }
  }

  void write(const BufferPart& part) {
    out_ << "      - {live: ";
    list(out_, part.live, [&](const StepRange& range) { write(range); });
    out_ << ", offset: " << part.offset << ", size: " << part.size << ", repeat: ";
    list(out_, part.repeat, [&](const Repeat& repeat) {
      out_ << '[' << repeat.count << ", " << repeat.stride << ']';
    });
    out_ << "}\n";
  }

  void write(const Relation& relation) {
    out_ << "  - {" << to_string(relation.kind) << ": ";
    list(out_, relation.buffers, [&](BufferIndex b) { out_ << problem_.buffers[b].id; });
    if (relation.kind == RelationKind::avoid_overlap) out_ << ", cost: " << relation.cost;
    out_ << "}\n";
  }

  const PlacementProblem& problem_;
  std::ostringstream out_;
};

}  // namespace

std::string to_yaml(const PlacementProblem& problem) {
  return YamlWriter(problem).write();
}

std::string to_text(const PlacementProblem& problem, const Placement& placement) {
  std::ostringstream out;
  for (BufferIndex b = 0; b < problem.buffers.size() && b < placement.places.size(); ++b) {
    const BufferPlace& place = placement.places[b];
    out << (b == 0 ? "" : " ") << problem.buffers[b].id << '='
        << (place.memory < problem.memories.size() ? problem.memories[place.memory].name : "?")
        << '@' << place.offset;
  }
  for (MemoryIndex m = 0; m < placement.modes.size(); ++m) {
    if (placement.modes[m].empty()) continue;
    out << "; " << (m < problem.memories.size() ? problem.memories[m].name : "?") << ':';
    for (const std::string& mode : placement.modes[m]) out << ' ' << mode;
  }
  return out.str();
}

}  // namespace tessera::testing
