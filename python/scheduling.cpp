#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "calls.h"
#include "problems.h"
#include "tessera/errors.h"
#include "tessera/schedule.h"
#include "values.h"

namespace tessera::python {
namespace {

/// A dict of the contest's format, or a path.
TileGraph tile_graph(const py::object& source) {
  if (!py::isinstance<py::dict>(source)) return load_tile_graph(path_of(source));
  const auto text = py::module_::import("json").attr("dumps")(source).cast<std::string>();
  return read_tile_graph_text(text, "problem.json");
}

std::int64_t work_of(const py::object& effort) {
  if (py::isinstance<py::int_>(effort)) return effort.cast<std::int64_t>();
  const auto name = effort.cast<std::string>();
  if (name == "quick") return schedule_work_quick;
  if (name == "normal") return schedule_work_normal;
  if (name == "thorough") return schedule_work_thorough;
  throw BadInput("unknown effort", "`effort` is \"quick\", \"normal\", \"thorough\" or a number");
}

ScheduleResult schedule(const py::object& source, const std::string& reading,
                        const py::object& effort, const LimitArguments& limits) {
  ScheduleParams params;
  if (reading != "default" && reading != "rulings")
    throw BadInput("unknown reading", "`reading` is \"default\" or \"rulings\"");
  if (reading == "rulings") params.reading = TileReading::rulings;
  params.work = work_of(effort);
  params.limits = limits_of(limits);
  const TileGraph graph = tile_graph(source);
  Call call;
  params.limits.stop = call.token();
  return call.run([&] { return schedule_ops(graph, params); });
}

}  // namespace

void bind_scheduling(py::module_& module) {
  py::class_<ScheduleResult>(module, "Schedule", "A schedule, from schedule().")
      .def_property_readonly(
          "status", [](const ScheduleResult& s) { return std::string(to_string(s.status)); })
      .def_property_readonly("latency", [](const ScheduleResult& s) { return s.latency; })
      .def_property_readonly(
          "bound", [](const ScheduleResult& s) { return s.bound; }, "No schedule is faster.")
      .def_property_readonly("proved", [](const ScheduleResult& s) { return s.proved; })
      .def_property_readonly("latencies", [](const ScheduleResult& s) { return s.latencies; })
      .def_property_readonly("stop",
                             [](const ScheduleResult& s) { return std::string(to_string(s.stop)); })
      .def("solution", &tile_schedule_json, "The schedule in the format of the contest, as JSON.")
      .def("to_json", &schedule_json)
      .def("__repr__", [](const ScheduleResult& s) {
        return "<tessera.Schedule: " + std::to_string(s.schedule.steps.size()) +
               " steps, latency " + std::to_string(s.latency) + ">";
      });
  module.def(
      "schedule",
      [](const py::object& problem, const std::string& reading, const py::object& effort,
         py::object timeout, py::object memory_limit) {
        return schedule(problem, reading, effort,
                        {std::move(timeout), py::none(), std::move(memory_limit), 2, 0});
      },
      py::arg("problem"), py::kw_only(), py::arg("reading") = "default",
      py::arg("effort") = "normal", py::arg("timeout") = py::none(),
      py::arg("memory_limit") = py::none(),
      R"(Finds a fast schedule for a problem of the MLSys 2026 contest.

`problem` is a dict of the contest's format or the path of a file.

    >>> p = {"widths": [128] * 3, "heights": [128] * 3, "inputs": [[0], [1]], "outputs": [[1], [2]],
    ...      "base_costs": [1000, 100], "op_types": ["Pointwise"] * 2, "fast_memory_capacity": 35000,
    ...      "slow_memory_bandwidth": 10, "native_granularity": [128, 128]}
    >>> s = schedule(p)
    >>> s.latency, s.proved
    (3276.8, True)
)");
}

}  // namespace tessera::python
