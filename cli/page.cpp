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
        "--capacity, --profile, --set, --lifetimes and --scratch are about a problem, and there "
        "is none",
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
  CLI::App* sub =
      app.add_subcommand("report", "a placement or a plan as one page of HTML, to look at or send");
  const auto options = std::make_shared<PageOptions>();
  sub->add_option("RESULT", options->result,
                  "placement JSON or plan JSON, as place and plan write them with --output")
      ->required();
  sub->add_option("--input", options->input.path,
                  "the problem of the placement: adds capacities, banks and reserved ranges, and "
                  "why there is no placement");
  options->input.declare_numbers(*sub);
  sub->add_option("-o,--output", options->file, "the page: FILE.html")->required();
  options->limits.declare(*sub);
  sub->add_flag("-q,--quiet", options->quiet, "no notes");
  sub->footer(
      "The page needs nothing beside itself: it can be sent, and opened without a network. The "
      "wheel zooms,\na drag moves, the pointer tells what a buffer is.\n"
      "Example:\n  tessera plan net.onnx --profile ethos-u55-256 -o plan.json && "
      "tessera report plan.json -o plan.html");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_report(*options, session); };
  });
}

}  // namespace tessera::cli
