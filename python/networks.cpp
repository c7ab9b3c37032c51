#include "networks.h"

#include <pybind11/stl.h>

#include <unordered_set>

#include "calls.h"
#include "problems.h"
#include "tessera/errors.h"
#include "tessera/import.h"
#include "tessera/network_shapes.h"
#include "tessera/network_stats.h"
#include "values.h"

namespace tessera::python {
namespace {

template <typename Value>
void take(const py::dict& from, const char* key, Value& to) {
  if (!from.contains(key)) return;
  try {
    to = from[key].cast<Value>();
  } catch (const py::cast_error&) {
    throw BadInput("`" + std::string(key) + "` is " + std::string(py::repr(from[key])) +
                   ", which is of the wrong type");
  }
}

/// Backend of tessera/builder.py: tensors and ops by number, in order.
class Parts {
 public:
  explicit Parts(const std::string& name) { network_.name = name; }

  TensorIndex tensor(const std::string& name, const std::vector<Dim>& shape,
                     const std::string& dtype, bool weight) {
    Tensor tensor;
    tensor.name = name;
    tensor.shape = shape;
    tensor.type = parse_element_type(dtype, "dtype");
    tensor.kind = weight ? TensorKind::weight : TensorKind::activation;
    return add(std::move(tensor));
  }

  TensorIndex view(const std::string& name, TensorIndex source, const std::vector<Dim>& shape) {
    Tensor tensor = network_.tensors.at(source);
    tensor.name = name;
    tensor.shape = shape;
    tensor.view_of = storage_of(network_, source);
    const auto elements = element_count(shape);
    if (!elements || elements != element_count(network_.tensors[source].shape))
      throw BadInput("`" + name + "` has another number of elements than `" +
                     network_.tensors[source].name + "`");
    return add(std::move(tensor));
  }

  /// Returns the output, with inferred shape.
  TensorIndex op(const std::string& name, const std::string& kind,
                 const std::vector<TensorIndex>& inputs, const py::dict& attributes) {
    Op op;
    op.name = name;
    const std::optional<OpKind> known = op_kind_from(kind);
    if (!known || *known == OpKind::opaque) throw BadInput("`" + kind + "` is not a type of op");
    op.kind = *known;
    op.inputs = inputs;
    std::vector<std::vector<Dim>> shapes;
    for (const TensorIndex input : inputs) shapes.push_back(network_.tensors.at(input).shape);
    read(op, attributes);
    std::string error;
    std::optional<std::vector<Dim>> shape = output_shape(op, shapes, error);
    if (!shape) throw BadInput("op `" + name + "` (" + kind + ") " + error);
    Tensor made;
    made.name = name + ".out";
    made.shape = std::move(*shape);
    made.type = unpacked(network_.tensors[inputs.at(0)].type);
    op.outputs = {add(std::move(made))};
    network_.ops.push_back(std::move(op));
    return network_.tensors.size() - 1;
  }

  [[nodiscard]] std::vector<Dim> shape(TensorIndex tensor) const {
    return network_.tensors.at(tensor).shape;
  }
  [[nodiscard]] std::string dtype(TensorIndex tensor) const {
    return std::string(to_string(network_.tensors.at(tensor).type));
  }
  /// Element type of values added to products of such a tensor.
  [[nodiscard]] std::string bias_dtype(TensorIndex tensor) const {
    return std::string(to_string(bias_type(network_.tensors.at(tensor).type)));
  }

  [[nodiscard]] KeptNetwork network(const std::vector<TensorIndex>& inputs,
                                    const std::vector<TensorIndex>& outputs) const {
    auto whole = std::make_shared<Network>(network_);
    whole->inputs = inputs;
    whole->outputs = outputs;
    for (const NetworkDefect& defect : check_network(*whole)) throw BadInput(defect.message);
    return {std::move(whole)};
  }

 private:
  TensorIndex add(Tensor tensor) {
    if (!names_.insert(tensor.name).second)
      throw BadInput("duplicate tensor `" + tensor.name + "`", "rename one of them with `name`");
    network_.tensors.push_back(std::move(tensor));
    return network_.tensors.size() - 1;
  }

  static void read(Op& op, const py::dict& attributes) {
    take(attributes, "function", op.function);
    take(attributes, "kernel", op.kernel);
    take(attributes, "stride", op.stride);
    take(attributes, "dilation", op.dilation);
    take(attributes, "pad_begin", op.pad_begin);
    take(attributes, "pad_end", op.pad_end);
    take(attributes, "output_padding", op.output_padding);
    take(attributes, "groups", op.groups);
    take(attributes, "ceil_mode", op.ceil_mode);
    take(attributes, "axes", op.axes);
    take(attributes, "keep_dims", op.keep_dims);
    take(attributes, "begins", op.begins);
    take(attributes, "steps", op.steps);
    take(attributes, "extents", op.extents);
    take(attributes, "permutation", op.permutation);
    take(attributes, "block", op.block);
    take(attributes, "transpose_b", op.transpose_b);
    take(attributes, "linear", op.resize.linear);
    std::vector<std::string> fused;
    take(attributes, "fused", fused);
    for (std::string& function : fused) op.fused.push_back({std::move(function), {}});
  }

  Network network_;
  std::unordered_set<std::string> names_;
};

KeptNetwork load(const py::object& source, const py::object& dtype, const py::dict& dims,
                 bool fold_batch_norm, bool fuse_activations, bool recognise) {
  ImportOptions options;
  if (!dtype.is_none()) options.dtype = parse_element_type(dtype.cast<std::string>(), "dtype");
  for (const auto& [name, extent] : dims)
    options.dims.emplace_back(std::string(py::str(name)), extent.cast<Dim>());
  options.fold_batch_norm = fold_batch_norm;
  options.fuse_activations = fuse_activations;
  options.recognise = recognise;
  Call call;
  options.limits.stop = call.token();
  ImportedNetwork in;
  const auto stopped_is_no_error = [&](auto read) {
    return call.run([&]() -> ImportedNetwork {
      try {
        return read();
      } catch (const ImportStopped&) {
        return {};  // by a signal, which run() throws
      }
    });
  };
  // An onnx.ModelProto provides its bytes itself; its graph's name is the network's name.
  py::object given = source;
  std::string name = "network.onnx";
  if (py::hasattr(source, "SerializeToString")) {
    given = source.attr("SerializeToString")();
    if (py::hasattr(source, "graph")) {
      const auto graph = source.attr("graph").attr("name").cast<std::string>();
      if (!graph.empty() && graph.find('/') == graph.npos) name = graph + ".onnx";
    }
  }
  if (py::isinstance<py::bytes>(given)) {
    const std::string bytes = given.cast<std::string>();
    in = stopped_is_no_error([&] { return read_network_bytes(bytes, name, options); });
  } else {
    const std::string path = path_of(given);
    in = stopped_is_no_error([&] { return read_network(path, options); });
  }
  const auto warn = py::module_::import("warnings").attr("warn");
  for (const std::string& warning : in.warnings) warn(warning, py::arg("stacklevel") = 2);
  return {std::make_shared<const Network>(std::move(in.network))};
}

}  // namespace

KeptNetwork network_of(const py::handle& given) {
  if (py::isinstance<KeptNetwork>(given)) return given.cast<const KeptNetwork&>();
  const py::object path = py::reinterpret_borrow<py::object>(given);
  return load(path, py::none(), py::dict(), true, true, true);
}

void bind_networks(py::module_& module) {
  py::class_<KeptNetwork>(module, "Network",
                          R"(A network: from a file, from ONNX bytes, or from a NetworkBuilder.

    >>> b = NetworkBuilder("toy", dtype="int8")
    >>> x = b.input((1, 3, 32, 32))
    >>> net = b.build(b.conv(x, 16, kernel=3, stride=2, activation="relu"))
    >>> net.name, len(net), net.macs
    ('toy', 1, 110592)
)")
      .def_property_readonly("name", [](const KeptNetwork& n) { return n.network->name; })
      .def("__len__", [](const KeptNetwork& n) { return n.network->ops.size(); })
      .def_property_readonly(
          "ops",
          [](const KeptNetwork& n) {
            std::vector<std::string> names;
            for (const Op& op : n.network->ops) names.push_back(op.name);
            return names;
          },
          "The names of the ops, in their order.")
      .def_property_readonly(
          "macs", [](const KeptNetwork& n) { return network_stats(*n.network).macs; },
          "Multiply-accumulates of all convolutions and products.")
      .def_property_readonly(
          "weight_bytes",
          [](const KeptNetwork& n) { return network_stats(*n.network).weight_bytes; })
      .def(
          "to_yaml", [](const KeptNetwork& n) { return network_yaml(*n.network); },
          "The network as a network YAML, which every command reads.")
      .def("__repr__", [](const KeptNetwork& n) {
        return "<tessera.Network: " + n.network->name + ", " +
               std::to_string(n.network->ops.size()) + " ops>";
      });
  module.def(
      "load_network", &load, py::arg("source"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("dims") = py::dict(), py::arg("fold_batch_norm") = true,
      py::arg("fuse_activations") = true, py::arg("recognise") = true,
      R"(Reads a network: the path of an ONNX, TensorFlow Lite or YAML file, bytes of one, or an onnx.ModelProto.

`dtype` replaces every floating-point type (biases of int8 and int16 networks are int32); `dims` sets the extents of named dynamic dimensions.
Notes of the reader are Python warnings.
)");
  py::class_<Parts>(module, "_Parts")
      .def(py::init<const std::string&>(), py::arg("name"))
      .def("tensor", &Parts::tensor, py::arg("name"), py::arg("shape"), py::arg("dtype"),
           py::arg("weight"))
      .def("view", &Parts::view, py::arg("name"), py::arg("source"), py::arg("shape"))
      .def("op", &Parts::op, py::arg("name"), py::arg("kind"), py::arg("inputs"),
           py::arg("attributes"))
      .def("shape", &Parts::shape, py::arg("tensor"))
      .def("dtype", &Parts::dtype, py::arg("tensor"))
      .def("bias_dtype", &Parts::bias_dtype, py::arg("tensor"))
      .def("network", &Parts::network, py::arg("inputs"), py::arg("outputs"));
}

}  // namespace tessera::python
