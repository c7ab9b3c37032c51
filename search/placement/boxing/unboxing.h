// Unboxing: derives offsets of jobs from the boxes around them.
//
//   std::vector<Offset> loose = unbox(instance, *boxes);
//   fit.place(by_offset(loose), limit, offsets);              // the squeeze: first_fit.h
//
// The roots have one size, so interval colouring places them. The contents of a box need at most
// the rows it was made for, so the same colouring places them inside the box, recursively. The
// result has no overlaps, but has free space in every box. Gaps, windows and obstacles are left to
// the squeeze.
#pragma once

#include <vector>

#include "search/placement/boxing/boxing.h"
#include "search/placement/boxing/instance.h"

namespace tessera::search::boxing {

[[nodiscard]] std::vector<Offset> unbox(const Instance& instance, const Boxes& boxes);

}  // namespace tessera::search::boxing
