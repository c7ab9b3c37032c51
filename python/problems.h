// Problems and placements for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/placement.h"
#include "tessera/problem.h"

namespace tessera::python {

namespace py = pybind11;

/// Array arguments of place() and Session.
struct Arrays {
  py::object sizes = py::none();
  py::object lower = py::none();
  py::object upper = py::none();
  py::object capacity = py::none();
  py::object alignment = py::none();
  py::object ids = py::none();
  py::object fixed = py::none();
  py::object hints = py::none();
  py::object benefits = py::none();
};

/// An immutable problem, shared by results and sessions.
struct Problem {
  std::shared_ptr<const PlacementProblem> problem;
};

/// A result with the data needed to show it.
struct Answer {
  std::shared_ptr<const PlacementProblem> problem;
  /// For sessions: the queried numbers, if they differ from those of `problem`.
  std::vector<Size> sizes{};
  std::vector<Size> capacities{};
  PlacementResult result{};
  std::vector<Offset> offsets{};

  [[nodiscard]] PlacementProblem asked() const;
};

[[nodiscard]] Problem problem_from(const Arrays& arrays);
[[nodiscard]] Answer answer_of(std::shared_ptr<const PlacementProblem> problem,
                               PlacementResult result);
[[nodiscard]] std::optional<std::string> minimize_word(const py::handle& value);

void bind_problems(py::module_& module);
void bind_placing(py::module_& module);
void bind_profiles(py::module_& module);
void bind_networks(py::module_& module);
void bind_ordering(py::module_& module);
void bind_scheduling(py::module_& module);
void bind_plans(py::module_& module);
void bind_exploring(py::module_& module);

}  // namespace tessera::python
