// tessera place: places buffers.

#include "tessera/place.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/session.h"
#include "tessera/engines.h"
#include "tessera/files.h"
#include "tessera/names.h"
#include "tessera/order.h"

namespace tessera::cli {

namespace {

struct PlaceOptions {
  InputArguments input;
  OutputArguments output;
  SearchArguments search;
  ProgressArguments progress;
  std::string minimize;
  std::string maximize;
  std::string gap;
  std::string engine = "auto";
  std::vector<std::string> switches;
  std::string output_file;
  std::string plot_file;
  std::string proof_file;
  std::int64_t work = 0;  ///< 0: no limit
  bool stats = false;
  bool order = false;  ///< the input is a graph
};

std::optional<Objective> minimize_of(const PlaceOptions& options, const PlacementProblem& problem) {
  if (!options.maximize.empty()) return Objective::benefit;
  const std::string& word = options.minimize;
  if (word == "height") return Objective::height;
  if (word == "cost") return Objective::cost;
  if (word == "modes") return Objective::modes;
  if (word == "switches") return Objective::switches;
  if (word == "default") return std::nullopt;
  // No option given: use the objective of the input.
  if (problem.objective != Objective::fit) return std::nullopt;
  return Objective::fit;
}

/// The words of --minimize, and "default", which main.cpp writes for a missing word.
CLI::Validator goal_word() {
  const CLI::Validator words = one_of({"height", "cost", "modes", "switches"});
  return CLI::Validator(
      [words](const std::string& text) { return text == "default" ? std::string() : words(text); },
      words.get_description());
}

/// Reports invalid options before the search.
void check_options(const PlaceOptions& options, const Input& input) {
  const std::string extension = std::filesystem::path(options.output_file).extension().string();
  if (extension == ".tflite" && !input.tflite)
    throw BadInput("--output " + options.output_file +
                       " would be a model with an arena plan, but " + options.input.path +
                       " is not a TensorFlow Lite model",
                   "use .json, .csv, .yaml or .h");
  if (extension == ".tflite" && input.problem.memories.size() != 1)
    throw BadInput("--output " + options.output_file +
                       ": the plan in a model has one arena, but the problem has " +
                       std::to_string(input.problem.memories.size()) + " memories",
                   "use .json, or a profile with one on-chip memory");
  if (extension == ".csv" && input.problem.memories.size() > 1)
    throw BadInput("--output " + options.output_file +
                       ": a CSV has no column for the memory of a buffer, but the problem has " +
                       std::to_string(input.problem.memories.size()) + " memories",
                   "use .json, .yaml or .h, or a profile with one on-chip memory");
  if (extension == ".csv" && !input.csv)
    static_cast<void>(problem_csv(input));  // throws if CSV cannot express the problem
  require_svg(options.plot_file);
  if (options.minimize.empty() && options.maximize.empty())
    require_capacities(input.problem, options.input.path,
                       input.problem.memories.size() == 1
                           ? ", or minimise the height with --minimize"
                           : ", or minimise the heights with --minimize");
}

/// All outputs except the JSON result require a placement.
bool is_about_a_placement(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".csv" || extension == ".yaml" || extension == ".yml" ||
         extension == ".tflite" || extension == ".h";
}

std::string output_text(const std::string& file, const Input& input,
                        const PlacementResult& result) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".csv" && result.placement) return result_csv(input, *result.placement);
  if ((extension == ".yaml" || extension == ".yml") && result.placement)
    return placed_yaml(input.problem, *result.placement);
  if (extension == ".tflite" && result.placement) return result_tflite(input, *result.placement);
  if (extension == ".h" && result.placement)
    return result_c_header(input.problem, *result.placement,
                           std::filesystem::path(file).stem().string());
  return result_json(input.problem, result);
}

std::string progress_text(const PlaceProgress& progress) {
  std::string text(progress.phase);
  if (progress.height) text += ": height " + std::to_string(*progress.height);
  if (progress.lower_bound) text += ", lower bound " + std::to_string(*progress.lower_bound);
  if (progress.benefit) text += ": benefit " + benefit_text(*progress.benefit);
  if (progress.benefit_bound) text += ", upper bound " + benefit_text(*progress.benefit_bound);
  return text;
}

/// All output files, opened before the search.
struct PlaceFiles {
  validation::OutputFile* output = nullptr;
  validation::OutputFile* plot = nullptr;
  validation::OutputFile* proof = nullptr;
};

PlaceFiles open_files(const PlaceOptions& options, Session& session) {
  session.reads(options.input.path);
  if (!options.input.scratch.empty()) session.reads(options.input.scratch);
  session.reads_profile(options.input.profile);
  PlaceFiles files{.output = session.writes("--output", options.output_file,
                                            {".json", ".csv", ".yaml", ".h", ".tflite"}),
                   .plot = session.writes("--plot", options.plot_file),
                   .proof = session.writes("--proof", options.proof_file,
                                           validation::OutputFile::Writer::by_name)};
  for (validation::OutputFile* other : {files.plot, files.proof})
    if (options.output.json() && other != nullptr && Session::goes_to_standard_output(*other))
      throw BadInput(other->path() + ": --format json also writes to the standard output",
                     "write one of them to a file");
  return files;
}

void write_files(const PlaceOptions& options, const PlaceFiles& files, const Input& input,
                 const PlacementResult& result, Session& session) {
  if (files.output != nullptr && is_about_a_placement(options.output_file) && !result.placement)
    note("no placement was found: " + options.output_file + " was not written",
         options.output.quiet);
  else
    session.deliver(files.output, [&options, &input, &result] {
      return output_text(options.output_file, input, result);
    });
  if (!result.certified.empty()) session.deliver(files.proof);
  if (files.plot != nullptr && !result.placement)
    note("no placement was found: " + options.plot_file + " was not written", options.output.quiet);
  else
    session.deliver(files.plot, [&options, &input, &result] {
      std::string text = placement_picture(input.problem, *result.placement, input.problem.name);
      note_large(options.plot_file, text.size(),
                 "`tessera report` makes a faster HTML page from the placement JSON",
                 options.output.quiet);
      return text;
    });
}

void tell_about_certificate(const PlaceOptions& options, const Input& input,
                            const PlacementResult& result) {
  if (options.proof_file.empty()) return;
  if (!result.certificate_error.empty()) return;  // reported at the end, with its exit code
  for (const Claim& claim : result.certified)
    note(options.proof_file + " proves: " + describe(input.problem, claim), options.output.quiet);
  if (!result.certified.empty()) return;
  for (const Stat& stat : result.stats)
    if (stat.name == "no_certificate") {
      complain(
          "tessera: no certificate was written: the format cannot express every rule of this "
          "problem. " +
          std::get<std::string>(stat.value));
      return;
    }
  const bool tried = std::any_of(result.stats.begin(), result.stats.end(),
                                 [](const Stat& stat) { return stat.name == "certificate"; });
  if (tried)
    complain("tessera: no certificate was written: none was found within the limits");
  else
    note("no certificate was written: the result needs no proof", options.output.quiet);
}

int exit_code(const PlacementResult& result) {
  switch (result.status) {
    case Status::feasible:
      return exit_found;
    case Status::infeasible:
      return exit_infeasible;
    case Status::unknown:
      break;
  }
  return exit_stopped;
}

/// Proved, or found without an objective.
bool is_complete(const PlacementResult& result) {
  return result.status == Status::infeasible ||
         (result.status == Status::feasible && result.stop == StopReason::completed);
}

Input problem_input(const PlaceOptions& options) {
  try {
    return options.input.load();
  } catch (const BadInput&) {
    if (!is_graph_file(options.input.path)) throw;
    throw BadInput(options.input.path + ": is a graph, whose ops have no order yet",
                   "add --order, or write an order with tessera order");
  }
}

/// The graph or network in the order that needs the least memory, as a problem. The search for the
/// order gets half of the time.
Input ordered_input(const PlaceOptions& options, Session& session, Size& height_bound) {
  if (!options.proof_file.empty())
    throw BadInput("--proof cannot be used with --order: a certificate holds for one order",
                   "write the ordered problem as .yaml, and place that");
  if (!options.input.profile.empty() || !options.input.scratch.empty() ||
      !options.input.lifetimes.empty())
    throw BadInput("--order places into one memory with lifetimes that follow from the order",
                   "give the size of the memory with --capacity, and none of --profile, --scratch "
                   "and --lifetimes");
  const OrderInput read = load_order_input(options.input.path, {});
  OrderParams params{.minimize = OrderGoal::height};
  params.limits = session.remaining(options.search.limits());
  if (params.limits.timeout) *params.limits.timeout /= 2;
  if (options.work > 0) params.limits.work = options.work;
  params.limits.stop = session.interrupts().token();
  const OrderResult best = order_ops(read.graph, params);
  height_bound = best.height_bound.value_or(best.bound);  // of all orders
  Input input{.problem = ordered_problem(read.graph, best.order), .format = "graph"};
  if (!options.input.capacity.empty()) {
    input.problem.memories.front().capacity = parse_size_text(options.input.capacity, "--capacity");
    input.problem.objective = Objective::fit;
  }
  note("the order has a peak of " + std::to_string(best.peak) + " bytes, that of the file " +
           std::to_string(best.first_peak) + "; no order has less than " +
           std::to_string(best.bound),
       options.output.quiet);
  return input;
}

/// The result for one order as a result for all: only the bound of all orders proves anything.
void judge_order(const PlacementProblem& problem, Size height_bound, PlacementResult& result) {
  if (result.status == Status::infeasible && height_bound <= problem.memories.front().capacity) {
    result.status = Status::unknown;
    result.stop = StopReason::node_limit;
    result.reason = "The best order found does not fit. Whether another one fits is not proved.";
  }
  result.lower_bound = std::min(result.lower_bound, height_bound);
  for (Size& bound : result.lower_bounds) bound = std::min(bound, height_bound);
  result.proven_minimum = result.placement && result.height == result.lower_bound;
  for (ObjectiveValue& each : result.objectives) {
    if (each.name == "height") each.bound = std::min(each.bound, height_bound);
    each.proved = each.value == each.bound;
  }
}

/// From "1%".
double gap_of(const std::string& text) {
  double percent = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || std::string_view(rest, end) != "%" ||
      !(percent >= 0 && percent < 100))
    throw BadInput("--gap: '" + text + "' is not a percentage from 0% to below 100%",
                   "write it as in --gap 1%");
  return percent / 100;
}

/// Estimated work of checking and writing, relative to reading.
constexpr int checking_and_writing = 3;

int run_place(const PlaceOptions& options, Session& session) {
  session.limit_reading(options.search.own);
  const PlaceFiles files = open_files(options, session);
  Size height_bound = 0;
  const Input input =
      options.order ? ordered_input(options, session, height_bound) : problem_input(options);
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  check_options(options, input);

  PlaceParams params;
  params.engine = options.engine;
  params.switches = options.switches;
  params.minimize = minimize_of(options, input.problem);
  if (!options.gap.empty()) params.gap = gap_of(options.gap);
  params.limits = session.remaining(options.search.limits(), checking_and_writing);
  if (options.work > 0) params.limits.work = options.work;
  Interrupts& interrupts = session.interrupts();
  params.limits.stop = interrupts.token();
  if (files.proof != nullptr) params.proof = files.proof->beside();
  if (!options.proof_file.empty() && !options.input.set.empty())
    throw BadInput(
        "--proof cannot be used with --set: a certificate names the profile, not the changes",
        "write a profile that inherits from " + options.input.profile +
            ", or declare the memories in the problem");
  if (!options.input.profile.empty())
    params.proof_read.emplace_back("profile", options.input.profile);
  if (!options.input.lifetimes.empty())
    params.proof_read.emplace_back("lifetimes", options.input.lifetimes);
  PlacementResult result;
  {
    StatusLine status(progress_form(options.progress.form, options.output.quiet));
    params.progress = [&status, &interrupts](const PlaceProgress& progress) {
      // A placement exists; do not lose it if the search is slow to stop.
      const bool found = progress.phase == "check" || progress.phase == "certificate";
      interrupts.enter(found ? Phase::writing : Phase::searching);
      status.show(progress_text(progress), [&](JsonObject& object) {
        object.text("phase", progress.phase);
        if (progress.height) object.number("height", *progress.height);
        if (progress.lower_bound) object.number("lower_bound", *progress.lower_bound);
        if (progress.benefit) object.entry("benefit") += benefit_text(*progress.benefit);
        if (progress.benefit_bound)
          object.entry("benefit_bound") += benefit_text(*progress.benefit_bound);
      });
    };
    result = place(input.problem, params);
    if (options.order) judge_order(input.problem, height_bound, result);
    interrupts.enter(Phase::writing);
  }

  write_files(options, files, input, result, session);
  tell_about_certificate(options, input, result);
  if (!result.certificate_error.empty())
    session.fail_later(
        std::make_exception_ptr(OutputError(options.proof_file + ": " + result.certificate_error)));
  const Objective what = resolve_minimize(params.minimize, input.problem);
  if (options.output.json())
    session.report([&] { return result_json(input.problem, result); });
  else if (!options.output.quiet)
    session.report([&] {
      return placement_report(input.problem, result,
                              {.minimizing = what == Objective::height,
                               .explain = options.order ? "" : options.input.words(),
                               .stats = options.stats,
                               .width = words_width()});
    });
  return session.exit_code(exit_code(result), is_complete(result));
}

std::string engine_help() {
  std::string text = "solver: auto";
  for (const EngineInfo& entry : engine_list()) text += ", " + std::string(entry.name);
  return text;
}

}  // namespace

void add_place(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("place", "find an address for every buffer");
  const auto options = std::make_shared<PlaceOptions>();
  options->input.declare(*sub);
  options->output.declare(*sub);
  options->search.declare(*sub);
  options->progress.declare(*sub);
  sub->add_option(
         "--minimize", options->minimize,
         "also minimise height, cost, modes or switches; without a value: the objectives of the "
         "input; if it has none, its benefit, else its cost, else its height")
      ->check(goal_word())
      ->type_name("[GOAL]");
  sub->add_option("--maximize", options->maximize,
                  "choose the optional buffers with the largest total benefit")
      ->check(one_of({"benefit"}))
      ->excludes("--minimize")
      ->type_name("benefit");
  sub->add_option("--gap", options->gap,
                  "with --minimize height: stop when the height is this close to its lower bound, "
                  "in percent of the height")
      ->type_name("PERCENT%");
  sub->add_option("-o,--output", options->output_file,
                  "write the result: .json, .csv (input columns and offset), .yaml, .h (tables for "
                  "C), or .tflite (the input model with an offline memory plan)");
  sub->add_option("--plot", options->plot_file, "draw the placement: FILE.svg");
  sub->add_option(
      "--proof", options->proof_file,
      "write a certificate of infeasibility, or of optimality with --minimize or --maximize");
  sub->add_option("-e,--engine", options->engine, engine_help())->capture_default_str();
  sub->add_option("--switch", options->switches,
                  "turn a solver rule on or off: learning.balance=off; repeatable (`tessera help "
                  "--switches` lists them)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--max-nodes", options->work, "stop after this many search nodes")
      ->check(whole_number(1));
  sub->add_flag("--order", options->order,
                "INPUT is a graph or a network: find the order of its ops as well");
  sub->add_flag("--stats", options->stats, "print the counters of the solvers");
  sub->footer(
      "Example:\n  tessera place buffers.csv --capacity '1 MiB' --timeout 10s --output placed.csv "
      "--plot placed.svg");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_place(*options, session); };
  });
}

}  // namespace tessera::cli
