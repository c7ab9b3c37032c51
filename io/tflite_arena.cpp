#include <algorithm>
#include <numeric>

#include "io/buffer_csv.h"
#include "io/error.h"
#include "io/files.h"
#include "io/source.h"
#include "io/text.h"
#include "io/tflite.h"
#include "io/tflite_model.h"
#include "model/derived.h"
#include "tessera/validate.h"

namespace tessera::io {
namespace {

using tflite_reader::arena_alignment;
using tflite_reader::arena_bytes;
using tflite_reader::TfliteIndex;
using tflite_reader::TfliteModel;
using tflite_reader::TfliteTensor;

/// For each tensor the steps at which it is live; empty if it is not in the arena.
std::vector<StepRange> lives_of(const TfliteModel& model) {
  const auto steps = static_cast<Step>(model.operators.size());
  std::vector<StepRange> live(model.tensors.size(), StepRange{0, 0});
  const auto at = [&](TfliteIndex t) -> StepRange& { return live[static_cast<std::size_t>(t)]; };
  for (const TfliteIndex t : model.inputs) at(t) = {0, 1};
  for (std::size_t k = 0; k < model.operators.size(); ++k) {
    const auto step = static_cast<Step>(k);
    for (const TfliteIndex t : model.operators[k].inputs)
      if (t >= 0) at(t).upper = step + 1;
    for (const TfliteIndex t : model.operators[k].outputs) at(t) = {step, step + 1};
  }
  for (const TfliteIndex t : model.outputs) at(t).upper = steps;
  for (std::size_t t = 0; t < live.size(); ++t)
    if (model.tensors[t].variable) live[t] = {0, steps};
  return live;
}

/// Appends the buffers of the CSV after those of tensors.
void add_scratch(TfliteArena& arena, std::string csv, const std::string& file) {
  for (Buffer& buffer :
       read_buffer_csv(std::move(csv), file, Lifetimes::by_header).problem.buffers) {
    if (buffer.live.front().upper > arena.operators)
      throw InputError(file, 0,
                       "buffer " + shown(buffer.id) + " lives until step " +
                           std::to_string(buffer.live.front().upper) + ", but the model has " +
                           std::to_string(arena.operators) + " operators",
                       "steps are the operators, counted from 0");
    buffer.size = align_up(buffer.size, arena_alignment);
    buffer.alignment = std::lcm(buffer.alignment, arena_alignment);
    buffer.offset.reset();
    arena.problem.buffers.push_back(std::move(buffer));
  }
  const std::vector<Defect> defects = validate(arena.problem);
  if (!defects.empty()) throw InputError(file, 0, defects.front().message);
}

}  // namespace

Size tflite_reader::arena_bytes(const TfliteModel& model, std::size_t t, const std::string& file) {
  const TfliteTensor& tensor = model.tensors[t];
  const std::string who =
      "tensor " + tflite_reader::tensor_named(model, static_cast<TfliteIndex>(t));
  if (tensor.type->bytes == 0)
    throw InputError(file, 0,
                     who + " is of type " + std::string(tensor.type->name) +
                         ", whose elements have no fixed number of bytes",
                     "only tensors of fixed size can be placed ahead of time");
  const std::optional<Size> bytes = tflite_reader::data_bytes(tensor);
  if (!bytes || *bytes > max_address - arena_alignment)
    throw InputError(file, 0, who + " has more than 2^60 bytes");
  return (*bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

void set_scratch(TfliteArena& arena, std::string csv, const std::string& file) {
  arena.problem.buffers.resize(arena.tensors.size());
  add_scratch(arena, std::move(csv), file);
}

bool is_tflite(std::string_view bytes, const std::string& file) {
  if (tflite_reader::has_identifier(bytes)) return true;
  // The first bytes are damaged or missing; text files are reported as such elsewhere.
  return file.ends_with(".tflite") && bytes.substr(0, 64).find('\0') != bytes.npos;
}

TfliteArena read_tflite_arena(std::string_view bytes, const std::string& file,
                              const std::vector<Memory>& memories) {
  const tflite_reader::FlatBytes flat(bytes, file);
  const TfliteModel model = tflite_reader::read_tflite_model(flat);
  if (model.operators.empty())
    throw InputError(file, 0, "has no operators, so it has no buffers to place");
  TfliteArena arena;
  arena.tensors_in_file = model.tensors.size();
  arena.problem.name = stem_of(file);
  arena.problem.objective = Objective::height;
  arena.problem.memories = memories;
  if (memories.empty())
    arena.problem.memories.push_back({.name = "arena", .alignment = arena_alignment});
  const std::vector<StepRange> live = lives_of(model);
  for (std::size_t t = 0; t < model.tensors.size(); ++t) {
    const TfliteTensor& tensor = model.tensors[t];
    if ((tensor.constant && !tensor.variable) || live[t].empty()) continue;
    const Size size = arena_bytes(model, t, file);
    if (size == 0) continue;
    arena.problem.buffers.push_back(
        {.id = tensor.name, .live = {live[t]}, .size = size, .alignment = arena_alignment});
    arena.tensors.push_back(static_cast<std::int32_t>(t));
    arena.variables.push_back(tensor.variable);
  }
  if (arena.problem.buffers.empty())
    throw InputError(file, 0, "has no activations, so it has no buffers to place");
  arena.operators = static_cast<Step>(model.operators.size());
  if (const auto scratch = tflite_reader::metadata_of(flat, tflite_reader::scratch_name))
    add_scratch(arena, std::string(*scratch), file + ", its scratch buffers");
  const std::vector<Defect> defects = validate(arena.problem);
  if (!defects.empty())
    throw defect_error(
        {.file = file, .problem_line = 0, .memories = {}, .buffers = {}, .relations = {}},
        defects.front());
  return arena;
}

}  // namespace tessera::io
