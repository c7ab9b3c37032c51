#include "problems.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "model/operand_rules.h"
#include "profiles.h"
#include "tessera/check.h"
#include "tessera/errors.h"
#include "tessera/files.h"
#include "tessera/validate.h"
#include "values.h"

namespace tessera::python {
namespace {

/// Drawings with more buffers are too slow to view.
constexpr std::size_t most_drawn = 2000;

std::vector<std::string> names_of(const py::handle& ids, std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  if (ids.is_none()) {
    for (std::size_t b = 0; b < count; ++b) names.push_back(std::to_string(b));
    return names;
  }
  for (const py::handle each : ids) names.emplace_back(py::str(each));
  if (names.size() != count)
    throw BadInput("`ids` has " + std::to_string(names.size()) + " entries, but there are " +
                   std::to_string(count) + " buffers");
  return names;
}

/// Buffers with a benefit are optional; NaN marks required ones.
void add_benefits(const py::object& benefits, PlacementProblem& problem) {
  const auto values = py::array_t<double, py::array::forcecast>::ensure(benefits);
  if (!values || values.ndim() != 1) {
    PyErr_Clear();
    throw BadInput("`benefits` is not a list of numbers");
  }
  if (static_cast<std::size_t>(values.size()) != problem.buffers.size())
    throw BadInput("`benefits` has " + std::to_string(values.size()) + " entries, but there are " +
                   std::to_string(problem.buffers.size()) + " buffers");
  constexpr double most = 1e15;  // in thousandths, the range of sums in a problem
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
    const double value = values.at(static_cast<py::ssize_t>(b));
    if (std::isnan(value)) continue;
    if (!(value >= 0 && value <= most))
      throw BadInput("`benefits` has an entry that is negative or too large",
                     "use nan for a buffer that must be placed");
    problem.buffers[b].optional = true;
    problem.buffers[b].benefit = std::llround(value * 1000);
  }
}

py::dict by_memory(const PlacementProblem& problem, const std::vector<Size>& values) {
  py::dict dict;
  for (MemoryIndex m = 0; m < values.size() && m < problem.memories.size(); ++m)
    dict[py::str(problem.memories[m].name)] = values[m];
  return dict;
}

py::object modes_of(const Answer& answer) {
  py::dict dict;
  if (answer.result.placement)
    for (MemoryIndex m = 0; m < answer.result.placement->modes.size(); ++m)
      if (!answer.result.placement->modes[m].empty())
        dict[py::str(answer.problem->memories[m].name)] = answer.result.placement->modes[m];
  return dict;
}

py::object memories_of(const Answer& answer) {
  if (!answer.result.placement) return py::none();
  py::list list;
  const Placement& placement = *answer.result.placement;
  for (BufferIndex b = 0; b < placement.places.size(); ++b)
    if (std::binary_search(placement.left_out.begin(), placement.left_out.end(), b))
      list.append(py::none());
    else
      list.append(answer.problem->memories[placement.places[b].memory].name);
  return list;
}

std::string svg_of(const Answer& answer, const std::string& title) {
  if (!answer.result.placement)
    throw BadInput("no placement to draw: the status is " +
                   std::string(to_string(answer.result.status)));
  return placement_picture(answer.asked(), *answer.result.placement, title);
}

std::string summary(const Answer& answer) {
  const PlacementResult& result = answer.result;
  const std::string count = std::to_string(answer.problem->buffers.size());
  switch (result.status) {
    case Status::feasible:
      return "feasible: " + count + " buffers placed by " + result.engine + ", height " +
             std::to_string(result.height) + ", lower bound " + std::to_string(result.lower_bound);
    case Status::infeasible:
      return "infeasible: " + result.reason;
    case Status::unknown:
      break;
  }
  return "unknown: stopped by " + std::string(to_string(result.stop)) +
         (result.reason.empty() ? "" : ": " + result.reason);
}

std::string html_of_placement(const Answer& answer) {
  std::string html = "<div><p><b>tessera</b> " + escaped(summary(answer)) + "</p>";
  if (answer.result.placement && answer.problem->buffers.size() <= most_drawn)
    html += svg_of(answer, "");
  return html + "</div>";
}

Problem load_problem(const py::object& path, const py::object& capacity,
                     const py::object& profile) {
  InputOptions options;
  options.capacity = size_of(capacity, "capacity");
  PlacementProblem problem;
  if (profile.is_none() || py::isinstance<py::str>(profile)) {
    options.folders = profile_folders_of_package();
    if (!profile.is_none()) options.profile = profile.cast<std::string>();
    problem = load_input(path_of(path), options).problem;
  } else {
    throw BadInput("`profile` must be the name or the file of a profile",
                   "use Problem.with_memories() for a changed profile");
  }
  return {std::make_shared<const PlacementProblem>(std::move(problem))};
}

}  // namespace

PlacementProblem Answer::asked() const {
  PlacementProblem now = *problem;
  for (BufferIndex b = 0; b < sizes.size(); ++b) now.buffers[b].size = sizes[b];
  for (MemoryIndex m = 0; m < capacities.size(); ++m) now.memories[m].capacity = capacities[m];
  return now;
}

Problem problem_from(const Arrays& arrays) {
  if (py::isinstance<Problem>(arrays.sizes)) {
    for (const py::object* other : {&arrays.lower, &arrays.upper, &arrays.alignment, &arrays.ids,
                                    &arrays.fixed, &arrays.hints, &arrays.benefits})
      if (!other->is_none()) throw BadInput("a Problem already has its arrays: pass no others");
    const auto& given = arrays.sizes.cast<const Problem&>();
    const auto capacity = size_of(arrays.capacity, "capacity");
    if (!capacity) return given;
    PlacementProblem problem = *given.problem;
    if (problem.memories.size() != 1 || !problem.memories[0].banks.empty())
      throw BadInput("`capacity` sets one memory without banks");
    problem.memories[0].capacity = *capacity;
    return {std::make_shared<const PlacementProblem>(std::move(problem))};
  }
  if (arrays.lower.is_none() || arrays.upper.is_none())
    throw BadInput("`lower` and `upper` are missing",
                   "buffer k is live in the steps lower[k] to upper[k] - 1");
  const std::vector<std::int64_t> sizes = whole_numbers(arrays.sizes, "sizes");
  const std::size_t count = sizes.size();
  const std::vector<std::int64_t> lower = one_each(arrays.lower, "lower", count);
  const std::vector<std::int64_t> upper = one_each(arrays.upper, "upper", count);
  std::vector<std::string> names = names_of(arrays.ids, count);
  auto problem = std::make_shared<PlacementProblem>();
  Memory memory;
  memory.name = "memory";
  if (const auto capacity = size_of(arrays.capacity, "capacity")) memory.capacity = *capacity;
  problem->memories.push_back(std::move(memory));
  problem->buffers.resize(count);
  for (BufferIndex b = 0; b < count; ++b) {
    Buffer& buffer = problem->buffers[b];
    buffer.id = std::move(names[b]);
    buffer.live.push_back({lower[b], upper[b]});
    buffer.size = sizes[b];
  }
  if (!arrays.alignment.is_none()) {
    const std::vector<std::int64_t> alignment = one_each(arrays.alignment, "alignment", count);
    for (BufferIndex b = 0; b < count; ++b) problem->buffers[b].alignment = alignment[b];
  }
  const auto offsets = [&](const py::object& given, const char* name, auto member) {
    if (given.is_none()) return;
    const std::vector<std::int64_t> values = one_each(given, name, count);
    for (BufferIndex b = 0; b < count; ++b)
      if (values[b] >= 0) problem->buffers[b].*member = values[b];
  };
  offsets(arrays.fixed, "fixed", &Buffer::offset);
  offsets(arrays.hints, "hints", &Buffer::hint);
  if (!arrays.benefits.is_none()) add_benefits(arrays.benefits, *problem);
  return {std::move(problem)};
}

Answer answer_of(std::shared_ptr<const PlacementProblem> problem, PlacementResult result) {
  Answer answer{.problem = std::move(problem), .result = std::move(result)};
  if (answer.result.placement) {
    answer.offsets.reserve(answer.result.placement->places.size());
    for (const BufferPlace& place : answer.result.placement->places)
      answer.offsets.push_back(place.offset);
    for (const BufferIndex b : answer.result.placement->left_out) answer.offsets[b] = -1;
  }
  return answer;
}

namespace {

void bind_problem(py::module_& module) {
  py::class_<Problem>(module, "Problem", R"(Buffers, memories and rules, from a file or from arrays.

    >>> problem = Problem([4, 8], lower=[0, 1], upper=[3, 2], capacity=12)
    >>> len(problem), problem.ids
    (2, ['0', '1'])
    >>> place(problem).status
    'feasible'
)")
      .def(py::init([](py::object sizes, py::object lower, py::object upper, py::object capacity,
                       py::object alignment, py::object ids, py::object fixed, py::object hints,
                       py::object benefits) {
             Problem made = problem_from({std::move(sizes), std::move(lower), std::move(upper),
                                          std::move(capacity), std::move(alignment), std::move(ids),
                                          std::move(fixed), std::move(hints), std::move(benefits)});
             for (const Defect& defect : validate(*made.problem)) throw BadInput(defect.message);
             return made;
           }),
           py::arg("sizes"), py::arg("lower") = py::none(), py::arg("upper") = py::none(),
           py::kw_only(), py::arg("capacity") = py::none(), py::arg("alignment") = py::none(),
           py::arg("ids") = py::none(), py::arg("fixed") = py::none(),
           py::arg("hints") = py::none(), py::arg("benefits") = py::none())
      .def("__len__", [](const Problem& self) { return self.problem->buffers.size(); })
      .def_property_readonly("name", [](const Problem& self) { return self.problem->name; })
      .def_property_readonly("ids",
                             [](const Problem& self) {
                               std::vector<std::string> ids;
                               for (const Buffer& buffer : self.problem->buffers)
                                 ids.push_back(buffer.id);
                               return ids;
                             })
      .def_property_readonly(
          "sizes",
          [](const Problem& self) {
            py::array_t<std::int64_t> sizes(static_cast<py::ssize_t>(self.problem->buffers.size()));
            auto* to = sizes.mutable_data();
            for (const Buffer& buffer : self.problem->buffers) *to++ = buffer.size;
            return sizes;
          },
          "A new array of the sizes, in the order of the buffers.")
      .def(
          "with_memories",
          [](const Problem& self, const Profile& profile) {
            PlacementProblem problem = *self.problem;
            if (!problem.rules.empty())
              throw BadInput("the problem has rules, which name its own memories",
                             "load the problem with profile=...");
            problem.memories = placement_memories(profile.hardware());
            add_machine_rules(profile.hardware(), problem);
            for (const Defect& defect : validate(problem)) throw BadInput(defect.message);
            return Problem{std::make_shared<const PlacementProblem>(std::move(problem))};
          },
          py::arg("profile"), "The same buffers in the memories of a profile.")
      .def(
          "to_yaml", [](const Problem& self) { return problem_yaml(*self.problem); },
          "The problem as a file that `tessera place` reads.")
      .def("__repr__", [](const Problem& self) {
        return "<tessera.Problem: " + std::to_string(self.problem->buffers.size()) + " buffers>";
      });
  module.def("load_problem", &load_problem, py::arg("path"), py::kw_only(),
             py::arg("capacity") = py::none(), py::arg("profile") = py::none(),
             R"(Reads a buffer CSV, a problem YAML, a dsa-solver JSON or a TensorFlow Lite model.

`capacity` replaces that of the file; `profile` names the machine with the memories.
)");
}

void bind_placement(py::module_& module) {
  py::class_<Answer>(module, "Placement",
                     R"(The result of place(): offsets, or the reason why there are none.

`status` is "feasible", "infeasible" (proved) or "unknown" (a limit came first; `stop` says which).

    >>> p = place([4, 8], lower=[0, 1], upper=[3, 2], capacity=11)
    >>> p.status, p.offsets is None
    ('infeasible', True)
    >>> print(p.reason)
    Memory 'memory' has a capacity of 11 bytes, but its buffers need 12 at step 1.
)")
      .def_property_readonly(
          "status", [](const Answer& a) { return std::string(to_string(a.result.status)); })
      .def_property_readonly(
          "stop", [](const Answer& a) { return std::string(to_string(a.result.stop)); },
          "The end of the search: \"completed\", or the limit that stopped it.")
      .def_property_readonly(
          "offsets",
          [](const py::object& self) -> py::object {
            const auto& answer = self.cast<const Answer&>();
            if (!answer.result.placement) return py::none();
            return view_of(answer.offsets, self);
          },
          "An int64 array, one offset per buffer; None where there is no placement.")
      .def_property_readonly("memories", &memories_of,
                             "The name of the memory of each buffer; None without a placement.")
      .def_property_readonly("height", [](const Answer& a) { return a.result.height; })
      .def_property_readonly(
          "lower_bound", [](const Answer& a) { return a.result.lower_bound; },
          "Proved lower bound of the height.")
      .def_property_readonly(
          "proven_minimum", [](const Answer& a) { return a.result.proven_minimum; },
          "True if the height is proved minimal: it equals `lower_bound`.")
      .def_property_readonly(
          "heights", [](const Answer& a) { return by_memory(*a.problem, a.result.heights); })
      .def_property_readonly(
          "lower_bounds",
          [](const Answer& a) { return by_memory(*a.problem, a.result.lower_bounds); })
      .def_property_readonly("cost", [](const Answer& a) { return a.result.cost; })
      .def_property_readonly(
          "left_out",
          [](const Answer& a) {
            return a.result.placement ? a.result.placement->left_out : std::vector<BufferIndex>{};
          },
          "The optional buffers that are not placed; their offset is -1.")
      .def_property_readonly(
          "benefit", [](const Answer& a) { return static_cast<double>(a.result.benefit) / 1000; },
          "Total benefit of the placed optional buffers.")
      .def_property_readonly(
          "benefit_bound",
          [](const Answer& a) { return static_cast<double>(a.result.benefit_bound) / 1000; },
          "Proved upper bound of the benefit.")
      .def_property_readonly("proven_optimal",
                             [](const Answer& a) { return a.result.proven_optimal; })
      .def_property_readonly("modes", &modes_of,
                             "For each memory with modes: the mode of every step.")
      .def_property_readonly("engine", [](const Answer& a) { return a.result.engine; })
      .def_property_readonly("reason", [](const Answer& a) { return a.result.reason; })
      .def_property_readonly("seconds", [](const Answer& a) { return a.result.seconds; })
      .def_property_readonly("seed", [](const Answer& a) { return a.result.seed; })
      .def_property_readonly("stats", [](const Answer& a) { return stats_dict(a.result.stats); })
      .def_property_readonly("problem",
                             [](const Answer& a) {
                               return Problem{std::make_shared<const PlacementProblem>(a.asked())};
                             })
      .def("to_svg", &svg_of, py::arg("title") = "", "The placement as an SVG picture.")
      .def(
          "to_json", [](const Answer& a) { return result_json(a.asked(), a.result); },
          "The JSON of `tessera place --format json`.")
      .def("_repr_html_", &html_of_placement)
      .def("__repr__", [](const Answer& a) { return "<tessera.Placement: " + summary(a) + ">"; });
}

}  // namespace

void bind_problems(py::module_& module) {
  bind_problem(module);
  bind_placement(module);
}

}  // namespace tessera::python
