#include <pybind11/stl.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "calls.h"
#include "problems.h"
#include "profiles.h"
#include "tessera/errors.h"
#include "tessera/explore.h"
#include "tessera/files.h"
#include "tessera/plan.h"
#include "values.h"

namespace tessera::python {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Exploration {
  ExploreResult result;
  std::string folder;
};

/// Keys are the column names of results.csv.
py::dict row_dict(const ExploreResult& result, const ExploreRow& row) {
  py::dict dict;
  for (std::size_t k = 0; k < result.keys.size(); ++k)
    dict[py::str(result.keys[k])] = k < row.values.size() ? row.values[k] : std::string();
  dict["candidate"] = row.candidate;
  dict["network"] = row.network;
  dict["status"] = std::string(to_string(row.status));
  dict["score"] = row.score;
  dict["bound"] = row.bound;
  const bool planned = row.score.has_value();
  const auto figure = [&](const char* name, double value) {
    dict[name] = planned ? py::object(py::float_(value)) : py::none();
  };
  figure("latency_cycles", row.latency_cycles);
  figure("latency_ms", row.latency_ms);
  figure("energy_pj", row.energy_pj);
  figure("dram_bytes", row.dram_bytes);
  figure("peak_bytes", row.peak_bytes);
  dict["area"] = row.area;
  dict["reason"] = row.reason;
  return dict;
}

py::list row_dicts(const ExploreResult& result, const std::vector<ExploreRow>& rows) {
  py::list list;
  for (const ExploreRow& row : rows) list.append(row_dict(result, row));
  return list;
}

std::string name_of(const ExploreModes::Mode& mode) {
  return mode.memory + '.' + mode.name;
}

py::dict score_dict(const ExploreModes::Score& score) {
  py::dict dict;
  dict["network"] = score.network;
  dict["with_all"] = score.with_all;
  dict["with_needed"] = score.with_needed;
  dict["bound"] = score.bound;
  dict["proved"] = score.proved;
  return dict;
}

py::dict set_dict(const ExploreModes& found, const ExploreModes::Set& set) {
  py::dict dict;
  py::list needed, others, scores;
  for (std::size_t k = 0; k < found.modes.size(); ++k)
    (set.needed[k] ? needed : others).append(name_of(found.modes[k]));
  for (const ExploreModes::Score& score : set.scores) scores.append(score_dict(score));
  dict["lose_percent"] = set.lose;
  dict["network"] = set.network;
  dict["needed"] = needed;
  dict["not_needed"] = others;
  dict["bound"] = set.bound;
  dict["proved"] = set.bound == set.count;
  dict["scores"] = scores;
  dict["area_mm2"] = set.area;
  return dict;
}

/// Keys are those of summary.json.
py::object modes_dict(const ExploreResult& result) {
  if (!result.modes) return py::none();
  const ExploreModes& found = *result.modes;
  py::dict dict;
  dict["candidate"] = found.candidate;
  dict["reason"] = found.reason;
  py::dict roles;
  for (const ExploreModes::Mode& mode : found.modes) roles[py::str(name_of(mode))] = mode.roles;
  dict["modes"] = roles;
  py::list sets, without;
  for (const ExploreModes::Set& set : found.sets) sets.append(set_dict(found, set));
  for (const ExploreModes::Removal& each : found.removals) {
    py::dict one;
    one["mode"] = name_of(found.modes[each.mode]);
    one["network"] = each.network;
    one["status"] = std::string(to_string(each.status));
    one["score"] = each.score;
    one["bound"] = each.bound;
    without.append(one);
  }
  dict["sets"] = sets;
  dict["without"] = without;
  dict["area_with_all_mm2"] = found.area;
  dict["plans"] = found.plans;
  dict["stored"] = found.stored;
  return dict;
}

Exploration run(const py::object& sweep_path, const py::object& folder,
                const LimitArguments& limits, const py::object& store, const py::object& progress,
                const py::object& client) {
  Exploration made;
  made.folder = path_of(folder);
  Call call;
  ExploreParams params;
  params.limits = limits_of(limits);
  params.limits.stop = call.token();
  params.store =
      store.is_none() ? (fs::path(made.folder) / "store.sqlite").string() : path_of(store);
  if (!progress.is_none())
    params.progress = [&](const ExploreProgress& now) {
      call.back([&] {
        py::dict dict;
        dict["done"] = now.done;
        dict["candidates"] = now.candidates;
        dict["proved"] = now.proved;
        dict["excluded"] = now.excluded;
        dict["best"] = now.best;
        dict["mode_plans"] = now.mode_plans;
        progress(dict);
      });
    };
  const std::string path = path_of(sweep_path);
  py::object elsewhere;
  std::optional<Clock::time_point> deadline;
  if (!client.is_none()) {
    elsewhere =
        py::module_::import("tessera.cluster").attr("Elsewhere")(client, path, params.store);
    params.ahead = [&](const std::vector<std::size_t>& candidates) {
      call.back([&] {
        const py::cpp_function ended([&call] { return call.token().stop_requested(); });
        std::optional<double> left;
        if (deadline) left = std::chrono::duration<double>(*deadline - Clock::now()).count();
        elsewhere(candidates, left, ended);
      });
    };
  }
  const std::vector<std::string> folders = profile_folders_of_package();
  // The time limit is for planning: without its networks a sweep has nothing to report.
  Limits reading = params.limits;
  reading.timeout.reset();
  made.result = call.run([&] {
    const Sweep sweep(path, reading, folders);
    std::error_code error;
    fs::create_directories(made.folder, error);
    if (error) throw OutputError(made.folder + ": " + error.message());
    if (params.limits.timeout) deadline = Clock::now() + *params.limits.timeout;
    ExploreResult result = explore(sweep, params);
    const fs::path out(made.folder);
    write_output((out / "results.csv").string(), results_csv(result));
    write_output((out / "pareto.csv").string(), pareto_csv(result));
    if (result.modes) write_output((out / "modes.csv").string(), modes_csv(result));
    write_output((out / "summary.json").string(), summary_json(sweep, result));
    write_output((out / "report.html").string(), explore_page(sweep, result));
    save_plans(sweep, result, made.folder);
    return result;
  });
  return made;
}

/// A sweep in a worker of a cluster: its candidates share caches, and are planned one by one into a
/// store.
class SweepWorker {
 public:
  explicit SweepWorker(const py::object& path)
      : sweep_(path_of(path), {}, profile_folders_of_package()), memory_(make_plan_memory()) {}

  /// Returns the number of new plans, made within the given seconds and until `stop` is requested.
  [[nodiscard]] std::int64_t plan(std::size_t candidate, const py::object& store,
                                  const py::object& timeout, const std::stop_source& stop) const {
    Call call;
    ExploreParams params;
    params.limits = limits_of({.timeout = timeout});
    params.limits.stop = stop.get_token();
    params.store = path_of(store);
    params.only = {candidate};
    params.memory = memory_;
    return call.run([&] { return explore(sweep_, params).counts.planned; });
  }

 private:
  Sweep sweep_;
  std::shared_ptr<PlanMemory> memory_;
};

std::vector<std::string> files_of(const py::object& sweep_path) {
  Limits none;
  return Sweep(path_of(sweep_path), none, profile_folders_of_package()).files();
}

void bind_exploration(py::module_& module) {
  py::class_<Exploration>(module, "Exploration", "The result of a sweep over machines.")
      .def_property_readonly(
          "rows", [](const Exploration& e) { return row_dicts(e.result, e.result.rows); },
          "One dict per candidate and network, in the order of the grid; network '*' is the "
          "weighted set.")
      .def_property_readonly(
          "pareto", [](const Exploration& e) { return row_dicts(e.result, e.result.pareto); },
          "The rows '*' on the Pareto front.")
      .def_property_readonly(
          "best",
          [](const Exploration& e) -> py::object {
            for (const ExploreRow& row : e.result.rows)
              if (e.result.best && row.candidate == *e.result.best && row.network == "*")
                return row_dict(e.result, row);
            return py::none();
          },
          "The row '*' with the best score, or None.")
      .def_property_readonly(
          "modes", [](const Exploration& e) { return modes_dict(e.result); },
          R"(The modes that the best machine needs, if the sweep has `modes:`; else None. A dict: `modes` (name: roles of the banks), `sets` (for each loss, and for all
networks ('*') and each of several by itself: needed, not_needed, bound, proved, scores), `without`
(the score without one mode), plans (computed for this), stored (read from the store), candidate,
area_with_all_mm2, and `reason`, which explains an empty result.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "net.yaml"), "w") as out:
    ...     b = NetworkBuilder("net", dtype="int8")
    ...     _ = out.write(b.build(b.conv(b.input((1, 8, 16, 16)), 8, kernel=3)).to_yaml())
    >>> with open(os.path.join(folder, "sweep.yaml"), "w") as out:
    ...     _ = out.write('tessera: sweep/1\nnetworks: [net.yaml]\n'
    ...                   'hardware: {base: nvdla-like}\nmodes: {lose: [0 %, 5 %]}\n')
    >>> found = explore(os.path.join(folder, "sweep.yaml"), os.path.join(folder, "out")).modes
    >>> [(each["lose_percent"], len(each["needed"]), each["proved"]) for each in found["sets"]]
    [(0.0, 1, True), (5.0, 1, True)]
    >>> found["modes"]["cbuf.d8w8"]
    '0-7: data, 8-15: weight'
)")
      .def_property_readonly(
          "axes", [](const Exploration& e) { return e.result.axes; },
          "Metrics of the Pareto front.")
      .def_property_readonly(
          "stop", [](const Exploration& e) { return std::string(to_string(e.result.stop)); },
          "The end of the sweep: \"completed\", or the limit that stopped it.")
      .def_property_readonly(
          "folder", [](const Exploration& e) { return e.folder; }, "The folder with its files.")
      .def("__repr__", [](const Exploration& e) {
        return "<tessera.Exploration: " + std::to_string(e.result.rows.size()) + " rows, " +
               std::to_string(e.result.pareto.size()) + " on the front, in " + e.folder + ">";
      });
}

void bind_explore(py::module_& module) {
  module.def(
      "explore",
      [](const py::object& sweep, const py::object& folder, py::object timeout, py::object work,
         py::object memory_limit, int threads, std::uint64_t seed, const py::object& store,
         const py::object& progress, const py::object& client) {
        return run(sweep, folder,
                   {std::move(timeout), std::move(work), std::move(memory_limit), threads, seed},
                   store, progress, client);
      },
      py::arg("sweep"), py::arg("folder"), py::kw_only(), py::arg("timeout") = py::none(),
      py::arg("work") = py::none(), py::arg("memory_limit") = py::none(), py::arg("threads") = 2,
      py::arg("seed") = 0, py::arg("store") = py::none(), py::arg("progress") = py::none(),
      py::arg("client") = py::none(),
      R"(Evaluates many machines on a set of networks, as `tessera explore` does: sweep is the path of a
sweep YAML, folder gets results.csv, pareto.csv, summary.json, report.html, plans/ and the store
(and modes.csv, if the sweep has `modes:`). The same call resumes a stopped sweep.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "net.yaml"), "w") as out:
    ...     b = NetworkBuilder("net", dtype="int8")
    ...     _ = out.write(b.build(b.conv(b.input((1, 8, 16, 16)), 8, kernel=3)).to_yaml())
    >>> with open(os.path.join(folder, "sweep.yaml"), "w") as out:
    ...     _ = out.write('''tessera: sweep/1
    ... networks: [net.yaml]
    ... hardware:
    ...   base: ethos-u65-like
    ...   vary:
    ...     engines.mac.cores: [1, 2]
    ... objective: {latency: 1}
    ... ''')
    >>> made = explore(os.path.join(folder, "sweep.yaml"), os.path.join(folder, "out"))
    >>> made.stop, made.best["engines.mac.cores"]
    ('completed', '2')

`timeout`, in seconds, `work` and `memory_limit` are of the whole sweep; `store` names another file
that stores computed plans. `progress` is called with a dict: done, candidates, proved, excluded,
best, mode_plans (of the final search for modes). A bad sweep raises BadInput, with file and line.

`client` is a Client of Dask (dask.distributed): its workers plan the candidates, and their
plans are written to the store of this process. The results are the same. A limit or Ctrl-C also
stops the workers.
)");
  // For tessera/cluster.py.
}

void bind_worker(py::module_& module) {
  py::class_<std::stop_source>(module, "_Stop")
      .def(py::init<>())
      .def("request", [](std::stop_source& stop) {
        const py::gil_scoped_release release;
        stop.request_stop();
      });
  py::class_<SweepWorker>(module, "_SweepWorker")
      .def(py::init<const py::object&>(), py::arg("sweep"))
      .def("plan", &SweepWorker::plan, py::arg("candidate"), py::arg("store"), py::arg("timeout"),
           py::arg("stop"));
  module.def("_files_of_sweep", &files_of, py::arg("sweep"));
}

}  // namespace

void bind_exploring(py::module_& module) {
  bind_exploration(module);
  bind_explore(module);
  bind_worker(module);
}

}  // namespace tessera::python
