// Networks for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "tessera/network.h"

namespace tessera::python {

/// An immutable network, shared by plans.
struct KeptNetwork {
  std::shared_ptr<const Network> network;
};

/// A Network as it is, or the one in this file.
[[nodiscard]] KeptNetwork network_of(const pybind11::handle& given);

}  // namespace tessera::python
