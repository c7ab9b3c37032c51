#include "tessera/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/random.h"
#include "tessera/errors.h"
#include "tessera/validate.h"
#include "validation/generate_traces.h"

namespace tessera::validation {

namespace {

std::string buffer_name(std::size_t index) {
  return "b" + std::to_string(index);
}

Buffer make_buffer(std::size_t index, StepRange live, Size size, Size alignment) {
  Buffer buffer;
  buffer.id = buffer_name(index);
  buffer.live = {live};
  buffer.size = size;
  buffer.alignment = alignment;
  return buffer;
}

PlacementProblem empty_problem(const GenerateParams& params) {
  PlacementProblem problem;
  problem.name =
      params.kind + "-" + std::to_string(params.buffers) + "-" + std::to_string(params.seed);
  Memory memory;
  memory.name = "memory";
  memory.capacity = params.capacity;
  problem.memories.push_back(std::move(memory));
  return problem;
}

/// The largest sum of sizes live at one step, sizes rounded up to the alignment.
Size max_load(const PlacementProblem& problem, Size alignment) {
  std::vector<std::pair<Step, Size>> events;
  for (const Buffer& buffer : problem.buffers) {
    const Size size = align_up(buffer.size, alignment);
    events.emplace_back(buffer.live.front().lower, size);
    events.emplace_back(buffer.live.front().upper, -size);
  }
  std::sort(events.begin(), events.end());
  Size load = 0;
  Size most = 0;
  for (const auto& [step, change] : events) {
    load += change;
    most = std::max(most, load);
  }
  return most;
}

void set_capacity(PlacementProblem& problem, const GenerateParams& params) {
  const auto load = static_cast<double>(max_load(problem, params.alignment));
  const double wanted = std::ceil(load * params.slack);
  problem.memories.front().capacity =
      align_up(std::max<Size>(1, static_cast<Size>(wanted)), params.alignment);
}

PlacementProblem make_random(const GenerateParams& params) {
  Random random(params.seed);
  PlacementProblem problem = empty_problem(params);
  const Step steps = params.steps > 0 ? params.steps : std::max<Step>(4, params.buffers);
  const Step longest = std::max<Step>(1, steps / 4);
  const Size largest = std::max<Size>(1, params.capacity / 8);
  for (std::int64_t b = 0; b < params.buffers; ++b) {
    // Most buffers are short-lived and small, some long-lived or large, as in real programs.
    const Step length = std::min(random.between(1, longest), random.between(1, longest));
    const Size size = std::min(random.between(1, largest), random.between(1, largest));
    const Step lower = random.between(0, steps - length);
    problem.buffers.push_back(
        make_buffer(static_cast<std::size_t>(b), {lower, lower + length}, size, params.alignment));
  }
  set_capacity(problem, params);
  return problem;
}

/// All buffers are always live: only the order of addresses is free.
PlacementProblem make_full_overlap(const GenerateParams& params) {
  Random random(params.seed);
  PlacementProblem problem = empty_problem(params);
  const Step steps = params.steps > 0 ? params.steps : 4;
  const Size largest = std::max<Size>(1, params.capacity / std::max<Size>(1, params.buffers));
  for (std::int64_t b = 0; b < params.buffers; ++b)
    problem.buffers.push_back(make_buffer(static_cast<std::size_t>(b), {0, steps},
                                          random.between(1, largest), params.alignment));
  set_capacity(problem, params);
  return problem;
}

/// Disjoint lifetimes: each buffer has the whole memory.
PlacementProblem make_non_overlapping(const GenerateParams& params) {
  Random random(params.seed);
  PlacementProblem problem = empty_problem(params);
  const Step each = std::max<Step>(1, params.steps / std::max<std::int64_t>(1, params.buffers));
  for (std::int64_t b = 0; b < params.buffers; ++b)
    problem.buffers.push_back(make_buffer(static_cast<std::size_t>(b), {b * each, (b + 1) * each},
                                          random.between(1, params.capacity), params.alignment));
  set_capacity(problem, params);
  return problem;
}

struct Piece {
  StepRange live;
  AddressRange place;
};

PlacementProblem make_packable(const GenerateParams& params) {
  Random random(params.seed);
  PlacementProblem problem = empty_problem(params);
  const Step steps = params.steps > 0 ? params.steps : std::max<Step>(4, params.buffers);
  const Size units = params.capacity / params.alignment;
  problem.memories.front().capacity = units * params.alignment;
  std::vector<Piece> pieces{{{0, steps}, {0, units}}};
  // Cut the largest of a few random rectangles, across the longer side more often.
  std::int64_t failures = 0;
  while (static_cast<std::int64_t>(pieces.size()) < params.buffers && failures < 1000) {
    const auto last = static_cast<std::int64_t>(pieces.size()) - 1;
    auto index = static_cast<std::size_t>(random.between(0, last));
    const auto area = [&](std::size_t i) {
      return static_cast<double>(pieces[i].live.upper - pieces[i].live.lower) *
             static_cast<double>(pieces[i].place.size());
    };
    for (int tries = 0; tries < 2; ++tries) {
      const auto other = static_cast<std::size_t>(random.between(0, last));
      if (area(other) > area(index)) index = other;
    }
    Piece& piece = pieces[index];
    const Step width = piece.live.upper - piece.live.lower;
    const Size height = piece.place.size();
    const bool in_time = width > 1 && (height < 2 || random.chance(50));
    Piece rest = piece;
    if (in_time) {
      piece.live.upper = rest.live.lower = piece.live.lower + random.between(1, width - 1);
    } else if (height > 1) {
      piece.place.end = rest.place.begin = piece.place.begin + random.between(1, height - 1);
    } else {
      ++failures;
      continue;
    }
    failures = 0;
    pieces.push_back(rest);
  }
  if (static_cast<std::int64_t>(pieces.size()) < params.buffers)
    throw BadInput("a packable problem of " + std::to_string(params.buffers) +
                       " buffers does not fit in " + std::to_string(steps) + " steps of " +
                       std::to_string(units) + " units",
                   "increase --steps or --capacity, or reduce --alignment");
  // The order of the pieces tells how they were cut: shuffle.
  for (std::size_t i = pieces.size(); i > 1; --i)
    std::swap(
        pieces[i - 1],
        pieces[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  for (std::size_t b = 0; b < pieces.size(); ++b)
    problem.buffers.push_back(make_buffer(
        b, pieces[b].live, pieces[b].place.size() * params.alignment, params.alignment));
  return problem;
}

PlacementProblem make_network(const GenerateParams& params) {
  Random random(params.seed);
  PlacementProblem problem = empty_problem(params);
  // About three buffers per layer: its output, its weights, and sometimes scratch space.
  const Step layers = params.steps > 0 ? params.steps : std::max<Step>(2, params.buffers / 3);
  Size activation = std::max<Size>(1, params.capacity / 8);
  for (std::int64_t b = 0; b < params.buffers; ++b) {
    const Step layer = b * layers / params.buffers;
    const int kind = static_cast<int>(random.between(0, 9));
    StepRange live{layer, layer + 1};
    Size size = 1;
    if (kind < 5) {  // an activation, read by the next layer or by a later one
      const Step reach = random.chance(20) ? random.between(2, 8) : 1;
      live.upper = std::min(layers, layer + 1 + reach);
      size = std::max<Size>(1, activation * random.between(60, 140) / 100);
    } else if (kind < 9) {  // weights: they grow while activations shrink
      live.lower = std::max<Step>(0, layer - 1);
      size = std::max<Size>(1, params.capacity / 16 * random.between(10, 100) / 100);
    } else {
      size = std::max<Size>(1, activation / 4);
    }
    if (b % std::max<std::int64_t>(1, params.buffers / 6) == 0 && b > 0)
      activation = std::max<Size>(1, activation * 2 / 3);
    problem.buffers.push_back(
        make_buffer(static_cast<std::size_t>(b), live, size, params.alignment));
  }
  set_capacity(problem, params);
  return problem;
}

PlacementProblem make_trace(const GenerateParams& params, TraceKind kind) {
  TraceParams own;
  own.kind = kind;
  own.buffers = params.buffers;
  own.seed = params.seed;
  own.alignment = params.alignment;
  own.max_size = std::min(params.capacity, Size{1} << 32);
  if (params.alignment > (Size{1} << 20))
    throw BadInput("the alignment of a trace must be at most 1 MiB");
  PlacementProblem problem = generate_trace(own);
  problem.name =
      params.kind + "-" + std::to_string(params.buffers) + "-" + std::to_string(params.seed);
  problem.memories.front().name = "memory";
  return problem;
}

PlacementProblem make_malloc(const GenerateParams& params) {
  return make_trace(params, TraceKind::malloc);
}

PlacementProblem make_training(const GenerateParams& params) {
  return make_trace(params, TraceKind::training);
}

constexpr std::array<GeneratorInfo, 7> kinds = {{
    {"random", "random lifetimes and sizes"},
    {"packable", "a rectangle cut into buffers: fits without waste"},
    {"network", "layers with skips, weights and activations"},
    {"malloc", "heap of a program: power-law sizes and lifetimes (any size)"},
    {"training", "a forward and a backward pass (any size)"},
    {"full-overlap", "all buffers are live at the same time"},
    {"non-overlapping", "buffers live one after the other"},
}};
using Maker = PlacementProblem (*)(const GenerateParams& params);
constexpr std::array<Maker, kinds.size()> makers = {
    make_random,   make_packable,     make_network,        make_malloc,
    make_training, make_full_overlap, make_non_overlapping};

}  // namespace

}  // namespace tessera::validation

namespace tessera {

std::span<const GeneratorInfo> generator_list() {
  return validation::kinds;
}

PlacementProblem generate(const GenerateParams& params) {
  const auto kind =
      std::find_if(validation::kinds.begin(), validation::kinds.end(),
                   [&](const GeneratorInfo& known) { return known.name == params.kind; });
  if (kind == validation::kinds.end()) {
    std::string names;
    for (const GeneratorInfo& known : validation::kinds)
      names += (names.empty() ? "" : ", ") + std::string(known.name);
    throw BadInput("unknown kind '" + params.kind + "'", "kinds: " + names);
  }
  constexpr std::int64_t most = 20'000'000;
  if (params.buffers < 1 || params.buffers > most)
    throw BadInput("the number of buffers must be between 1 and " + std::to_string(most));
  if (params.alignment < 1 || params.alignment > params.capacity)
    throw BadInput("the alignment must be between 1 and the capacity");
  if (params.steps < 0) throw BadInput("the number of steps must not be negative");
  if (!(params.slack > 0) || params.slack > 1000)
    throw BadInput("the slack must be above 0 and at most 1000");
  PlacementProblem problem =
      validation::makers[static_cast<std::size_t>(kind - validation::kinds.begin())](params);
  if (const std::vector<Defect> defects = validate(problem); !defects.empty())
    throw BadInput("these numbers give no valid problem: " + defects.front().message,
                   "reduce the number of buffers or the capacity");
  return problem;
}

}  // namespace tessera
