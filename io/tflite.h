// Reads TensorFlow Lite models: their arena as a placement problem, and their computation as a
// network.
//
//   TfliteArena arena = read_tflite_arena(bytes, "model.tflite");
//   PlacementResult result = place(arena.problem, {.minimize = Objective::height});   // place.h
//   TfliteNetwork read = read_tflite_network(bytes, "model.tflite", {});
//
// Files may be hostile: tflite_tables.h checks every access. Only models with one subgraph and
// fixed shapes are supported.
//
// The arena: steps are the operators in execution order. A tensor is live from the operator that
// writes it (inputs of the model: from the first step) to the last one that reads it (outputs: to
// the last step). A variable keeps its value between runs, so it is always live. Constants stay in
// the file. TensorFlow Lite Micro plans the head of its arena in the same way
// (micro_allocation_info.cc in github.com/tensorflow/tflite-micro), except for variables, which it
// keeps in the tail. Sizes and offsets are multiples of 16, its MicroArenaBufferAlignment().
// Scratch buffers of kernels are in the file only if this program has written them there; the
// runtime's own structures never are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "model/budget.h"
#include "tessera/graph.h"
#include "tessera/network.h"
#include "tessera/problem.h"

namespace tessera::io {

/// Does the file have the identifier of a TensorFlow Lite model, or the file extension and binary
/// content?
[[nodiscard]] bool is_tflite(std::string_view bytes, const std::string& file);

struct TfliteArena {
  /// One memory "arena", unbounded, or `memories`; the objective is the minimum height. First the
  /// tensors, then scratch buffers.
  PlacementProblem problem;
  std::vector<std::int32_t> tensors;  ///< per buffer of a tensor: its number in the file
  std::vector<bool> variables;  ///< per buffer of a tensor: does it keep its value between runs?
  std::size_t tensors_in_file = 0;
  Step operators = 0;
};

/// Throws InputError. `memories`, if any, replace the arena. `file` is for messages, and (without
/// folder and extension) the name of the problem. ensure: validate(result.problem) is empty.
[[nodiscard]] TfliteArena read_tflite_arena(std::string_view bytes, const std::string& file,
                                            const std::vector<Memory>& memories = {});

/// Replaces the scratch buffers by the rows of a buffer CSV. Throws InputError. ensure: as
/// read_tflite_arena().
void set_scratch(TfliteArena& arena, std::string csv, const std::string& file);

/// The model with a plan of its arena for TensorFlow Lite Micro: metadata
/// "OfflineMemoryAllocation", 32-bit numbers version (1), subgraph (0), number of tensors, and the
/// offset of each (docs/memory_management.md in github.com/tensorflow/tflite-micro). The offset is
/// -1 for tensors placed by the runtime: constants, and variables, whose place an offline plan
/// would not preserve between runs. An existing plan is replaced. Scratch buffers and their offsets
/// go into metadata "TesseraScratch", which the runtime ignores: `scratch` is their CSV, or empty.
/// All other bytes are unchanged. require: `arena` is the result of read_tflite_arena() for
/// `bytes`, one offset per tensor of it. Throws InputError if the file cannot be extended, or an
/// offset has more than 31 bits.
[[nodiscard]] std::string write_tflite_plan(std::string_view bytes, const std::string& file,
                                            const TfliteArena& arena,
                                            const std::vector<Offset>& offsets,
                                            const std::string& scratch = {});

/// Data written by write_tflite_plan().
struct TflitePlan {
  std::vector<std::int32_t> offsets;  ///< per tensor of the file; -1: the runtime decides
  PlacementProblem scratch;           ///< with the offsets of its buffers
};
/// Throws InputError if the model has none.
[[nodiscard]] TflitePlan read_tflite_plan(std::string_view bytes, const std::string& file);

/// The operators in no fixed order, with the tensors of the arena as in read_tflite_arena().
/// Operators that access variables, tables or random numbers keep their order. Throws InputError.
[[nodiscard]] Graph read_tflite_graph(std::string_view bytes, const std::string& file);

/// The model with its operators in this order; nothing else changes. require: `order` is one of the
/// graph of these bytes. Throws InputError for a model with a plan of its arena, which holds for
/// the old order.
[[nodiscard]] std::string write_tflite_order(std::string_view bytes, const std::string& file,
                                             const std::vector<std::size_t>& order);

struct TfliteNetwork {
  Network network;
  std::vector<std::string> warnings;  ///< sentences; the network is usable
};

/// One op per operator, except that reshapes become views and constants are weights. Images are N,
/// C, H, W in a network and N, H, W, C in these files: tensors with four axes are transposed.
/// Throws InputError with the operator, and BudgetEnded (model/poll.h). ensure:
/// check_network(result.network) is empty.
[[nodiscard]] TfliteNetwork read_tflite_network(std::string_view bytes, const std::string& file,
                                                const Budget& budget);

}  // namespace tessera::io
