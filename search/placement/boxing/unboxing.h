// Unboxing: offsets for the jobs from the boxes around them.
//
//   std::vector<Offset> loose = unbox(instance, *boxes);
//   fit.place(by_offset(loose), limit, offsets);              // the squeeze: first_fit.h
//
// The roots have one size: interval colouring places them. What is in a box needs as few rows as
// the box was made for, so the same colouring places it inside the box, and so on. The result keeps
// everybody apart but leaves room in every box; gaps, windows and obstacles are left to the
// squeeze.
#pragma once

#include <vector>

#include "search/placement/boxing/boxing.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

[[nodiscard]] std::vector<Offset> unbox(const Instance& instance, const Boxes& boxes);

}  // namespace tessera::search::boxing
