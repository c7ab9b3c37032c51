// What the command that stands in for google/minimalloc's program asks, in one call.
//
//   MinimallocAnswer answer = answer_minimalloc({.path = "in.csv", .capacity = 1 << 20});
//   if (answer.status == Status::feasible) out.write(answer.csv);
//
// The file is read as that program reads it (io/minimalloc_csv.h), and place() finds the answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/place.h"

namespace tessera::placer {

struct MinimallocQuestion {
  std::string path;
  std::int64_t capacity = 0;  ///< any number: where it is too small there is no placement
  bool minimize = false;      ///< the least height within the capacity
  bool picture = false;
  PlaceParams params{};  ///< limits and progress
};

struct MinimallocAnswer {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::string reason;  ///< for infeasible and unknown: one sentence
  Size height = 0;
  double seconds = 0;              ///< of the search
  std::string csv;                 ///< where it is feasible
  std::string picture;             ///< likewise, if asked for: LaTeX
  std::vector<std::string> notes;  ///< what was passed over in the file
};

/// Throws BadInput where the file cannot be read.
[[nodiscard]] MinimallocAnswer answer_minimalloc(const MinimallocQuestion& question);

}  // namespace tessera::placer
