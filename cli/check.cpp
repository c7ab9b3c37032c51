// tessera check: is this placement right, is this certificate a proof?

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/options.h"
#include "planner/check_result.h"
#include "planner/files.h"

namespace tessera::cli {

namespace {

struct CheckOptions {
  InputArguments input;
  OutputArguments output;
  std::string result;
  std::string proof;
};

std::string violations_json(const std::vector<Violation>& wrong) {
  std::string text = "{\"tessera\": \"check/1\", \"right\": ";
  text += wrong.empty() ? "true" : "false";
  text += ", \"violations\": [";
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    text += i == 0 ? "\n  " : ",\n  ";
    text += "{\"rule\": " + json_string(to_string(wrong[i].rule)) +
            ", \"message\": " + json_string(wrong[i].message) + "}";
  }
  return text + "]}\n";
}

int check_placement(const CheckOptions& options, const Input& input) {
  const PlacementResult result = load_result(options.result, input);
  if (!result.placement)
    throw BadInput(options.result + ": holds no placement, its status is " +
                       std::string(to_string(result.status)),
                   "a certificate of \"infeasible\" is checked with --proof FILE");
  const std::vector<Violation> wrong = check_result(input.problem, result);
  if (options.output.json()) {
    print(violations_json(wrong));
  } else if (wrong.empty() && !options.output.quiet) {
    print("right: " + std::to_string(input.problem.buffers.size()) +
          " buffers, every rule is kept\n");
  } else {
    std::string text;
    for (const Violation& violation : wrong)
      text += "wrong (" + std::string(to_string(violation.rule)) + "): " + violation.message + "\n";
    if (!options.output.quiet) print(text);
  }
  return wrong.empty() ? exit_found : exit_wrong;
}

int check_proof_file(const CheckOptions& options, const Input& input) {
  const CertificateVerdict verdict = check_certificate(input.problem, options.proof);
  if (options.output.json()) {
    print("{\"tessera\": \"check/1\", \"right\": " +
          std::string(verdict.accepted ? "true" : "false") + ", \"certificate\": " +
          json_string(verdict.kind) + ", \"reason\": " + json_string(verdict.reason) + "}\n");
  } else if (!options.output.quiet) {
    print((verdict.accepted ? "proved: " : "not a proof: ") + verdict.reason + "\n");
  }
  return verdict.accepted ? exit_found : exit_wrong;
}

int run_check(const CheckOptions& options) {
  if (options.result.empty() == options.proof.empty())
    throw BadInput("tessera check: give either RESULT or --proof FILE",
                   "tessera check --help shows both");
  if (options.input.path == "-" && options.result == "-")
    throw BadInput("tessera check: INPUT and RESULT cannot both be the standard input");
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  return options.proof.empty() ? check_placement(options, input) : check_proof_file(options, input);
}

}  // namespace

void add_check(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("check", "check a placement or a certificate");
  const auto options = std::make_shared<CheckOptions>();
  options->input.declare(*sub);
  sub->add_option("RESULT", options->result,
                  "placement JSON, or a CSV of the buffers with their offsets");
  options->output.declare(*sub);
  sub->add_option("--proof", options->proof,
                  "a certificate written by place --proof: does it prove that nothing fits?");
  sub->footer(
      "Every violated rule is a sentence on the standard output; the exit code is 3.\n"
      "Examples:\n  tessera check buffers.csv placed.json --capacity '1 MiB'\n"
      "  tessera check buffers.csv --proof no.proof --capacity '512 KiB'");
  sub->final_callback(
      [options, &command] { command.run = [options] { return run_check(*options); }; });
}

}  // namespace tessera::cli
