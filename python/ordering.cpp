#include <pybind11/stl.h>

#include <memory>
#include <utility>

#include "calls.h"
#include "networks.h"
#include "problems.h"
#include "tessera/errors.h"
#include "tessera/order.h"
#include "values.h"

namespace tessera::python {
namespace {

/// An order with its input.
struct KeptOrder {
  std::shared_ptr<const OrderInput> input;
  OrderResult result;
};

/// A Network, a dict of the graph format, or a path.
OrderInput order_input(const py::object& source) {
  OrderInput input;
  if (py::isinstance<KeptNetwork>(source)) {
    input.network = *source.cast<const KeptNetwork&>().network;
    input.graph = graph_of(*input.network);
    input.format = "yaml";
    input.file = input.network->name;
  } else if (py::isinstance<py::dict>(source)) {
    const auto text = py::module_::import("json")
                          .attr("dumps")(source, py::arg("indent") = 0)
                          .cast<std::string>();
    input.graph = read_graph_text(text, "graph.json");
    input.format = "graph";
    input.file = "graph.json";
  } else {
    input = load_order_input(path_of(source), {});
  }
  return input;
}

KeptOrder order(const py::object& source, const std::string& minimize,
                const LimitArguments& limits) {
  OrderParams params;
  if (minimize != "peak" && minimize != "height")
    throw BadInput("unknown objective to minimise", "`minimize` is \"peak\" or \"height\"");
  params.minimize = minimize == "peak" ? OrderGoal::peak : OrderGoal::height;
  params.limits = limits_of(limits);
  const auto input = std::make_shared<const OrderInput>(order_input(source));
  Call call;
  params.limits.stop = call.token();
  return {input, call.run([&] { return order_ops(input->graph, params); })};
}

std::vector<std::string> names_of(const KeptOrder& kept) {
  std::vector<std::string> names;
  for (const std::size_t op : kept.result.order) names.push_back(kept.input->graph.ops[op].id);
  return names;
}

py::bytes tflite_of(const KeptOrder& kept) {
  return {ordered_tflite(*kept.input, kept.result.order)};
}

}  // namespace

void bind_ordering(py::module_& module) {
  py::class_<KeptOrder>(module, "Order", "An order of ops, from order().")
      .def_property_readonly("order", &names_of, "The ids of the ops.")
      .def_property_readonly("indices", [](const KeptOrder& o) { return o.result.order; })
      .def_property_readonly(
          "peak", [](const KeptOrder& o) { return o.result.peak; },
          "The largest number of live bytes.")
      .def_property_readonly("bound", [](const KeptOrder& o) { return o.result.bound; })
      .def_property_readonly("proved", [](const KeptOrder& o) { return o.result.proved; })
      .def_property_readonly(
          "first_peak", [](const KeptOrder& o) { return o.result.first_peak; },
          "The peak of the order in the input.")
      .def_property_readonly("height", [](const KeptOrder& o) { return o.result.height; })
      .def_property_readonly("height_bound",
                             [](const KeptOrder& o) { return o.result.height_bound; })
      .def_property_readonly(
          "stop", [](const KeptOrder& o) { return std::string(to_string(o.result.stop)); })
      .def("to_json", [](const KeptOrder& o) { return order_json(o.input->graph, o.result); })
      .def("to_svg",
           [](const KeptOrder& o) { return order_picture(o.input->graph, o.result.order); })
      .def("to_tflite", &tflite_of, "The TensorFlow Lite model with its operators in this order.")
      .def(
          "to_yaml",
          [](const KeptOrder& o) { return ordered_network_yaml(*o.input, o.result.order); },
          "The network with its ops in this order, as YAML.")
      .def("__repr__", [](const KeptOrder& o) {
        return "<tessera.Order: " + std::to_string(o.result.order.size()) + " ops, peak " +
               std::to_string(o.result.peak) + ">";
      });
  module.def(
      "order",
      [](const py::object& graph, const std::string& minimize, py::object timeout, py::object work,
         py::object memory_limit, int threads, std::uint64_t seed) {
        return order(graph, minimize,
                     {std::move(timeout), std::move(work), std::move(memory_limit), threads, seed});
      },
      py::arg("graph"), py::kw_only(), py::arg("minimize") = "peak",
      py::arg("timeout") = py::none(), py::arg("work") = py::none(),
      py::arg("memory_limit") = py::none(), py::arg("threads") = 2, py::arg("seed") = 0,
      R"(Finds the order of ops that needs the least memory.

`graph` is a dict of the graph format, a Network, or the path of a graph or network.

    >>> g = {"tessera": "graph/1", "tensors": [{"id": t, "size": n} for t, n in zip("xabcdy", [1, 9, 1, 9, 1, 1])],
    ...      "ops": [{"id": "a", "inputs": ["x"], "outputs": ["a"]}, {"id": "c", "inputs": ["x"], "outputs": ["c"]},
    ...              {"id": "b", "inputs": ["a"], "outputs": ["b"]}, {"id": "d", "inputs": ["c"], "outputs": ["d"]},
    ...              {"id": "y", "inputs": ["b", "d"], "outputs": ["y"]}]}
    >>> o = order(g)
    >>> o.order, o.first_peak, o.peak, o.proved
    (['a', 'b', 'c', 'd', 'y'], 19, 11, True)

`minimize="height"` also counts what addresses waste.
)");
}

}  // namespace tessera::python
