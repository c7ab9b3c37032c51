// tessera generate: synthetic instances.

#include "tessera/generate.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"

namespace tessera::cli {

namespace {

struct GenerateOptions {
  GenerateParams params;
  std::string capacity = "1 MiB";
  std::string alignment = "1";
  std::string file;
  std::string to = "csv";
  bool quiet = false;
  LimitArguments limits;
};

int run_generate(GenerateOptions options, Session& session) {
  session.limit_reading(options.limits);
  validation::OutputFile* const output =
      session.writes("--output", options.file, {".csv", ".yaml"});
  options.params.capacity = parse_size_text(options.capacity, "--capacity");
  options.params.alignment = parse_size_text(options.alignment, "--alignment");
  if (options.params.capacity < 1)
    throw BadInput("--capacity '" + options.capacity + "' is not positive");
  Input made;
  made.problem = generate(options.params);
  const std::string extension = std::filesystem::path(options.file).extension().string();
  const bool yaml = options.to == "yaml" || extension == ".yaml" || extension == ".yml";
  const std::string text = yaml ? problem_yaml(made.problem) : problem_csv(made);
  const int code = session.hand_over(output, text);
  const Size capacity = made.problem.memories.front().capacity;
  if (!yaml)
    note("place it with " + (capacity == unbounded ? std::string("--minimize")
                                                   : "--capacity " + std::to_string(capacity)),
         options.quiet);
  return code;
}

}  // namespace

void add_generate(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("generate", "generate a synthetic problem");
  const auto options = std::make_shared<GenerateOptions>();
  std::vector<std::string> kinds;
  std::string text = "Kinds:\n";
  for (const GeneratorInfo& entry : generator_list()) {
    kinds.emplace_back(entry.name);
    std::string name(entry.name);
    name.resize(std::max<std::size_t>(10, name.size() + 1), ' ');
    text += "  " + name + std::string(entry.what) + "\n";
  }
  sub->add_option("KIND", options->params.kind, "kind of problem, see below")
      ->required()
      ->check(one_of(kinds));
  sub->add_option("-n,--buffers", options->params.buffers, "number of buffers")
      ->check(whole_number(1))
      ->capture_default_str();
  sub->add_option("--seed", options->params.seed,
                  "random seed; the same seed gives the same problem")
      ->check(whole_number(0))
      ->capture_default_str();
  sub->add_option("--steps", options->params.steps,
                  "length of the schedule in steps (0: automatic)")
      ->check(whole_number(0))
      ->capture_default_str();
  sub->add_option("-c,--capacity", options->capacity,
                  "size of the memory; buffer sizes scale with it")
      ->capture_default_str();
  sub->add_option("--alignment", options->alignment, "alignment of every buffer")
      ->capture_default_str();
  sub->add_option("--slack", options->params.slack, "ratio of the capacity to the largest load")
      ->capture_default_str();
  sub->add_option("--to", options->to, "csv, or yaml with the capacity")
      ->check(one_of({"csv", "yaml"}))
      ->capture_default_str();
  sub->add_option("-o,--output", options->file, "the output file (default: the standard output)");
  options->limits.declare(*sub);
  sub->add_flag("-q,--quiet", options->quiet, "print no notes");
  sub->footer(text + "Example:\n  tessera generate packable --buffers 200 --seed 7 -o hard.yaml");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_generate(*options, session); };
  });
}

}  // namespace tessera::cli
