#include <algorithm>
#include <variant>

#include "io/objectives_json.h"
#include "io/placement_json.h"
#include "io/verdict_json.h"
#include "model/derived.h"
#include "model/json_write.h"
#include "model/optional.h"
#include "tessera/check.h"

namespace tessera::io {
namespace {

/// {"sram": <value of memory 0>, ...}
template <typename Value>
void write_by_memory(std::string& out, const PlacementProblem& problem, Value value) {
  out += '{';
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
    if (m > 0) out += ", ";
    out += json_string(problem.memories[m].name);
    out += ": ";
    value(out, m);
  }
  out += '}';
}

void write_buffers(std::string& out, const PlacementProblem& problem, const Placement& placement) {
  out += "[\n";
  bool first = true;
  const bool based = std::any_of(problem.memories.begin(), problem.memories.end(),
                                 [](const Memory& memory) { return memory.base != 0; });
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (is_left_out(placement, b)) continue;
    const Buffer& buffer = problem.buffers[b];
    const BufferPlace& place = placement.places[b];
    out += first ? "  " : ",\n  ";
    first = false;
    out +=
        "{\"id\": " + json_string(buffer.id) +
        ", \"memory\": " + json_string(problem.memories[place.memory].name) +
        ", \"offset\": " + json_number(place.offset) +
        (based ? ", \"address\": " + json_number(problem.memories[place.memory].base + place.offset)
               : std::string()) +
        ", \"size\": " + json_number(buffer.size) + ", \"live\": ";
    write_list(out, buffer.live, ", ", [](const StepRange& live) {
      return '[' + json_number(live.lower) + ", " + json_number(live.upper) + ']';
    });
    if (buffer.kind == BufferKind::weight) out += ", \"kind\": \"weight\"";
    out += '}';
  }
  out += "\n ]";
}

void write_stats(std::string& out, const Stats& all) {
  const Stats stats = added_up(all);  // duplicate keys are invalid JSON
  out += '{';
  for (std::size_t k = 0; k < stats.size(); ++k) {
    out += k > 0 ? ", " : "";
    out += json_string(stats[k].name) + ": ";
    out += std::visit(
        [](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
            return json_string(value);
          } else {
            return json_number(value);
          }
        },
        stats[k].value);
  }
  out += '}';
}

}  // namespace

std::string write_placement_json(const PlacementProblem& problem, const PlacementResult& result) {
  std::string out;
  out.reserve(256 + 96 * problem.buffers.size());
  JsonObject object(out);
  object.text("tessera", "placement/1");
  write_verdict(object, result.status, result.stop, result.reason);
  object.number("height", result.height);
  object.number("lower_bound", result.lower_bound);
  object.truth("proven_minimum", result.proven_minimum);
  const bool several = problem.memories.size() > 1;
  if (several && result.heights.size() == problem.memories.size()) {
    write_by_memory(object.entry("heights"), problem,
                    [&](std::string& to, MemoryIndex m) { to += json_number(result.heights[m]); });
  }
  if (several && result.lower_bounds.size() == problem.memories.size()) {
    write_by_memory(object.entry("lower_bounds"), problem, [&](std::string& to, MemoryIndex m) {
      to += json_number(result.lower_bounds[m]);
    });
  }
  object.number("cost", result.cost);
  object.number("cost_bound", result.cost_bound);
  const bool optional = has_optional(problem);
  if (optional && result.placement) {
    object.entry("benefit") += benefit_text(result.benefit);
    object.entry("benefit_bound") += benefit_text(result.benefit_bound);
  }
  object.truth("proven_optimal", result.proven_optimal);
  write_objectives(object, result.objectives);
  object.text("engine", result.engine);
  object.real("seconds", result.seconds);
  object.entry("seed") += std::to_string(result.seed);
  if (result.placement) {
    write_buffers(object.entry("buffers"), problem, *result.placement);
    if (optional)
      object.list("left_out", result.placement->left_out,
                  [&](BufferIndex b) { return json_string(problem.buffers[b].id); });
    const auto names = [](const std::string& name) { return json_string(name); };
    const auto& modes = result.placement->modes;
    const auto unused = unused_modes(problem, *result.placement);
    write_by_memory(object.entry("modes"), problem, [&](std::string& to, MemoryIndex m) {
      write_list(to, m < modes.size() ? modes[m] : std::vector<std::string>{}, ", ", names);
    });
    write_by_memory(object.entry("unused_modes"), problem, [&](std::string& to, MemoryIndex m) {
      write_list(to, m < unused.size() ? unused[m] : std::vector<std::string>{}, ", ", names);
    });
  }
  write_stats(object.entry("stats"), result.stats);
  object.close();
  out += '\n';
  return out;
}

}  // namespace tessera::io
