// Buffer CSV: the format of google/minimalloc with extensions (docs: the contract's "Buffer CSV").
//
//   BufferCsv csv = read_buffer_csv_file("buffers.csv", Lifetimes::by_header);
//   csv.problem.memories[0].capacity = 1 << 20;
//   ...
//   write_output("placed.csv", write_buffer_csv(csv.table, result.placement->places));
//
// Strict where the original leaves the format open: every deviation is an InputError with its line.
// Cells may be surrounded by blanks; quotes are not part of the format. Blank lines are accepted
// only at the end. A file without buffers is an error. A hint of -1, which minimalloc writes, means
// none.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.h"
#include "tessera/input.h"
#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::io {

/// The original file, so that it can be written back without loss.
struct CsvTable {
  std::string text;               ///< the whole file
  std::vector<std::size_t> rows;  ///< where in `text` the row of each buffer begins
  std::size_t header = 0;         ///< where the header begins (after a byte-order mark)
  std::size_t columns = 0;
  std::size_t offset_column = 0;   ///< == columns if the input has no offset
  std::size_t address_column = 0;  ///< likewise
  /// The values of the column `address`, which need a memory's base for an interpretation; empty
  /// without the column. They do not constrain the placement.
  std::vector<std::optional<Offset>> addresses;
};

struct BufferCsv {
  PlacementProblem problem;  ///< one memory named "memory", unbounded
  CsvTable table;
  SourceMap source;
};

/// `lifetimes` applies to gaps, too. `file` is only for messages. ensure: validate(result.problem)
/// is empty.
[[nodiscard]] BufferCsv read_buffer_csv(std::string text, const std::string& file,
                                        Lifetimes lifetimes = Lifetimes::by_header);
[[nodiscard]] BufferCsv read_buffer_csv_file(const std::filesystem::path& path,
                                             Lifetimes lifetimes = Lifetimes::by_header);

/// The input's columns in their order and spelling, with `offset` replaced or appended. `address`
/// is replaced if addresses are given; otherwise its cells become empty. require: one place per
/// row; one address per row or none.
[[nodiscard]] std::string write_buffer_csv(const CsvTable& table,
                                           std::span<const BufferPlace> places,
                                           std::span<const Offset> addresses = {});

/// A problem of any origin as CSV: id, lower, upper, size, and the optional columns with values;
/// `offset` has the given places, or else the fixed offsets. require: csv_cannot_express(problem)
/// is empty.
[[nodiscard]] std::string write_buffer_csv(const PlacementProblem& problem,
                                           std::span<const BufferPlace> places = {},
                                           std::span<const Offset> addresses = {});

/// Properties of the problem that CSV cannot express, as sentences ("buffer `a` has two live
/// intervals"); empty: nothing. Capacity, alignment and name of the memory are not part of the
/// format and do not count; a memory's alignment is merged into the alignments of its buffers.
[[nodiscard]] std::vector<std::string> csv_cannot_express(const PlacementProblem& problem);

}  // namespace tessera::io
