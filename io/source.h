// File and line of each part of a problem, so that later errors can name the line.
//
//   for (const Defect& defect : validate(loaded.problem))
//     throw defect_error(loaded.source, defect);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/error.h"
#include "tessera/validate.h"

namespace tessera::io {

struct SourceMap {
  std::string file;
  std::size_t problem_line = 1;
  std::vector<std::size_t> memories;  ///< line of each; may be shorter than the problem's list
  std::vector<std::size_t> buffers;
  std::vector<std::size_t> relations;
  std::vector<std::size_t> rules{};
};

/// The line the defect's part begins at.
[[nodiscard]] std::size_t line_of(const SourceMap& source, const Defect& defect);

[[nodiscard]] InputError defect_error(const SourceMap& source, const Defect& defect);

}  // namespace tessera::io
