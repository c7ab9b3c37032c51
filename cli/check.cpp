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
#include "planner/export.h"
#include "planner/files.h"

namespace tessera::cli {

namespace {

struct CheckOptions {
  InputArguments input;
  OutputArguments output;
  std::string result;
  std::string proof;
  std::string model;
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

int check_placement(const CheckOptions& options, const Input& input,
                    const PlacementResult& result) {
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

/// What another solver said about the exported constraints.
int check_model(const CheckOptions& options, const Input& input) {
  const PlacementResult result = model_result(input.problem, options.model);
  if (result.placement) return check_placement(options, input, result);
  const bool infeasible = result.status == Status::infeasible;
  if (!options.output.quiet)
    print(infeasible ? "the solver says that there is no placement; that is its word, not a proof\n"
                     : "the solver did not decide\n");
  return infeasible ? exit_infeasible : exit_stopped;
}

int run_check(const CheckOptions& options) {
  const int given = static_cast<int>(!options.result.empty()) +
                    static_cast<int>(!options.proof.empty()) +
                    static_cast<int>(!options.model.empty());
  if (given != 1)
    throw BadInput("tessera check: give one of RESULT, --proof FILE and --model FILE",
                   "tessera check --help shows each");
  if (options.input.path == "-" && options.result + options.model == "-")
    throw BadInput("tessera check: both files cannot be the standard input");
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  if (!options.proof.empty()) return check_proof_file(options, input);
  if (!options.model.empty()) return check_model(options, input);
  return check_placement(options, input, load_result(options.result, input));
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
  sub->add_option("--model", options->model,
                  "what another solver printed for export --to dimacs or smt2 of INPUT");
  sub->footer(
      "Every violated rule is a sentence on the standard output; the exit code is 3.\n"
      "Examples:\n  tessera check buffers.csv placed.json --capacity '1 MiB'\n"
      "  tessera check buffers.csv --proof no.proof --capacity '512 KiB'\n"
      "  tessera export net.yaml --to dimacs -o net.cnf; cadical net.cnf > answer.txt\n"
      "  tessera check net.yaml --model answer.txt");
  sub->final_callback(
      [options, &command] { command.run = [options] { return run_check(*options); }; });
}

}  // namespace tessera::cli
