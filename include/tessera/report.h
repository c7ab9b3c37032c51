// A result as an HTML page.
//
//   const Input input = load_input("net.csv", {.capacity = 1 << 20});              // files.h
//   write_output("placed.html", report_html("placed.json", &input, {}).html);      // files.h
//
// The page is self-contained. It shows when and where every buffer lives, with zoom and tooltips.
// For a plan it also shows the cost of each op and what bounds it. For an infeasible problem it
// shows a minimal explanation.
#pragma once

#include <string>

#include "api.h"
#include "input.h"
#include "limits.h"

namespace tessera {

/// An HTML page.
struct Report {
  std::string html{};
  std::string note{};  ///< a sentence if parts were left out or the page is large
};

/// `result` is the text of a placement/1 or plan/1 file. With `input`, the page also shows data
/// that the result lacks (capacities, alignments, reserved addresses) and explains infeasibility;
/// `limits` apply to the explanation.
/// throws: BadInput if the text is neither, or does not belong to `input`.
[[nodiscard]] TESSERA_API Report report_html(const std::string& result, const Input* input,
                                             const Limits& limits);

}  // namespace tessera
