// TensorFlow Lite models in: their arena as a placement problem, and what they compute as a
// network.
//
//   TfliteArena arena = read_tflite_arena(bytes, "model.tflite");
//   PlacementResult result = place(arena.problem, {.minimize = Objective::height});   // place.h
//   TfliteNetwork read = read_tflite_network(bytes, "model.tflite", {});
//
// Files may be hostile: tflite_tables.h is what protects. Only models of one subgraph with fixed
// shapes are read.
//
// The arena: steps are the operators in the order they run. A tensor lives from the operator that
// writes it (inputs of the model: from the first step) to the last that reads it (outputs: to the
// last step); a variable keeps its value from run to run, so it lives all the time. Constants stay
// in the file. That is how TensorFlow Lite Micro plans the head of its arena
// (micro_allocation_info.cc in github.com/tensorflow/tflite-micro), but for variables, which it
// keeps in the tail. Sizes and offsets are multiples of 16, its MicroArenaBufferAlignment().
// Scratch buffers that kernels ask for are in the file only if this program has written them there;
// the runtime's own structures never are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "model/budget.h"
#include "tessera/network.h"
#include "tessera/problem.h"

namespace tessera::io {

/// Does the file call itself a TensorFlow Lite model, or does its name and it is no text?
[[nodiscard]] bool is_tflite(std::string_view bytes, const std::string& file);

struct TfliteArena {
  /// One memory "arena", unbounded, or `memories`; the objective is the least height.
  /// First the tensors, then scratch buffers.
  PlacementProblem problem;
  std::vector<std::int32_t> tensors;  ///< of each buffer of a tensor, its number in the file
  std::vector<bool> variables;        ///< of each of those: does it keep its value from run to run?
  std::size_t tensors_in_file = 0;
  Step operators = 0;
};

/// Throws InputError. `memories`, where there are any, take the place of the arena. `file` is for
/// messages, and becomes the name of the problem (without folder and ending).
/// ensure: validate(result.problem) is empty.
[[nodiscard]] TfliteArena read_tflite_arena(std::string_view bytes, const std::string& file,
                                            const std::vector<Memory>& memories = {});

/// Takes the rows of a buffer CSV as the scratch buffers, in place of those that were there. Throws
/// InputError. ensure: as read_tflite_arena().
void set_scratch(TfliteArena& arena, std::string csv, const std::string& file);

/// The model with a plan of its arena for TensorFlow Lite Micro: metadata
/// "OfflineMemoryAllocation", 32-bit numbers version (1), subgraph (0), how many tensors, and the
/// offset of each; -1 where the runtime decides: constants, and variables, whose place it would not
/// keep between runs (docs/memory_management.md in github.com/tensorflow/tflite-micro). A plan that
/// was there is replaced. Scratch buffers go with their offsets into metadata "TesseraScratch",
/// which the runtime does not read: `scratch` is their CSV, empty without any. Everything else
/// stays what it was, known here or not. require: `arena` is what read_tflite_arena() made of
/// `bytes`, one offset per tensor of it. Throws InputError where the file cannot be added to, or an
/// offset has more than 31 bits.
[[nodiscard]] std::string write_tflite_plan(std::string_view bytes, const std::string& file,
                                            const TfliteArena& arena,
                                            const std::vector<Offset>& offsets,
                                            const std::string& scratch = {});

/// What write_tflite_plan() wrote.
struct TflitePlan {
  std::vector<std::int32_t> offsets;  ///< per tensor of the file; -1: the runtime decides
  PlacementProblem scratch;           ///< its buffers have their offsets
};
/// Throws InputError where the model has none.
[[nodiscard]] TflitePlan read_tflite_plan(std::string_view bytes, const std::string& file);

struct TfliteNetwork {
  Network network;
  std::vector<std::string> warnings;  ///< sentences; the network is usable
};

/// One op per operator, except that reshapes become views and constants are weights. Images are
/// N, C, H, W in a network and N, H, W, C in these files: whatever has four axes is turned.
/// Throws InputError that names the operator, and BudgetEnded (model/poll.h).
/// ensure: check_network(result.network) is empty.
[[nodiscard]] TfliteNetwork read_tflite_network(std::string_view bytes, const std::string& file,
                                                const Budget& budget);

}  // namespace tessera::io
