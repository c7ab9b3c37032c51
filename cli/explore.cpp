// tessera explore: compares many machines on a set of networks.

#include "tessera/explore.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"
#include "tessera/import.h"

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

struct ExploreOptions {
  std::string sweep;
  std::string folder;
  std::string store;
  bool no_store = false;
  OutputArguments output;
  SearchArguments search;
  ProgressArguments progress;
};

std::string progress_text(const ExploreProgress& p) {
  char text[200];
  std::snprintf(text, sizeof text, "explore: %zu of %zu, %zu proved, %zu excluded", p.done,
                p.candidates, p.proved, p.excluded);
  std::string line = text;
  if (p.best) {
    std::snprintf(text, sizeof text, ", best %.4f", *p.best);
    line += text;
  }
  if (p.mode_plans > 0)
    line += ", modes: " + counted(static_cast<std::size_t>(p.mode_plans), "plan", "plans");
  return line;
}

fs::path made_folder(const std::string& name) {
  std::error_code error;
  fs::create_directories(name, error);
  if (error || !fs::is_directory(name))
    throw BadInput(name + ": is not a folder and cannot be created" +
                   (error ? ": " + error.message() : ""));
  return name;
}

std::size_t count(const ExploreResult& result, SweepStatus status) {
  std::size_t all = 0;
  for (const ExploreRow& row : result.rows) all += row.network == "*" && row.status == status;
  return all;
}

std::string modes_text(const ExploreModes& found, const ExploreModes::Set& set) {
  std::string names;
  for (std::size_t k = 0; k < found.modes.size(); ++k)
    if (set.needed[k])
      names += (names.empty() ? "" : ", ") + found.modes[k].memory + '.' + found.modes[k].name;
  char share[40];
  std::snprintf(share, sizeof share, "%g %%", set.lose);
  const std::string score =
      set.lose > 0 ? "loses at most " + std::string(share) : std::string("keeps its score");
  std::string text =
      "Fewest modes such that every network " + score + ": " + std::to_string(set.count) + " of " +
      std::to_string(found.modes.size()) +
      (set.bound == set.count ? ", proved" : ", lower bound " + std::to_string(set.bound)) + ": " +
      names;
  if (set.area && found.area) {
    char areas[80];
    std::snprintf(areas, sizeof areas, "; %.3f mm2 instead of %.3f", *set.area, *found.area);
    text += areas;
  }
  return text;
}

/// "memories.sram.capacity=64 KiB, engines.mac.cores=2"
std::string machine_text(const ExploreResult& result, const ExploreRow& row) {
  std::string text;
  for (std::size_t k = 0; k < result.keys.size(); ++k)
    text += (k == 0 ? "" : ", ") + result.keys[k] + '=' + row.values[k];
  return text;
}

/// Of a failed candidate: an invalid profile is often a mistake in the sweep.
std::string failure_text(const ExploreResult& result) {
  for (const ExploreRow& row : result.rows)
    if (row.network == "*" && row.status == SweepStatus::failed)
      return "First failed candidate: " + machine_text(result, row) + ": " + row.reason + '\n';
  return "";
}

std::string report(const ExploreResult& result, const std::string& folder, bool stored) {
  std::string text;
  const auto line = [&](const std::string& part) { text += part + '\n'; };
  const std::size_t candidates =
      count(result, SweepStatus::proved) + count(result, SweepStatus::limit) +
      count(result, SweepStatus::infeasible) + count(result, SweepStatus::excluded) +
      count(result, SweepStatus::failed);
  line(counted(candidates, "candidate", "candidates") + ": " +
       std::to_string(count(result, SweepStatus::proved)) + " proved, " +
       std::to_string(count(result, SweepStatus::limit)) + " not proved, " +
       std::to_string(count(result, SweepStatus::infeasible)) + " infeasible, " +
       std::to_string(count(result, SweepStatus::excluded)) + " excluded, " +
       std::to_string(count(result, SweepStatus::failed)) + " failed");
  text += failure_text(result);
  char numbers[120];
  std::snprintf(numbers, sizeof numbers, "%.1f s", result.seconds);
  line(std::to_string(result.counts.planned) +
       (result.counts.planned == 1 ? " plan computed, " : " plans computed, ") +
       std::to_string(result.counts.stored) + " from the store, " +
       (result.counts.alike > 0
            ? std::to_string(result.counts.alike) + " shared by equivalent machines, "
            : "") +
       std::to_string(result.counts.excluded) + " skipped; " + numbers);
  for (const ExploreRow& row : result.rows) {
    if (!result.best || row.candidate != *result.best || row.network != "*") continue;
    std::snprintf(numbers, sizeof numbers, "%.4f", row.score.value_or(0));
    const std::string what = machine_text(result, row);
    line("Best score " + std::string(numbers) + (what.empty() ? "" : ": " + what));
  }
  std::string axes;
  for (const std::string& axis : result.axes) axes += (axes.empty() ? "" : ", ") + axis;
  line(counted(result.pareto.size(), "candidate", "candidates") + " on the Pareto front (" + axes +
       "): " + (fs::path(folder) / "pareto.csv").string());
  if (result.modes && !result.modes->reason.empty())
    line("Fewest modes: unknown, " + result.modes->reason);
  if (result.modes)
    for (const ExploreModes::Set& set : result.modes->sets)
      if (set.network == "*") line(modes_text(*result.modes, set));
  if (result.stop != StopReason::completed)
    line("Stopped by " + std::string(to_string(result.stop)) +
         (stored ? "; run the same command to resume." : "."));
  return text;
}

std::optional<Sweep> read_sweep(const std::string& file, const Limits& limits) {
  try {
    return Sweep(file, limits);
  } catch (const ImportStopped& stopped) {
    complain(stopped.what());
    return std::nullopt;
  }
}

int run_explore(const ExploreOptions& options, Session& session) {
  session.reads(options.sweep);
  session.limit_reading(options.search.own);
  Limits limits = options.search.limits();
  limits.stop = session.interrupts().token();
  const std::optional<Sweep> read = read_sweep(options.sweep, session.remaining(limits));
  if (!read) return session.exit_code(exit_stopped, false);
  const Sweep& sweep = *read;
  for (const std::string& file : sweep.files())
    if (file != options.sweep) session.reads(file);
  const fs::path folder = made_folder(options.folder);
  validation::OutputFile* const results = session.writes("-o", (folder / "results.csv").string());
  validation::OutputFile* const pareto = session.writes("-o", (folder / "pareto.csv").string());
  validation::OutputFile* const summary = session.writes("-o", (folder / "summary.json").string());
  validation::OutputFile* const page = session.writes("-o", (folder / "report.html").string());
  validation::OutputFile* const modes =
      sweep.wants_modes() ? session.writes("-o", (folder / "modes.csv").string()) : nullptr;
  ExploreParams params;
  params.limits = session.remaining(limits);
  if (!options.no_store)
    params.store = options.store.empty() ? (folder / "store.sqlite").string() : options.store;
  ExploreResult result;
  {
    StatusLine status(progress_form(options.progress.form, options.output.quiet));
    if (status.wanted())
      params.progress = [&status](const ExploreProgress& p) {
        // Estimates the time of the others from those so far.
        std::optional<double> left;
        if (p.done > 0 && p.mode_plans == 0)
          left = status.seconds() / static_cast<double>(p.done) *
                 static_cast<double>(p.candidates - p.done);
        status.show(
            progress_text(p),
            [&](JsonObject& object) {
              object.number("done", static_cast<std::int64_t>(p.done));
              object.number("candidates", static_cast<std::int64_t>(p.candidates));
              object.number("proved", static_cast<std::int64_t>(p.proved));
              object.number("excluded", static_cast<std::int64_t>(p.excluded));
              if (p.best) object.real("best_score", *p.best);
              if (p.mode_plans > 0) object.number("mode_plans", p.mode_plans);
            },
            left);
      };
    session.interrupts().enter(Phase::searching);
    result = explore(sweep, params);
    session.interrupts().enter(Phase::writing);
  }
  session.deliver(results, [&] { return results_csv(result); });
  session.deliver(pareto, [&] { return pareto_csv(result); });
  session.deliver(summary, [&] { return summary_json(sweep, result); });
  session.deliver(page, [&] { return explore_page(sweep, result); });
  if (modes != nullptr && result.modes) session.deliver(modes, [&] { return modes_csv(result); });
  save_plans(sweep, result, folder.string());
  if (options.output.json())
    session.report([&] { return summary_json(sweep, result); });
  else if (!options.output.quiet)
    session.report([&] { return report(result, options.folder, !params.store.empty()); });
  const bool complete = result.stop == StopReason::completed;
  const bool answered = count(result, SweepStatus::infeasible) +
                            count(result, SweepStatus::proved) +
                            count(result, SweepStatus::excluded) >
                        0;
  return session.exit_code(complete || answered || result.best ? exit_found : exit_stopped,
                           complete);
}

}  // namespace

void add_explore(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("explore", "evaluate many machines on a set of networks");
  const auto options = std::make_shared<ExploreOptions>();
  sub->add_option("SWEEP", options->sweep,
                  "sweep YAML: networks, machine parameters to vary, objective")
      ->required();
  sub->add_option(
         "-o,--output", options->folder,
         "the folder for results.csv, pareto.csv, summary.json, report.html, plans/ and the store")
      ->required();
  sub->add_option("--store", options->store,
                  "the file that stores computed plans (default: store.sqlite in the folder); "
                  "several sweeps may share one, also at the same time")
      ->excludes(sub->add_flag("--no-store", options->no_store, "do not store plans"));
  options->output.declare(*sub);
  options->search.declare(*sub);
  sub->get_option("--threads")->description("number of plans in parallel, each on one thread");
  options->progress.declare(*sub);
  sub->footer("Example:\n  tessera explore sweep.yaml -o out --threads 8");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_explore(*options, session); };
  });
}

}  // namespace tessera::cli
