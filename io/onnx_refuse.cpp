#include "io/onnx_refuse.h"

#include <algorithm>
#include <unordered_set>

#include "io/onnx_operators.h"
#include "io/text.h"
#include "model/say.h"
#include "tessera/network_shapes.h"

namespace tessera::io::onnx_reader {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using onnx::TensorProto;

/// The newest supported version of the standard operators.
constexpr std::int64_t newest_opset = 23;

constexpr const char* again = "the file is damaged or invalid; export the model again";

/// Bits per element of raw data; 0 for types without raw data, none for an unknown type.
std::optional<std::size_t> raw_bits(int type) {
  switch (type) {
    case int4_type:
    case uint4_type:
      return 4;
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 8;
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return 16;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 32;
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::COMPLEX64:
      return 64;
    case TensorProto::COMPLEX128:
      return 128;
    case TensorProto::STRING:
      return 0;
    default:
      return std::nullopt;
  }
}

/// Number of values in the typed field of a tensor of this type.
std::int64_t stored_values(const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return tensor.float_data_size();
    case TensorProto::COMPLEX64:
      return tensor.float_data_size() / 2;
    case TensorProto::DOUBLE:
      return tensor.double_data_size();
    case TensorProto::COMPLEX128:
      return tensor.double_data_size() / 2;
    case TensorProto::INT64:
      return tensor.int64_data_size();
    case TensorProto::UINT32:
    case TensorProto::UINT64:
      return tensor.uint64_data_size();
    case TensorProto::STRING:
      return tensor.string_data_size();
    case int4_type:
    case uint4_type:
      return 2 * static_cast<std::int64_t>(tensor.int32_data_size());  // an odd count is padded
    default:
      return tensor.int32_data_size();
  }
}

class Refusal {
 public:
  explicit Refusal(const std::string& file) : file_(file) {}

  template <typename... Pieces>
  [[noreturn]] void fail(const std::string& hint, const Pieces&... pieces) const {
    throw InputError(file_, 0, say(pieces...), hint);
  }

  int opset(const onnx::ModelProto& model) const {
    std::optional<std::int64_t> version;
    for (const onnx::OperatorSetIdProto& each : model.opset_import()) {
      if (!standard_domain(each.domain())) continue;
      if (version && *version != each.version())
        fail("keep one of them", "states the versions ", *version, " and ", each.version(),
             " of the ONNX operators");
      version = each.version();
    }
    if (!version)
      fail("add an opset_import without a domain",
           "does not state its version of the ONNX operators");
    if (*version < 1 || *version > newest_opset)
      fail("convert the model to a version from 1 to " + std::to_string(newest_opset),
           "uses version ", *version, " of the ONNX operators, which is not supported");
    return static_cast<int>(*version);
  }

  void graph(const onnx::GraphProto& graph, Poll& poll) const {
    text(graph.name());
    if (graph.sparse_initializer_size() > 0)
      fail("store it dense", "initializer ", shown(graph.sparse_initializer(0).values().name()),
           " is sparse, which is not supported");
    std::unordered_set<std::string_view> names;
    for (const TensorProto& each : graph.initializer()) {
      if (each.name().empty()) fail(again, "has an initializer without a name");
      text(each.name());
      if (!names.insert(each.name()).second)
        fail(again, "has two initializers named ", shown(each.name()));
      tensor(each, "initializer " + shown(each.name()));
    }
    names.clear();
    for (const onnx::ValueInfoProto& each : graph.input()) {
      if (each.name().empty()) fail(again, "has an input without a name");
      text(each.name());
      if (!names.insert(each.name()).second)
        fail(again, "has two inputs named ", shown(each.name()));
    }
    names.clear();
    for (const onnx::ValueInfoProto& each : graph.output()) {
      if (each.name().empty()) fail(again, "has an output without a name");
      if (!names.insert(each.name()).second)
        fail(again, "lists the output ", shown(each.name()), " twice");
    }
    for (const NodeProto& each : graph.node()) {
      poll(poll_units);
      node(each);
    }
  }

 private:
  /// Names are kept, and written to text files.
  void text(std::string_view name) const {
    for (std::string_view rest = name; !rest.empty();) {
      const std::size_t length = utf8_length(rest);
      if (length == 0) fail("rename it", "has a name ", shown(name), " that is not UTF-8");
      rest.remove_prefix(length);
    }
  }

  void tensor(const TensorProto& tensor, const std::string& what) const {
    const std::vector<Dim> shape(tensor.dims().begin(), tensor.dims().end());
    if (const std::optional<std::string> why = absurd(shape)) fail(again, what, " has ", *why);
    if (tensor.data_location() == TensorProto::EXTERNAL || tensor.external_data_size() > 0)
      fail("save the model with its values inside", what,
           " has its values in another file, which is not supported");
    if (tensor.has_segment())
      fail(again, what, " is one segment of a tensor, which is not supported");
    const std::optional<std::size_t> bits = raw_bits(tensor.data_type());
    if (!bits)
      fail(again, what, " has an element type (", tensor.data_type(), ") that is not supported");
    const std::int64_t count = element_count(shape).value_or(0);
    if (tensor.has_raw_data()) {
      const std::size_t needed = (static_cast<std::size_t>(count) * *bits + 7) / 8;
      if (*bits == 0 || tensor.raw_data().size() != needed)
        fail(again, what, " has ", tensor.raw_data().size(), " bytes of data where its shape ",
             shape_text(shape), " needs ", needed);
    } else if (stored_values(tensor) != (*bits == 4 ? count + count % 2 : count)) {
      fail(again, what, " has ", stored_values(tensor), " values where its shape ",
           shape_text(shape), " needs ", count);
    }
  }

  void node(const NodeProto& node) const {
    text(node.name());
    text(node.op_type());
    for (const std::string& output : node.output()) text(output);
    std::unordered_set<std::string_view> names;
    for (const AttributeProto& each : node.attribute()) {
      if (!names.insert(each.name()).second)
        fail(again, named(node), " is malformed: it has two attributes named ", shown(each.name()));
      if (each.has_g() || each.graphs_size() > 0)
        fail("export the model without control flow, or unrolled", named(node),
             " has a subgraph as its attribute ", shown(each.name()), ", which is not supported");
      if (each.has_sparse_tensor() || each.sparse_tensors_size() > 0)
        fail("store it dense", named(node), " has a sparse tensor as its attribute ",
             shown(each.name()), ", which is not supported");
      if (!each.ref_attr_name().empty())
        fail(again, named(node), " is malformed: its attribute ", shown(each.name()),
             " refers to one of a function");
      const std::string what = "attribute " + shown(each.name()) + " of " + named(node);
      if (each.has_t()) tensor(each.t(), what);
      for (const TensorProto& part : each.tensors()) tensor(part, what);
    }
  }

  const std::string& file_;
};

std::string needed(int least, int most, const char* what) {
  if (most == many) return say(least, " or more ", what, "s are needed");
  if (least == most) return say(least, " ", what, least == 1 ? " is needed" : "s are needed");
  return say(least, " to ", most, " are needed");
}

/// Does the attribute have the type of its kind (a letter of Operator::attributes)?
bool holds(const AttributeProto& attribute, char kind) {
  switch (kind) {
    case 'i':
      return attribute.type() == AttributeProto::INT && attribute.has_i();
    case 'I':
      return attribute.type() == AttributeProto::INTS;
    case 'f':
      return attribute.type() == AttributeProto::FLOAT && attribute.has_f();
    case 'F':
      return attribute.type() == AttributeProto::FLOATS;
    case 's':
      return attribute.type() == AttributeProto::STRING && attribute.has_s();
    case 'S':
      return attribute.type() == AttributeProto::STRINGS;
    case 't':
      return attribute.type() == AttributeProto::TENSOR && attribute.has_t();
    default:
      return false;
  }
}

const char* kind_name(char kind) {
  switch (kind) {
    case 'i':
      return "an integer";
    case 'I':
      return "a list of integers";
    case 'f':
      return "a number";
    case 'F':
      return "a list of numbers";
    case 's':
      return "a text";
    case 'S':
      return "a list of texts";
    default:
      return "a tensor";
  }
}

}  // namespace

int refuse_model(const onnx::ModelProto& model, const std::string& file, Poll& poll) {
  const Refusal refusal(file);
  if (model.functions_size() > 0)
    refusal.fail("inline them, or export the model without them", "has local functions (",
                 shown(model.functions(0).name()), "), which are not supported");
  const int opset = refusal.opset(model);
  refusal.graph(model.graph(), poll);
  return opset;
}

void refuse_node(const NodeProto& node, const std::string& file) {
  if (!standard_domain(node.domain())) return;
  const Operator* op = operator_of(node.op_type());
  if (op == nullptr) return;
  const Refusal refusal(file);
  const std::string start = named(node) + " is malformed: ";
  const auto counted = [&](int count, int least, int most, const char* what) {
    if (count < least || (most != many && count > most))
      refusal.fail(again, start, "it has ", count, " ", what, count == 1 ? "" : "s", " where ",
                   needed(least, most, what));
  };
  counted(node.input_size(), op->least_inputs, op->most_inputs, "input");
  counted(node.output_size(), op->least_outputs, op->most_outputs, "output");
  const int required = op->most_inputs == many ? node.input_size() : op->least_inputs;
  for (int k = 0; k < required; ++k)
    if (node.input(k).empty()) refusal.fail(again, start, "its input ", k, " is missing");
  for (int k = 0; k < op->least_outputs; ++k)
    if (node.output(k).empty()) refusal.fail(again, start, "its output ", k, " has no name");
  for (const AttributeProto& each : node.attribute()) {
    const char kind = op->attribute_kind(each.name());
    if (kind == 0)
      refusal.fail(again, start, "it has an attribute ", shown(each.name()),
                   ", which its operator does not have");
    if (!holds(each, kind))
      refusal.fail(again, start, "its attribute ", shown(each.name()), " is not ", kind_name(kind));
  }
}

}  // namespace tessera::io::onnx_reader
