// Validation of placement problems.
//
//   for (const Defect& defect : validate(problem)) std::cerr << defect.message << '\n';
//
// Readers call this as well, and turn `part` and `index` into a line of the file.
#pragma once

#include <string>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

/// The part of a problem that a defect belongs to.
enum class ProblemPart : std::uint8_t { problem, memory, buffer, relation, rule };

/// An error of a problem.
struct Defect {
  ProblemPart part = ProblemPart::problem;
  std::size_t index = 0;  ///< index of the memory, buffer, relation or rule
  std::string field{};    ///< "size", "live", "banks", ...: the key in the file
  std::string message{};  ///< a complete sentence with the name of the memory, buffer or relation
};

/// Lists everything that makes the problem invalid.
/// ensure: if the list is empty,
///  - ids and names are unique, and indices are in range;
///  - sizes and alignments are in [1, max_address];
///  - lifetimes are sorted, not empty and not negative; accesses are inside lifetimes, and each gap
///    is inside one live interval;
///  - bank sizes add up to the capacity, and roles match banks;
///  - the sums of aligned sizes, of costs and of bounded capacities are at most max_address each,
///    so solvers cannot overflow.
///
/// A problem without a solution is valid: for example, a buffer may be larger than its window.
[[nodiscard]] TESSERA_API std::vector<Defect> validate(const PlacementProblem& problem);

}  // namespace tessera
