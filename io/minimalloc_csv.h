// The buffer CSV exactly as google/minimalloc's program reads and writes it, for the command
// compatible with that program.
//
//   MinimallocTable table = read_minimalloc_csv(text, "in.csv");
//   MinimallocProblem asked = minimalloc_problem(table, 1 << 20, "in.csv");
//   const PlacementResult result = place(asked.problem, {});
//   write_output("out.csv", write_minimalloc_csv(table, offsets_of(asked, *result.placement)));
//
// buffer_csv.h reads the same files strictly. This reader accepts everything that program accepts:
// unknown columns, duplicate or empty ids, a blank line as the end of the file, files without
// buffers, negative steps, buffers of size 0, gaps in any order that overlap or exceed the
// lifetime, any negative hint for none. In addition: CR LF, a byte-order mark, empty cells for no
// offset and no hint. It rejects input without a meaning: negative sizes, an alignment below 1,
// empty lifetimes, a gap window outside its buffer.
//
// Source: https://github.com/google/minimalloc (src/converter.cc, src/minimalloc.cc at 9f5cf81).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/error.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

/// One row; numbers as written, upper ends half-open.
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
  std::vector<std::string> notes;  ///< ignored parts, as sentences
};

/// Throws InputError. `file` is only for messages.
[[nodiscard]] MinimallocTable read_minimalloc_csv(std::string text, const std::string& file);

struct MinimallocProblem {
  PlacementProblem problem;                        ///< one memory
  std::vector<std::optional<BufferIndex>> placed;  ///< of each row: none if its size is 0
  std::vector<Offset> others;                      ///< of each row of size 0: its offset
};

/// Steps are renumbered, because only their order matters. Gaps are interpreted as in that program:
/// if gaps overlap, the end of one ends all of them. Throws InputError if sizes exceed 2^60 in
/// total. require: capacity >= 1.
[[nodiscard]] MinimallocProblem minimalloc_problem(const MinimallocTable& table, Size capacity,
                                                   const std::string& file);

/// One offset for each row.  require: one place per buffer of the problem.
[[nodiscard]] std::vector<Offset> offsets_of(const MinimallocProblem& asked,
                                             const Placement& placement);

/// id, lower, upper, size; alignment, hint and gaps if some row has one; offset. require: one
/// offset per row.
[[nodiscard]] std::string write_minimalloc_csv(const MinimallocTable& table,
                                               const std::vector<Offset>& offsets);

/// The placement as a picture in LaTeX (TikZ), 17 cm wide and 8.5 cm high.
/// require: one offset per row, capacity >= 1.
[[nodiscard]] std::string minimalloc_tikz(const MinimallocTable& table, Size capacity,
                                          const std::vector<Offset>& offsets);

}  // namespace tessera::io
