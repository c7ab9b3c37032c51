// tessera export: the problem, or its constraints, in another format.

#include "tessera/export.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"

namespace tessera::cli {

namespace {

struct ExportOptions {
  InputArguments input;
  std::string to;
  std::string file;
  bool quiet = false;
  LimitArguments limits;
};

int run_export(const ExportOptions& options, Session& session) {
  session.limit_reading(options.limits);
  session.reads(options.input.path);
  if (!options.input.scratch.empty()) session.reads(options.input.scratch);
  session.reads_profile(options.input.profile);
  validation::OutputFile* const output = session.writes("--output", options.file);
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.quiet);
  if (options.to == "csv") return session.hand_over(output, problem_csv(input));
  if (options.to == "yaml") return session.hand_over(output, problem_yaml(input.problem));
  for (const Memory& memory : input.problem.memories)
    if (memory.capacity == unbounded)
      throw BadInput(options.input.path + ": has no capacity, which a formula needs",
                     input.problem.memories.size() == 1 ? "add --capacity SIZE or --profile NAME"
                                                        : "set every `capacity`");
  const auto write = [&](const TextSink& sink) {
    Limits limits = session.remaining(options.limits.limits(), Session::giving_back);
    limits.stop = session.interrupts().token();
    return write_formula(input.problem, options.to, sink, limits);
  };
  return session.hand_over(output, write, options.limits);
}

}  // namespace

void add_export(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("export", "write the problem in a format of other programs");
  const auto options = std::make_shared<ExportOptions>();
  options->input.declare(*sub);
  sub->add_option("--to", options->to, "csv or yaml: the problem; dimacs or smt2: its constraints")
      ->required()
      ->check(one_of({"csv", "yaml", "dimacs", "smt2"}));
  sub->add_option("-o,--output", options->file, "the output file (default: the standard output)");
  options->limits.declare(*sub);
  sub->add_flag("-q,--quiet", options->quiet, "print no notes");
  sub->footer(
      "Example:\n  tessera export buffers.csv --capacity '1 MiB' --to dimacs -o net.cnf && cadical "
      "net.cnf");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_export(*options, session); };
  });
}

}  // namespace tessera::cli
