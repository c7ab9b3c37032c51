// Framework of the shape rules, and the rules of operators that keep or reduce a shape.
#include "io/onnx_shapes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "io/onnx_operators.h"

namespace tessera::io::onnx_reader {

using onnx::TensorProto;

Inference::Inference(const Model& model, const onnx::NodeProto& node)
    : model_(model), node_(node), made_(static_cast<std::size_t>(node.output_size())) {}

std::vector<std::optional<Known>> Inference::run() {
  const Operator* op = standard_domain(node_.domain()) ? operator_of(node_.op_type()) : nullptr;
  if (op != nullptr) op->rule(*this);
  return std::move(made_);
}

const Known& Inference::in(int position) const {
  const Known* known = has(position) ? model_.known(node_.input(position)) : nullptr;
  if (known == nullptr) fail("is malformed: its input ", position, " is missing");
  return *known;
}

void Inference::make(int output, Shape shape, int type) {
  if (output >= outputs() || node_.output(output).empty()) return;
  made_[static_cast<std::size_t>(output)] = Known{std::move(shape), type};
}

std::int64_t Inference::number(const char* name, std::int64_t standard, std::int64_t least,
                               std::int64_t most) const {
  const std::int64_t value = int_attribute(node_, name, standard);
  if (value < least || value > most)
    fail("has ", name, " ", value, ", which is not within ", least, " .. ", most);
  return value;
}

std::vector<std::int64_t> Inference::numbers(const char* name, std::size_t count,
                                             std::int64_t standard, std::int64_t least,
                                             std::int64_t most) const {
  std::vector<std::int64_t> values = ints_attribute(node_, name);
  if (values.empty()) values.assign(count, standard);
  if (values.size() != count)
    fail("has ", values.size(), " entries of ", name, " where ", count, " are needed");
  for (const std::int64_t value : values)
    if (value < least || value > most)
      fail("has ", name, " ", value, ", which is not within ", least, " .. ", most);
  return values;
}

std::size_t Inference::axis(std::int64_t given, std::size_t rank) const {
  const auto size = static_cast<std::int64_t>(rank);
  if (given < -size || given >= size)
    fail("names axis ", given, " of a tensor with ", rank, " axes");
  return static_cast<std::size_t>(given < 0 ? given + size : given);
}

std::vector<std::size_t> Inference::axes(const std::vector<std::int64_t>& given,
                                         std::size_t rank) const {
  std::vector<bool> seen(rank);
  std::vector<std::size_t> out;
  for (const std::int64_t each : given) {
    out.push_back(axis(each, rank));
    if (seen[out.back()]) fail("names axis ", each, " twice");
    seen[out.back()] = true;
  }
  return out;
}

void Inference::need_rank(int position, std::size_t least, std::size_t most) const {
  const std::size_t rank = shape(position).size();
  if (rank < least || rank > most)
    fail("has an input ", position, " with ", rank, " axes where ", least,
         most == max_rank ? " or more"
         : least == most  ? ""
                          : say(" to ", most),
         " are needed");
}

Shape Inference::broadcast(const std::vector<Shape>& shapes) const {
  std::optional<Shape> out = broadcast_shape(shapes);
  if (!out) {
    std::string list;
    for (std::size_t k = 0; k < std::min<std::size_t>(shapes.size(), 4); ++k)
      list += (k > 0 ? ", " : "") + shape_text(shapes[k]);
    fail("has inputs with incompatible shapes: ", list, shapes.size() > 4 ? ", ..." : "");
  }
  return *std::move(out);
}

namespace rules {
namespace {

Shape together(const Inference& of) {
  std::vector<Shape> shapes;
  for (int k = 0; k < of.inputs(); ++k)
    if (of.has(k)) shapes.push_back(of.shape(k));
  return of.broadcast(shapes);
}

}  // namespace

void unknown(Inference&) {}

void same(Inference& of) {
  of.make(0, of.shape(0), of.type(0));
}

void tested(Inference& of) {
  of.make(0, of.shape(0), TensorProto::BOOL);
}

void broadcast(Inference& of) {
  of.make(0, together(of), of.type(0));
}

void broadcast_old(Inference& of) {
  if (of.opset() < 7) return same(of);
  broadcast(of);
}

void compared(Inference& of) {
  of.make(0, of.opset() < 7 ? of.shape(0) : together(of), TensorProto::BOOL);
}

void chosen(Inference& of) {
  of.make(0, together(of), of.type(1));
}

void typed(Inference& of) {
  const char* name = of.node().op_type() == "Cast" ? "to" : "dtype";
  const bool cast = of.node().op_type() == "Cast";
  if (cast && !of.has_attribute(name)) of.fail("is malformed: it has no attribute `to`");
  const int standard = cast ? 0 : of.type(0);
  of.make(0, of.shape(0), static_cast<int>(of.number(name, standard, 0, 1 << 20)));
}

void cast_like(Inference& of) {
  of.make(0, of.shape(0), of.type(1));
}

void along_axis(Inference& of) {
  const int standard = of.opset() < 13 ? 1 : -1;
  const auto rank = static_cast<std::int64_t>(of.shape(0).size());
  static_cast<void>(of.number("axis", standard, -rank, rank));
  same(of);
}

void dropout(Inference& of) {
  same(of);
  of.make(1, of.shape(0), of.opset() < 10 ? of.type(0) : static_cast<int>(TensorProto::BOOL));
}

void quantize(Inference& of) {
  const int standard = of.has(2) ? of.type(2) : static_cast<int>(TensorProto::UINT8);
  const auto given = static_cast<int>(of.number("output_dtype", 0, 0, 1 << 20));
  of.make(0, of.shape(0), given != 0 ? given : standard);
}

void dequantize(Inference& of) {
  of.make(0, of.shape(0), of.type(1));
}

void dynamic_quantize(Inference& of) {
  of.make(0, of.shape(0), TensorProto::UINT8);
  of.make(1, {}, TensorProto::FLOAT);
  of.make(2, {}, TensorProto::UINT8);
}

void layer_norm(Inference& of) {
  same(of);
  Shape statistics = of.shape(0);
  const std::size_t first = of.axis_attribute(-1, statistics.size());
  for (std::size_t axis = first; axis < statistics.size(); ++axis) statistics[axis] = 1;
  of.make(1, statistics, TensorProto::FLOAT);
  of.make(2, statistics, TensorProto::FLOAT);
}

void instance_norm(Inference& of) {
  of.need_rank(0, 3);
  of.need_rank(1, 1, 1);
  of.need_rank(2, 1, 1);
  same(of);
}

void batch_norm(Inference& of) {
  of.need_rank(0, 1);
  same(of);
  for (int k = 1; k < of.outputs(); ++k) of.make(k, of.shape(std::min(k, 4)), of.type(3));
}

void reduce(Inference& of) {
  const Shape& in = of.shape(0);
  const bool keep = of.number("keepdims", 1, 0, 1) != 0;
  const std::optional<std::vector<std::int64_t>> given = of.list(1, "axes");
  if (!given) return;
  if (given->empty() && of.number("noop_with_empty_axes", 0, 0, 1) != 0) return same(of);
  std::vector<bool> gone(in.size(), given->empty());
  for (const std::size_t axis : of.axes(*given, in.size())) gone[axis] = true;
  Shape out;
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    if (!gone[axis]) out.push_back(in[axis]);
    if (gone[axis] && keep) out.push_back(1);
  }
  of.make(0, std::move(out), of.type(0));
}

void arg_reduce(Inference& of) {
  Shape out = of.shape(0);
  const std::size_t axis = of.axis_attribute(0, out.size());
  if (of.number("keepdims", 1, 0, 1) != 0)
    out[axis] = 1;
  else
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  of.make(0, std::move(out), TensorProto::INT64);
}

void matmul(Inference& of) {
  const std::string& op = of.node().op_type();
  const int right = op == "QLinearMatMul" ? 3 : 1;
  const int type = op == "MatMul"          ? of.type(0)
                   : op == "MatMulInteger" ? static_cast<int>(TensorProto::INT32)
                                           : of.type(7);
  Shape a = of.shape(0);
  Shape b = of.shape(right);
  if (a.empty() || b.empty()) of.fail("multiplies a scalar");
  // A vector is a row on the left and a column on the right; its added axis is removed from the
  // result.
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.back() != b[b.size() - 2])
    of.fail("multiplies rows of ", a.back(), " with columns of ", b[b.size() - 2]);
  const Dim rows = a[a.size() - 2];
  const Dim columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Shape out = of.broadcast({a, b});
  if (!row) out.push_back(rows);
  if (!column) out.push_back(columns);
  of.make(0, std::move(out), type);
}

void gemm(Inference& of) {
  of.need_rank(0, 2, 2);
  of.need_rank(1, 2, 2);
  Shape a = of.shape(0);
  Shape b = of.shape(1);
  if (int_attribute(of.node(), "transA", 0) != 0) std::swap(a[0], a[1]);
  if (int_attribute(of.node(), "transB", 0) != 0) std::swap(b[0], b[1]);
  if (a[1] != b[0]) of.fail("multiplies rows of ", a[1], " with columns of ", b[0]);
  of.make(0, {a[0], b[1]}, of.type(0));
}

/// "bij,bjk->bik": a letter per axis, "..." for broadcast axes. Without an arrow, the result has
/// the broadcast axes and, in alphabetical order, the letters that occur once.
void einsum(Inference& of) {
  std::string equation = of.text("equation", "");
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  std::string_view left = std::string_view(equation).substr(0, arrow);
  std::map<char, std::pair<Dim, int>> letters;  // extent, number of occurrences
  std::vector<Shape> broadcasts;
  for (int k = 0; k < of.inputs(); ++k) {
    const std::string_view term = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), term.size() + 1));
    const Shape& in = of.shape(k);
    const std::size_t dots = term.find("...");
    const std::size_t named_axes = term.size() - (dots == term.npos ? 0 : 3);
    if (named_axes > in.size() || (dots == term.npos && named_axes != in.size()))
      of.fail("has an equation ", shown(equation), " that does not have the axes of input ", k);
    const std::size_t open = in.size() - named_axes;
    std::size_t axis = 0;
    for (std::size_t at = 0; at < term.size(); ++at) {
      if (at == dots) {
        const auto begin = in.begin() + static_cast<std::ptrdiff_t>(axis);
        broadcasts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(open));
        axis += open;
        at += 2;
        continue;
      }
      const bool letter =
          (term[at] >= 'a' && term[at] <= 'z') || (term[at] >= 'A' && term[at] <= 'Z');
      auto& [extent, times] = letters.try_emplace(term[at], 1, 0).first->second;
      if (!letter || (extent != 1 && in[axis] != 1 && extent != in[axis]))
        of.fail("has an equation ", shown(equation), " that does not fit its inputs");
      if (extent == 1) extent = in[axis];
      ++times;
      ++axis;
    }
  }
  if (!left.empty()) of.fail("has an equation ", shown(equation), " for more inputs");
  Shape out = of.broadcast(broadcasts);
  if (arrow == std::string::npos) {
    for (const auto& [letter, found] : letters)
      if (found.second == 1) out.push_back(found.first);
    return of.make(0, std::move(out), of.type(0));
  }
  Shape ordered;
  const std::string_view right = std::string_view(equation).substr(arrow + 2);
  for (std::size_t at = 0; at < right.size() && ordered.size() <= max_rank; ++at) {
    if (right.substr(at).starts_with("...")) {
      ordered.insert(ordered.end(), out.begin(), out.end());
      at += 2;
      continue;
    }
    const auto found = letters.find(right[at]);
    if (found == letters.end())
      of.fail("has an equation ", shown(equation), " whose result has an axis of its own");
    ordered.push_back(found->second.first);
  }
  of.make(0, std::move(ordered), of.type(0));
}

void recurrent(Inference& of) {
  of.need_rank(0, 3, 3);
  const Dim hidden = of.number("hidden_size", 0, 1, max_number);
  const bool batch_first = of.number("layout", 0, 0, 1) != 0;
  const Dim directions = of.text("direction", "forward") == "bidirectional" ? 2 : 1;
  const Shape& in = of.shape(0);
  const Dim steps = in[batch_first ? 1 : 0];
  const Dim batch = in[batch_first ? 0 : 1];
  of.make(0,
          batch_first ? Shape{batch, steps, directions, hidden}
                      : Shape{steps, directions, batch, hidden},
          of.type(0));
  for (const int state : {1, 2})
    of.make(state,
            batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden},
            of.type(0));
}

void literal(Inference& of) {
  const onnx::NodeProto& node = of.node();
  if (node.attribute_size() != 1)
    of.fail("is malformed: it has ", node.attribute_size(), " values where one is needed");
  const onnx::AttributeProto& value = node.attribute(0);
  if (value.name() == "value")
    of.make(0, Shape(value.t().dims().begin(), value.t().dims().end()), value.t().data_type());
  else if (value.name() == "value_float")
    of.make(0, {}, TensorProto::FLOAT);
  else if (value.name() == "value_floats")
    of.make(0, {value.floats_size()}, TensorProto::FLOAT);
  else if (value.name() == "value_int")
    of.make(0, {}, TensorProto::INT64);
  else if (value.name() == "value_ints")
    of.make(0, {value.ints_size()}, TensorProto::INT64);
  else if (value.name() == "value_string")
    of.make(0, {}, TensorProto::STRING);
  else
    of.make(0, {value.strings_size()}, TensorProto::STRING);
}

void filled(Inference& of) {
  const onnx::AttributeProto* value = attribute(of.node(), "value");
  if (value != nullptr && element_count({value->t().dims().begin(), value->t().dims().end()}) != 1)
    of.fail("fills with a value that is not one element");
  const Constant* shape = of.constant(0);
  if (shape == nullptr) return;
  if (!shape->integer || shape->shape.size() != 1)
    of.fail("takes a shape that is not a list of integers");
  of.make(0, shape->integers,
          value != nullptr ? value->t().data_type() : static_cast<int>(TensorProto::FLOAT));
}

void range(Inference& of) {
  for (int k = 0; k < 3; ++k) of.need_rank(k, 0, 1);
  const Constant* in[3] = {of.constant(0), of.constant(1), of.constant(2)};
  for (int k = 0; k < 3; ++k) {
    if (in[k] == nullptr) return;
    if (in[k]->size() != 1)
      of.fail("has an input ", k, " of ", in[k]->size(), " elements where one is needed");
    if (in[k]->integer != in[0]->integer) of.fail("counts in integers and in reals at once");
  }
  double count = 0;
  if (in[0]->integer) {
    // Differences of values below 2^62 fit into 64 bits, and so do their quotients.
    constexpr std::int64_t most = std::int64_t{1} << 62;
    for (const Constant* each : in)
      if (each->integers[0] < -most || each->integers[0] > most)
        of.fail("counts from, to or by ", each->integers[0]);
    const std::int64_t distance = in[1]->integers[0] - in[0]->integers[0];
    const std::int64_t step = in[2]->integers[0];
    if (step == 0) of.fail("counts in steps of 0");
    const bool rest = distance % step != 0 && (distance > 0) == (step > 0);
    count = static_cast<double>(distance / step) + (rest ? 1 : 0);
  } else {
    if (in[2]->reals[0] == 0) of.fail("counts in steps of 0");
    count = std::ceil((in[1]->reals[0] - in[0]->reals[0]) / in[2]->reals[0]);
  }
  if (!(count <= static_cast<double>(max_extent)))
    of.fail("counts ", count, " numbers; an extent is at most ", max_extent);
  of.make(0, {static_cast<Dim>(std::max(0.0, count))}, of.type(0));
}

void shape_of(Inference& of) {
  const auto rank = static_cast<std::int64_t>(of.shape(0).size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = place(int_attribute(of.node(), "start", 0));
  const std::int64_t end = place(int_attribute(of.node(), "end", rank));
  of.make(0, {std::max<std::int64_t>(0, end - begin)}, TensorProto::INT64);
}

void size_of(Inference& of) {
  of.make(0, {}, TensorProto::INT64);
}

void one_hot(Inference& of) {
  const Constant* depth = of.constant(1);
  Shape out = of.shape(0);
  const std::size_t axis = of.axis_attribute(-1, out.size() + 1);
  if (depth == nullptr) return;
  if (depth->size() != 1) of.fail("has a depth that is not one number");
  const double real = depth->integer ? static_cast<double>(depth->integers[0]) : depth->reals[0];
  if (!(real >= 1 && real <= static_cast<double>(max_extent))) of.fail("has a depth of ", real);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<Dim>(real));
  of.make(0, std::move(out), of.type(2));
}

void top_k(Inference& of) {
  Shape out = of.shape(0);
  const std::size_t axis = of.axis_attribute(-1, out.size());
  const std::optional<std::vector<std::int64_t>> given =
      of.has(1) ? of.list(1, "k") : std::optional(std::vector{int_attribute(of.node(), "k", 0)});
  if (!given) return;
  if (given->size() != 1 || given->front() < 1 || given->front() > out[axis])
    of.fail("asks for a number of elements that its input does not have");
  out[axis] = given->front();
  of.make(0, out, of.type(0));
  of.make(1, out, TensorProto::INT64);
}

}  // namespace rules

}  // namespace tessera::io::onnx_reader
