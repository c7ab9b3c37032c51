// Random problems with optional buffers, and their best sets, each solved by the oracle.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/brute_force.h"
#include "tests/support/random.h"
#include "tests/support/random_problem.h"

namespace tessera::testing {

/// Some buffers become optional, some in groups; some are copies of their predecessor.
inline void make_optional(PlacementProblem& problem, Random& random) {
  constexpr int most = 6;  // 64 sets to try
  int optional = 0;
  for (Buffer& buffer : problem.buffers) {
    if (optional == most || random.chance(30)) continue;
    ++optional;
    buffer.optional = true;
    buffer.benefit = random.between(0, 9) * (random.chance(50) ? 1000 : 375);
    if (random.chance(30)) buffer.group = random.chance(50) ? "g" : "h";
  }
  if (!random.chance(40)) return;
  for (std::size_t b = 1; b < problem.buffers.size(); ++b) {
    const Buffer& before = problem.buffers[b - 1];
    Buffer& buffer = problem.buffers[b];
    if (!before.optional || !buffer.optional || !before.group.empty() || !buffer.group.empty())
      continue;
    const std::string id = buffer.id;
    buffer = before;
    buffer.id = id;
  }
}

/// The problem without these buffers, implemented independently of the library.
inline PlacementProblem rest_of(const PlacementProblem& problem, const std::vector<char>& out) {
  PlacementProblem rest;
  rest.memories = problem.memories;
  std::vector<std::size_t> number(problem.buffers.size());
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    number[b] = rest.buffers.size();
    if (out[b] == 0) rest.buffers.push_back(problem.buffers[b]);
  }
  for (Relation relation : problem.relations) {
    std::vector<std::vector<BufferIndex>> lists{{}};
    for (const BufferIndex b : relation.buffers) {
      if (out[b] == 0)
        lists.back().push_back(number[b]);
      else if (relation.kind == RelationKind::adjacent)  // each starts at the end of the one before
        lists.emplace_back();
    }
    for (const std::vector<BufferIndex>& list : lists) {
      relation.buffers = list;
      if (list.size() >= 2) rest.relations.push_back(relation);
    }
  }
  return rest;
}

/// The maximum benefit of all sets with a placement.
inline std::optional<Benefit> most_benefit(const PlacementProblem& problem) {
  std::vector<BufferIndex> optional;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (problem.buffers[b].optional) optional.push_back(b);
  std::optional<Benefit> best;
  for (unsigned set = 0; set < 1U << optional.size(); ++set) {
    std::vector<char> out(problem.buffers.size(), 0);
    Benefit benefit = 0;
    for (std::size_t k = 0; k < optional.size(); ++k) {
      if ((set >> k & 1U) == 0)
        out[optional[k]] = 1;
      else
        benefit += problem.buffers[optional[k]].benefit;
    }
    bool whole = true;
    for (const BufferIndex a : optional)
      for (const BufferIndex b : optional)
        whole = whole && (problem.buffers[a].group.empty() || out[a] == out[b] ||
                          problem.buffers[a].group != problem.buffers[b].group);
    if (!whole || (best && benefit <= *best)) continue;
    const PlacementProblem rest = rest_of(problem, out);
    if (rest.buffers.empty() || brute_force(rest)) best = std::max(best.value_or(0), benefit);
  }
  return best;
}

}  // namespace tessera::testing
