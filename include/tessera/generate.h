// Synthetic problems. Equal seeds give equal problems on every machine.
//
//   PlacementProblem problem = generate({.kind = "packable", .buffers = 200, .seed = 7});
//   write_output("packable.yaml", problem_yaml(problem));                    // files.h
//
//  - random: random lifetimes and sizes; the capacity is the largest load times `slack`.
//  - packable: a rectangle of time and addresses cut into buffers without waste, so a placement
//    that fills the memory exists.
//  - network: a chain of layers with skips. Tensors live from their producer to their last reader,
//    weights during their layer, and sizes shrink with depth.
//  - malloc: the heap of a program, with heavy-tailed sizes and lifetimes and no capacity.
//  - training: a forward and a backward pass, without a capacity.
//  - full-overlap, non-overlapping: all buffers live at the same time, or no two do. These
//    microbenchmarks of TelaMalloc measure the cost of pairs that overlap and of pairs that do not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api.h"
#include "problem.h"

namespace tessera {

/// Parameters of generate().
struct GenerateParams {
  std::string kind = "random";
  std::int64_t buffers = 100;
  std::uint64_t seed = 0;
  std::int64_t steps = 0;   ///< length of the schedule; 0: derived from the number of buffers
  Size capacity = 1 << 20;  ///< packable: of the memory; otherwise the scale of sizes
  Size alignment = 1;       ///< of every buffer
  double slack = 1.0;       ///< capacity over the largest load; not for packable and traces
};

/// A kind of synthetic problem.
struct GeneratorInfo {
  std::string_view name{};  ///< a value of GenerateParams::kind
  std::string_view what{};  ///< one line for help texts
};

/// All kinds.
[[nodiscard]] TESSERA_API std::span<const GeneratorInfo> generator_list();

/// Generates a problem.
/// ensure: validate(result) is empty; it has params.buffers buffers and one memory "memory". Throws
/// BadInput for an unknown kind or impossible numbers.
[[nodiscard]] TESSERA_API PlacementProblem generate(const GenerateParams& params);

}  // namespace tessera
