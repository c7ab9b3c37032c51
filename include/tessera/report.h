// A result as one page of HTML: to look at, to send, to keep.
//
//   const Input input = load_input("net.csv", {.capacity = 1 << 20});              // files.h
//   write_output("placed.html", report_html("placed.json", &input, {}).html);      // files.h
//
// The page needs nothing beside itself: no network, no other file. It shows when and where every
// buffer lives, with zoom and a note under the pointer; for a plan also what each op costs and what
// bounds it; where there is no placement, the smallest reason for that.
#pragma once

#include <string>

#include "api.h"
#include "input.h"
#include "limits.h"

namespace tessera {

struct Report {
  std::string html{};
  std::string note{};  ///< a sentence where something was left out or the page is large
};

/// `result` is the file of a placement/1 or a plan/1. With the problem it is the answer to, what
/// the result does not tell is in the page too (capacities, alignments, reserved addresses), and
/// why there is no placement; `limits` are those of looking for that. Throws BadInput for a file
/// that is neither, or that is not about `input`.
[[nodiscard]] TESSERA_API Report report_html(const std::string& result, const Input* input,
                                             const Limits& limits);

}  // namespace tessera
