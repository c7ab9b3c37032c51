// tessera tile: the largest tile of a group of ops that fits.

#include "tessera/tile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/network_options.h"
#include "cli/options.h"
#include "cli/session.h"
#include "model/hex_text.h"
#include "model/op_labels.h"
#include "tessera/check.h"
#include "tessera/files.h"

namespace tessera::cli {

namespace {

struct TileArguments {
  NetworkArguments network;
  OutputArguments output;
  std::string ops;
  std::string profile;
  std::vector<std::string> set;
  std::string capacity;
  std::vector<std::string> shapes;
  SearchArguments search;
  ProgressArguments progress;
  SolverArguments solver;
  std::string double_buffer;
  std::string weights;
  std::string halo;
  std::string incremental = "all";
  bool no_incremental = false;
  bool all = false;
  bool stats = false;
  std::string output_file;
  std::string plot_file;
};

/// "3:7", "3" or the names of two ops.
OpRange range_of(const std::string& text, const Network& network) {
  const auto op_of = [&](const std::string& part) -> OpIndex {
    OpIndex index = 0;
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (error == std::errc{} && rest == part.data() + part.size()) return index;
    for (OpIndex k = 0; k < network.ops.size(); ++k)
      if (network.ops[k].name == part) return k;
    throw BadInput("--ops: unknown op '" + part + "'", "use numbers from 0 to " +
                                                           std::to_string(network.ops.size() - 1) +
                                                           ", or names, as in 3:7");
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {op_of(text), op_of(text)};
  return {op_of(text.substr(0, colon)), op_of(text.substr(colon + 1))};
}

/// "H=8,C=32": C, H and W, 0 if not given.
std::array<Dim, 3> shape_of(const std::string& text) {
  static constexpr std::string_view names = "CHW";
  std::array<Dim, 3> shape{0, 0, 0};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const std::size_t axis = part.empty() ? names.npos : names.find(part[0]);
    Dim value = 0;
    const char* last = part.data() + part.size();
    if (axis == names.npos || part.size() < 3 || part[1] != '=' ||
        std::from_chars(part.data() + 2, last, value).ptr != last || value < 1)
      throw BadInput("--shape: '" + part + "' is not a tile extent",
                     "use C, H and W as in --shape H=8,C=32; other axes are not tiled");
    if (shape[axis] != 0) throw BadInput("--shape: " + std::string(1, part[0]) + " is given twice");
    shape[axis] = value;
  }
  return shape;
}

/// The profile's variants, filtered by options.
std::vector<TileVariant> variants_of(const TileArguments& arguments, TilingOptions tiling) {
  if (!arguments.double_buffer.empty()) tiling.double_buffer = {arguments.double_buffer == "yes"};
  if (!arguments.weights.empty())
    tiling.weights = {arguments.weights == "resident" ? WeightPolicy::resident
                                                      : WeightPolicy::refetch};
  if (arguments.halo == "recompute") tiling.halo = {HaloPolicy::recompute};
  if (arguments.halo == "keep_columns") tiling.halo = {HaloPolicy::keep_columns};
  if (arguments.halo == "keep") tiling.halo = {HaloPolicy::keep};
  return tile_variants(tiling);
}

std::string shape_text(const std::array<Dim, 3>& extent, const std::array<bool, 3>& divisible) {
  static constexpr char names[] = {'C', 'H', 'W'};
  std::string text;
  for (std::size_t a = 0; a < 3; ++a)
    if (divisible[a])
      text += (text.empty() ? "" : " ") + std::string(1, names[a]) + std::to_string(extent[a]);
  return text.empty() ? "whole" : text;
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

/// The shapes whose load alone did not decide them; the others are only counted.
std::string probe_text(const TileReport& report) {
  constexpr std::size_t most = 40;
  std::string text = padded("tile", 20) + padded("tiles", 10) + padded("verdict", 12) +
                     padded("decided by", 20) + padded("kept", 8) + "time\n";
  std::string variant;
  std::size_t overfull = 0;
  std::size_t shown = 0;
  for (const ProbeReport& probe : report.probes) {
    if (probe.decided_by == "bound" && report.probes.size() > most) {
      ++overfull;
      continue;
    }
    if (++shown > most) continue;
    if (to_string(probe.variant) != variant) text += (variant = to_string(probe.variant)) + ":\n";
    text += padded(shape_text(probe.extent, report.divisible), 20) +
            padded(std::to_string(probe.tiles), 10) +
            padded(std::string(to_string(probe.verdict)), 12) +
            padded(probe.decided_by + (probe.step.empty() ? "" : ", " + probe.step), 20) +
            padded(probe.kept > 0 ? std::to_string(probe.kept) : "", 8) +
            milliseconds(probe.seconds) + "\n";
  }
  if (shown > most) text += "and " + std::to_string(shown - most) + " more\n";
  if (overfull > 0)
    text +=
        std::to_string(overfull) + " other shapes exceed the capacity by their live bytes alone\n";
  return text;
}

std::string placement_text(const PlannedPlacement& placed) {
  std::size_t widest = 32;
  std::vector<std::string> ids;
  for (const Buffer& buffer : placed.problem.buffers) ids.push_back(buffer.id);
  ids = readable_names(std::move(ids));
  for (const std::string& id : ids) widest = std::max(widest, id.size());
  const std::vector<Memory>& memories = placed.problem.memories;
  const bool based = std::any_of(memories.begin(), memories.end(),
                                 [](const Memory& memory) { return memory.base != 0; });
  std::string text = padded("  buffer", widest + 4) + padded("memory", 10) + padded("offset", 12) +
                     (based ? padded("address", 20) : "") + padded("size", 12) + "live\n";
  for (BufferIndex b = 0; b < placed.problem.buffers.size(); ++b) {
    const Buffer& buffer = placed.problem.buffers[b];
    const BufferPlace& place = placed.placement.places[b];
    text += padded("  " + ids[b], widest + 4) +
            padded(placed.problem.memories[place.memory].name, 10) +
            padded(std::to_string(place.offset), 12) +
            (based ? padded(hex_text(memories[place.memory].base + place.offset), 20) : "") +
            padded(std::to_string(buffer.size), 12);
    for (const StepRange& live : buffer.live)
      text += "[" + std::to_string(live.lower) + ", " + std::to_string(live.upper) + ") ";
    text.back() = '\n';
  }
  const std::vector<Size> high = heights(placed.problem, placed.placement);
  for (MemoryIndex m = 0; m < high.size(); ++m) {
    const Memory& memory = placed.problem.memories[m];
    text += "  " + memory.name + ": " + size_text(high[m]) + " of " + size_text(memory.capacity);
    if (m < placed.placement.modes.size() && !placed.placement.modes[m].empty()) {
      text += ", modes";
      for (const std::string& mode : placed.placement.modes[m]) text += " " + mode;
    }
    text += "\n";
  }
  return text;
}

std::string report_text(const TileReport& report, const TileArguments& arguments) {
  std::string text = "tiling " + report.anchor + " (" + shape_text(report.whole, report.divisible) +
                     "), " + to_string(report.variant) + ", engine " + report.engine + "\n\n";
  if (report.status == Status::feasible) {
    text += std::to_string(report.tile_count()) +
            (report.tile_count() == 1 ? " tile: " : " tiles: ") +
            shape_text(report.extent, report.divisible) +
            (!arguments.shapes.empty() ? " (fits)\n"
             : report.proven_largest   ? " (fewest tiles, proved)\n"
                                     : " (minimum not proved: a limit left queries unresolved)\n");
    for (const PlannedPlacement& placed : report.placements) text += placement_text(placed);
  } else {
    text += std::string(to_string(report.status)) + ": " + report.reason + "\n";
  }
  if (!report.all.empty()) {
    text += report.stop == StopReason::completed
                ? "\nlargest shapes that fit:\n"
                : "\nlargest shapes that fit (incomplete: a limit stopped the search):\n";
    for (const std::array<Dim, 3>& extent : report.all)
      text += "  " + shape_text(extent, report.divisible) + "\n";
  }
  if (arguments.stats) {
    text += "\n" + probe_text(report) + "\n";
    for (const Stat& stat : report.stats)
      text += padded(stat.name, 24) + std::to_string(std::get<std::int64_t>(stat.value)) + "\n";
  }
  return text;
}

std::string progress_text(const TileProgress& progress, double seconds) {
  std::string text = std::to_string(progress.finished) + " of " +
                     std::to_string(progress.variants) + " variants, " +
                     std::to_string(progress.shapes) + " shapes";
  if (progress.fewest_tiles) text += ", fewest tiles " + std::to_string(*progress.fewest_tiles);
  return text + " (" + std::to_string(static_cast<int>(seconds)) + " s)";
}

int run_tile(const TileArguments& arguments, Session& session) {
  require_svg(arguments.plot_file);
  session.limit_reading(arguments.search.own);
  session.reads(arguments.network.path);
  session.reads_profile(arguments.profile);
  validation::OutputFile* const output =
      session.writes("--output", arguments.output_file, {".json"});
  validation::OutputFile* const plot = session.writes("--plot", arguments.plot_file);
  if (arguments.output.json() && plot != nullptr && Session::goes_to_standard_output(*plot))
    throw BadInput(plot->path() + ": --format json also writes to the standard output",
                   "write one of them to a file");
  const Network network = arguments.network.load(arguments.output.quiet).network;
  const Hardware hardware =
      changed_profile(arguments.profile, arguments.set, arguments.capacity, arguments.output.quiet)
          .hardware;
  TileParams params;
  params.ops = range_of(arguments.ops, network);
  params.variants = variants_of(arguments, hardware.tiling);
  arguments.solver.apply(params);
  params.limits = session.remaining(arguments.search.limits());
  params.reuse = arguments.no_incremental || arguments.incremental == "none" ? Reuse::none
                 : arguments.incremental == "memo"                           ? Reuse::memo
                                                                             : Reuse::all;
  params.all = arguments.all;
  for (const std::string& shape : arguments.shapes) {
    if (params.shape) params.earlier_shapes.push_back(*params.shape);
    params.shape = shape_of(shape);
  }
  params.limits.stop = session.interrupts().token();
  session.interrupts().enter(Phase::searching);
  TileReport report;
  {
    StatusLine status(progress_form(arguments.progress.form, arguments.output.quiet));
    if (status.wanted())
      params.progress = [&status](const TileProgress& progress) {
        status.show(progress_text(progress, status.seconds()), [&](JsonObject& object) {
          object.number("variants", static_cast<std::int64_t>(progress.variants));
          object.number("finished", static_cast<std::int64_t>(progress.finished));
          object.number("shapes", progress.shapes);
          if (progress.fewest_tiles) object.number("fewest_tiles", *progress.fewest_tiles);
        });
      };
    report = find_largest_tile(network, hardware, params);
  }
  session.interrupts().enter(Phase::writing);
  session.deliver(output, [&] { return tile_json(report); });
  if (report.placements.empty() && plot != nullptr)
    note("no tile fits: " + arguments.plot_file + " was not written", arguments.output.quiet);
  else
    session.deliver(plot, [&] {
      const PlannedPlacement& placed = report.placements.front();
      return placement_picture(placed.problem, placed.placement,
                               report.anchor + ", " + shape_text(report.extent, report.divisible));
    });
  if (arguments.output.json())
    session.report([&] { return tile_json(report); });
  else if (!arguments.output.quiet)
    session.report([&] { return wrapped(report_text(report, arguments), words_width(), 4); });
  const bool found = report.status == Status::feasible;
  const bool infeasible = report.status == Status::infeasible;
  return session.exit_code(found        ? exit_found
                           : infeasible ? exit_infeasible
                                        : exit_stopped,
                           infeasible || (found && report.stop == StopReason::completed));
}

}  // namespace

void add_tile(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("tile", "find the largest tile of a group of ops that fits");
  const auto arguments = std::make_shared<TileArguments>();
  arguments->network.declare(*sub);
  sub->add_option("--ops", arguments->ops, "the group: FIRST:LAST, op numbers from 0 or names")
      ->required();
  sub->add_option("-p,--profile", arguments->profile, "hardware profile: a name or a file")
      ->required();
  declare_set(*sub, arguments->set);
  sub->add_option("-c,--capacity", arguments->capacity,
                  "capacity of its on-chip memory (only one memory, without banks)");
  sub->add_option("--double-buffer", arguments->double_buffer,
                  "only with double buffering, or only without")
      ->check(one_of({"yes", "no"}));
  sub->add_option("--weights", arguments->weights,
                  "only with resident weights, or with weights fetched per tile")
      ->check(one_of({"resident", "refetch"}));
  sub->add_option("--halo", arguments->halo, "only with this halo policy")
      ->check(one_of({"recompute", "keep_columns", "keep"}));
  sub->add_option("--shape", arguments->shapes,
                  "test this tile only: H=8,C=32; repeated: a sequence in one session, see --stats")
      ->allow_extra_args(false);
  arguments->search.declare(*sub);
  arguments->progress.declare(*sub);
  arguments->solver.declare(*sub);
  CLI::Option* reuse =
      sub->add_option("--incremental", arguments->incremental,
                      "what a query may use of earlier ones: all, memo (their results), none")
          ->check(one_of({"all", "memo", "none"}));
  sub->add_flag("--no-incremental", arguments->no_incremental, "same as --incremental none")
      ->excludes(reuse);
  sub->add_flag("--all", arguments->all, "list all maximal shapes, not only the fewest tiles");
  sub->add_flag("--stats", arguments->stats,
                "print the evaluated shapes and the counters of the search");
  arguments->output.declare(*sub);
  sub->add_option("-o,--output", arguments->output_file, "write the result: .json");
  sub->add_option("--plot", arguments->plot_file, "draw the placement of the first tile: FILE.svg");
  sub->footer(
      "Example:\n  tessera tile resnet50.onnx --dtype int8 --ops 0:3 --profile "
      "ethos-u65-like");
  sub->final_callback([arguments, &command] {
    command.run = [arguments](Session& session) { return run_tile(*arguments, session); };
  });
}

}  // namespace tessera::cli
