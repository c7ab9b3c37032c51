// Textbook model of one memory: positions, and pairs that must not overlap.
//
//   Model model = model_of(problem, memory, poll);
//   ... a solver fills `offsets`, one per body, in units of model.unit ...
//   put(model, offsets, placement);
//
// Shared by the baselines (ilp, cp). They serve for comparison and are as plain as in the
// literature: no symmetry breaking, no bounds except those of single positions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/features.h"
#include "model/poll.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::baselines {

/// A buffer. All numbers are in units of the model.
struct Body {
  BufferIndex buffer = 0;
  std::int64_t size = 0;
  std::int64_t stride = 1;  ///< its offset is a multiple of this
  std::int64_t low = 0;     ///< least offset
  std::int64_t high = 0;    ///< largest offset; below `low`: it fits nowhere
};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Model {
  MemoryIndex memory = 0;
  Size unit = 1;  ///< fully lowered buffers lie at multiples of it
  std::vector<Body> bodies;
  std::vector<Range> reserved;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< must not overlap; first < second
  std::vector<std::vector<std::uint32_t>> sections;  ///< maximal sets of buffers live at one step
  std::int64_t largest = 0;                          ///< end of the memory
  bool exempt = false;  ///< some pairs with overlapping lifetimes may overlap
};

/// The features the baselines support: each buffer has a given memory.
[[nodiscard]] facts::FeatureSet features();

/// Throws BudgetEnded.
[[nodiscard]] Model model_of(const PlacementProblem& problem, MemoryIndex memory, Poll& poll);

/// Pairs of buffers with overlapping lifetimes, plus buffers with a lifetime: the size of a model.
[[nodiscard]] std::int64_t living_pairs(const PlacementProblem& problem);

/// The message that some body has no possible offset; none if each body has one.
[[nodiscard]] std::optional<std::string> nowhere(const PlacementProblem& problem,
                                                 const Model& model);

void put(const Model& model, const std::vector<std::int64_t>& offsets, Placement& placement);

}  // namespace tessera::baselines
