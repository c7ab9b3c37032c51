// tessera check: is this placement right, is this certificate a proof?

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/network_options.h"
#include "cli/options.h"
#include "planner/check_result.h"
#include "planner/export.h"
#include "planner/files.h"
#include "planner/plan.h"

namespace tessera::cli {

namespace {

struct CheckOptions {
  InputArguments input;
  OutputArguments output;
  std::string result;
  std::string proof;
  std::string model;
  std::string dtype;
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

/// INPUT is a network here, RESULT a plan of it.
int check_network_plan(const CheckOptions& options, const PlanFileHeader& header) {
  if (options.input.profile.empty())
    throw BadInput("tessera check: a plan is checked against hardware", "add --profile NAME");
  NetworkArguments network;
  network.path = options.input.path;
  network.dtype = options.dtype.empty() ? header.dtype : options.dtype;
  const Network net = network.load(options.output.quiet).network;
  const Hardware hardware = load_profile(options.input.profile);
  const NetworkPlan plan = load_plan(options.result, net, hardware);
  const std::vector<std::string> wrong = check_plan(net, hardware, plan);
  if (options.output.json()) {
    std::string text = std::string("{\"tessera\": \"check/1\", \"right\": ") +
                       (wrong.empty() ? "true" : "false") + ", \"violations\": [";
    for (std::size_t k = 0; k < wrong.size(); ++k)
      text += (k == 0 ? "" : ", ") + ("{\"message\": " + json_string(wrong[k]) + "}");
    print(text + "]}\n");
  } else if (!options.output.quiet) {
    std::string text;
    for (const std::string& sentence : wrong) text += sentence + "\n";
    if (wrong.empty())
      text = "right: " + std::to_string(plan.subgraphs.size()) + " subgraphs cover " +
             std::to_string(net.ops.size()) + " ops, score " + std::to_string(plan.score) + "\n";
    print(text);
  }
  return wrong.empty() ? exit_found : exit_wrong;
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
  if (!options.result.empty() && options.result != "-") {
    const PlanFileHeader header = plan_file_header(options.result);
    if (header.is_plan) return check_network_plan(options, header);
  }
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  if (!options.proof.empty()) return check_proof_file(options, input);
  if (!options.model.empty()) return check_model(options, input);
  return check_placement(options, input, load_result(options.result, input));
}

}  // namespace

void add_check(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("check", "check a placement, a certificate or a plan");
  const auto options = std::make_shared<CheckOptions>();
  options->input.declare(*sub);
  sub->add_option(
      "RESULT", options->result,
      "placement JSON, a CSV of the buffers with their offsets, or the plan of a network");
  sub->add_option("--dtype", options->dtype,
                  "where RESULT is a plan: the element type the network was planned with, if not "
                  "the one the plan names");
  options->output.declare(*sub);
  sub->add_option("--proof", options->proof,
                  "a certificate written by place --proof: does it prove that nothing fits?");
  sub->add_option("--model", options->model,
                  "what another solver printed for export --to dimacs or smt2 of INPUT");
  sub->footer(
      "Every violated rule is a sentence on the standard output; the exit code is 3.\n"
      "Examples:\n  tessera check buffers.csv placed.json --capacity '1 MiB'\n"
      "  tessera check buffers.csv --proof no.proof --capacity '512 KiB'\n"
      "  tessera check resnet18.onnx plan.json --profile ethos-u65-like\n"
      "  tessera export net.yaml --to dimacs -o net.cnf; cadical net.cnf > answer.txt\n"
      "  tessera check net.yaml --model answer.txt");
  sub->final_callback(
      [options, &command] { command.run = [options] { return run_check(*options); }; });
}

}  // namespace tessera::cli
