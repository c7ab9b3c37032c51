// Properties of every reader for every input: it returns a result or throws InputError with a line
// of the file, and a result survives writing and reading. Shared by the libFuzzer harnesses and an
// ordinary test, which runs the corpus and every input that once broke a reader.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/buffer_csv.h"
#include "io/dsa_json.h"
#include "io/executorch_trace.h"
#include "io/graph_json.h"
#include "io/hardware_yaml.h"
#include "io/load.h"
#include "io/minimalloc_csv.h"
#include "io/network_yaml.h"
#include "io/placement_json.h"
#include "io/plan_json.h"
#include "io/problem_yaml.h"
#include "io/tflite.h"
#include "tessera/network_shapes.h"
#include "tessera/validate.h"

namespace tessera::fuzz {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

inline void check_error(const io::InputError& error, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  require(error.line >= 1 && error.line <= lines, "the line of an error is one of the file's");
  require(std::string_view(error.what()).find('\n') == std::string_view::npos,
          "an error is one line");
  require(!error.message.empty(), "an error says something");
}

/// The canonical form: YAML contains everything of a problem.
inline void check_yaml_round_trip(const PlacementProblem& problem) {
  require(validate(problem).empty(), "what is read is well-formed");
  const std::string written = io::write_problem_yaml(problem);
  const io::ProblemYaml again = io::read_problem_yaml(written, "written");
  require(io::write_problem_yaml(again.problem) == written, "YAML reads back equal");
}

inline void buffer_csv(std::string_view text) {
  for (const Lifetimes ends : {Lifetimes::by_header, Lifetimes::inclusive}) {
    io::BufferCsv csv;
    try {
      csv = io::read_buffer_csv(std::string(text), "fuzzed", ends);
    } catch (const io::InputError& error) {
      check_error(error, text);
      continue;
    }
    check_yaml_round_trip(csv.problem);
    const std::string canonical = io::write_problem_yaml(csv.problem);
    // The same table, with an offset for each row.
    const std::vector<BufferPlace> places(csv.problem.buffers.size(), BufferPlace{0, 64});
    const io::BufferCsv placed =
        io::read_buffer_csv(io::write_buffer_csv(csv.table, places), "placed", ends);
    for (Buffer& buffer : csv.problem.buffers) buffer.offset = 64;
    require(io::write_problem_yaml(placed.problem) == io::write_problem_yaml(csv.problem),
            "a placed table reads back equal but for its offsets");
    if (!io::csv_cannot_express(csv.problem).empty()) continue;
    const io::BufferCsv exported =
        io::read_buffer_csv(io::write_buffer_csv(csv.problem), "exported");
    require(io::write_problem_yaml(exported.problem) == io::write_problem_yaml(csv.problem),
            "an exported table reads back equal");
  }
}

inline void minimalloc_csv(std::string_view text) {
  try {
    const io::MinimallocTable table = io::read_minimalloc_csv(std::string(text), "fuzzed");
    const io::MinimallocProblem asked = io::minimalloc_problem(table, 4096, "fuzzed");
    if (!asked.problem.buffers.empty()) check_yaml_round_trip(asked.problem);
    // The same rows, with an offset for each.
    const Placement placement{
        .places = std::vector<BufferPlace>(asked.problem.buffers.size(), BufferPlace{0, 64}),
        .modes = {}};
    const std::vector<Offset> offsets = io::offsets_of(asked, placement);
    const io::MinimallocTable again =
        io::read_minimalloc_csv(io::write_minimalloc_csv(table, offsets), "written");
    require(again.buffers.size() == table.buffers.size(), "every row is written");
    for (std::size_t r = 0; r < offsets.size(); ++r)
      require(again.buffers[r].id == table.buffers[r].id &&
                  again.buffers[r].live == table.buffers[r].live &&
                  again.buffers[r].offset == offsets[r],
              "a row reads back with its offset");
    require(!io::minimalloc_tikz(table, 4096, offsets).empty(), "it can be drawn");
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    if (error.line > 0) check_error(error, text);
  }
}

inline void problem_yaml(std::string_view text) {
  try {
    const io::ProblemYaml yaml = io::read_problem_yaml(text, "fuzzed");
    check_yaml_round_trip(yaml.problem);
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

inline void dsa_json(std::string_view text) {
  try {
    const io::DsaJson json = io::read_dsa_json(text, "fuzzed");
    check_yaml_round_trip(json.problem);
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

inline void graph_json(std::string_view text) {
  try {
    const std::string written = io::write_graph_json(io::read_graph_json(text, "fuzzed"));
    require(io::write_graph_json(io::read_graph_json(written, "fuzzed")) == written,
            "a graph reads back equal");
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

inline void executorch_trace(std::string_view text) {
  try {
    const io::ExecutorchTrace trace = io::read_executorch_trace(text, "fuzzed");
    check_yaml_round_trip(trace.problem);
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

inline void hardware_yaml(std::string_view text) {
  try {
    const Hardware hardware = io::read_hardware_yaml(text, "fuzzed");
    PlacementProblem problem;
    problem.memories = placement_memories(hardware);
    problem.buffers.push_back({.id = "b", .live = {{0, 1}}, .size = 1});
    for (const Defect& defect : validate(problem)) {
      // Everything except the single buffer (whose alignment may become too large) is from the
      // file.
      require(defect.part == ProblemPart::buffer, "the memories of a profile are well-formed");
    }
  } catch (const io::InputError& error) {
    check_error(error, text);
  }
}

/// The problem of the placements in the corpus.
inline PlacementProblem placed_problem() {
  PlacementProblem problem;
  problem.memories.push_back({.name = "sram",
                              .capacity = 12,
                              .banks = {{"b0", 4, {}}, {"b1", 4, {}}, {"b2", 4, {}}},
                              .modes = {{"m0", {Role::read, Role::read, Role::write}},
                                        {"m1", {Role::write, Role::write, Role::read}}}});
  problem.memories.push_back({.name = "l2", .capacity = 64});
  problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
  problem.buffers.push_back({.id = "b", .live = {{1, 2}, {4, 6}}, .size = 8});
  problem.buffers.push_back({.id = "c", .live = {{0, 6}}, .size = 4});
  return problem;
}

inline void placement_json(std::string_view text) {
  const PlacementProblem problem = placed_problem();
  try {
    const PlacementResult result = io::read_placement_json(text, "fuzzed", problem);
    const std::string written = io::write_placement_json(problem, result);
    const PlacementResult again = io::read_placement_json(written, "written", problem);
    require(io::write_placement_json(problem, again) == written, "a placement reads back equal");
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

inline void network_yaml(std::string_view text) {
  try {
    const io::NetworkYaml yaml = io::read_network_yaml(text, "fuzzed");
    const std::string written = io::write_network_yaml(yaml.network);
    const io::NetworkYaml again = io::read_network_yaml(written, "written");
    require(again.network == yaml.network, "a network reads back equal");
    require(io::write_network_yaml(again.network) == written,
            "a network is written the same again");
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

/// Every subgraph of these plans has the buffers of placed_problem().
inline void plan_json(std::string_view text) {
  const auto problem_of = [](const io::PlannedPlaces&, const PlannedSubgraph& subgraph,
                             std::size_t) {
    if (subgraph.ops.first > subgraph.ops.last)
      throw std::invalid_argument("a subgraph ends before it begins");
    return placed_problem();
  };
  try {
    (void)io::read_plan_header(text, "fuzzed");
    const NetworkPlan plan = io::read_plan_json(text, "fuzzed", problem_of);
    const std::string written = io::write_plan_json(plan);
    const NetworkPlan again = io::read_plan_json(written, "written", problem_of);
    require(io::write_plan_json(again) == written, "a plan is written the same again");
  } catch (const io::InputError& error) {
    require(error.file == "fuzzed", "what is written can be read");
    check_error(error, text);
  }
}

/// A model has an arena, a network, or both.
inline void tflite(std::string_view bytes) {
  const auto refused = [](const io::InputError& error) {
    require(error.line == 0 && error.file == "fuzzed", "the error is about the file");
    require(!error.message.empty() && std::string_view(error.what()).size() < 600,
            "an error is a sentence");
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "an error is one line");
  };
  try {
    const io::TfliteArena arena = io::read_tflite_arena(bytes, "fuzzed");
    check_yaml_round_trip(arena.problem);
    const std::vector<Offset> offsets(arena.tensors.size(), 64);
    const std::string planned = io::write_tflite_plan(bytes, "fuzzed", arena, offsets);
    require(io::write_problem_yaml(io::read_tflite_arena(planned, "fuzzed").problem) ==
                io::write_problem_yaml(arena.problem),
            "a model with a plan reads back equal");
  } catch (const io::InputError& error) {
    refused(error);
  }
  Network network;
  try {
    network = io::read_tflite_network(bytes, "fuzzed", {}).network;
  } catch (const io::InputError& error) {
    return refused(error);
  }
  require(check_network(network).empty(), "what is read is well-formed");
  require(io::read_network_yaml(io::write_network_yaml(network), "written").network == network,
          "a network reads back equal");
}

struct Property {
  std::string_view name;  ///< also the name of its corpus folder
  void (*check)(std::string_view);
};
inline constexpr std::array properties{Property{"buffer_csv", buffer_csv},
                                       Property{"minimalloc_csv", minimalloc_csv},
                                       Property{"problem_yaml", problem_yaml},
                                       Property{"dsa_json", dsa_json},
                                       Property{"executorch_trace", executorch_trace},
                                       Property{"graph_json", graph_json},
                                       Property{"hardware_yaml", hardware_yaml},
                                       Property{"placement_json", placement_json},
                                       Property{"network_yaml", network_yaml},
                                       Property{"plan_json", plan_json},
                                       Property{"tflite", tflite}};

}  // namespace tessera::fuzz
