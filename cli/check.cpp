// tessera check: checks placements, plans and certificates.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cli/certificate_reading.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/network_options.h"
#include "cli/options.h"
#include "cli/session.h"
#include "model/json_write.h"
#include "tessera/check_result.h"
#include "tessera/commands.h"
#include "tessera/export.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "tessera/schedule.h"

namespace tessera::cli {

namespace {

struct CheckOptions {
  InputArguments input;
  OutputArguments output;
  LimitArguments limits;
  std::string result;
  std::string commands;
  std::string proof;
  std::string model;
  std::string expect;
  std::string reading = "default";
  NetworkArguments network;
};

/// Report for a person.
void say(const std::string& text) {
  print(wrapped(text, words_width(), 2));
}

/// The common beginning of every verdict.
void begin_verdict(JsonObject& object, bool right) {
  object.text("tessera", "check/1");
  object.truth("right", right);
}

std::string verdict_json(const ResultVerdict& verdict) {
  std::string text;
  JsonObject object(text);
  begin_verdict(object, verdict.wrong.empty());
  const auto violation = [](const Violation& each) {
    return json_object([&](JsonObject& one) {
      one.text("rule", to_string(each.rule));
      one.text("message", each.message);
    });
  };
  object.list("violations", verdict.wrong, violation, ",\n  ");
  object.texts("proved", verdict.proved);
  object.texts("claimed", verdict.claimed);
  object.close();
  return text + '\n';
}

std::string verdict_text(const ResultVerdict& verdict, const Input& input, bool placed) {
  std::string text;
  for (const Violation& violation : verdict.wrong)
    text += "wrong (" + std::string(to_string(violation.rule)) + "): " + violation.message + "\n";
  if (!verdict.wrong.empty()) return text;
  text = placed ? "right: " + std::to_string(input.problem.buffers.size()) +
                      " buffers, every rule holds\n"
                : "right: the result has no placement and no contradiction\n";
  for (const std::string& what : verdict.proved) text += "proved: " + what + "\n";
  for (const std::string& what : verdict.claimed) text += "claimed, not checked: " + what + "\n";
  return text;
}

int check_placement(const CheckOptions& options, const Input& input, const PlacementResult& result,
                    std::vector<Claim> proved) {
  const ResultVerdict verdict = check_result(input.problem, result, {.proved = std::move(proved)});
  if (options.output.json())
    print(verdict_json(verdict));
  else if (!options.output.quiet)
    say(verdict_text(verdict, input, result.placement.has_value()));
  return verdict.wrong.empty() ? exit_found : exit_wrong;
}

/// A request about a capacity or infeasibility is only satisfied by a certificate of it. Returns
/// empty, or why this certificate does not satisfy it.
std::string not_what_was_asked(const CheckOptions& options, const Input& input,
                               const CertificateVerdict& verdict) {
  const bool infeasible =
      std::any_of(verdict.claims.begin(), verdict.claims.end(), [](const ClaimVerdict& each) {
        return each.claim.kind == ClaimKind::infeasible ||
               (each.claim.kind == ClaimKind::benefit && each.claim.most < 0);
      });
  if (options.expect == "infeasible" && !infeasible)
    return "it proves '" + verdict.claims.front().text + "', not infeasibility";
  const bool asked = !options.expect.empty() || !options.input.capacity.empty();
  if (!asked || verdict.about_this) return {};
  std::string asked_for;
  for (const Memory& memory : input.problem.memories)
    asked_for +=
        (asked_for.empty() ? "" : ", ") + memory.name + " of " +
        (memory.capacity == unbounded ? "unlimited size" : std::to_string(memory.capacity));
  return "it assumes less memory than the input has (" + asked_for +
         "): " + verdict.claims.front().text;
}

std::string certificate_json(const CertificateVerdict& verdict, bool right,
                             const std::string& reason) {
  std::string claims;
  for (const ClaimVerdict& each : verdict.claims)
    claims += (claims.empty() ? "" : "; ") + each.text;
  const auto claim = [](const ClaimVerdict& each) {
    return json_object([&](JsonObject& one) {
      one.text("claim", each.text);
      one.text("certificate", each.kind);
      one.truth("right", each.accepted);
      one.text("reason", each.reason);
    });
  };
  std::string text;
  JsonObject object(text);
  begin_verdict(object, right);
  object.text("claim", claims);
  object.text("reason", reason);
  object.list("claims", verdict.claims, claim, ",\n  ");
  object.close();
  return text + '\n';
}

int check_proof_file(const CheckOptions& options, const Input& input,
                     const CertificateVerdict& verdict) {
  std::string reason = verdict.reason;
  bool right = verdict.accepted;
  if (right) {
    const std::string other = not_what_was_asked(options, input, verdict);
    right = other.empty();
    if (!right) reason = "The certificate is valid, but " + other + ".";
  }
  if (options.output.json()) {
    print(certificate_json(verdict, right, reason));
  } else if (!options.output.quiet) {
    std::string text;
    for (const ClaimVerdict& each : verdict.claims)
      if (right) text += "proved: " + each.text + "\n  " + each.reason + "\n";
    say(right ? text : (verdict.stop ? "stopped: " : "not a proof: ") + reason + "\n");
  }
  if (verdict.stop) return exit_stopped;
  if (!verdict.accepted)
    note("a certificate is valid only for the input it was written for", options.output.quiet);
  return right ? exit_found : exit_wrong;
}

/// The result of another solver for the exported constraints.
int check_model(const CheckOptions& options, const Input& input) {
  const PlacementResult result = model_result(input.problem, options.model);
  if (result.placement) return check_placement(options, input, result, {});
  const bool infeasible = result.status == Status::infeasible;
  if (!options.output.quiet)
    say(infeasible ? "the solver reports that no placement exists; this is not a proof\n"
                   : "the solver did not decide\n");
  return infeasible ? exit_infeasible : exit_stopped;
}

std::string plan_json_verdict(const PlanVerdict& verdict) {
  std::string text;
  JsonObject object(text);
  begin_verdict(object, verdict.wrong.empty());
  object.list("violations", verdict.wrong, [](const std::string& sentence) {
    return json_object([&](JsonObject& one) { one.text("message", sentence); });
  });
  object.texts("claimed", verdict.claimed);
  object.close();
  return text + '\n';
}

std::string plan_text_verdict(const PlanVerdict& verdict, const Network& net) {
  std::string text;
  for (const std::string& sentence : verdict.wrong) text += "wrong: " + sentence + "\n";
  if (!verdict.wrong.empty()) return text;
  const NetworkPlan& plan = verdict.plan;
  text = "right: " + counted(plan.subgraphs.size(), "subgraph covers", "subgraphs cover") + " " +
         counted(net.ops.size(), "op", "ops") + ", score " + std::to_string(plan.score) + "\n";
  for (const std::string& what : verdict.claimed) text += "claimed, not checked: " + what + "\n";
  return text;
}

/// The commands of a right plan.
int check_commands_file(const CheckOptions& options, const std::string& commands,
                        const Network& net, const Hardware& hardware, const NetworkPlan& plan) {
  const CommandsVerdict verdict = check_commands(net, hardware, plan, commands);
  if (options.output.json()) {
    PlanVerdict same;
    same.wrong = verdict.wrong;
    print(plan_json_verdict(same));
  } else if (!options.output.quiet) {
    std::string text;
    for (const std::string& sentence : verdict.wrong) text += "wrong: " + sentence + "\n";
    if (verdict.wrong.empty())
      text = "right: " + std::to_string(verdict.commands) + " commands, " +
             std::to_string(verdict.cycles) + " cycles, " + std::to_string(verdict.bytes) +
             " off-chip bytes, as in the plan\n";
    say(text);
  }
  return verdict.wrong.empty() ? exit_found : exit_wrong;
}

/// The verdict on the plan in `header`, which is feasible if it is right.
PlanVerdict verdict_on_plan(const CheckOptions& options, const PlanFileHeader& header,
                            const std::string& path, const Network& net, const Hardware& hardware) {
  PlanVerdict verdict = check_plan_text(header.text, path, net, hardware, options.limits.limits());
  if (verdict.wrong.empty() && verdict.plan.status != Status::feasible)
    throw BadInput(path + ": contains no plan; its status is " +
                   std::string(to_string(verdict.plan.status)));
  for (const auto& [said, own, what] : {std::tuple(header.network, net.name, "of network"),
                                        std::tuple(header.profile, hardware.name, "for")})
    if (!said.empty() && said != own)
      note("the plan is " + std::string(what) + " '" + said + "', this is '" + own + "'",
           options.output.quiet);
  return verdict;
}

int say_plan_verdict(const CheckOptions& options, const PlanVerdict& verdict, const Network& net) {
  if (options.output.json())
    print(plan_json_verdict(verdict));
  else if (!options.output.quiet)
    say(plan_text_verdict(verdict, net));
  if (!verdict.wrong.empty())
    note(
        "`is` precedes the recomputed value, `not` that of the plan; if every group differs, the "
        "plan is usually of other --profile, --set or --capacity",
        options.output.quiet || options.output.json());
  return verdict.wrong.empty() ? exit_found : exit_wrong;
}

/// INPUT is a plan here, RESULT its commands, which contain the network and the profile.
int check_commands_of_plan(const CheckOptions& options) {
  const PlanFileHeader header = plan_file_header(options.input.path);
  if (!header.is_plan)
    throw BadInput(
        options.input.path + ": is not a plan, but " + options.result + " is a command file",
        "tessera check PLAN.json COMMANDS.jsonl, or NETWORK PLAN.json COMMANDS.jsonl");
  if (!options.input.profile.empty())
    throw BadInput("tessera check: the command file contains the profile",
                   "leave --profile out, or give the network too");
  const CommandsSource source = read_commands_source(options.result);
  const PlanVerdict verdict =
      verdict_on_plan(options, header, options.input.path, source.network, source.hardware);
  if (!verdict.wrong.empty()) return say_plan_verdict(options, verdict, source.network);
  return check_commands_file(options, options.result, source.network, source.hardware,
                             verdict.plan);
}

/// INPUT is a network here, RESULT a plan of it.
int check_network_plan(const CheckOptions& options, const PlanFileHeader& header) {
  if (options.input.profile.empty())
    throw BadInput("tessera check: a plan needs the profile it was made for", "add --profile NAME");
  NetworkArguments network = options.network;
  network.path = options.input.path;
  if (network.dtype.empty()) network.dtype = header.dtype;
  const Network net = network.load(options.output.quiet).network;
  const Hardware hardware = changed_profile(options.input.profile, options.input.set,
                                            options.input.capacity, options.output.quiet)
                                .hardware;
  const PlanVerdict verdict = verdict_on_plan(options, header, options.result, net, hardware);
  if (verdict.wrong.empty() && !options.commands.empty())
    return check_commands_file(options, options.commands, net, hardware, verdict.plan);
  return say_plan_verdict(options, verdict, net);
}

std::string schedule_verdict(const TileScheduleVerdict& verdict, bool json) {
  std::string text;
  if (!json) {
    for (const std::string& sentence : verdict.wrong) text += "wrong: " + sentence + "\n";
    if (!text.empty()) return text;
    return "right: " + counted(verdict.latencies.size(), "step", "steps") + ", latency " +
           json_number(verdict.latency) + ", peak " + std::to_string(verdict.peak) + " elements, " +
           std::to_string(verdict.moved) + " elements moved\n";
  }
  JsonObject object(text);
  begin_verdict(object, verdict.wrong.empty());
  object.list("violations", verdict.wrong, [](const std::string& sentence) {
    return json_object([&](JsonObject& one) { one.text("message", sentence); });
  });
  if (verdict.wrong.empty()) {
    object.real("latency", verdict.latency);
    object.list("latencies", verdict.latencies, [](double each) { return json_number(each); });
    object.number("peak", verdict.peak);
    object.number("moved", verdict.moved);
  }
  object.close();
  return text + '\n';
}

/// INPUT is a problem of the MLSys 2026 contest here, RESULT a solution.
int check_schedule(const CheckOptions& options, std::string_view result) {
  const TileGraph graph = load_tile_graph(options.input.path);
  const TileSchedule schedule = read_tile_schedule_text(result, options.result);
  const TileReading reading =
      options.reading == "rulings" ? TileReading::rulings : TileReading::standard;
  const TileScheduleVerdict verdict = check_tile_schedule(graph, schedule, reading);
  if (options.output.json())
    print(schedule_verdict(verdict, true));
  else if (!options.output.quiet)
    say(schedule_verdict(verdict, false));
  return verdict.wrong.empty() ? exit_found : exit_wrong;
}

/// Does an option determine the problem, or what is to be proved about it?
bool asks_for_something(const CheckOptions& options) {
  const InputArguments& input = options.input;
  return !options.expect.empty() || !input.capacity.empty() || !input.profile.empty() ||
         !input.lifetimes.empty();
}

/// A certificate, optionally with the result whose bounds it proves.
int check_with_certificate(const CheckOptions& options, std::string result,
                           const Session& session) {
  CertificateText certificate;
  try {
    certificate = load_certificate(options.proof);
  } catch (const WrongAnswer& answer) {
    CertificateVerdict verdict;
    verdict.reason = answer.what();
    return check_proof_file(options, {}, verdict);
  }
  const bool asked = !options.result.empty() || asks_for_something(options);
  const CertificateReading reading = read_for(certificate, options.proof, options.input, asked);
  const Input& input = reading.input;
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  CertificateVerdict verdict;
  verdict.reason = reading.other;
  if (reading.other.empty())
    verdict = check_certificate(input.problem, certificate.text,
                                session.remaining(options.limits.limits()));
  for (ClaimVerdict& each : verdict.claims) each.text += reading.said;
  const bool proved = verdict.accepted && not_what_was_asked(options, input, verdict).empty();
  if (options.result.empty() || !proved) return check_proof_file(options, input, verdict);
  const PlacementResult placed = load_result_text(std::move(result), options.result, input);
  if (!options.output.quiet && !options.output.json()) check_proof_file(options, input, verdict);
  return check_placement(options, input, placed, proved_claims(verdict));
}

int run_check(const CheckOptions& options, Session& session) {
  session.limit_reading(options.limits);
  const bool judged = !options.result.empty() || !options.proof.empty();
  if (judged == !options.model.empty())
    throw BadInput("tessera check: RESULT, --proof FILE or --model FILE is missing",
                   "tessera check --help has an example of each");
  if (!options.expect.empty() && options.proof.empty())
    throw BadInput("tessera check: --expect needs a certificate", "add --proof FILE");
  const std::array<std::string, 4> files{options.input.path, options.result, options.model,
                                         options.proof};
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw BadInput("tessera check: more than one file is the standard input");
  session.reads(options.input.path);
  if (!options.input.scratch.empty()) session.reads(options.input.scratch);
  session.reads_profile(options.input.profile);
  for (const std::string& file : {options.result, options.commands, options.proof, options.model})
    if (!file.empty()) session.reads(file);
  if (is_commands_file(options.result)) return check_commands_of_plan(options);
  PlanFileHeader header;
  if (!options.result.empty()) header = plan_file_header(options.result);
  if (header.is_plan) return check_network_plan(options, header);
  if (!options.result.empty() && is_tile_graph_file(options.input.path))
    return check_schedule(options, header.text);
  if (is_network_file(options.input.path))
    throw BadInput((options.result.empty() ? "tessera check" : options.result) +
                       ": a network needs a plan as RESULT, and this file is not a plan",
                   "tessera plan NETWORK --profile NAME -o plan.json writes one");
  if (!options.proof.empty())
    return check_with_certificate(options, std::move(header.text), session);
  const Input input = options.input.load();
  for (const std::string& text : input.notes) note(text, options.output.quiet);
  if (!options.model.empty()) return check_model(options, input);
  return check_placement(options, input,
                         load_result_text(std::move(header.text), options.result, input), {});
}

}  // namespace

void add_check(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("check", "check a placement, a certificate or a plan");
  const auto options = std::make_shared<CheckOptions>();
  options->input.declare(*sub);
  sub->get_option("INPUT")->description(
      "buffer CSV, problem YAML, dsa-solver JSON, memory profile of ExecuTorch or TensorFlow Lite "
      "model (told apart by content; "
      "- "
      "is the standard input); for a plan its network, for a schedule its problem, for commands "
      "their plan");
  sub->add_option(
      "RESULT", options->result,
      "placement JSON, a CSV of the buffers with their offsets, a TensorFlow Lite "
      "model with a plan "
      "of its arena, the plan of a network, the commands of a plan, or the solution of a problem "
      "of the MLSys 2026 contest");
  sub->add_option("COMMANDS", options->commands,
                  "for a network and its plan: the command file that plan --commands wrote");
  sub->add_option("--dtype", options->network.dtype,
                  "for a plan: the element type the network was planned with, if it is not the one "
                  "in the plan");
  options->network.declare_reading(*sub);
  options->output.declare(*sub);
  sub->add_option("--proof", options->proof, "check a certificate that place --proof wrote");
  sub->add_option("--expect", options->expect,
                  "accept the certificate only if it claims infeasibility")
      ->check(one_of({"infeasible"}));
  sub->add_option("--reading", options->reading,
                  "for a schedule: of rules that the contest does not state")
      ->check(one_of({"default", "rulings"}))
      ->capture_default_str();
  options->limits.declare(*sub);
  sub->add_option("--model", options->model,
                  "the output of another solver for export --to dimacs or smt2 of INPUT");
  sub->footer(
      "Each violated rule is one line on the standard output; the exit code is then "
      "3.\nExamples:\n  tessera check buffers.csv placed.json --capacity '1 MiB'\n  tessera check "
      "buffers.csv --capacity '1 MiB' --proof no.proof --expect infeasible\n  tessera check "
      "resnet18.onnx plan.json --profile ethos-u65-like\n  tessera check plan.json "
      "net.jsonl\n  tessera export net.yaml --to dimacs -o "
      "net.cnf; cadical net.cnf > answer.txt\n  tessera check net.yaml --model answer.txt");
  sub->final_callback([options, &command] {
    command.run = [options](Session& session) { return run_check(*options, session); };
  });
}

}  // namespace tessera::cli
