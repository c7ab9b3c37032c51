// tessera schedule: a schedule of least latency for a problem of the MLSys 2026 contest.

#include "tessera/schedule.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"

namespace tessera::cli {

namespace {

struct ScheduleArguments {
  std::string problem;
  std::string reading = "default";
  std::string effort = "normal";
  std::string output_file;
  OutputArguments output;
  LimitArguments limits;
};

std::int64_t work_of(const std::string& effort) {
  if (effort == "quick") return schedule_work_quick;
  if (effort == "normal") return schedule_work_normal;
  if (effort == "thorough") return schedule_work_thorough;
  return std::stoll(effort);
}

std::string schedule_report(const TileGraph& graph, const ScheduleResult& result) {
  char text[256];
  if (result.status != Status::feasible)
    return result.status == Status::infeasible ? "no schedule fits the fast memory\n"
                                               : "stopped by a limit before there was a schedule\n";
  const double gap = result.latency > 0 ? 100 * (1 - result.bound / result.latency) : 0;
  std::snprintf(text, sizeof text, "%zu ops, %zu steps, latency %.2f (%s %.2f", graph.ops.size(),
                result.schedule.steps.size(), result.latency,
                result.proved ? "least: bound" : "at least", result.bound);
  std::string out = text;
  if (!result.proved) {
    std::snprintf(text, sizeof text, ", gap %.2f %%", std::max(0.01, gap));
    out += text;
  }
  out += "), peak " + std::to_string(result.peak) + " of " + std::to_string(graph.capacity) +
         " elements\n";
  if (result.stop != StopReason::completed)
    out += "stopped by a limit: " + std::string(to_string(result.stop)) + "\n";
  return out;
}

int run_schedule(const ScheduleArguments& arguments, Session& session) {
  session.limit_reading(arguments.limits);
  session.reads(arguments.problem);
  validation::OutputFile* const output =
      session.writes("--output", arguments.output_file, {".json"});
  const TileGraph graph = load_tile_graph(arguments.problem);
  ScheduleParams params{.work = work_of(arguments.effort)};
  if (arguments.reading == "rulings") params.reading = TileReading::rulings;
  params.limits = session.remaining(arguments.limits.limits(), Session::giving_back);
  params.limits.stop = session.interrupts().token();
  session.interrupts().enter(Phase::searching);
  const ScheduleResult result = schedule_ops(graph, params);
  session.interrupts().enter(Phase::writing);
  if (result.status == Status::feasible)
    session.deliver(output, [&] { return tile_schedule_json(result); });
  if (arguments.output.json())
    session.report([&] { return schedule_json(result); });
  else if (!arguments.output.quiet)
    session.report([&] { return schedule_report(graph, result); });
  const int code = result.status == Status::feasible     ? exit_found
                   : result.status == Status::infeasible ? exit_infeasible
                                                         : exit_stopped;
  return session.exit_code(code, result.stop == StopReason::completed);
}

}  // namespace

void add_schedule(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand(
      "schedule", "find a fast schedule for a problem of the MLSys 2026 contest");
  const auto arguments = std::make_shared<ScheduleArguments>();
  sub->add_option("PROBLEM", arguments->problem, "problem JSON (- is the standard input)")
      ->required();
  sub->add_option("-o,--output", arguments->output_file,
                  "write the schedule in the contest's format: .json");
  sub->add_option("--reading", arguments->reading,
                  "of rules that the contest does not state: as its examples force, or as its "
                  "organisers ruled later")
      ->check(one_of({"default", "rulings"}))
      ->capture_default_str();
  sub->add_option("--effort", arguments->effort, "quick, normal, thorough or work units")
      ->check(one_of({"quick", "normal", "thorough"}) | whole_number(1))
      ->capture_default_str();
  arguments->output.declare(*sub);
  arguments->limits.declare(*sub);
  sub->footer("Example:\n  tessera schedule problem.json --timeout 10s -o solution.json");
  sub->final_callback([arguments, &command] {
    command.run = [arguments](Session& session) { return run_schedule(*arguments, session); };
  });
}

}  // namespace tessera::cli
