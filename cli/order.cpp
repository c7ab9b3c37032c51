// tessera order: the order of ops that needs the least memory.

#include "tessera/order.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/network_options.h"
#include "cli/options.h"
#include "cli/session.h"
#include "tessera/files.h"

namespace tessera::cli {

namespace {

struct OrderArguments {
  NetworkArguments network;
  OutputArguments output;
  LimitArguments limits;
  std::string minimize = "peak";
  std::string output_file;
  std::string plot_file;
  std::int64_t work = 0;  ///< 0: no limit
};

/// "12.5 %", rounded up, so that an open gap is never 0.
std::string gap_text(Size value, Size bound) {
  if (value <= bound) return "least";
  char text[64];
  const double share =
      100.0 * static_cast<double>(value - bound) / static_cast<double>(std::max<Size>(1, value));
  std::snprintf(text, sizeof text, "at least %lld, gap %.2f %%", static_cast<long long>(bound),
                std::max(0.01, share));
  return text;
}

std::string order_report(const Graph& graph, const OrderResult& result) {
  std::string text = std::to_string(graph.ops.size()) + " ops, peak " +
                     std::to_string(result.peak) + " bytes (" +
                     gap_text(result.peak, result.bound) + ")";
  text += ", order of the file " + std::to_string(result.first_peak) + " bytes\n";
  if (result.height)
    text += "height " + std::to_string(*result.height) + " bytes (" +
            gap_text(*result.height, *result.height_bound) + ")\n";
  if (result.stop != StopReason::completed)
    text += "stopped by a limit: " + std::string(to_string(result.stop)) + "\n";
  return text;
}

std::string output_text(const std::string& file, const OrderInput& input,
                        const OrderResult& result) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".tflite") return ordered_tflite(input, result.order);
  if (extension == ".yaml" || extension == ".yml") return ordered_network_yaml(input, result.order);
  return order_json(input.graph, result);
}

/// Reports an output that this input cannot have before the search.
void check_output(const std::string& file, const OrderInput& input) {
  std::vector<std::size_t> same(input.graph.ops.size());
  for (std::size_t k = 0; k < same.size(); ++k) same[k] = k;
  if (!file.empty() && std::filesystem::path(file).extension() != ".json")
    static_cast<void>(output_text(file, input, {.order = same}));
}

int run_order(const OrderArguments& arguments, Session& session) {
  session.limit_reading(arguments.limits);
  session.reads(arguments.network.path);
  validation::OutputFile* const output =
      session.writes("--output", arguments.output_file, {".json", ".tflite", ".yaml"});
  require_svg(arguments.plot_file);
  validation::OutputFile* const plot = session.writes("--plot", arguments.plot_file);
  OrderInput input;
  try {
    input = arguments.network.load_order(arguments.output.quiet,
                                         session.remaining(arguments.limits.limits()));
  } catch (const ImportStopped& stopped) {
    complain(stopped.what());
    return session.exit_code(exit_stopped, false);
  }
  check_output(arguments.output_file, input);
  OrderParams params;
  params.minimize = arguments.minimize == "height" ? OrderGoal::height : OrderGoal::peak;
  params.limits = session.remaining(arguments.limits.limits(), Session::giving_back);
  if (arguments.work > 0) params.limits.work = arguments.work;
  params.limits.stop = session.interrupts().token();
  session.interrupts().enter(Phase::searching);
  const OrderResult result = order_ops(input.graph, params);
  session.interrupts().enter(Phase::writing);
  session.deliver(output, [&] { return output_text(arguments.output_file, input, result); });
  session.deliver(plot, [&] { return order_picture(input.graph, result.order); });
  if (arguments.output.json())
    session.report([&] { return order_json(input.graph, result); });
  else if (!arguments.output.quiet)
    session.report([&] { return order_report(input.graph, result); });
  return session.exit_code(exit_found, result.stop == StopReason::completed);
}

}  // namespace

void add_order(CLI::App& app, Command& command) {
  CLI::App* sub = app.add_subcommand("order", "find the order of ops that needs the least memory");
  const auto arguments = std::make_shared<OrderArguments>();
  arguments->network.declare_graph(*sub);
  arguments->output.declare(*sub);
  arguments->limits.declare(*sub);
  sub->add_option("--minimize", arguments->minimize,
                  "peak: the largest number of live bytes; height: of a placement as well")
      ->check(one_of({"peak", "height"}))
      ->capture_default_str();
  sub->add_option("-o,--output", arguments->output_file,
                  "write the order: .json, or the reordered network: .tflite or .yaml");
  sub->add_option("--plot", arguments->plot_file,
                  "draw the live bytes of the file's order and of this one: FILE.svg");
  sub->add_option("--max-nodes", arguments->work, "stop after this many search steps")
      ->check(whole_number(1));
  sub->footer("Example:\n  tessera order graph.json --timeout 10s -o order.json");
  sub->final_callback([arguments, &command] {
    command.run = [arguments](Session& session) { return run_order(*arguments, session); };
  });
}

}  // namespace tessera::cli
