#include "io/load.h"

#include "io/dsa_json.h"
#include "io/executorch_trace.h"
#include "io/hardware_yaml.h"
#include "io/problem_yaml.h"
#include "io/profile_edit.h"
#include "io/text.h"
#include "model/operand_rules.h"

namespace tessera::io {
namespace {

void override_capacity(PlacementProblem& problem, const SourceMap& source, Size capacity) {
  const std::string& file = source.file;
  if (problem.memories.size() != 1) {
    throw InputError(
        file, 0,
        "has " + std::to_string(problem.memories.size()) + " memories, but --capacity sets one",
        "set the capacities in the problem or in a profile");
  }
  Memory& memory = problem.memories.front();
  if (!memory.banks.empty() && capacity != memory.capacity) {
    throw InputError(file, line_of(source, {ProblemPart::memory, 0, {}, {}}),
                     "memory " + shown(memory.name) + " has banks that add up to " +
                         std::to_string(memory.capacity) + "; --capacity cannot change that");
  }
  memory.capacity = capacity;
}

}  // namespace

std::string_view to_string(ProblemFormat format) {
  switch (format) {
    case ProblemFormat::buffer_csv:
      return "csv";
    case ProblemFormat::problem_yaml:
      return "yaml";
    case ProblemFormat::dsa_json:
      return "json";
    case ProblemFormat::executorch_trace:
      return "executorch";
    case ProblemFormat::tflite:
      return "tflite";
  }
  return "?";
}

namespace {

/// A problem in YAML flow style, which includes JSON; its first key identifies it.
bool is_flow_yaml(std::string_view line, std::string_view rest) {
  constexpr std::size_t enough = 120;
  const std::string begin = std::string(line) + ' ' + std::string(rest.substr(0, enough));
  const std::size_t key = begin.find("tessera");
  if (key == begin.npos || begin.find_first_not_of("{ \t\"'\r\n") != key) return false;
  const std::size_t value = begin.find_first_not_of("\"' \t\r\n:", key + 7);
  return value != begin.npos && begin.compare(value, 8, "problem/") == 0;
}

}  // namespace

ProblemFormat detect_format(std::string_view text) {
  if (is_tflite(text, {})) return ProblemFormat::tflite;
  text = without_bom(text);
  if (is_trace(text)) return ProblemFormat::executorch_trace;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '{' || line.front() == '[')
      return is_flow_yaml(line, text) ? ProblemFormat::problem_yaml : ProblemFormat::dsa_json;
    if (line.starts_with("---") || line.front() == '%') return ProblemFormat::problem_yaml;
    return line.find(':') < line.find(',') ? ProblemFormat::problem_yaml
                                           : ProblemFormat::buffer_csv;
  }
  return ProblemFormat::buffer_csv;
}

namespace {

/// The data that a problem takes from a profile.
struct ProfileParts {
  std::vector<Memory> memories;  ///< empty: no profile
  Hardware hardware;
};

ProfileParts parts_of(Hardware hardware) {
  std::vector<Memory> memories = placement_memories(hardware);
  return {std::move(memories), std::move(hardware)};
}

ProfileParts parts_of_profile(const InputOptions& options) {
  if (options.profile.empty()) return {};
  const auto folders =
      std::vector<std::filesystem::path>(options.folders.begin(), options.folders.end());
  const std::filesystem::path path = find_profile(options.profile, folders);
  if (options.changes.empty()) return parts_of(read_hardware_yaml_file(path, folders));
  EditableProfile profile(read_file(path), path.string(), folders);
  std::vector<KeyChange> changes;
  for (const auto& [key, value] : options.changes) changes.push_back({key, value});
  profile.change(changes);
  return parts_of(profile.hardware());
}

/// With a capacity the query is whether the tensors fit, without one the required arena size.
Input read_arena(std::string text, const std::string& file, const InputOptions& options,
                 const std::vector<Memory>& memories) {
  Input input;
  input.format = to_string(ProblemFormat::tflite);
  TfliteArena arena = read_tflite_arena(text, file, memories);
  if (!options.scratch.empty())
    set_scratch(arena, read_file(input_path(options.scratch)), options.scratch);
  input.problem = std::move(arena.problem);
  if (options.capacity || !memories.empty()) input.problem.objective = Objective::fit;
  input.tflite = std::make_shared<TfliteOrigin>(
      TfliteOrigin{.bytes = std::move(text), .file = file, .arena = std::move(arena)});
  return input;
}

/// Without memories in the profile, those of the input count.
Input read_input(std::string text, const std::string& file, const InputOptions& options,
                 const ProfileParts& profile) {
  const std::vector<Memory>& memories = profile.memories;
  ProblemFormat format = detect_format(text);
  if (is_tflite(text, file)) format = ProblemFormat::tflite;
  if (!options.scratch.empty() && format != ProblemFormat::tflite)
    throw InputError(file, 0, "is not a TensorFlow Lite model, which `--scratch` needs");
  Input input;
  input.format = to_string(format);
  SourceMap source;
  switch (format) {
    case ProblemFormat::buffer_csv: {
      BufferCsv csv = read_buffer_csv(std::move(text), file, options.lifetimes);
      input.problem = std::move(csv.problem);
      source = csv.source;
      input.csv = std::make_shared<CsvOrigin>(
          CsvOrigin{.table = std::move(csv.table), .source = std::move(csv.source)});
      if (!memories.empty()) input.problem.memories = memories;
      break;
    }
    case ProblemFormat::problem_yaml: {
      ProblemYaml yaml = read_problem_yaml(text, file, memories);
      input.problem = std::move(yaml.problem);
      source = std::move(yaml.source);
      input.notes = std::move(yaml.notes);
      break;
    }
    case ProblemFormat::dsa_json: {
      DsaJson json = read_dsa_json(text, file, memories);
      input.problem = std::move(json.problem);
      source = std::move(json.source);
      input.notes = std::move(json.notes);
      break;
    }
    case ProblemFormat::executorch_trace: {
      ExecutorchTrace trace = read_executorch_trace(text, file, memories);
      input.problem = std::move(trace.problem);
      source = std::move(trace.source);
      // With a capacity or a profile the query is feasibility, otherwise the minimum height.
      if (options.capacity || !memories.empty()) input.problem.objective = Objective::fit;
      break;
    }
    case ProblemFormat::tflite: {
      input = read_arena(std::move(text), file, options, memories);
      source = {.file = file, .problem_line = 0, .memories = {}, .buffers = {}, .relations = {}};
      break;
    }
  }
  if (!memories.empty()) add_machine_rules(profile.hardware, input.problem);
  if (options.capacity) override_capacity(input.problem, source, *options.capacity);
  if (options.capacity || !memories.empty()) {
    const std::vector<Defect> defects = validate(input.problem);
    if (!defects.empty()) throw defect_error(source, defects.front());
  }
  return input;
}

}  // namespace

Input load_problem_text(std::string text, const std::string& file, const InputOptions& options) {
  return read_input(std::move(text), file, options, parts_of_profile(options));
}

Input load_problem(const std::filesystem::path& path, const InputOptions& options) {
  // Report an unknown profile before reading a long file.
  const ProfileParts profile = parts_of_profile(options);
  return read_input(read_file(path), path.string(), options, profile);
}

}  // namespace tessera::io
