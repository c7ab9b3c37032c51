// The page of `report`: self-contained HTML.
//
//   const Sources sources("plan.json");
//   const Node root = parse_json(text, sources);
//   if (check_report_tree(sources, root) == ReportKind::plan)
//     write(report_page("resnet18", json_text(root), "null"));
//
// The page embeds the result as in its file, and a script (io/report/) that draws it. The result
// can be extracted from the page. Private to io/ and placer/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/tree.h"

namespace tessera::io {

enum class ReportKind : std::uint8_t { placement, plan };

/// Throws InputError with the line if the tree is no result or lacks a required field.
[[nodiscard]] ReportKind check_report_tree(const Sources& sources, const Node& root);

/// The tree on one line. Numbers keep their spelling.
[[nodiscard]] std::string json_text(const Node& node);

/// `result` and `given` are JSON; `given` holds the parts of the problem, or "null".
[[nodiscard]] std::string report_page(std::string_view title, std::string_view result,
                                      std::string_view given);

}  // namespace tessera::io
