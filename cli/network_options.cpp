#include "cli/network_options.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "cli/console.h"
#include "tessera/engines.h"

namespace tessera::cli {

void NetworkArguments::declare(CLI::App& app, bool required) {
  declare_as(app, "NETWORK",
             "an ONNX or TensorFlow Lite model, or a network YAML; - is the standard input",
             required);
}

void NetworkArguments::declare_graph(CLI::App& app) {
  declare_as(app, "NETWORK|GRAPH",
             "an ONNX or TensorFlow Lite model, a network YAML, or a graph JSON; - is the standard "
             "input",
             true);
}

void NetworkArguments::declare_as(CLI::App& app, const char* name, const char* what,
                                  bool required) {
  app.add_option(name, path, what)->required(required);
  app.add_option("--dtype", dtype,
                 "replace every floating-point type by this one: int8 (biases are int32), int4 "
                 "(weights; activations are int8), float16, ...");
  declare_reading(app);
}

void NetworkArguments::declare_reading(CLI::App& app) {
  app.add_option("--dim", dims, "NAME=N: the extent of a dynamic dimension of an ONNX model");
  app.add_flag("--keep-batch-norm", keep_batch_norm,
               "do not fold batch normalisation into convolutions");
  app.add_flag("--keep-activations", keep_activations,
               "do not fuse activation functions into their producers");
  app.add_flag("--keep-patterns", keep_patterns,
               "keep decomposed LayerNorm and GELU as separate ops");
}

ImportOptions NetworkArguments::options(const Limits& limits) const {
  ImportOptions options;
  options.limits = limits;
  if (!dtype.empty()) options.dtype = parse_element_type(dtype, "--dtype");
  for (const std::string& text : dims) {
    const std::size_t equals = text.find('=');
    Dim extent = 0;
    const char* begin = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, extent);
    if (error != std::errc{} || rest != end || extent < 1)
      throw BadInput("--dim: '" + text + "' is not NAME=N with N at least 1");
    options.dims.emplace_back(text.substr(0, equals), extent);
  }
  options.fold_batch_norm = !keep_batch_norm;
  options.fuse_activations = !keep_activations;
  options.recognise = !keep_patterns;
  return options;
}

ImportedNetwork NetworkArguments::load(bool quiet, const Limits& limits) const {
  ImportedNetwork in = read_network(path, options(limits));
  for (const std::string& warning : in.warnings) note(warning, quiet);
  return in;
}

OrderInput NetworkArguments::load_order(bool quiet, const Limits& limits) const {
  OrderInput in = load_order_input(path, options(limits));
  for (const std::string& warning : in.warnings) note(warning, quiet);
  return in;
}

namespace {

std::string who_may_search() {
  std::string text = "solver of the placements: auto";
  for (const EngineInfo& entry : engine_list())
    if (entry.complete) text += ", " + std::string(entry.name);
  return text;
}

/// Tile searches and plans need proofs of infeasibility. The library rejects unknown names.
std::string says_no(const std::string& engine) {
  for (const EngineInfo& entry : engine_list())
    if (entry.name == engine && !entry.complete)
      return "engine " + engine +
             " is incomplete; this command needs a solver that proves infeasibility";
  return "";
}

}  // namespace

void SolverArguments::declare(CLI::App& app) {
  app.add_option("-e,--engine", engine, who_may_search())->check(says_no);
  app.add_option("--question-timeout", question_timeout,
                 "time limit of one placement query; after it the query is unresolved");
}

}  // namespace tessera::cli
