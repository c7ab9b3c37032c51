#include "io/onnx_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "io/onnx_operators.h"
#include "io/onnx_refuse.h"
#include "io/onnx_shapes.h"
#include "io/onnx_wire.h"
#include "model/say.h"
#include "tessera/network_shapes.h"

namespace tessera::io::onnx_reader {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

/// In models without control flow messages nest up to 8 levels; types nest slightly deeper.
constexpr int deepest = 32;

/// Limit on messages and texts of a file: some hundred times that of the largest models, and 3 GB
/// of memory.
constexpr std::size_t max_parts = std::size_t{1} << 24U;

/// Limit on the elements of all folded constants together, because a chain of tiny nodes could make
/// arbitrarily many. Further nodes are not folded.
constexpr std::size_t max_folded = std::size_t{1} << 22;

/// Feeds the file in chunks, so that the budget is polled during parsing.
class Chunks final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  Chunks(std::string_view bytes, const Budget& budget) : bytes_(bytes), budget_(budget) {}

  bool Next(const void** data, int* size) override {
    constexpr std::size_t most = std::size_t{1} << 16U;
    // The parser takes this as the end of the file, and may accept a truncated message.
    if (!ended_) ended_ = budget_.exhausted();
    if (ended_) return false;
    const std::string_view piece = bytes_.substr(at_, most);
    at_ += piece.size();
    *data = piece.data();
    *size = static_cast<int>(piece.size());
    return !piece.empty();
  }
  void BackUp(int count) override { at_ -= static_cast<std::size_t>(count); }
  bool Skip(int count) override {
    const std::size_t left = bytes_.size() - at_;
    at_ += std::min(left, static_cast<std::size_t>(count));
    return static_cast<std::size_t>(count) <= left;
  }
  [[nodiscard]] std::int64_t ByteCount() const override { return static_cast<std::int64_t>(at_); }
  /// The reason of a premature end.
  [[nodiscard]] std::optional<StopReason> ended() const { return ended_; }

 private:
  std::string_view bytes_;
  const Budget& budget_;
  std::size_t at_ = 0;
  std::optional<StopReason> ended_;
};

/// Throws BudgetEnded.
bool parses(std::string_view bytes, const Budget& budget, int depth, onnx::ModelProto& into) {
  Chunks pieces(bytes, budget);
  google::protobuf::io::CodedInputStream in(&pieces);
  in.SetRecursionLimit(depth);
  into.Clear();
  const bool whole = into.MergePartialFromCodedStream(&in) && in.ConsumedEntireMessage();
  if (pieces.ended()) throw BudgetEnded(*pieces.ended(), false);
  return whole;
}

/// The declared type and shape of a tensor; extents below 0 are not stated.
struct Stated {
  std::optional<Shape> shape;
  int type = 0;
  [[nodiscard]] bool whole() const {
    return shape && std::ranges::all_of(*shape, [](Dim extent) { return extent >= 0; });
  }
};

Stated stated_in(const onnx::ValueInfoProto& info) {
  Stated out;
  if (!info.type().has_tensor_type()) return out;
  out.type = info.type().tensor_type().elem_type();
  if (!info.type().tensor_type().has_shape()) return out;
  out.shape.emplace();
  for (const auto& dim : info.type().tensor_type().shape().dim())
    out.shape->push_back(dim.has_dim_value() ? std::max<Dim>(-1, dim.dim_value()) : -1);
  return out;
}

class Loader {
 public:
  Loader(std::string_view bytes, const std::string& file, const OnnxOptions& options,
         OnnxNetwork& out)
      : options_(options), out_(out) {
    model_.file = file;
    model_.poll = Poll(options.budget);
    model_.poll.check();
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      fail("has 2 GiB or more, the limit of an ONNX message",
           "export large weights as external data: Tessera needs only their shapes");
    const std::size_t parts = parts_in(bytes, max_parts, model_.poll);
    if (parts > max_parts)
      fail("is made of more than " + std::to_string(max_parts) + " parts, the limit for a model");
    model_.poll.check_memory(part_bytes * static_cast<double>(parts) +
                             static_cast<double>(bytes.size()));
    if (!parses(bytes, options.budget, deepest, model_.proto)) {
      if (parses(bytes, options.budget, 30 * deepest, model_.proto))
        fail("nests its messages more than " + std::to_string(deepest) + " deep",
             "export the model without control flow");
      fail("is not a complete ONNX model; the file may be truncated");
    }
    if (!model_.proto.has_graph() || model_.proto.graph().node_size() == 0)
      fail("is an ONNX model without nodes");
  }

  Model load() {
    GraphProto& graph = *model_.proto.mutable_graph();
    name_nodes(graph);
    model_.opset = refuse_model(model_.proto, model_.file, model_.poll);
    for (const NodeProto& node : graph.node()) {
      model_.poll(poll_units);
      refuse_node(node, model_.file);
    }
    state(graph);
    initializers(graph);
    inputs(graph);
    for (const NodeProto* node : ordered(graph)) visit(*node);
    if (model_.nodes.empty()) fail("computes nothing but constants");
    return std::move(model_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw InputError(model_.file, 0, what, hint);
  }

  /// Exporters may omit names; messages and ops need unique ones.
  void name_nodes(GraphProto& graph) {
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, std::size_t> next;  // next number per repeated name
    for (NodeProto& node : *graph.mutable_node()) {
      model_.poll(poll_units);
      std::string name = node.name();
      if (name.empty()) name = node.output_size() > 0 ? node.output(0) : node.op_type();
      std::string unique = name;
      if (!taken.insert(unique).second) {
        std::size_t& k = next.try_emplace(name, 2).first->second;
        do unique = name + "_" + std::to_string(k++);
        while (!taken.insert(unique).second);
      }
      node.set_name(unique);
    }
  }

  /// Collects declared types and shapes; repeated declarations have to agree.
  void state(const GraphProto& graph) {
    const auto take = [&](const onnx::ValueInfoProto& info) {
      const Stated stated = stated_in(info);
      if (stated.shape)
        if (const std::optional<std::string> why = absurd_stated(*stated.shape))
          fail("states that tensor " + shown(info.name()) + " has " + *why);
      const auto [at, fresh] = stated_.try_emplace(info.name(), stated);
      if (fresh || !stated.shape) return;
      if (!at->second.shape) {
        at->second = stated;
      } else if (!agree(*at->second.shape, *stated.shape)) {
        fail("states two shapes of tensor " + shown(info.name()) + ": " +
             shape_text(*at->second.shape) + " and " + shape_text(*stated.shape));
      } else if (stated.whole()) {
        at->second.shape = stated.shape;
      }
    };
    for (const auto& info : graph.value_info()) take(info);
    for (const auto& info : graph.output()) take(info);
    for (const auto* list : {&graph.value_info(), &graph.output()})
      for (const auto& info : *list)
        if (const Stated stated = stated_in(info); stated.whole())
          out_.declared.emplace_back(info.name(), *stated.shape);
    if (options_.ignore_declared_shapes)
      for (auto& [name, stated] : stated_) stated.shape.reset();
  }

  /// As absurd(), for shapes with extents that are not stated.
  static std::optional<std::string> absurd_stated(Shape shape) {
    for (Dim& extent : shape) extent = std::max<Dim>(extent, 1);
    return absurd(shape);
  }

  static bool agree(const Shape& a, const Shape& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](Dim x, Dim y) {
             return x < 0 || y < 0 || x == y;
           });
  }

  void initializers(const GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      const Known known{{tensor.dims().begin(), tensor.dims().end()}, tensor.data_type()};
      if (std::optional<Constant> value = constant_of(tensor))
        model_.constants[tensor.name()] = std::make_shared<Constant>(*std::move(value));
      model_.initializers[tensor.name()] = known;
      put("initializer " + shown(tensor.name()), tensor.name(), known);
    }
  }

  /// Resolves every input to fixed extents.
  void inputs(const GraphProto& graph) {
    for (const onnx::ValueInfoProto& input : graph.input()) {
      const Stated stated = stated_in(input);
      if (const auto at = model_.initializers.find(input.name()); at != model_.initializers.end()) {
        if (stated.shape && !agree(*stated.shape, at->second.shape))
          fail("states that input " + shown(input.name()) + " is " + shape_text(*stated.shape) +
               ", but its initializer is " + shape_text(at->second.shape));
        continue;
      }
      if (!stated.shape) fail("input " + shown(input.name()) + " is not a tensor with a shape");
      Known known{{}, stated.type};
      for (const auto& dim : input.type().tensor_type().shape().dim())
        known.shape.push_back(extent(input.name(), known.shape.size(), dim));
      if (const std::optional<std::string> why = absurd(known.shape))
        fail("input " + shown(input.name()) + " has " + *why);
      put("input " + shown(input.name()), input.name(), std::move(known));
    }
  }

  Dim extent(const std::string& input, std::size_t axis,
             const onnx::TensorShapeProto::Dimension& dim) {
    if (dim.has_dim_value() && dim.dim_value() >= 1) return dim.dim_value();
    const std::string name = dim.has_dim_param() ? dim.dim_param() : std::string();
    for (const auto& [given, extent] : options_.dims)
      if (given == name) return extent;
    const std::string what = "input " + shown(input) + " has a dynamic dimension" +
                             (name.empty() ? "" : " " + shown(name)) + " on axis " +
                             std::to_string(axis);
    if (axis != 0 || dim.has_dim_value())
      fail(what, name.empty() ? "export the model with fixed shapes"
                              : "set its extent with --dim " + name + "=N");
    model_.warnings.push_back(what + "; read as a batch of 1");
    return 1;
  }

  /// Topological order of the nodes (Kahn 1962), in file order if possible.
  std::vector<const NodeProto*> ordered(const GraphProto& graph) {
    const auto count = static_cast<std::size_t>(graph.node_size());
    const auto node = [&](std::size_t k) -> const NodeProto& {
      return graph.node(static_cast<int>(k));
    };
    std::unordered_map<std::string_view, std::size_t> producer;
    for (std::size_t k = 0; k < count; ++k)
      for (const std::string& output : node(k).output()) {
        if (output.empty()) continue;
        if (model_.known(output) != nullptr || !producer.try_emplace(output, k).second)
          fail(named(node(k)) + " makes " + shown(output) +
               ", which already exists as an input, an initializer or an output of another node");
      }
    std::vector<std::vector<std::size_t>> readers(count);
    std::vector<std::size_t> waiting(count);
    for (std::size_t k = 0; k < count; ++k)
      for (const std::string& input : node(k).input()) {
        if (input.empty() || model_.known(input) != nullptr) continue;
        const auto at = producer.find(input);
        if (at == producer.end())
          fail(named(node(k)) + " reads " + shown(input) + ", which no node produces");
        readers[at->second].push_back(k);
        ++waiting[k];
      }
    for (const auto& output : graph.output())
      if (model_.known(output.name()) == nullptr && !producer.contains(output.name()))
        fail("lists the output " + shown(output.name()) + ", which no node produces");
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t k = 0; k < count; ++k)
      if (waiting[k] == 0) ready.push(k);
    std::vector<const NodeProto*> sorted;
    while (!ready.empty()) {
      const std::size_t k = ready.top();
      ready.pop();
      model_.poll(poll_units);
      sorted.push_back(&node(k));
      for (const std::size_t reader : readers[k])
        if (--waiting[reader] == 0) ready.push(reader);
    }
    for (std::size_t k = 0; k < count && sorted.size() != count; ++k)
      if (waiting[k] > 0) fail(named(node(k)) + " is part of a cycle or depends on one");
    return sorted;
  }

  /// Registers a tensor with its inferred and its declared properties.
  void put(const std::string& maker, const std::string& name, std::optional<Known> inferred) {
    const auto at = stated_.find(name);
    if (at != stated_.end()) {
      const Stated& stated = at->second;
      if (!inferred) {
        if (stated.whole()) inferred = Known{*stated.shape, stated.type};
      } else {
        if (stated.shape && !agree(*stated.shape, inferred->shape))
          fail(maker + " makes " + shown(name) + " as " + shape_text(inferred->shape) +
                   ", but the file states " + shape_text(*stated.shape),
               "remove this entry of the file, or export the model again");
        if (inferred->type == 0) inferred->type = stated.type;
        if (stated.type != 0 && stated.type != inferred->type)
          fail(maker + " makes " + shown(name) + " of element type " +
               std::to_string(inferred->type) + ", but the file states type " +
               std::to_string(stated.type));
      }
    }
    if (!inferred) return;
    if (const std::optional<std::string> why = absurd(inferred->shape))
      fail(maker + " produces a tensor " + shown(name) + " with " + *why);
    model_.tensors[name] = *std::move(inferred);
  }

  /// Infers the outputs of a node; folds it if they are known constants.
  void visit(const NodeProto& node) {
    model_.poll(poll_units);
    std::vector<std::optional<Known>> made(static_cast<std::size_t>(node.output_size()));
    const bool ready = std::ranges::all_of(node.input(), [&](const std::string& input) {
      return input.empty() || model_.known(input) != nullptr;
    });
    if (ready) made = Inference(model_, node).run();
    for (int k = 0; k < node.output_size(); ++k)
      if (!node.output(k).empty())
        put(named(node), node.output(k), std::move(made[static_cast<std::size_t>(k)]));
    if (folded_ < max_folded && ready)
      if (ConstantPtr value = evaluate(model_, node)) return fold(node, std::move(value));
    attempted(node);
    if (node.op_type() == "Constant" && standard_domain(node.domain())) {
      // Too large, or of an unsupported type: still an initializer.
      if (const Known* known = model_.known(node.output(0)))
        model_.initializers[node.output(0)] = *known;
      return;
    }
    model_.nodes.push_back(&node);
  }

  /// Failed evaluations count as if they had produced the constant.
  void attempted(const NodeProto& node) {
    const Known* out = node.output_size() == 1 ? model_.known(node.output(0)) : nullptr;
    const auto constant = [&](const std::string& name) { return model_.constant(name) != nullptr; };
    if (out == nullptr || node.input_size() == 0 || !std::ranges::all_of(node.input(), constant))
      return;
    const auto elements = static_cast<std::size_t>(element_count(out->shape).value_or(0));
    if (elements <= max_constant) folded_ += elements + 1;
  }

  void fold(const NodeProto& node, ConstantPtr value) {
    const std::string& name = node.output(0);
    if (value.use_count() == 1) folded_ += value->size() + 1;  // otherwise it is shared
    model_.initializers[name] = model_.tensors[name] = {value->shape, value->type};
    model_.constants[name] = std::move(value);
  }

  const OnnxOptions& options_;
  OnnxNetwork& out_;
  Model model_;
  std::unordered_map<std::string, Stated> stated_;
  std::size_t folded_ = 0;
};

}  // namespace

std::string named(const NodeProto& node) {
  const bool plain = node.op_type().size() <= 60 && std::ranges::all_of(node.op_type(), [](char c) {
                       return ' ' < c && c <= '~';
                     });
  return "node " + shown(node.name()) + " (" + (plain ? node.op_type() : shown(node.op_type())) +
         ")";
}

std::string shape_text(const Shape& shape) {
  std::string out = "[";
  for (std::size_t axis = 0; axis < shape.size() && axis < 2 * max_rank; ++axis)
    out += (axis > 0 ? ", " : "") + (shape[axis] < 0 ? "?" : std::to_string(shape[axis]));
  return out + (shape.size() > 2 * max_rank ? ", ...]" : "]");
}

bool standard_domain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::optional<std::string> absurd(const Shape& shape) {
  if (shape.size() > max_rank)
    return say(shape.size(), " axes; at most ", max_rank, " are supported");
  for (const Dim extent : shape)
    if (extent < 0 || extent > max_extent)
      return say("extent ", extent, "; extents lie within 1 .. ", max_extent);
  const std::optional<std::int64_t> count = element_count(shape);
  if (!count || *count > max_elements) return say("more than ", max_elements, " elements");
  return std::nullopt;
}

const onnx::AttributeProto* attribute(const NodeProto& node, const char* name) {
  for (const onnx::AttributeProto& each : node.attribute())
    if (each.name() == name) return &each;
  return nullptr;
}

std::int64_t int_attribute(const NodeProto& node, const char* name, std::int64_t standard) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found != nullptr ? found->i() : standard;
}

std::vector<std::int64_t> ints_attribute(const NodeProto& node, const char* name) {
  const onnx::AttributeProto* found = attribute(node, name);
  if (found == nullptr) return {};
  return {found->ints().begin(), found->ints().end()};
}

std::string text_attribute(const NodeProto& node, const char* name, const char* standard) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found != nullptr ? found->s() : standard;
}

bool has_input(const NodeProto& node, int position) {
  return node.input_size() > position && !node.input(position).empty();
}

std::optional<std::vector<std::int64_t>> list_of(const Model& model, const NodeProto& node,
                                                 int position, const char* name) {
  if (!has_input(node, position)) return ints_attribute(node, name);
  const Constant* value = model.constant(node.input(position));
  if (value == nullptr || !value->integer) return std::nullopt;
  return value->integers;
}

Model load_model(std::string_view bytes, const std::string& file, const OnnxOptions& options,
                 OnnxNetwork& out) {
  return Loader(bytes, file, options, out).load();
}

}  // namespace tessera::io::onnx_reader
