// Conversion between Python's values and the library's: arrays, sizes, durations, limits.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/limits.h"
#include "tessera/network_plan.h"
#include "tessera/placement.h"

namespace tessera::python {

namespace py = pybind11;

/// A one-dimensional array (or list) of integers. Throws BadInput with its name.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(const py::handle& values, const char* name);
/// The same with one entry for each of `count` buffers.
[[nodiscard]] std::vector<std::int64_t> one_each(const py::handle& values, const char* name,
                                                 std::size_t count);

/// Bytes: an integer, or a text with a unit. None: no value.
[[nodiscard]] std::optional<Size> size_of(const py::handle& value, const char* name);

/// Arguments of every call that may take long.
struct LimitArguments {
  py::object timeout = py::none();  ///< seconds, or a text with a unit
  py::object work = py::none();
  py::object memory_limit = py::none();
  int threads = 2;
  std::uint64_t seed = 0;
};
[[nodiscard]] Limits limits_of(const LimitArguments& arguments);
/// Seconds, or a text with a unit; None: nothing. Throws BadInput that names the argument.
[[nodiscard]] std::optional<std::chrono::nanoseconds> duration_of(const py::handle& value,
                                                                  const std::string& name);

/// A read-only array that shares the vector and keeps `owner` alive.
[[nodiscard]] py::array view_of(const std::vector<std::int64_t>& values, const py::handle& owner);

[[nodiscard]] py::dict stats_dict(const Stats& stats);
[[nodiscard]] py::dict metrics_dict(const Metrics& metrics);

/// The path of a str or an os.PathLike.
[[nodiscard]] std::string path_of(const py::handle& path);

/// Text escaped for HTML.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace tessera::python
