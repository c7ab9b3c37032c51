#include "tessera/validate.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "model/derived.h"
#include "model/relations.h"
#include "validate_parts.h"

namespace tessera {

namespace validation {
namespace {

// A placement has a mode per step, so the number of steps is limited.
constexpr Step max_moded_horizon = 1'000'000;

/// The size rounded up to the largest alignment of its memories; nothing if it exceeds max_address.
/// require: sizes, alignments and memory indices are in range.
std::optional<Size> aligned_size(const PlacementProblem& problem, const Buffer& buffer) {
  Size largest = 0;
  for (const MemoryIndex m : allowed_memories(problem, buffer)) {
    const Size other = problem.memories[m].alignment;
    const auto lcm = checked_mul(buffer.alignment, other / std::gcd(buffer.alignment, other));
    if (!lcm || *lcm > max_address) return std::nullopt;
    largest = std::max(largest, align_up(buffer.size, *lcm));
  }
  return largest;
}

/// Each objective is meaningful and occurs once.
void validate_objectives(const PlacementProblem& problem, std::vector<Defect>& out) {
  const auto wrong = [&](std::string message) {
    out.push_back({ProblemPart::problem, 0, "objective", std::move(message)});
  };
  std::vector<Objective> all{problem.objective};
  all.insert(all.end(), problem.next_objectives.begin(), problem.next_objectives.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k] > Objective::switches) return wrong("The objective of the problem is unknown.");
    if (all[k] == Objective::modes || all[k] == Objective::switches)
      return wrong(
          "Modes and their switches are not objectives of a problem; use the option `minimize` of "
          "place().");
    if (all[k] == Objective::fit && all.size() > 1)
      return wrong(
          "The list of objectives names `fit`, which has no effect with other objectives; remove "
          "it.");
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all[k]) !=
        all.begin() + static_cast<std::ptrdiff_t>(k))
      return wrong("The list of objectives names an objective twice; remove the second one.");
  }
}

/// Limits on sums.
/// require: each part is valid.
void validate_sums(const PlacementProblem& problem, std::vector<Defect>& out) {
  Size total = 0;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const std::optional<Size> size = aligned_size(problem, buffer);
    if (!size) {
      Findings(out, ProblemPart::buffer, b, buffer.id)
          .add("alignment", "has alignment ", buffer.alignment,
               ", whose least common multiple with the alignment of a memory it may go to exceeds ",
               max_address);
      return;
    }
    if (*size > max_address - total) {
      Findings(out, ProblemPart::buffer, b, buffer.id)
          .add("size", "brings the sum of all sizes, each rounded up to its alignment, above ",
               max_address);
      return;
    }
    total += *size;
  }
  Benefit benefit = 0;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    if (buffer.benefit > max_address - benefit) {
      Findings(out, ProblemPart::buffer, b, buffer.id)
          .add("benefit", "brings the sum of all benefits above ", max_address, " thousandths");
      return;
    }
    benefit += buffer.benefit;
  }
  Cost cost = 0;
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    const Relation& relation = problem.relations[r];
    if (relation.kind != RelationKind::avoid_overlap) continue;
    const auto k = static_cast<std::int64_t>(relation.buffers.size());
    const auto here = checked_mul(relation.cost, k * (k - 1) / 2);
    if (!here || *here > max_address - cost) {
      Findings(out, ProblemPart::relation, r, to_string(relation.kind))
          .add("cost", "brings the sum of the costs of all pairs above ", max_address);
      return;
    }
    cost += *here;
  }
  Size room = 0;
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    const Memory& memory = problem.memories[m];
    if (memory.capacity == unbounded) continue;
    if (memory.capacity > max_address - room) {
      Findings(out, ProblemPart::memory, m, memory.name)
          .add("capacity", "brings the sum of all capacities above ", max_address);
      return;
    }
    room += memory.capacity;
  }
  const Step steps = horizon(problem);
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    if (!has_modes(problem.memories[m]) || steps <= max_moded_horizon) continue;
    Findings(out, ProblemPart::memory, m, problem.memories[m].name)
        .add("modes", "has modes, but the buffers live until step ", steps,
             "; each step has a mode, so at most ", max_moded_horizon,
             " steps are supported: number only the steps at which a buffer starts, ends or is "
             "accessed");
  }
}

}  // namespace

void validate_relations(const PlacementProblem& problem, std::vector<Defect>& out) {
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    const Relation& relation = problem.relations[r];
    const std::string_view kind = to_string(relation.kind);
    Findings found(out, ProblemPart::relation, r, kind);
    if (meaning(relation.kind).word.empty()) found.add(kind, "has an unknown kind");
    if (relation.buffers.size() < 2) {
      found.add(kind, "names ", relation.buffers.size(), " buffer(s), but needs at least two");
    }
    std::vector<BufferIndex> sorted = relation.buffers;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && sorted.back() >= problem.buffers.size()) {
      found.add(kind, "names buffer number ", sorted.back(), ", but there are only ",
                problem.buffers.size());
    } else if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
               twice != sorted.end()) {
      found.add(kind, "names buffer '", problem.buffers[*twice].id, "' twice");
    }
    if (relation.kind == RelationKind::avoid_overlap) {
      if (!is_quantity(relation.cost)) {
        found.add("cost", "has cost ", relation.cost, ", but it must be between 1 and ",
                  max_address);
      }
    } else if (relation.cost != 0) {
      found.add("cost", "has a cost, which only avoid_overlap supports; remove the cost");
    }
  }
}

}  // namespace validation

std::vector<Defect> validate(const PlacementProblem& problem) {
  std::vector<Defect> defects;
  validation::validate_objectives(problem, defects);
  validation::validate_memories(problem, defects);
  validation::validate_buffers(problem, defects);
  validation::validate_relations(problem, defects);
  if (defects.empty()) validation::validate_rules(problem, defects);
  if (defects.empty()) validation::validate_sums(problem, defects);
  return defects;
}

}  // namespace tessera
