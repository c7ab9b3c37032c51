// tessera plan: partitions a network, tiles its groups, places all buffers.

#include "tessera/plan.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/network_options.h"
#include "cli/options.h"
#include "cli/plan_batch.h"
#include "cli/plan_report.h"
#include "cli/session.h"
#include "tessera/commands.h"
#include "tessera/files.h"
#include "tessera/pinnable.h"

namespace tessera::cli {

namespace {

struct PlanOptions {
  NetworkArguments network;
  std::string profile;
  std::vector<std::string> set;
  std::string capacity;
  std::string reference;
  std::string start;
  OutputArguments output;
  SearchArguments search;
  ProgressArguments progress;
  std::string output_file;
  std::string plot_file;
  std::string roofline_file;
  std::string trace_file;
  std::string csv_file;
  std::string offchip_file;
  std::string commands_file;
  bool fold = false;
  bool layer_by_layer = false;
  bool batch = false;
  std::vector<std::string> weights;
  std::vector<std::string> limits;
  std::string minimize;
  std::size_t max_ops = 0;
  std::string effort = "normal";
  std::optional<std::int64_t> tile_shapes;
  std::int64_t proof_shapes = PlanParams{}.proof_shapes;
  SolverArguments solver;
  std::string residency;
  bool stats = false;
  bool wide = false;
};

std::pair<std::string, std::string> name_and_value(const std::string& text,
                                                   const std::string& option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw BadInput(
        option + " '" + text + "' is not NAME=VALUE",
        "for instance " + option + (option == "--weight" ? " latency=0.7" : " peak_memory=512KiB"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double number_of(const std::string& text, const std::string& what) {
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || !(value >= 0) || !std::isfinite(value))
    throw BadInput(what + " is '" + text + "', which is not a number >= 0");
  return value;
}

PlanParams params_of(const PlanOptions& options) {
  PlanParams params;
  if (options.max_ops > 0) params.max_ops = options.max_ops;
  if (options.layer_by_layer) params.max_ops = 1;
  // The layer-by-layer plan serves comparison: each op alone, with the fewest tiles.
  if (options.layer_by_layer) params.tile_shapes = 0;
  const std::optional<std::int64_t> named = plan_effort(options.effort);
  params.effort = named ? *named : std::stoll(options.effort);
  if (options.tile_shapes) params.tile_shapes = *options.tile_shapes;
  params.proof_shapes = options.proof_shapes;
  options.solver.apply(params);
  params.residency =
      options.residency.empty() ? !options.layer_by_layer : options.residency == "on";
  params.limits = options.search.limits();
  params.fewest_modes = options.minimize == "modes";
  for (const std::string& text : options.weights) {
    const auto [name, value] = name_and_value(text, "--weight");
    params.weights.emplace_back(name, number_of(value, "--weight " + name));
  }
  for (const std::string& text : options.limits) {
    const auto [name, value] = name_and_value(text, "--limit");
    if (name != "peak_memory" && name != "peak_bandwidth")
      throw BadInput("--limit " + name + ": unknown limit",
                     "limits are peak_memory and peak_bandwidth");
    params.peak_limits.emplace_back(
        name, name == "peak_memory" ? static_cast<double>(parse_size_text(value, "--limit " + name))
                                    : number_of(value, "--limit " + name));
  }
  return params;
}

/// The costs of the plan that --reference names; none if it names a machine.
std::optional<PlanReference> costs_of_plan(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  PlanFileHeader header = plan_file_header(path);
  if (header.is_plan && !header.costs)
    throw BadInput(path + ": contains no feasible plan, so it cannot be the reference");
  return header.costs;
}

/// The plan, relative to --reference if given.
NetworkPlan plan_of(const PlanOptions& options, const Network& network, const Hardware& hardware,
                    PlanParams params, const Session& session) {
  if (!options.reference.empty() && !params.reference) {
    params.reference = layer_by_layer(network, load_profile(options.reference), params);
    params.limits = session.remaining(params.limits);
    if (!params.reference) {
      NetworkPlan none;
      none.network = network.name;
      none.profile = hardware.name;
      none.stop =
          params.limits.stop.stop_requested() ? StopReason::interrupted : StopReason::time_limit;
      none.reason = "the reference of the score, " + options.reference +
                    " layer by layer, was not planned within the limits";
      return none;
    }
  }
  return plan_network(network, hardware, params);
}

std::string progress_text(const PlanProgress& progress) {
  char text[120];
  if (progress.best_score < std::numeric_limits<double>::infinity())
    std::snprintf(text, sizeof text, "plan: score %.4f, lower bound %.4f, %lld groups solved",
                  progress.best_score, progress.bound, static_cast<long long>(progress.solved));
  else
    std::snprintf(text, sizeof text, "plan: none yet, lower bound %.4f, %lld groups solved",
                  progress.bound, static_cast<long long>(progress.solved));
  return text;
}

void require_whole(const PlanOptions& options) {
  if (options.network.path.empty())
    throw BadInput("plan needs a NETWORK",
                   "or use --batch, which reads requests from the standard input");
  if (options.profile.empty())
    throw BadInput("plan needs a --profile", "tessera profiles lists the known profiles");
}

void require_batch(const PlanOptions& options) {
  if (!options.network.path.empty())
    throw BadInput("--batch reads networks from the standard input, so NETWORK is not allowed",
                   "tessera plan --batch --profile ethos-u55-256 < networks.txt");
  for (const std::string* file :
       {&options.output_file, &options.plot_file, &options.roofline_file, &options.trace_file,
        &options.csv_file, &options.offchip_file, &options.commands_file})
    if (!file->empty())
      throw BadInput("--batch writes one line per plan to the standard output and no files");
  if (!options.set.empty() || !options.capacity.empty())
    throw BadInput("--batch takes profile changes per request, not as options",
                   "{\"network\": \"net.onnx\", \"set\": {\"clock\": \"1 GHz\"}}");
  if (!options.reference.empty())
    throw BadInput("--batch has no --reference", "set the key `reference` of the profile");
  if (!options.start.empty()) throw BadInput("--batch has no --start");
}

/// The placement problem for which `offchip` of the plan is the solution.
void write_offchip(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
                   Session& session, validation::OutputFile* file, const PlanOptions& options) {
  const PlacementProblem problem = offchip_problem(network, hardware, plan);
  if (problem.buffers.empty())
    return note("the plan has no off-chip buffers: " + options.offchip_file + " was not written",
                options.output.quiet);
  session.deliver(file, [&] { return problem_yaml(problem); });
}

/// The output files of a plan, opened before the search.
struct PlanFiles {
  validation::OutputFile* output;
  validation::OutputFile* plot;
  validation::OutputFile* roofline;
  validation::OutputFile* trace;
  validation::OutputFile* csv;
  validation::OutputFile* offchip;
  validation::OutputFile* commands;
};

PlanFiles open_files(const PlanOptions& options, Session& session) {
  const PlanFiles files{
      .output = session.writes("--output", options.output_file, {".json", ".h"}),
      .plot = session.writes("--plot", options.plot_file),
      .roofline = session.writes("--roofline", options.roofline_file, {".svg"}),
      .trace = session.writes("--trace", options.trace_file, {".json"}),
      .csv = session.writes("--csv", options.csv_file, {".csv"}),
      .offchip = session.writes("--offchip", options.offchip_file, {".yaml"}),
      .commands = session.writes("--commands", options.commands_file, {".jsonl", ".h"}),
  };
  for (validation::OutputFile* other :
       {files.plot, files.roofline, files.trace, files.csv, files.offchip, files.commands})
    if (options.output.json() && other != nullptr && Session::goes_to_standard_output(*other))
      throw BadInput(other->path() + ": --format json also writes to the standard output",
                     "write one of them to a file");
  return files;
}

/// Runs the search and reports progress.
NetworkPlan search_plan(const PlanOptions& options, const Network& network,
                        const Hardware& hardware, PlanParams params, Session& session) {
  StatusLine status(progress_form(options.progress.form, options.output.quiet));
  std::optional<double> timeout;
  if (params.limits.timeout)
    timeout = std::chrono::duration<double>(*params.limits.timeout).count();
  if (status.wanted()) {
    status.show(
        "plan: layer by layer", [](JsonObject&) {}, timeout);
    params.progress = [&status, timeout](const PlanProgress& p) {
      std::optional<double> left;  // upper bound
      if (timeout) left = *timeout - status.seconds();
      status.show(
          progress_text(p),
          [&](JsonObject& object) {
            if (p.best_score < std::numeric_limits<double>::infinity())
              object.real("best_score", p.best_score);
            object.real("bound", p.bound);
            object.number("solved", p.solved);
          },
          left);
    };
  }
  session.interrupts().enter(Phase::searching);
  NetworkPlan plan = plan_of(options, network, hardware, params, session);
  session.interrupts().enter(Phase::writing);
  plan.dtype = options.network.dtype;
  return plan;
}

/// Writes all files; a JSON result also without a feasible plan.
void deliver_plan(const PlanOptions& options, const Network& network, const ChangedProfile& profile,
                  const NetworkPlan& plan, const PlanFiles& files, Session& session) {
  const Hardware& hardware = profile.hardware;
  const bool header = std::filesystem::path(options.output_file).extension() == ".h";
  if (!header) session.deliver(files.output, [&] { return plan_json(plan); });
  if (plan.status != Status::feasible) {
    for (const std::string& file :
         {header ? options.output_file : std::string(), options.plot_file, options.roofline_file,
          options.trace_file, options.csv_file, options.offchip_file, options.commands_file})
      if (!file.empty())
        note("no plan was found: " + file + " was not written", options.output.quiet);
    return;
  }
  if (header)
    session.deliver(files.output, [&] {
      return plan_c_header(plan, std::filesystem::path(options.output_file).stem().string());
    });
  session.deliver(files.csv, [&] { return plan_csv(plan); });
  session.deliver(files.plot, [&] {
    std::string text = plan_picture(network, hardware, plan);
    note_large(options.plot_file, text.size(), "a larger --max-ops gives fewer groups",
               options.output.quiet);
    return text;
  });
  session.deliver(files.roofline, [&] { return plan_roofline(hardware, plan); });
  if (files.offchip != nullptr)
    write_offchip(network, hardware, plan, session, files.offchip, options);
  session.deliver(files.trace, [&] {
    std::string text = plan_trace(network, hardware, plan);
    note_large(options.trace_file, text.size(), "--plot writes a smaller picture of the same plan",
               options.output.quiet);
    return text;
  });
  const std::filesystem::path table(options.commands_file);
  session.deliver_stream(files.commands, [&, table](const TextSink& sink) {
    write_commands(network, hardware, plan,
                   {.fold = options.fold,
                    .c_table = table.extension() == ".h" ? table.stem().string() : std::string(),
                    .profile = profile.text,
                    .changes = profile.changes},
                   sink);
  });
}

int run_plan(const PlanOptions& options, Session& session) {
  if (options.batch) {
    require_batch(options);
    return run_plan_batch(options.network, options.profile, params_of(options), session);
  }
  require_whole(options);
  require_svg(options.plot_file);
  session.reads(options.network.path);
  session.reads_profile(options.profile);
  if (!options.start.empty()) session.reads(options.start);
  const std::optional<PlanReference> costs = costs_of_plan(options.reference);
  if (costs)
    session.reads(options.reference);
  else
    session.reads_profile(options.reference);
  const PlanFiles files = open_files(options, session);
  session.limit_reading(options.search.own);
  const Network network = options.network.load(options.output.quiet).network;
  const ChangedProfile profile =
      changed_profile(options.profile, options.set, options.capacity, options.output.quiet);
  const Hardware& hardware = profile.hardware;
  PlanParams params = params_of(options);
  params.limits = session.remaining(params.limits);
  params.limits.stop = session.interrupts().token();
  params.reference = costs;
  if (!options.start.empty())
    params.start = std::make_shared<const NetworkPlan>(load_plan(options.start, network, hardware));
  // Caches live as long as the process: freeing them would take a tenth of the time.
  static const auto* const kept = new std::shared_ptr<PlanMemory>(make_plan_memory());
  params.memory = *kept;
  const NetworkPlan plan = search_plan(options, network, hardware, params, session);
  deliver_plan(options, network, profile, plan, files, session);
  if (options.output.json())
    session.report([&] { return plan_json(plan); });
  else if (!options.output.quiet)
    session.report([&] {
      std::string text =
          plan_report(plan, hardware,
                      {.fewest_tiles = params.tile_shapes == 0,
                       .stats = options.stats,
                       .table_width = options.wide ? unlimited_width : report_width(),
                       .words_width = words_width()});
      if (params.tile_shapes > 0)
        text += pinnable_report(pinnable_weights(network, hardware, plan), words_width());
      return text;
    });
  const bool found = plan.status == Status::feasible;
  const bool infeasible = plan.status == Status::infeasible;
  return session.exit_code(found        ? exit_found
                           : infeasible ? exit_infeasible
                                        : exit_stopped,
                           infeasible || (found && plan.stop == StopReason::completed));
}

}  // namespace

void add_plan(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand(
      "plan", "plan a network: partition it into groups, tile and place each group");
  const auto options = std::make_shared<PlanOptions>();
  options->network.declare(*sub, false);
  options->output.declare(*sub);
  options->search.declare(*sub);
  options->progress.declare(*sub);
  sub->add_option("-p,--profile", options->profile, "hardware profile: a name or a file");
  declare_set(*sub, options->set);
  sub->add_option("-c,--capacity", options->capacity,
                  "capacity of its on-chip memory (only one memory, without banks)");
  sub->add_flag("--batch", options->batch,
                "read one request per line from the standard input: the path of a network, or JSON "
                "such as {\"network\": \"net.onnx\", \"profile\": \"nvdla-like\", \"set\": "
                "{\"memories.cbuf.bank_size\": \"16 KiB\"}}; print one line of JSON per plan. "
                "Limits hold for each plan");
  sub->add_option("-o,--output", options->output_file,
                  "write the plan: PLAN.json (- is the standard output)");
  CLI::Option* most =
      sub->add_option("--max-ops", options->max_ops, "maximum number of ops in a group")
          ->check(whole_number(1));
  sub->add_flag("--layer-by-layer", options->layer_by_layer,
                "one group per op: no fusion, fewest tiles for each")
      ->excludes(most);
  sub->add_option("--effort", options->effort,
                  "work of the search: quick, normal, thorough (until no explored plan is better) "
                  "or a number of units per op; a tiled group is 1 unit, its further shapes are " +
                      std::to_string(refined_group_work))
      ->check(one_of({"quick", "normal", "thorough"}) | whole_number(1))
      ->capture_default_str();
  sub->add_option(
         "--tile-shapes", options->tile_shapes,
         std::string("number of tile shapes evaluated per variant of a group of the best "
                     "partition, beyond the fewest tiles; 0: only the fewest tiles (default: ") +
             std::to_string(PlanParams{}.tile_shapes) + ", and 0 with --layer-by-layer)")
      ->check(whole_number(0));
  options->solver.declare(*sub);
  sub->add_option("--proof-shapes", options->proof_shapes,
                  "number of tile shapes simulated for the lower bound; 0: none (default: no limit "
                  "but --effort)")
      ->check(whole_number(0));
  sub->add_option("--residency", options->residency,
                  "on: tensors between groups may stay on chip, and weights are prefetched if the "
                  "profile's tiling allows it, where this lowers the score; off: each group loads "
                  "its inputs and stores its results; pinned weights remain on chip (default: on, "
                  "with --layer-by-layer off)")
      ->check(one_of({"on", "off"}));
  sub->add_option("--weight", options->weights,
                  "weight of a metric in the score: latency=0.7 (also energy, dram_bytes, "
                  "peak_memory); replaces the weights of the profile, scaled to a sum of 1");
  sub->add_option("--limit", options->limits,
                  "limit of every group: peak_memory=512KiB, peak_bandwidth=8 (bytes per cycle)");
  sub->add_option("--minimize", options->minimize,
                  "modes: after the score, minimise the number of distinct modes over all groups "
                  "at the best score")
      ->check(one_of({"modes"}))
      ->type_name("modes");
  sub->add_option("--reference", options->reference,
                  "reference of the score: a profile (planned layer by layer) or PLAN.json "
                  "(default: the profile's `reference`, else the profile without `--set`)");
  sub->add_option("--start", options->start,
                  "start with this plan, of the same machine or another one: PLAN.json");
  sub->add_flag("--wide", options->wide,
                "print every column and full names, regardless of the terminal width");
  sub->add_flag("--stats", options->stats,
                "print the counters of the search (candidate groups: solved, reused, pruned) and "
                "notes on accuracy");
  sub->add_option("--csv", options->csv_file, "write one line per op: FILE.csv");
  sub->add_option("--offchip", options->offchip_file,
                  "write the off-chip buffers, tile by tile, as a problem for `place`: FILE.yaml");
  sub->add_option("--plot", options->plot_file, "draw the plan: FILE.svg");
  sub->add_option("--roofline", options->roofline_file,
                  "draw MACs per cycle over MACs per off-chip byte: FILE.svg");
  sub->add_option("--trace", options->trace_file,
                  "write the simulated execution for Perfetto or chrome://tracing: FILE.json");
  CLI::Option* commands = sub->add_option(
      "--commands", options->commands_file,
      "write every transfer and computation with its addresses, in the order of issue: FILE.jsonl, "
      "or FILE.h as a C table");
  sub->add_flag("--fold", options->fold, "write repeated commands as loops")->needs(commands);
  sub->footer(
      "Example:\n  tessera plan resnet18.onnx --dtype int8 --profile ethos-u65-like -o plan.json "
      "--plot plan.svg");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_plan(*options, session); };
  });
}

}  // namespace tessera::cli
