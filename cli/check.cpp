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
  NetworkArguments network;
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
  if (!verdict.accepted)
    note("a certificate holds for the input and the capacity it was written for, and for no other",
         options.output.quiet);
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

std::string plan_json_verdict(const std::vector<std::string>& wrong) {
  std::string text = std::string("{\"tessera\": \"check/1\", \"right\": ") +
                     (wrong.empty() ? "true" : "false") + ", \"violations\": [";
  for (std::size_t k = 0; k < wrong.size(); ++k)
    text += (k == 0 ? "" : ", ") + ("{\"message\": " + json_string(wrong[k]) + "}");
  return text + "]}\n";
}

/// INPUT is a network here, RESULT a plan of it.
int check_network_plan(const CheckOptions& options, const PlanFileHeader& header) {
  if (options.input.profile.empty())
    throw BadInput("tessera check: a plan is checked against hardware", "add --profile NAME");
  if (!options.input.capacity.empty())
    throw BadInput("tessera check: the profile says what a plan's memories hold, not --capacity");
  NetworkArguments network = options.network;
  network.path = options.input.path;
  if (network.dtype.empty()) network.dtype = header.dtype;
  const Network net = network.load(options.output.quiet).network;
  const Hardware hardware = load_profile(options.input.profile);
  NetworkPlan plan;
  std::vector<std::string> wrong;
  try {
    plan = load_plan_text(header.text, options.result, net, hardware);
    if (plan.status != Status::feasible && plan.subgraphs.empty())
      throw BadInput(options.result + ": holds no plan, its status is " +
                     std::string(to_string(plan.status)));
    if (plan.network != net.name)
      note("the plan is of network '" + plan.network + "', this is '" + net.name + "'",
           options.output.quiet);
    if (plan.profile != hardware.name)
      note("the plan is for '" + plan.profile + "', this is '" + hardware.name + "'",
           options.output.quiet);
    wrong = check_plan(net, hardware, plan);
  } catch (const WrongAnswer& answer) {
    wrong = {answer.what()};
  }
  if (options.output.json()) {
    print(plan_json_verdict(wrong));
  } else if (!options.output.quiet) {
    std::string text;
    for (const std::string& sentence : wrong) text += "wrong: " + sentence + "\n";
    if (wrong.empty())
      text = "right: " + counted(plan.subgraphs.size(), "subgraph covers", "subgraphs cover") +
             " " + counted(net.ops.size(), "op", "ops") + ", score " + std::to_string(plan.score) +
             "\n";
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
  PlanFileHeader header;
  if (!options.result.empty()) header = plan_file_header(options.result);
  if (header.is_plan) return check_network_plan(options, header);
  if (is_network_file(options.input.path))
    throw BadInput((options.result.empty() ? "tessera check" : options.result) +
                       ": a network is checked with a plan of it, and this is none",
                   "tessera plan NETWORK --profile NAME -o plan.json writes one");
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  if (!options.proof.empty()) return check_proof_file(options, input);
  if (!options.model.empty()) return check_model(options, input);
  return check_placement(options, input,
                         load_result_text(std::move(header.text), options.result, input));
}

}  // namespace

void add_check(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("check", "check a placement, a certificate or a plan");
  const auto options = std::make_shared<CheckOptions>();
  options->input.declare(*sub);
  sub->get_option("INPUT")->description(
      "buffer CSV, problem YAML or dsa-solver JSON (told apart by content; - is the standard "
      "input); for a plan its network");
  sub->add_option(
      "RESULT", options->result,
      "placement JSON, a CSV of the buffers with their offsets, or the plan of a network");
  sub->add_option("--dtype", options->network.dtype,
                  "where RESULT is a plan: the element type the network was planned with, if not "
                  "the one the plan names");
  options->network.declare_reading(*sub);
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
