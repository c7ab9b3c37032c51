#include "model/optional.h"

#include <algorithm>
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

Restricted chosen(const PlacementProblem& problem, std::span<const BufferIndex> left_out) {
  std::vector<BufferIndex> in;
  in.reserve(problem.buffers.size() - left_out.size());
  auto next_out = left_out.begin();
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (next_out != left_out.end() && *next_out == b)
      ++next_out;
    else
      in.push_back(b);
  Restricted now = restricted(problem, in);
  for (Buffer& buffer : now.problem.buffers) {
    buffer.optional = false;
    buffer.benefit = 0;
    buffer.group.clear();
  }
  return now;
}

bool has_optional(const PlacementProblem& problem) {
  return std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [](const Buffer& buffer) { return buffer.optional; });
}

bool is_left_out(const Placement& placement, BufferIndex buffer) {
  return std::binary_search(placement.left_out.begin(), placement.left_out.end(), buffer);
}

Placement spread(const PlacementProblem& problem, const Restricted& in,
                 std::vector<BufferIndex> left_out, const Placement& placement) {
  Placement whole{.places = {}, .modes = placement.modes, .left_out = std::move(left_out)};
  whole.places.resize(problem.buffers.size());
  for (BufferIndex k = 0; k < in.originals.size(); ++k)
    whole.places[in.originals[k]] = placement.places[k];
  return whole;
}

Placement gathered(const Restricted& in, const Placement& placement) {
  Placement part{.places = {}, .modes = placement.modes, .left_out = {}};
  part.places.reserve(in.originals.size());
  for (const BufferIndex b : in.originals) part.places.push_back(placement.places[b]);
  return part;
}

}  // namespace tessera
