// Counts literals in unary (Bailleux, Boufkhad: Efficient CNF encoding of Boolean cardinality
// constraints, 2003).
#pragma once

#include <span>
#include <vector>

#include "backend.h"

namespace tessera::encoder {

/// Literals s[0], s[1], ...: if k + 1 of `inputs` are true then s[k] is.
[[nodiscard]] std::vector<int> count(Backend& solver, std::span<const int> inputs);

}  // namespace tessera::encoder
