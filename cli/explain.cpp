// tessera explain: a minimal set of conflicting buffers and rules, and possible fixes.

#include "tessera/explain.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/options.h"
#include "cli/session.h"
#include "model/json_write.h"

namespace tessera::cli {

namespace {

struct ExplainOptions {
  InputArguments input;
  OutputArguments output;
  LimitArguments limits;
  std::string file;
};

std::string explanation_json(const PlacementProblem& problem, const Explanation& why) {
  std::string text;
  JsonObject object(text);
  object.text("tessera", "explanation/1");
  object.text("status", to_string(why.status));
  object.text("stop", to_string(why.stop));
  object.truth("minimal", why.minimal);
  object.list("buffers", why.buffers,
              [&](BufferIndex b) { return json_string(problem.buffers[b].id); });
  object.texts("rules", why.rules);
  if (why.step) object.number("step", *why.step);
  if (why.memory) object.text("memory", problem.memories[*why.memory].name);
  object.number("asked", why.asked);
  object.number("available", why.available);
  if (why.smallest_capacity) object.number("smallest_capacity", *why.smallest_capacity);
  object.text("text", why.text);
  object.close();
  return text + '\n';
}

std::string explanation_text(const Explanation& why) {
  std::string text = why.text;
  if (text.empty() && why.status == Status::feasible)
    text = "The problem is feasible: a placement exists, nothing to explain.";
  if (text.empty() && why.status == Status::unknown)
    text = "Unknown: a limit ended the search before it decided feasibility.";
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

int run_explain(const ExplainOptions& options, Session& session) {
  session.limit_reading(options.limits);
  session.reads(options.input.path);
  if (!options.input.scratch.empty()) session.reads(options.input.scratch);
  session.reads_profile(options.input.profile);
  validation::OutputFile* const file = session.writes("--output", options.file, {".json", ".txt"});
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  ExplainParams params;
  params.limits = session.remaining(options.limits.limits(), Session::giving_back);
  params.limits.stop = session.interrupts().token();
  // As `place` without options.
  if (input.problem.objective != Objective::fit) params.minimize = std::nullopt;
  session.interrupts().enter(Phase::searching);
  const Explanation why = explain(input.problem, params);
  // A conflict can exist at any capacity; that a placement exists says nothing without one.
  if (why.status == Status::feasible) require_capacities(input.problem, options.input.path, "");
  session.interrupts().enter(Phase::writing);
  session.deliver(file, [&] {
    return std::filesystem::path(options.file).extension() == ".txt"
               ? explanation_text(why)
               : explanation_json(input.problem, why);
  });
  if (options.output.json())
    session.report([&] { return explanation_json(input.problem, why); });
  else if (!options.output.quiet)
    session.report([&] { return wrapped(explanation_text(why), words_width(), 4); });
  // Both an explanation and the fact that a placement exists are complete results.
  const int code = why.status == Status::unknown      ? exit_stopped
                   : why.status == Status::infeasible ? exit_infeasible
                                                      : exit_found;
  return session.exit_code(code, code != exit_stopped && why.stop == StopReason::completed);
}

}  // namespace

void add_explain(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand(
      "explain", "explain infeasibility: a minimal set of buffers that does not fit");
  const auto options = std::make_shared<ExplainOptions>();
  options->input.declare(*sub);
  options->output.declare(*sub);
  options->limits.declare(*sub);
  sub->add_option("-o,--output", options->file, "write the explanation to FILE.json or FILE.txt");
  sub->footer(
      "The exit code is 20 if the problem is infeasible, 0 if it is feasible, 30 if a limit ended "
      "the search.\nExample:\n  tessera explain buffers.csv --capacity '512 KiB'");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_explain(*options, session); };
  });
}

}  // namespace tessera::cli
