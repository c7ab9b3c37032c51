// NETWORK and the options that affect how it is read, shared by all subcommands.
#pragma once

#include <string>
#include <vector>

#include "tessera/files.h"
#include "tessera/import.h"
#include "tessera/order.h"

namespace CLI {
class App;
}

namespace tessera::cli {

struct NetworkArguments {
  std::string path;
  std::string dtype;
  std::vector<std::string> dims;  ///< "name=extent"
  bool keep_batch_norm = false;
  bool keep_activations = false;
  bool keep_patterns = false;

  void declare(CLI::App& app, bool required = true);
  /// The same, where the file may also be a graph.
  void declare_graph(CLI::App& app);
  /// Only the options for ONNX models: --dim and --keep-...
  void declare_reading(CLI::App& app);
  /// Prints the import's warnings unless quiet. Throws BadInput and ImportStopped.
  [[nodiscard]] ImportedNetwork load(bool quiet, const Limits& limits = {}) const;
  /// The same as a graph.
  [[nodiscard]] OrderInput load_order(bool quiet, const Limits& limits = {}) const;

 private:
  void declare_as(CLI::App& app, const char* name, const char* what, bool required);
  [[nodiscard]] ImportOptions options(const Limits& limits) const;
};

/// The solver of placement queries, of tile and plan.
struct SolverArguments {
  std::string engine = "auto";
  std::string question_timeout;

  void declare(CLI::App& app);
  /// Sets `engine` and `question_timeout` of the parameters. Throws BadInput.
  template <typename Params>
  void apply(Params& params) const {
    params.engine = engine;
    if (!question_timeout.empty())
      params.question_timeout = parse_duration_text(question_timeout, "--question-timeout");
  }
};

}  // namespace tessera::cli
