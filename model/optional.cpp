#include "model/optional.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tessera {

std::vector<OptionalUnit> optional_units(const PlacementProblem& problem) {
  std::vector<OptionalUnit> units;
  std::unordered_map<std::string_view, std::size_t> groups;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    if (!buffer.optional) continue;
    std::size_t unit = units.size();
    if (!buffer.group.empty()) unit = groups.emplace(buffer.group, unit).first->second;
    if (unit == units.size()) units.emplace_back();
    units[unit].buffers.push_back(b);
    units[unit].benefit += buffer.benefit;
  }
  return units;
}

Benefit whole_benefit(const PlacementProblem& problem) {
  Benefit sum = 0;
  for (const Buffer& buffer : problem.buffers)
    if (buffer.optional) sum += buffer.benefit;
  return sum;
}

Chosen chosen(const PlacementProblem& problem, std::span<const BufferIndex> left_out) {
  constexpr BufferIndex out = std::numeric_limits<BufferIndex>::max();
  Chosen in;
  in.problem.name = problem.name;
  in.problem.memories = problem.memories;
  in.problem.objective = problem.objective;
  std::vector<BufferIndex> now(problem.buffers.size(), out);
  auto next_out = left_out.begin();
  in.problem.buffers.reserve(problem.buffers.size() - left_out.size());
  in.originals.reserve(problem.buffers.size() - left_out.size());
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    if (next_out != left_out.end() && *next_out == b) {
      ++next_out;
      continue;
    }
    now[b] = in.originals.size();
    in.originals.push_back(b);
    Buffer& buffer = in.problem.buffers.emplace_back(problem.buffers[b]);
    buffer.optional = false;
    buffer.benefit = 0;
    buffer.group.clear();
  }
  for (std::size_t r = 0; r < problem.relations.size(); ++r) {
    const Relation& relation = problem.relations[r];
    Relation kept{.kind = relation.kind, .buffers = {}, .cost = relation.cost};
    const auto keep = [&] {
      if (kept.buffers.size() >= 2) {
        in.problem.relations.push_back(kept);
        in.relations.push_back(r);
      }
      kept.buffers.clear();
    };
    for (const BufferIndex b : relation.buffers) {
      if (now[b] != out) kept.buffers.push_back(now[b]);
      // Its neighbours are none of each other.
      if (now[b] == out && relation.kind == RelationKind::adjacent) keep();
    }
    keep();
  }
  return in;
}

Placement spread(const PlacementProblem& problem, const Chosen& in,
                 std::vector<BufferIndex> left_out, const Placement& placement) {
  Placement whole{.places = {}, .modes = placement.modes, .left_out = std::move(left_out)};
  whole.places.resize(problem.buffers.size());
  for (BufferIndex k = 0; k < in.originals.size(); ++k)
    whole.places[in.originals[k]] = placement.places[k];
  return whole;
}

Placement gathered(const Chosen& in, const Placement& placement) {
  Placement part{.places = {}, .modes = placement.modes, .left_out = {}};
  part.places.reserve(in.originals.size());
  for (const BufferIndex b : in.originals) part.places.push_back(placement.places[b]);
  return part;
}

}  // namespace tessera
