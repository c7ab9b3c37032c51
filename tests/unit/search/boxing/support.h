// Instances for the tests of the boxing phases.
#pragma once

#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "search/placement/boxing/instance.h"
#include "tessera/check.h"
#include "tessera/placement.h"
#include "tessera/problem.h"
#include "tests/support/random.h"

namespace tessera::testing {

inline PlacementProblem problem_of(std::vector<Buffer> buffers, Memory memory = {}) {
  PlacementProblem problem;
  memory.name = "m";
  problem.memories.push_back(std::move(memory));
  for (std::size_t b = 0; b < buffers.size(); ++b) buffers[b].id = "b" + std::to_string(b);
  problem.buffers = std::move(buffers);
  return problem;
}

/// Random intervals and sizes, about `live` at a time.
inline PlacementProblem random_trace(std::uint64_t seed, std::int64_t count, std::int64_t live,
                                     Size most = 1000) {
  Random random(seed);
  std::vector<Buffer> buffers;
  for (std::int64_t b = 0; b < count; ++b) {
    const Step lower = random.between(0, count);
    Buffer buffer;
    buffer.live = {{lower, lower + random.between(1, 2 * live)}};
    buffer.size = random.between(1, most);
    buffers.push_back(buffer);
  }
  return problem_of(std::move(buffers));
}

inline std::vector<BufferIndex> all_buffers(const PlacementProblem& problem) {
  std::vector<BufferIndex> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

inline search::boxing::Instance instance_of(const PlacementProblem& problem) {
  return search::boxing::make_instance(problem, 0, all_buffers(problem));
}

inline Placement placement_of(const PlacementProblem& problem,
                              const search::boxing::Instance& instance,
                              const std::vector<Offset>& offsets) {
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  for (std::size_t j = 0; j < offsets.size(); ++j)
    placement.places[instance.source[j]] = {0, offsets[j]};
  for (const auto& [buffer, offset] : instance.fixed) placement.places[buffer] = {0, offset};
  return placement;
}

/// The first violation found by the checker; empty if none.
inline std::string wrong(const PlacementProblem& problem, const Placement& placement) {
  const std::vector<Violation> found = check(problem, placement, 1);
  return found.empty() ? std::string() : found.front().message;
}

}  // namespace tessera::testing
