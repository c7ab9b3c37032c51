// Synthetic problems, the same for the same seed on every machine.
//
//   PlacementProblem problem = generate({.kind = "packable", .buffers = 200, .seed = 7});
//   write_output("packable.yaml", problem_yaml(problem));                    // files.h
//
// random:   lifetimes and sizes drawn freely; the capacity is the largest load times `slack`
// packable: a rectangle of time and addresses cut into pieces until nothing is left over, so a
//           placement without any waste exists
// network:  a chain of layers with skips: tensors live from their producer to their last reader,
//           weights during their layer, sizes that shrink with depth
// malloc:   a program's heap: sizes and lifetimes with heavy tails, a memory without a capacity
// training: a forward and a backward pass, a memory without a capacity
// full-overlap, non-overlapping: all buffers live together, or no two do (TelaMalloc's small
//           measurements): what an engine takes for the pairs there are, and for those there are
//           not
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api.h"
#include "problem.h"

namespace tessera {

struct GenerateParams {
  std::string kind = "random";
  std::int64_t buffers = 100;
  std::uint64_t seed = 0;
  std::int64_t steps = 0;   ///< length of the schedule; 0: chosen from the number of buffers
  Size capacity = 1 << 20;  ///< packable: of the memory; otherwise sizes scale with it
  Size alignment = 1;       ///< of every buffer
  double slack = 1.0;       ///< not packable or a trace: capacity over the largest load
};

struct GeneratorInfo {
  std::string_view name{};  ///< a kind for GenerateParams
  std::string_view what{};  ///< one line for help texts
};

[[nodiscard]] TESSERA_API std::span<const GeneratorInfo> generator_list();

/// Throws BadInput for an unknown kind or numbers that make no problem.
/// ensure: validate(result) is empty; exactly params.buffers buffers; one memory "memory".
[[nodiscard]] TESSERA_API PlacementProblem generate(const GenerateParams& params);

}  // namespace tessera
