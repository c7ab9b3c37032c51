// tessera import: converts models of other frameworks to Tessera's networks.

#include "tessera/import.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/network_options.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"
#include "tessera/network_stats.h"

namespace tessera::cli {

namespace {

struct ImportArguments {
  NetworkArguments network;
  LimitArguments limits;
  std::string output;
  bool quiet = false;
};

std::string millions(std::int64_t count) {
  const std::int64_t tenths = count / 100000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " M";
}

/// size_text() writes bytes without a unit.
std::string with_unit(Size size) {
  const std::string text = size_text(size);
  return text.find(' ') == text.npos ? text + " B" : text;
}

std::string summary(const Network& network) {
  const NetworkStats stats = network_stats(network);
  return (network.name.empty() ? "network" : network.name) + ": " + std::to_string(stats.ops) +
         " ops, " + millions(stats.macs) + " MACs, " + millions(stats.weights) + " weights (" +
         with_unit(stats.weight_bytes) + "), largest activation " +
         with_unit(stats.largest_activation) + "\n";
}

int run_import(const ImportArguments& arguments, Session& session) {
  session.limit_reading(arguments.limits);
  session.reads(arguments.network.path);
  validation::OutputFile* const output = session.writes("--output", arguments.output, {".yaml"});
  ImportedNetwork in;
  try {
    in = arguments.network.load(arguments.quiet, session.remaining(arguments.limits.limits()));
  } catch (const ImportStopped& stopped) {
    complain(stopped.what());
    return session.exit_code(exit_stopped, false);
  }
  const int code = session.hand_over(output, network_yaml(in.network));
  if (!arguments.quiet && output != nullptr && !Session::goes_to_standard_output(*output))
    print(summary(in.network));
  return code;
}

}  // namespace

void add_import(CLI::App& app, Command& command) {
  CLI::App* sub =
      app.add_subcommand("import", "convert an ONNX or TensorFlow Lite model to a network YAML");
  const auto arguments = std::make_shared<ImportArguments>();
  arguments->network.declare(*sub);
  arguments->limits.declare(*sub);
  sub->add_option("-o,--output", arguments->output,
                  "the output file (default: the standard output)");
  sub->add_flag("-q,--quiet", arguments->quiet, "print errors only");
  sub->footer("Example:\n  tessera import model.onnx -o model.yaml --dtype int8");
  sub->final_callback([arguments, &command] {
    command.run = [arguments](Session& session) { return run_import(*arguments, session); };
  });
}

}  // namespace tessera::cli
