// The page of `report`: HTML with everything it needs inside.
//
//   const Sources sources("plan.json");
//   const Node root = parse_json(text, sources);
//   if (check_report_tree(sources, root) == ReportKind::plan)
//     write(report_page("resnet18", json_text(root), "null"));
//
// The page holds the result as it is written in its file, and a script (io/report/) that draws it:
// whatever can run the page can take the result out of it again. Private to io/ and placer/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/tree.h"

namespace tessera::io {

enum class ReportKind : std::uint8_t { placement, plan };

/// Throws InputError, with the line, for what is no result or lacks something the page shows.
[[nodiscard]] ReportKind check_report_tree(const Sources& sources, const Node& root);

/// The tree on one line. Numbers stay as they are written.
[[nodiscard]] std::string json_text(const Node& node);

/// `result` and `given` are JSON; `given` is what the problem adds, or "null".
[[nodiscard]] std::string report_page(std::string_view title, std::string_view result,
                                      std::string_view given);

}  // namespace tessera::io
