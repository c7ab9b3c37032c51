#include "io/load.h"

#include "io/dsa_json.h"
#include "io/problem_yaml.h"
#include "io/text.h"

namespace tessera {
namespace {

void override_capacity(LoadedProblem& loaded, Size capacity) {
  const std::string& file = loaded.source.file;
  PlacementProblem& problem = loaded.problem;
  if (problem.memories.size() != 1) {
    throw InputError(file, 0,
                     "has " + std::to_string(problem.memories.size()) +
                         " memories, but --capacity gives one capacity",
                     "set the capacities in the problem or in a profile");
  }
  Memory& memory = problem.memories.front();
  if (!memory.banks.empty() && capacity != memory.capacity) {
    throw InputError(file, line_of(loaded.source, {ProblemPart::memory, 0, {}, {}}),
                     "memory " + shown(memory.name) + " has banks that add up to " +
                         std::to_string(memory.capacity) + "; --capacity cannot change that");
  }
  memory.capacity = capacity;
}

}  // namespace

std::string_view to_string(ProblemFormat format) {
  switch (format) {
    case ProblemFormat::buffer_csv:
      return "buffer CSV";
    case ProblemFormat::problem_yaml:
      return "problem YAML";
    case ProblemFormat::dsa_json:
      return "dsa-solver JSON";
  }
  return "?";
}

namespace {

/// A problem in the flow style of YAML, which JSON is a part of: it says so in its first key.
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
  text = without_bom(text);
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

LoadedProblem load_problem_text(std::string text, const std::string& file,
                                const LoadOptions& options) {
  LoadedProblem loaded;
  loaded.format = detect_format(text);
  switch (loaded.format) {
    case ProblemFormat::buffer_csv: {
      BufferCsv csv = read_buffer_csv(std::move(text), file, options.csv);
      loaded.problem = std::move(csv.problem);
      loaded.source = std::move(csv.source);
      loaded.csv = std::move(csv.table);
      if (!options.memories.empty()) loaded.problem.memories = options.memories;
      break;
    }
    case ProblemFormat::problem_yaml: {
      ProblemYaml yaml = read_problem_yaml(text, file, options.memories);
      loaded.problem = std::move(yaml.problem);
      loaded.source = std::move(yaml.source);
      break;
    }
    case ProblemFormat::dsa_json: {
      DsaJson json = read_dsa_json(text, file, options.memories);
      loaded.problem = std::move(json.problem);
      loaded.source = std::move(json.source);
      loaded.notes = std::move(json.notes);
      break;
    }
  }
  if (options.capacity) override_capacity(loaded, *options.capacity);
  if (options.capacity || !options.memories.empty()) {
    const std::vector<Defect> defects = validate(loaded.problem);
    if (!defects.empty()) throw defect_error(loaded.source, defects.front());
  }
  return loaded;
}

LoadedProblem load_problem(const std::filesystem::path& path, const LoadOptions& options) {
  return load_problem_text(read_file(path), path.string(), options);
}

}  // namespace tessera
