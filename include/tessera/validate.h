// What is wrong with a problem before anybody tries to solve it.
//
//   for (const Defect& defect : validate(problem)) std::cerr << defect.message << '\n';
//
// Readers call this too and turn `part` and `index` into a line of the file.
#pragma once

#include <string>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

enum class ProblemPart : std::uint8_t { problem, memory, buffer, relation };

struct Defect {
  ProblemPart part = ProblemPart::problem;
  std::size_t index = 0;  ///< of the memory, buffer or relation
  std::string field{};    ///< "size", "live", "banks", ...: the key a reader would look for
  std::string message{};  ///< a whole sentence that names the memory / buffer / relation
};

/// Everything that makes the problem ill-formed; empty means it is well-formed. In particular
/// ensures when empty: ids and names unique, sizes and alignments in [1, max_address], lifetimes
/// sorted and not empty and not negative, accesses inside lifetimes, gaps inside one live
/// interval, bank sizes adding up to the capacity, roles matching banks, indices in range, and
/// the sums of aligned sizes, of costs and of bounded capacities at most max_address each, so that
/// no engine can overflow.
/// A problem that simply has no solution is well-formed: a buffer may be larger than its window.
[[nodiscard]] TESSERA_API std::vector<Defect> validate(const PlacementProblem& problem);

}  // namespace tessera
