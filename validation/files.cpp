#include "tessera/files.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/buffer_csv.h"
#include "io/c_header.h"
#include "io/files.h"
#include "io/hardware_yaml.h"
#include "io/load.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"
#include "io/svg.h"
#include "io/units.h"
#include "model/optional.h"
#include "tessera/check.h"
#include "validation/output_file.h"
#include "validation/requirements.h"

namespace tessera::validation {

namespace {

/// Offsets of a CSV, matched to the problem's buffers by id.
PlacementResult result_from_csv(const std::string& path, const PlacementProblem& problem,
                                const Input& read) {
  if (problem.memories.size() != 1)
    throw BadInput(path + ": a CSV has no column for the memory of a buffer, but the problem has " +
                       std::to_string(problem.memories.size()),
                   "use a placement JSON");
  std::unordered_map<std::string_view, BufferIndex> rows;
  for (BufferIndex b = 0; b < read.problem.buffers.size(); ++b)
    rows.emplace(read.problem.buffers[b].id, b);
  Placement placement;
  placement.modes.assign(1, {});
  for (const Buffer& buffer : problem.buffers) {
    const auto row = rows.find(buffer.id);
    if (row == rows.end()) throw BadInput(path + ": buffer '" + buffer.id + "' has no row");
    const Buffer& given = read.problem.buffers[row->second];
    const std::string where = path + ":" +
                              std::to_string(read.csv->source.buffers.at(row->second)) +
                              ": buffer '" + buffer.id + "' ";
    if (!given.offset) throw BadInput(where + "has no offset");
    if (given.size != buffer.size)
      throw BadInput(where + "has size " + std::to_string(given.size) + ", but " +
                     std::to_string(buffer.size) + " in the problem");
    const Offset base = problem.memories.front().base;
    if (!read.csv->table.addresses.empty()) {
      const std::optional<Offset>& address = read.csv->table.addresses.at(row->second);
      if (address && *address != base + *given.offset)
        throw BadInput(where + "has address " + std::to_string(*address) +
                       ", but base and offset add up to " + std::to_string(base + *given.offset));
    }
    placement.places.push_back({0, *given.offset});
  }
  if (read.problem.buffers.size() != problem.buffers.size())
    throw BadInput(path + ": has " + std::to_string(read.problem.buffers.size()) +
                   " buffers, but the problem has " + std::to_string(problem.buffers.size()));
  return counted(problem, std::move(placement));
}

/// Offsets of the plan in a model. Variables, which the runtime places, are assumed to lie after
/// all other tensors, as in the tail of the arena.
PlacementResult result_from_tflite(std::string_view bytes, const std::string& path,
                                   const Input& input) {
  if (!input.tflite) throw BadInput(path + ": is a TensorFlow Lite model, but the input is not");
  const io::TfliteArena& arena = input.tflite->arena;
  const PlacementProblem& problem = input.problem;
  if (problem.memories.size() != 1)
    throw BadInput(path + ": the plan in a model has one arena, but the problem has " +
                   std::to_string(problem.memories.size()) + " memories");
  const io::TflitePlan plan = io::read_tflite_plan(bytes, path);
  if (plan.offsets.size() != arena.tensors_in_file)
    throw BadInput(path + ": has a plan for " + std::to_string(plan.offsets.size()) +
                   " tensors, and the input has " + std::to_string(arena.tensors_in_file));
  std::unordered_map<std::string_view, Offset> scratch;
  for (const Buffer& buffer : plan.scratch.buffers)
    if (buffer.offset) scratch.emplace(buffer.id, *buffer.offset);
  if (scratch.size() != problem.buffers.size() - arena.tensors.size())
    throw BadInput(path + ": has a plan with " + std::to_string(scratch.size()) +
                       " scratch buffers, and the input has " +
                       std::to_string(problem.buffers.size() - arena.tensors.size()),
                   "add the scratch buffers of the input with --scratch FILE.csv");
  Placement placement;
  placement.modes.assign(1, {});
  placement.places.assign(problem.buffers.size(), {});
  Offset end = 0;
  std::vector<BufferIndex> variables;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const bool tensor = b < arena.tensors.size();
    const auto row = scratch.find(buffer.id);
    const bool planned = tensor || row != scratch.end();
    const Offset offset = !planned ? -1
                          : tensor ? plan.offsets[static_cast<std::size_t>(arena.tensors[b])]
                                   : row->second;
    if (tensor && arena.variables[b] && offset < 0) {
      variables.push_back(b);
      continue;
    }
    if (offset < 0) throw BadInput(path + ": its plan has no offset for '" + buffer.id + "'");
    placement.places[b].offset = offset;
    end = std::max(end, offset + buffer.size);
  }
  for (const BufferIndex b : variables) {
    end = align_up(end, problem.buffers[b].alignment);
    placement.places[b].offset = end;
    end += problem.buffers[b].size;
  }
  return counted(problem, std::move(placement));
}

/// Of every buffer; empty if no memory has a base.
std::vector<Offset> addresses_of(const PlacementProblem& problem, const Placement& placement) {
  std::vector<Offset> addresses;
  if (std::all_of(problem.memories.begin(), problem.memories.end(),
                  [](const Memory& memory) { return memory.base == 0; }))
    return addresses;
  for (const BufferPlace& place : placement.places)
    addresses.push_back(problem.memories[place.memory].base + place.offset);
  return addresses;
}

}  // namespace

}  // namespace tessera::validation

namespace tessera {

Input load_input(const std::string& path, const InputOptions& options) {
  InputOptions everywhere = options;
  everywhere.folders.clear();
  for (const std::filesystem::path& folder : profile_folders(options.folders))
    everywhere.folders.push_back(folder.string());
  return io::load_problem(io::input_path(path), everywhere);
}

PlacementResult load_result(const std::string& path, const Input& input) {
  return load_result_text(io::read_file(io::input_path(path)), path, input);
}

PlacementResult load_result_text(std::string text, const std::string& path, const Input& input) {
  if (io::is_tflite(text, path)) return validation::result_from_tflite(text, path, input);
  if (io::detect_format(text) == io::ProblemFormat::dsa_json)
    return io::read_placement_json(text, path, input.problem);
  const Input read = io::load_problem_text(std::move(text), path);
  if (!read.csv)
    throw BadInput(
        path + ": is neither a placement JSON nor a CSV with offsets",
        "the .yaml of place --output is a problem with fixed offsets; check it with place");
  return validation::result_from_csv(path, input.problem, read);
}

std::string result_json(const PlacementProblem& problem, const PlacementResult& result) {
  validation::require_result(problem, result);
  return io::write_placement_json(problem, result);
}

}  // namespace tessera

namespace tessera::validation {

namespace {

void require_csv(const PlacementProblem& problem) {
  const std::vector<std::string> lost = io::csv_cannot_express(problem);
  if (!lost.empty())
    throw BadInput("CSV cannot express this problem: " + lost.front(), "use .json or .yaml");
}

}  // namespace

}  // namespace tessera::validation

namespace tessera {

std::string result_csv(const Input& input, const Placement& placement) {
  validation::require_valid(input.problem);
  validation::require_placed(input.problem, placement);
  const std::vector<Offset> addresses = validation::addresses_of(input.problem, placement);
  if (input.problem.memories.size() > 1) validation::require_csv(input.problem);
  if (input.csv) return io::write_buffer_csv(input.csv->table, placement.places, addresses);
  validation::require_csv(input.problem);
  return io::write_buffer_csv(input.problem, placement.places, addresses);
}

std::string result_tflite(const Input& input, const Placement& placement) {
  validation::require_valid(input.problem);
  validation::require_placed(input.problem, placement);
  if (!input.tflite)
    throw BadInput("the input is not a TensorFlow Lite model, so no model can be written",
                   "use .json, .csv or .yaml");
  const TfliteOrigin& origin = *input.tflite;
  if (input.problem.memories.size() != 1)
    throw BadInput(origin.file + ": the plan in a model has one arena, but the problem has " +
                       std::to_string(input.problem.memories.size()) + " memories",
                   "use .json, or a profile with one on-chip memory");
  std::vector<Offset> offsets;
  for (const BufferPlace& place : placement.places) offsets.push_back(place.offset);
  const std::size_t tensors = origin.arena.tensors.size();
  offsets.resize(tensors);
  PlacementProblem scratch = input.problem;
  const auto first = static_cast<std::ptrdiff_t>(tensors);
  scratch.buffers.erase(scratch.buffers.begin(), scratch.buffers.begin() + first);
  const std::string rows =
      scratch.buffers.empty()
          ? std::string()
          : io::write_buffer_csv(scratch, std::span(placement.places).subspan(tensors), {});
  return io::write_tflite_plan(origin.bytes, origin.file, origin.arena, offsets, rows);
}

std::string result_c_header(const PlacementProblem& problem, const Placement& placement,
                            std::string_view name) {
  validation::require_valid(problem);
  validation::require_placed(problem, placement);
  return io::write_c_header(problem, placement, name);
}

std::string problem_csv(const Input& input) {
  validation::require_valid(input.problem);
  validation::require_csv(input.problem);
  return io::write_buffer_csv(input.problem);
}

std::string problem_yaml(const PlacementProblem& problem) {
  validation::require_valid(problem);
  return io::write_problem_yaml(problem);
}

std::string placed_yaml(const PlacementProblem& problem, const Placement& placement) {
  validation::require_valid(problem);
  validation::require_placed(problem, placement);
  PlacementProblem fixed = problem;
  for (BufferIndex b = 0; b < fixed.buffers.size(); ++b) {
    if (is_left_out(placement, b)) continue;  // it stays optional
    fixed.buffers[b].memories = {placement.places[b].memory};
    fixed.buffers[b].offset = placement.places[b].offset;
  }
  // Buffers that are left out have no place in another query.
  if (!placement.left_out.empty()) {
    fixed.objective = Objective::benefit;
    fixed.next_objectives.clear();
  }
  return io::write_problem_yaml(fixed);
}

std::string placement_picture(const PlacementProblem& problem, const Placement& placement,
                              const std::string& title) {
  validation::require_valid(problem);
  validation::require_placed(problem, placement);
  io::SvgOptions options;
  options.title = title;
  if (!placement.left_out.empty()) {
    const Restricted in = chosen(problem, placement.left_out);
    return io::placement_svg(in.problem, gathered(in, placement), options);
  }
  return io::placement_svg(problem, placement, options);
}

std::vector<std::string> profile_list(const std::vector<std::string>& first) {
  return io::profile_names(profile_folders(first));
}

Hardware load_profile(const std::string& name_or_path, const std::vector<std::string>& first) {
  const std::vector<std::filesystem::path> folders = profile_folders(first);
  return io::read_hardware_yaml_file(io::find_profile(name_or_path, folders), folders);
}

std::vector<std::filesystem::path> profile_files(const std::string& name_or_path,
                                                 const std::vector<std::string>& first) {
  const std::vector<std::filesystem::path> folders = profile_folders(first);
  return io::hardware_yaml_files(io::find_profile(name_or_path, folders), folders);
}

Size parse_size_text(std::string_view text, const std::string& what) {
  const io::Parsed<Size> parsed = io::parse_size(text);
  if (!parsed)
    throw BadInput(what + " '" + std::string(text) + "' " + parsed.error,
                   "a number of bytes, or a number with a unit: 65536, 64 KiB, 1 MiB");
  return *parsed;
}

std::chrono::nanoseconds parse_duration_text(std::string_view text, const std::string& what) {
  const io::Parsed<std::chrono::nanoseconds> parsed = io::parse_duration(text);
  if (!parsed)
    throw BadInput(what + " '" + std::string(text) + "' " + parsed.error,
                   "a number with a unit: 500ms, 10s, 2m");
  return *parsed;
}

std::string size_text(Size size) {
  return io::format_size(size);
}

void write_output(const std::string& path, std::string_view text) {
  validation::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace tessera
