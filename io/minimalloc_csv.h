// The buffer CSV as google/minimalloc's own program reads and writes it, for the command that
// stands in for that program.
//
//   MinimallocTable table = read_minimalloc_csv(text, "in.csv");
//   MinimallocProblem asked = minimalloc_problem(table, 1 << 20, "in.csv");
//   const PlacementResult result = place(asked.problem, {});
//   write_output("out.csv", write_minimalloc_csv(table, offsets_of(asked, *result.placement)));
//
// buffer_csv.h reads the same files and is strict. Here whatever that program takes is taken:
// columns nobody knows, ids that stand twice or are empty, a blank line as the end of the file,
// no buffers at all, steps below 0, buffers of no bytes, gaps in any order that overlap or leave
// the lifetime, any negative hint for none. Beyond it: CR LF, a byte-order mark, empty cells for no
// offset and no hint. Refused is what means nothing: negative sizes, an alignment below 1, a
// lifetime that is empty, a window of a gap that is not inside its buffer.
//
// The facts are those of https://github.com/google/minimalloc (src/converter.cc, src/minimalloc.cc
// at 9f5cf81).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/error.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

/// One row; numbers as they were written, the upper ends half-open.
struct MinimallocBuffer {
  std::string id;
  StepRange live;
  Size size = 0;
  Size alignment = 1;
  std::vector<Gap> gaps;
  std::optional<Offset> offset;
  std::optional<Offset> hint;
  std::size_t line = 0;
};

struct MinimallocTable {
  std::vector<MinimallocBuffer> buffers;
  std::vector<std::string> notes;  ///< what was passed over, as sentences
};

/// Throws InputError. `file` is only for messages.
[[nodiscard]] MinimallocTable read_minimalloc_csv(std::string text, const std::string& file);

struct MinimallocProblem {
  PlacementProblem problem;                        ///< one memory
  std::vector<std::optional<BufferIndex>> placed;  ///< of each row: nothing where it has no bytes
  std::vector<Offset> others;  ///< of each row that has none: where it lies all the same
};

/// Steps are counted anew, so that any numbers will do: only their order means something. A gap
/// counts as that program counts it: where gaps overlap, the end of one ends all of them.
/// Throws InputError where the numbers are beyond what can be placed (2^60 in all).
/// require: capacity >= 1.
[[nodiscard]] MinimallocProblem minimalloc_problem(const MinimallocTable& table, Size capacity,
                                                   const std::string& file);

/// One offset for each row.  require: one place per buffer of the problem.
[[nodiscard]] std::vector<Offset> offsets_of(const MinimallocProblem& asked,
                                             const Placement& placement);

/// id, lower, upper, size; alignment, hint and gaps where a row has one; offset.
/// require: one offset per row.
[[nodiscard]] std::string write_minimalloc_csv(const MinimallocTable& table,
                                               const std::vector<Offset>& offsets);

/// The placement as a picture in LaTeX (TikZ), 17 cm wide and 8.5 cm high.
/// require: one offset per row, capacity >= 1.
[[nodiscard]] std::string minimalloc_tikz(const MinimallocTable& table, Size capacity,
                                          const std::vector<Offset>& offsets);

}  // namespace tessera::io
