#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "calls.h"
#include "problems.h"
#include "tessera/errors.h"
#include "tessera/place.h"
#include "tessera/session.h"
#include "values.h"

namespace tessera::python {
namespace {

std::optional<Objective> minimize_of(const py::handle& value, const py::handle& maximize) {
  if (!maximize.is_none()) {
    if (!py::isinstance<py::str>(maximize) || maximize.cast<std::string>() != "benefit")
      throw BadInput("unknown objective to maximise", "`maximize` is \"benefit\"");
    if (!value.is_none())
      throw BadInput("`minimize` and `maximize` exclude each other", "remove one of them");
    return Objective::benefit;
  }
  if (value.is_none() || value.is(py::bool_(false))) return Objective::fit;
  if (value.is(py::bool_(true))) return std::nullopt;
  if (py::isinstance<py::str>(value)) {
    const auto word = value.cast<std::string>();
    if (word == "height") return Objective::height;
    if (word == "cost") return Objective::cost;
    if (word == "modes") return Objective::modes;
    if (word == "switches") return Objective::switches;
  }
  throw BadInput("unknown objective to minimise",
                 "`minimize` is \"height\", \"cost\", \"modes\", \"switches\", or True for the "
                 "objective of the "
                 "problem");
}

/// Progress of a search, for a callback.
struct PlaceStep {
  std::string phase;
  std::optional<Size> height;
  std::optional<Size> lower_bound;
};

std::function<void(const PlaceProgress&)> teller(Call& call, const py::object& callback) {
  if (callback.is_none()) return {};
  return [&call, &callback](const PlaceProgress& now) {
    call.back([&] { callback(PlaceStep{std::string(now.phase), now.height, now.lower_bound}); });
  };
}

struct Goal {
  py::handle minimize;
  py::handle maximize;
  double gap = 0;
};

Answer place_arrays(const Arrays& arrays, const LimitArguments& limits, const Goal& goal,
                    const std::string& engine, const py::object& progress) {
  const Problem given = problem_from(arrays);
  PlaceParams params;
  params.engine = engine;
  params.minimize = minimize_of(goal.minimize, goal.maximize);
  params.gap = goal.gap;
  params.limits = limits_of(limits);
  Call call;
  params.limits.stop = call.token();
  params.progress = teller(call, progress);
  return call.run([&] { return answer_of(given.problem, place(*given.problem, params)); });
}

/// A session with its current numbers and its original problem.
class KeptSession {
 public:
  KeptSession(const Arrays& arrays, const std::string& engine)
      : KeptSession(problem_from(arrays), engine) {}

  Answer solve(const py::object& sizes, const py::object& capacity, const LimitArguments& given) {
    std::vector<Size> wanted;
    if (!sizes.is_none()) wanted = whole_numbers(sizes, "sizes");
    const std::optional<Size> room = size_of(capacity, "capacity");
    Limits limits = limits_of(given);
    Call call;
    limits.stop = call.token();
    return call.run([&] {
      // One call at a time; others wait without the GIL.
      const std::lock_guard lock(mutex_);
      if (!sizes.is_none()) {
        session_.set_sizes(wanted);
        sizes_ = std::move(wanted);
      }
      if (room) set_capacity(*room);
      Answer answer = answer_of(begin_, session_.place(limits));
      answer.sizes = sizes_;
      answer.capacities = capacities_;
      return answer;
    });
  }

  [[nodiscard]] Problem problem() {
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return {std::make_shared<const PlacementProblem>(session_.problem())};
  }

 private:
  KeptSession(Problem problem, const std::string& engine)
      : begin_(std::move(problem.problem)), session_(*begin_, {.engine = engine}) {}

  void set_capacity(Size room) {
    if (begin_->memories.size() != 1)
      throw BadInput("`capacity` sets one memory, but the problem has " +
                     std::to_string(begin_->memories.size()));
    session_.set_capacity(0, room);
    capacities_ = {room};
  }

  std::shared_ptr<const PlacementProblem> begin_;
  std::vector<Size> sizes_;       ///< empty: the original ones
  std::vector<Size> capacities_;  ///< the same
  Session session_;
  std::mutex mutex_;
};

void bind_progress(py::module_& module) {
  py::class_<PlaceStep>(module, "PlaceProgress", "The progress report of place().")
      .def_property_readonly("phase", [](const PlaceStep& p) { return p.phase; })
      .def_property_readonly(
          "height",
          [](const PlaceStep& p) -> py::object {
            return p.height ? py::cast(*p.height) : py::none();
          },
          "The best value found, or None.")
      .def_property_readonly("lower_bound", [](const PlaceStep& p) -> py::object {
        return p.lower_bound ? py::cast(*p.lower_bound) : py::none();
      });
}

void bind_place(py::module_& module) {
  module.def(
      "place",
      [](py::object sizes, py::object lower, py::object upper, py::object capacity,
         py::object alignment, py::object ids, py::object fixed, py::object hints,
         py::object benefits, const py::object& minimize, const py::object& maximize, double gap,
         const std::string& engine, py::object timeout, py::object work, py::object memory_limit,
         int threads, std::uint64_t seed, const py::object& progress) {
        return place_arrays(
            {std::move(sizes), std::move(lower), std::move(upper), std::move(capacity),
             std::move(alignment), std::move(ids), std::move(fixed), std::move(hints),
             std::move(benefits)},
            {std::move(timeout), std::move(work), std::move(memory_limit), threads, seed},
            {minimize, maximize, gap}, engine, progress);
      },
      py::arg("sizes"), py::arg("lower") = py::none(), py::arg("upper") = py::none(), py::kw_only(),
      py::arg("capacity") = py::none(), py::arg("alignment") = py::none(),
      py::arg("ids") = py::none(), py::arg("fixed") = py::none(), py::arg("hints") = py::none(),
      py::arg("benefits") = py::none(), py::arg("minimize") = py::none(),
      py::arg("maximize") = py::none(), py::arg("gap") = 0.0, py::arg("engine") = "auto",
      py::arg("timeout") = py::none(), py::arg("work") = py::none(),
      py::arg("memory_limit") = py::none(), py::arg("threads") = 2, py::arg("seed") = 0,
      py::arg("progress") = py::none(),
      R"(Finds an address for every buffer, or proves that no placement exists.

Buffer k has `sizes[k]` bytes and is live in the steps `lower[k]` to `upper[k] - 1`. A Problem
replaces the arrays.

    >>> p = place([4, 8, 4], lower=[0, 1, 2], upper=[2, 2, 4], capacity=12)
    >>> p.status, p.height
    ('feasible', 12)
    >>> place([4, 8, 4], [0, 1, 2], [2, 2, 4], minimize="height").proven_minimum
    True

`capacity` and `alignment` (one number, or an array) are bytes; a capacity may be a text such as
"192 KiB". `fixed` and `hints` are arrays of offsets, -1 for none; no solver uses hints.
`timeout` is in seconds.
`minimize` is "height", "cost", "modes", "switches", or True for the objective of the problem.
`gap`, such as 0.01, ends the search when the height is that close to its lower bound.

`benefits` makes buffers optional: the value of placing each, nan for a buffer that must be placed.
`maximize="benefit"` then chooses the buffers with the largest total benefit.

    >>> p = place([4, 8, 4], [0, 0, 0], [2, 2, 2], capacity=12, benefits=[1, 5, 3.5], maximize="benefit")
    >>> p.benefit, p.left_out, p.offsets.tolist(), p.proven_optimal
    (8.5, [0], [-1, 0, 8], True)

Infeasibility and limits are the status of the result, not exceptions. Wrong arguments raise
BadInput. Other threads run during the call; Ctrl-C stops the search and raises KeyboardInterrupt.
`progress` is called periodically with a PlaceProgress.
)");
}

void bind_session(py::module_& module) {
  py::class_<KeptSession>(module, "Session",
                          R"(A problem that is solved repeatedly with other sizes.

    >>> s = Session([4, 8], lower=[0, 1], upper=[3, 2], capacity=12)
    >>> s.solve([4, 8]).status
    'feasible'
    >>> s.solve([5, 8]).status
    'infeasible'
    >>> s.solve([5, 8], capacity=13).status
    'feasible'

Results that follow from earlier calls need no search.
)")
      .def(py::init([](py::object sizes, py::object lower, py::object upper, py::object capacity,
                       py::object alignment, py::object ids, py::object fixed, py::object hints,
                       const std::string& engine) {
             return std::make_unique<KeptSession>(
                 Arrays{std::move(sizes), std::move(lower), std::move(upper), std::move(capacity),
                        std::move(alignment), std::move(ids), std::move(fixed), std::move(hints)},
                 engine);
           }),
           py::arg("sizes"), py::arg("lower") = py::none(), py::arg("upper") = py::none(),
           py::kw_only(), py::arg("capacity") = py::none(), py::arg("alignment") = py::none(),
           py::arg("ids") = py::none(), py::arg("fixed") = py::none(),
           py::arg("hints") = py::none(), py::arg("engine") = "auto")
      .def(
          "solve",
          [](KeptSession& self, const py::object& sizes, const py::object& capacity,
             py::object timeout, py::object work, py::object memory_limit, int threads,
             std::uint64_t seed) {
            return self.solve(
                sizes, capacity,
                {std::move(timeout), std::move(work), std::move(memory_limit), threads, seed});
          },
          py::arg("sizes") = py::none(), py::kw_only(), py::arg("capacity") = py::none(),
          py::arg("timeout") = py::none(), py::arg("work") = py::none(),
          py::arg("memory_limit") = py::none(), py::arg("threads") = 2, py::arg("seed") = 0,
          "Solves the problem with these sizes. Sizes and capacity keep their values until "
          "changed.")
      .def_property_readonly("problem", &KeptSession::problem,
                             "The problem with its current sizes and capacity.");
}

}  // namespace

void bind_placing(py::module_& module) {
  bind_progress(module);
  bind_place(module);
  bind_session(module);
}

}  // namespace tessera::python
