// The command compatible with google/minimalloc's program, in one call.
//
//   MinimallocResult answer = solve_minimalloc({.path = "in.csv", .capacity = 1 << 20});
//   if (answer.status == Status::feasible) out.write(answer.csv);
//
// io/minimalloc_csv.h reads the file as that program does, and place() solves it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/place.h"

namespace tessera::placer {

struct MinimallocQuery {
  std::string path;
  std::int64_t capacity = 0;  ///< any number; infeasible if too small
  bool minimize = false;      ///< minimise the height within the capacity
  bool picture = false;
  PlaceParams params{};  ///< limits and progress
};

struct MinimallocResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::string reason;  ///< for infeasible and unknown: one sentence
  Size height = 0;
  double seconds = 0;              ///< of the search
  std::string csv;                 ///< if feasible
  std::string picture;             ///< if feasible and requested: LaTeX
  std::vector<std::string> notes;  ///< ignored parts of the file
};

/// Throws BadInput if the file cannot be read.
[[nodiscard]] MinimallocResult solve_minimalloc(const MinimallocQuery& question);

}  // namespace tessera::placer
