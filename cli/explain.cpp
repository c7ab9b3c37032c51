// tessera explain: which buffers and rules cannot go together, and what would help.

#include "planner/explain.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/session.h"

namespace tessera::cli {

namespace {

struct ExplainOptions {
  InputArguments input;
  OutputArguments output;
  LimitArguments limits;
};

std::string story_json(const PlacementProblem& problem, const Story& story) {
  std::string text =
      "{\"tessera\": \"explanation/1\", \"status\": " + json_string(to_string(story.status)) +
      ", \"stop\": " + json_string(to_string(story.stop)) +
      ", \"minimal\": " + (story.minimal ? "true" : "false") + ",\n \"buffers\": [";
  for (std::size_t i = 0; i < story.buffers.size(); ++i)
    text += (i == 0 ? "" : ", ") + json_string(problem.buffers[story.buffers[i]].id);
  text += "],\n \"rules\": [";
  for (std::size_t i = 0; i < story.rules.size(); ++i)
    text += (i == 0 ? "" : ", ") + json_string(story.rules[i]);
  text += "]";
  if (story.step) text += ",\n \"step\": " + std::to_string(*story.step);
  if (story.memory) text += ", \"memory\": " + json_string(problem.memories[*story.memory].name);
  text += ",\n \"asked\": " + std::to_string(story.asked) +
          ", \"available\": " + std::to_string(story.available);
  if (story.smallest_capacity)
    text += ", \"smallest_capacity\": " + std::to_string(*story.smallest_capacity);
  return text + ",\n \"text\": " + json_string(story.text) + "}\n";
}

std::string story_text(const Story& story) {
  std::string text = story.text;
  if (text.empty() && story.status == Status::feasible)
    text = "There is nothing to explain: a placement exists.";
  if (text.empty() && story.status == Status::unknown)
    text = "Stopped before it was known whether a placement exists.";
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

int run_explain(const ExplainOptions& options, Session& session) {
  session.limit_reading(options.limits);
  session.reads(options.input.path);
  session.reads_profile(options.input.profile);
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  StoryParams params;
  params.limits = session.remaining(options.limits.limits());
  params.limits.stop = session.interrupts().token();
  session.interrupts().enter(Phase::searching);
  const Story story = tell_why(input.problem, params);
  session.interrupts().enter(Phase::writing);
  if (options.output.json())
    session.report([&] { return story_json(input.problem, story); });
  else if (!options.output.quiet)
    session.report([&] { return story_text(story); });
  // The answer asked for is the explanation; that a placement exists is an answer as well.
  const int code = story.status == Status::unknown      ? exit_stopped
                   : story.status == Status::infeasible ? exit_infeasible
                                                        : exit_found;
  return session.exit_code(code, code != exit_stopped && story.stop == StopReason::completed);
}

}  // namespace

void add_explain(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("explain", "say why nothing fits: a smallest set of buffers");
  const auto options = std::make_shared<ExplainOptions>();
  options->input.declare(*sub);
  options->output.declare(*sub);
  options->limits.declare(*sub);
  sub->footer(
      "The exit code is 20 where the problem is infeasible (and explained), 0 where it is not.\n"
      "Example:\n  tessera explain buffers.csv --capacity '512 KiB'");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_explain(*options, session); };
  });
}

}  // namespace tessera::cli
