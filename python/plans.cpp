#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>

#include "calls.h"
#include "networks.h"
#include "problems.h"
#include "profiles.h"
#include "tessera/errors.h"
#include "tessera/plan.h"
#include "tessera/tile.h"
#include "values.h"

namespace tessera::python {
namespace {

struct Plan {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Hardware> hardware;
  NetworkPlan plan;
  py::object parsed = py::none();  ///< parsed JSON, made on first use

  /// A part of plan_json(), which defines the format.
  [[nodiscard]] py::object part(const char* key) {
    if (parsed.is_none()) parsed = py::module_::import("json").attr("loads")(plan_json(plan));
    const auto found = parsed.attr("get")(key);
    return found.is_none() ? py::list() : found;
  }
};

/// Results of candidates, shared by plans; used by one call at a time.
struct KeptAnswers {
  std::shared_ptr<PlanMemory> memory = make_plan_memory();
  std::mutex mutex;
};

std::string summary(const Plan& self) {
  const NetworkPlan& plan = self.plan;
  switch (plan.status) {
    case Status::feasible: {
      char text[160];
      std::snprintf(text, sizeof text, "%zu ops in %zu groups, score %.4f, lower bound %.4f",
                    self.network->ops.size(), plan.subgraphs.size(), plan.score, plan.bound);
      return plan.network + " on " + plan.profile + ": " + text;
    }
    case Status::infeasible:
      return "infeasible: " + plan.reason;
    case Status::unknown:
      break;
  }
  return "unknown: stopped by " + std::string(to_string(plan.stop)) +
         (plan.reason.empty() ? "" : ": " + plan.reason);
}

void require_feasible(const Plan& self) {
  if (self.plan.status != Status::feasible)
    throw BadInput("no plan was found: the status is " + std::string(to_string(self.plan.status)));
}

std::string html_of(const Plan& self) {
  std::string html = "<div><p><b>tessera</b> " + escaped(summary(self)) + "</p>";
  if (self.plan.status == Status::feasible) {
    html += "<table><tr><th></th><th>plan</th><th>layer by layer</th></tr>";
    const auto row = [&](const char* name, double value, double baseline) {
      char text[160];
      std::snprintf(text, sizeof text, "<tr><td>%s</td><td>%.6g</td><td>%.6g</td></tr>", name,
                    value, baseline);
      html += text;
    };
    const Metrics& now = self.plan.totals;
    const Metrics& then = self.plan.baseline;
    row("latency, cycles", static_cast<double>(now.latency_cycles),
        static_cast<double>(then.latency_cycles));
    row("energy, pJ", now.energy_pj, then.energy_pj);
    row("DRAM, bytes", static_cast<double>(now.dram_bytes), static_cast<double>(then.dram_bytes));
    row("peak, bytes", static_cast<double>(now.peak_bytes), static_cast<double>(then.peak_bytes));
    html += "</table>" + plan_picture(*self.network, *self.hardware, self.plan);
  }
  return html + "</div>";
}

std::vector<std::pair<std::string, double>> numbers_of(const py::object& given, const char* name) {
  std::vector<std::pair<std::string, double>> list;
  if (given.is_none()) return list;
  if (!py::isinstance<py::dict>(given))
    throw BadInput("`" + std::string(name) + "` must be a dict of names and numbers");
  for (const auto& [key, value] : given.cast<py::dict>()) {
    const auto metric = std::string(py::str(key));
    double number = 0;
    if (metric == "peak_memory" && py::isinstance<py::str>(value)) {
      number = static_cast<double>(*size_of(value, "peak_memory"));
    } else {
      number = PyFloat_AsDouble(value.ptr());
      if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        number = -1;
      }
    }
    if (!(number >= 0) || !std::isfinite(number))
      throw BadInput(std::string(name) + " " + metric + " is '" + std::string(py::str(value)) +
                     "', which is not a number >= 0");
    list.emplace_back(metric, number);
  }
  return list;
}

PlanReference costs_of(const Plan& self) {
  require_feasible(self);
  return {self.plan.profile, self.plan.clock_hz, self.plan.totals};
}

/// Relative to the layer-by-layer plan on another machine. Both count within the limits.
NetworkPlan plan_against(const Network& network, const Hardware& hardware, const Hardware& other,
                         PlanParams params) {
  const auto begin = std::chrono::steady_clock::now();
  params.reference = layer_by_layer(network, other, params);
  if (params.reference) {
    if (params.limits.timeout)
      *params.limits.timeout =
          std::max(std::chrono::nanoseconds::zero(),
                   *params.limits.timeout - (std::chrono::steady_clock::now() - begin));
    return plan_network(network, hardware, params);
  }
  NetworkPlan none;
  none.network = network.name;
  none.profile = hardware.name;
  none.stop =
      params.limits.stop.stop_requested() ? StopReason::interrupted : StopReason::time_limit;
  none.reason = "the reference of the score, " + other.name +
                " layer by layer, was not planned within the limits";
  return none;
}

py::dict explored_of(const Plan& plan) {
  const PlanClaim& explored = plan.plan.explored;
  py::dict claim;
  claim["bound"] = explored.bound;
  claim["optimal"] = explored.optimal;
  claim["scope"] = words_of(explored.scope);
  claim["proved_over"] = to_text(explored.scope);
  return claim;
}

py::dict reference_of(const Plan& self) {
  py::dict dict = metrics_dict(self.plan.reference.totals);
  dict["profile"] = self.plan.reference.profile;
  return dict;
}

struct PlanStep {
  double best_score;
  double bound;
  std::int64_t solved;
};

/// The solver of placement queries.
struct SolverArguments {
  std::string engine;
  py::object question_timeout;
};

template <typename Params>
void apply(const SolverArguments& solver, Params& params) {
  params.engine = solver.engine;
  params.question_timeout = duration_of(solver.question_timeout, "question_timeout");
}

std::int64_t effort_of(const py::object& effort) {
  if (!py::isinstance<py::str>(effort)) {
    const auto units = effort.cast<std::int64_t>();
    if (units < 1) throw BadInput("`effort` must be at least 1");
    return units;
  }
  const auto name = effort.cast<std::string>();
  if (const std::optional<std::int64_t> named = plan_effort(name)) return *named;
  throw BadInput("`effort` is '" + name + "', which is no effort",
                 "efforts are quick, normal, thorough and numbers of work units");
}

Plan make_plan(const py::object& network, const py::object& hardware, const py::object& max_ops,
               const LimitArguments& limits, const py::object& effort,
               std::int64_t nodes_per_question, std::int64_t tile_shapes,
               std::optional<std::int64_t> proof_shapes, bool residency, const py::object& weights,
               const py::object& peak_limits, const py::object& reference, const Plan* start,
               KeptAnswers* memory, const py::object& progress, const SolverArguments& solver) {
  const KeptNetwork net = network_of(network);
  auto machine = std::make_shared<const Hardware>(profile_of(hardware).hardware());
  PlanParams params;
  if (!max_ops.is_none()) {
    const auto most = size_of(max_ops, "max_ops");
    if (*most < 1) throw BadInput("`max_ops` must be at least 1");
    params.max_ops = static_cast<std::size_t>(*most);
  }
  params.limits = limits_of(limits);
  params.effort = effort_of(effort);
  params.nodes_per_question = nodes_per_question;
  params.tile_shapes = tile_shapes;
  if (proof_shapes) params.proof_shapes = *proof_shapes;
  apply(solver, params);
  params.residency = residency;
  params.weights = numbers_of(weights, "weights");
  params.peak_limits = numbers_of(peak_limits, "limits");
  if (start != nullptr) params.start = std::make_shared<const NetworkPlan>(start->plan);
  if (memory != nullptr) params.memory = memory->memory;
  std::optional<Hardware> other;
  if (py::isinstance<Plan>(reference))
    params.reference = costs_of(reference.cast<const Plan&>());
  else if (!reference.is_none())
    other = profile_of(reference).hardware();
  Call call;
  params.limits.stop = call.token();
  if (!progress.is_none())
    params.progress = [&](const PlanProgress& now) {
      call.back([&] { progress(PlanStep{now.best_score, now.bound, now.solved}); });
    };
  NetworkPlan plan = call.run([&] {
    std::unique_lock<std::mutex> lock;
    if (memory != nullptr) lock = std::unique_lock(memory->mutex);
    if (!other) return plan_network(*net.network, *machine, params);
    return plan_against(*net.network, *machine, *other, params);
  });
  return {.network = net.network, .hardware = std::move(machine), .plan = std::move(plan)};
}

OpIndex op_of(const Network& network, const py::handle& given) {
  if (py::isinstance<py::str>(given)) {
    const auto name = given.cast<std::string>();
    for (OpIndex k = 0; k < network.ops.size(); ++k)
      if (network.ops[k].name == name) return k;
    throw BadInput(
        "`ops`: unknown op '" + name + "'",
        "use numbers from 0 to " + std::to_string(network.ops.size() - 1) + ", or names");
  }
  const auto number = size_of(given, "ops");
  if (!number || *number < 0) throw BadInput("`ops` must be numbers from 0 or names");
  return static_cast<OpIndex>(*number);
}

py::dict axes_dict(const std::array<Dim, 3>& values) {
  py::dict dict;
  dict["C"] = values[0];
  dict["H"] = values[1];
  dict["W"] = values[2];
  return dict;
}

TileReport make_tile(const py::object& network, const py::object& ops, const py::object& hardware,
                     const py::object& shape, const SolverArguments& solver,
                     const LimitArguments& limits) {
  const KeptNetwork net = network_of(network);
  const Hardware machine = profile_of(hardware).hardware();
  TileParams params;
  if (py::isinstance<py::tuple>(ops) || py::isinstance<py::list>(ops)) {
    const auto pair = ops.cast<py::sequence>();
    if (pair.size() != 2)
      throw BadInput("`ops` must be a pair: the first and the last op, inclusive");
    params.ops = {op_of(*net.network, py::object(pair[0])),
                  op_of(*net.network, py::object(pair[1]))};
  } else {
    const OpIndex one = op_of(*net.network, ops);
    params.ops = {one, one};
  }
  if (!shape.is_none()) {
    std::array<Dim, 3> extent{0, 0, 0};
    static constexpr std::string_view names = "CHW";
    for (const auto& [key, value] : shape.cast<py::dict>()) {
      const std::string axis = py::str(key);
      if (axis.size() != 1 || names.find(axis) == names.npos)
        throw BadInput("`shape`: '" + axis + "' is not an axis of a tile",
                       "use C, H and W as in {\"H\": 8, \"C\": 32}; other axes are not tiled");
      extent[names.find(axis)] = *size_of(value, "shape");
    }
    params.shape = extent;
  }
  apply(solver, params);
  params.limits = limits_of(limits);
  Call call;
  params.limits.stop = call.token();
  return call.run([&] { return find_largest_tile(*net.network, machine, params); });
}

void bind_tile(py::module_& module) {
  py::class_<TileReport>(
      module, "Tile", "The largest tile of a group of ops that fits, or the reason why none fits.")
      .def_property_readonly("status",
                             [](const TileReport& t) { return std::string(to_string(t.status)); })
      .def_property_readonly("stop",
                             [](const TileReport& t) { return std::string(to_string(t.stop)); })
      .def_property_readonly(
          "shape", [](const TileReport& t) { return axes_dict(t.extent); }, "C, H and W of a tile.")
      .def_property_readonly(
          "whole", [](const TileReport& t) { return axes_dict(t.whole); },
          "C, H and W of the tiled tensor.")
      .def_property_readonly("count", &TileReport::tile_count, "The number of tiles.")
      .def_property_readonly("proven_largest", [](const TileReport& t) { return t.proven_largest; })
      .def_property_readonly("variant", [](const TileReport& t) { return to_string(t.variant); })
      .def_property_readonly("engine", [](const TileReport& t) { return t.engine; })
      .def_property_readonly(
          "lacking", [](const TileReport& t) { return t.lacking; },
          "The bytes by which the smallest tile exceeds the memory.")
      .def_property_readonly("reason", [](const TileReport& t) { return t.reason; })
      .def_property_readonly("seconds", [](const TileReport& t) { return t.seconds; })
      .def_property_readonly("stats", [](const TileReport& t) { return stats_dict(t.stats); })
      .def("to_json", &tile_json, "The JSON of `tessera tile --format json`.")
      .def("__repr__", [](const TileReport& t) {
        if (t.status != Status::feasible)
          return "<tessera.Tile: " + std::string(to_string(t.status)) + ": " + t.reason + ">";
        return "<tessera.Tile: " + std::to_string(t.tile_count()) + " tiles of C" +
               std::to_string(t.extent[0]) + " H" + std::to_string(t.extent[1]) + " W" +
               std::to_string(t.extent[2]) + ">";
      });
  module.def(
      "tile",
      [](const py::object& network, const py::object& ops, const py::object& hardware,
         const py::object& shape, const std::string& engine, py::object timeout, py::object work,
         py::object memory_limit, int threads, std::uint64_t seed, py::object question_timeout) {
        return make_tile(
            network, ops, hardware, shape, {engine, std::move(question_timeout)},
            {std::move(timeout), std::move(work), std::move(memory_limit), threads, seed});
      },
      py::arg("network"), py::arg("ops"), py::arg("hardware"), py::kw_only(),
      py::arg("shape") = py::none(), py::arg("engine") = "auto", py::arg("timeout") = py::none(),
      py::arg("work") = py::none(), py::arg("memory_limit") = py::none(), py::arg("threads") = 2,
      py::arg("seed") = 0, py::arg("question_timeout") = py::none(),
      R"(Finds the largest tile of a group of consecutive ops that fits the machine.

`ops` is one op or a pair (first, last), by number from 0 or by name. `shape`, as in
{"H": 8, "C": 32}, tests whether this one tile fits.

    >>> b = NetworkBuilder("toy", dtype="int8")
    >>> net = b.build(b.conv(b.input((1, 64, 56, 56)), 64, activation="relu"))
    >>> tile(net, 0, "ethos-u55-like", shape={"H": 8}).status
    'feasible'
)");
}

void bind_progress_of_plan(py::module_& module) {
  py::class_<PlanStep>(module, "PlanProgress", "The progress report of plan().")
      .def_readonly("best_score", &PlanStep::best_score)
      .def_readonly("bound", &PlanStep::bound)
      .def_readonly("solved", &PlanStep::solved);
  py::class_<KeptAnswers, std::shared_ptr<KeptAnswers>>(
      module, "PlanMemory",
      "Results reused between calls of plan(): pass the same object to all calls of a search.")
      .def(py::init<>());
}

void bind_plan_class(py::module_& module) {
  py::class_<Plan>(module, "Plan",
                   R"(A plan: groups of ops, their tiles and the placement of their buffers.

`score` is relative to `reference`, usually the layer-by-layer plan on the same machine (`baseline`);
lower is better. `bound` is a proved lower bound of the score.
)")
      .def_property_readonly("status",
                             [](const Plan& p) { return std::string(to_string(p.plan.status)); })
      .def_property_readonly("stop",
                             [](const Plan& p) { return std::string(to_string(p.plan.stop)); })
      .def_property_readonly("reason", [](const Plan& p) { return p.plan.reason; })
      .def_property_readonly("network", [](const Plan& p) { return p.plan.network; })
      .def_property_readonly("profile", [](const Plan& p) { return p.plan.profile; })
      .def_property_readonly("score", [](const Plan& p) { return p.plan.score; })
      .def_property_readonly("bound", [](const Plan& p) { return p.plan.bound; })
      .def_property_readonly("optimal", [](const Plan& p) { return p.plan.optimal; })
      .def_property_readonly("explored", &explored_of,
                             "Bound and proof within the explored space of tiles, and its scope.")
      .def_property_readonly("looked_at", &explored_of, "The old name of `explored`.")
      .def_property_readonly(
          "gap", [](const Plan& p) { return gap_of(p.plan); },
          "1 - bound / score: the most that a better plan could save.")
      .def_property_readonly(
          "scope", [](const Plan& p) { return words_of(p.plan.scope); },
          "The plans that `bound` covers, as a list of words.")
      .def_property_readonly(
          "proved_over", [](const Plan& p) { return to_text(p.plan.scope); }, "`scope` as text.")
      .def_property_readonly("totals", [](const Plan& p) { return metrics_dict(p.plan.totals); })
      .def_property_readonly(
          "baseline", [](const Plan& p) { return metrics_dict(p.plan.baseline); },
          "The totals of the layer-by-layer plan on the same machine.")
      .def_property_readonly("baseline_score", [](const Plan& p) { return p.plan.baseline_score; })
      .def_property_readonly("reference", &reference_of,
                             "The reference of the score: name and totals of a profile.")
      .def_property_readonly(
          "subgraphs", [](Plan& p) { return p.part("subgraphs"); },
          "One dict per group, as in the plan JSON.")
      .def_property_readonly(
          "layers", [](Plan& p) { return p.part("layers"); },
          "One dict per op: cycles, bytes, energy, bottleneck.")
      .def_property_readonly("search", [](Plan& p) { return p.part("search"); })
      .def_property_readonly("seconds", [](const Plan& p) { return p.plan.search.seconds; })
      .def(
          "to_json", [](const Plan& p) { return plan_json(p.plan); },
          "The JSON of `tessera plan -o`.")
      .def(
          "to_csv",
          [](const Plan& p) {
            require_feasible(p);
            return plan_csv(p.plan);
          },
          "One line per op.")
      .def(
          "to_trace",
          [](const Plan& p) {
            require_feasible(p);
            return plan_trace(*p.network, *p.hardware, p.plan);
          },
          "The simulated execution, for Perfetto or chrome://tracing.")
      .def(
          "to_svg",
          [](const Plan& p) {
            require_feasible(p);
            return plan_picture(*p.network, *p.hardware, p.plan);
          },
          "The plan as an SVG picture.")
      .def("_repr_html_", &html_of)
      .def("__repr__", [](const Plan& p) { return "<tessera.Plan: " + summary(p) + ">"; });
}

void bind_plan(py::module_& module) {
  module.def(
      "plan",
      [](const py::object& network, const py::object& hardware, const py::object& max_ops,
         py::object timeout, py::object work, py::object memory_limit, int threads,
         std::uint64_t seed, const py::object& effort, std::int64_t nodes_per_question,
         std::int64_t tile_shapes, std::optional<std::int64_t> proof_shapes, bool residency,
         const py::object& weights, const py::object& limits, const py::object& reference,
         const Plan* start, const std::shared_ptr<KeptAnswers>& memory, const py::object& progress,
         const std::string& engine, py::object question_timeout) {
        return make_plan(
            network, hardware, max_ops,
            {std::move(timeout), std::move(work), std::move(memory_limit), threads, seed}, effort,
            nodes_per_question, tile_shapes, proof_shapes, residency, weights, limits, reference,
            start, memory.get(), progress, {engine, std::move(question_timeout)});
      },
      py::arg("network"), py::arg("hardware"), py::kw_only(), py::arg("max_ops") = py::none(),
      py::arg("timeout") = py::none(), py::arg("work") = py::none(),
      py::arg("memory_limit") = py::none(), py::arg("threads") = 2, py::arg("seed") = 0,
      py::arg("effort") = "normal", py::arg("nodes_per_question") = PlanParams{}.nodes_per_question,
      py::arg("tile_shapes") = PlanParams{}.tile_shapes, py::arg("proof_shapes") = py::none(),
      py::arg("residency") = PlanParams{}.residency, py::arg("weights") = py::none(),
      py::arg("limits") = py::none(), py::arg("reference") = py::none(),
      py::arg("start").none(true) = py::none(), py::arg("memory").none(true) = py::none(),
      py::arg("progress") = py::none(), py::arg("engine") = "auto",
      py::arg("question_timeout") = py::none(),
      R"(Plans a network on a machine: partitions it into groups, tiles and places each group.

    >>> b = NetworkBuilder("toy", dtype="int8")
    >>> x = b.input((1, 16, 32, 32))
    >>> for _ in range(3):
    ...     x = b.conv(x, 16, kernel=3, activation="relu")
    >>> made = plan(b.build(x), "ethos-u55-like")
    >>> made.status, made.explored["optimal"]
    ('feasible', True)
    >>> made.totals["latency_cycles"] < made.baseline["latency_cycles"]
    True

`network` is a Network or the path of one, `hardware` a Profile or the name of one.
`weights` replaces the weights of the profile ({"latency": 0.7, "energy": 0.3}).
`limits` bounds every group ({"peak_memory": "512 KiB"}).
`max_ops` is the maximum number of ops in a group; 1 plans layer by layer.
`effort` is the work of the search: "quick", "normal", "thorough" or a number of units.
`tile_shapes` is the number of tile shapes evaluated per variant of a group of the best plan; 0: only the fewest tiles.
`proof_shapes` is the number of tile shapes simulated for the lower bound.
`start` is a known plan of the network, for this machine or another one, whose tiles the search begins with.
`residency` allows tensors between groups to stay on chip and, if the profile allows it, weight prefetch.
`memory` is a PlanMemory: results reused by the next call.
`timeout` is in seconds, and so is `question_timeout`, the limit of each placement query by `engine`.
`reference` is the reference of the score: a Profile or the name of one (planned layer by layer), or
another Plan; by default that of the profile, or its own machine.

Wrong arguments raise BadInput. Infeasibility and limits are the status of the result, not exceptions.
Other threads run during the call; Ctrl-C stops the search and raises KeyboardInterrupt.
`progress` is called periodically with a PlanProgress.
)");
}

}  // namespace

void bind_plans(py::module_& module) {
  bind_progress_of_plan(module);
  bind_plan_class(module);
  bind_plan(module);
  bind_tile(module);
}

}  // namespace tessera::python
