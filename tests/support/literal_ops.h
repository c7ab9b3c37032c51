// Elements of its operands that an op reads for one element of its output, directly from the op's
// definition with loops over taps, channels and axes. Serves as a reference, without ranges or
// optimisation.
#pragma once

#include <functional>
#include <vector>

#include "tessera/network.h"

namespace tessera::testing {

using Element = std::vector<Dim>;

/// Calls read(position in operands(op), element) for every element read for element `out`.
void literal_reads(const Network& network, const Op& op, const Element& out,
                   const std::function<void(std::size_t, const Element&)>& read);

/// Calls visit for every element of the box [begin, end).
void each_element(const Element& begin, const Element& end,
                  const std::function<void(const Element&)>& visit);

}  // namespace tessera::testing
