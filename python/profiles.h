// Profiles for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "tessera/profile.h"

namespace tessera::python {

[[nodiscard]] std::vector<std::string> profile_folders_of_package();

/// A Profile as it is, or the one with this name or file.
[[nodiscard]] Profile profile_of(const pybind11::handle& given);

}  // namespace tessera::python
