// Constants of costs and scores that are computed as doubles.
#pragma once

#include <limits>

namespace tessera {

/// The cost or time of what is impossible or not known yet.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Relative difference up to which two sums of the same terms in another order count as equal.
/// `x * (1 - tolerance)` is a safe lower bound for such a sum.
inline constexpr double tolerance = 1e-9;

}  // namespace tessera
