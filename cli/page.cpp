// tessera report: a result as a single HTML page.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"
#include "tessera/report.h"

namespace tessera::cli {

namespace {

struct PageOptions {
  std::string result;
  InputArguments input;
  LimitArguments limits;
  std::string file;
  bool quiet = false;
};

int run_report(const PageOptions& options, Session& session) {
  session.limit_reading(options.limits);
  session.reads(options.result);
  const bool problem = !options.input.path.empty();
  if (problem) {
    session.reads(options.input.path);
    if (!options.input.scratch.empty()) session.reads(options.input.scratch);
    session.reads_profile(options.input.profile);
  } else if (!options.input.capacity.empty() || !options.input.profile.empty() ||
             !options.input.lifetimes.empty() || !options.input.set.empty() ||
             !options.input.scratch.empty()) {
    throw BadInput(
        "--capacity, --profile, --set, --lifetimes and --scratch need a placement problem, but "
        "none is given",
        "add --input FILE");
  }
  validation::OutputFile* const output = session.writes("--output", options.file, {".html"});
  std::optional<Input> input;
  if (problem) {
    input = options.input.load();
    for (const std::string& text : input->notes) note(text, options.quiet);
  }
  Limits limits = session.remaining(options.limits.limits());
  limits.stop = session.interrupts().token();
  session.interrupts().enter(Phase::searching);
  const Report report = report_html(options.result, input ? &*input : nullptr, limits);
  session.interrupts().enter(Phase::writing);
  if (!report.note.empty()) note(report.note, options.quiet);
  session.deliver(output, [&] { return report.html; });
  return session.exit_code(exit_found, true);
}

}  // namespace

void add_report(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("report", "write a placement or a plan as one HTML page");
  const auto options = std::make_shared<PageOptions>();
  sub->add_option("RESULT", options->result,
                  "placement JSON or plan JSON, as written by --output of place and plan")
      ->required();
  sub->add_option("--input", options->input.path,
                  "the problem of the placement: adds capacities, banks, reserved ranges, and the "
                  "explanation of an infeasible result");
  options->input.declare_numbers(*sub);
  sub->add_option("-o,--output", options->file, "the output file: FILE.html")->required();
  options->limits.declare(*sub);
  sub->add_flag("-q,--quiet", options->quiet, "print no notes");
  sub->footer(
      "The page is self-contained and works offline. The wheel zooms, dragging moves,\nhovering "
      "shows details of a buffer.\nExample:\n  tessera plan net.onnx --profile ethos-u55-256 -o "
      "plan.json && tessera report plan.json -o plan.html");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_report(*options, session); };
  });
}

}  // namespace tessera::cli
