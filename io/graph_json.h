// Reads and writes graphs, format `tessera: graph/1` (docs/reference/problems.md).
//
//   Graph graph = read_graph_json(text, "cells.json");
#pragma once

#include <string>
#include <string_view>

#include "tessera/graph.h"

namespace tessera::io {

/// Is this text a graph of this format, of any version?
[[nodiscard]] bool is_graph_json(std::string_view text);

/// `file` is for messages, and without folder and extension the graph's name. Throws InputError.
/// ensure: check_graph(result) is empty.
[[nodiscard]] Graph read_graph_json(std::string_view text, const std::string& file);

[[nodiscard]] std::string write_graph_json(const Graph& graph);

}  // namespace tessera::io
