// Networks for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "tessera/network.h"

namespace tessera::python {

/// A network that does not change any more: plans share it.
struct KeptNetwork {
  std::shared_ptr<const Network> network;
};

/// A network as it is, or the one of this file.
[[nodiscard]] KeptNetwork network_of(const pybind11::handle& given);

}  // namespace tessera::python
