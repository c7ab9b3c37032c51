#include "tests/fuzz/onnx_seeds.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tessera::fuzz {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx::NodeProto;
using onnx::TensorProto;

/// One node in a line: "out = Op(in, in) name=i1 name=I1,2; ...". An input is a name made by an
/// earlier line, or one of
///   f1x3x8x8  an input of the graph (f float, b boolean, n int64, u uint8)
///   w4x3x3x3  float weights (v uint8 ones)
///   i1,2,3    a list of integers   s5  one integer
///   r1,2.5    a list of reals      c2  one real    Q  one uint8
///   -         left out
/// Attributes: i integer, I integers, f real, F reals, s text, t a tensor of one float.
struct Text {
  const char* nodes;
  int opset = 17;
  const char* states = "";  ///< "y=1x4 ...": the declared shapes of tensors
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out{""};
  for (const char c : text)
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  if (out.size() == 1 && out[0].empty()) out.clear();
  return out;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.erase(0, 1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

std::vector<std::int64_t> integers(const std::string& text, char at) {
  std::vector<std::int64_t> out;
  for (const std::string& each : split(text, at))
    out.push_back(std::strtoll(each.c_str(), nullptr, 10));
  return out;
}

class Builder {
 public:
  explicit Builder(const Text& text) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(text.opset);
    graph_ = model_.mutable_graph();
    graph_->set_name("seed");
    for (const std::string& line : split(text.nodes, ';')) node(trimmed(line));
    last();
    for (const std::string& each : split(text.states, ' ')) {
      const std::vector<std::string> sides = split(each, '=');
      value(*graph_->add_value_info(), sides[0], TensorProto::FLOAT, integers(sides[1], 'x'));
    }
  }

  ModelProto model() { return model_; }

 private:
  static void value(onnx::ValueInfoProto& info, const std::string& name, int type,
                    const std::vector<std::int64_t>& shape) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const std::int64_t extent : shape)
      tensor->mutable_shape()->add_dim()->set_dim_value(extent);
  }

  TensorProto& initializer(const std::string& name, int type) {
    TensorProto& tensor = *graph_->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    return tensor;
  }

  std::string input(const std::string& text) {
    if (text == "-") return "";
    const std::string rest = text.substr(1);
    const bool number = !rest.empty() && (rest[0] == '-' || ('0' <= rest[0] && rest[0] <= '9'));
    if (!number && text != "Q") return text;
    const std::string name = "in" + std::to_string(inputs_);
    switch (text[0]) {
      case 'f':
      case 'b':
      case 'n':
      case 'u':
        value(*graph_->add_input(), name,
              text[0] == 'f'   ? TensorProto::FLOAT
              : text[0] == 'b' ? TensorProto::BOOL
              : text[0] == 'n' ? TensorProto::INT64
                               : TensorProto::UINT8,
              integers(rest, 'x'));
        break;
      case 'w':
      case 'v': {
        TensorProto& tensor =
            initializer(name, text[0] == 'w' ? TensorProto::FLOAT : TensorProto::UINT8);
        std::size_t bytes = text[0] == 'w' ? 4 : 1;
        for (const std::int64_t extent : integers(rest, 'x')) {
          tensor.add_dims(extent);
          bytes *= static_cast<std::size_t>(extent);
        }
        tensor.set_raw_data(std::string(bytes, '\0'));
        break;
      }
      case 'i': {
        TensorProto& tensor = initializer(name, TensorProto::INT64);
        for (const std::int64_t each : integers(rest, ',')) tensor.add_int64_data(each);
        tensor.add_dims(tensor.int64_data_size());
        break;
      }
      case 's':
        initializer(name, TensorProto::INT64).add_int64_data(integers(rest, ',')[0]);
        break;
      case 'r': {
        TensorProto& tensor = initializer(name, TensorProto::FLOAT);
        for (const std::string& each : split(rest, ','))
          tensor.add_float_data(std::strtof(each.c_str(), nullptr));
        tensor.add_dims(tensor.float_data_size());
        break;
      }
      case 'c':
        initializer(name, TensorProto::FLOAT).add_float_data(std::strtof(rest.c_str(), nullptr));
        break;
      case 'Q':
        initializer(name, TensorProto::UINT8).add_int32_data(0);
        break;
      default:
        return text;
    }
    ++inputs_;
    return name;
  }

  void attribute(NodeProto& node, const std::string& text) {
    AttributeProto& out = *node.add_attribute();
    const std::size_t equals = text.find('=');
    out.set_name(text.substr(0, equals));
    const std::string rest = text.substr(equals + 2);
    switch (text[equals + 1]) {
      case 'i':
        out.set_type(AttributeProto::INT);
        out.set_i(std::strtoll(rest.c_str(), nullptr, 10));
        break;
      case 'I':
        out.set_type(AttributeProto::INTS);
        for (const std::int64_t each : integers(rest, ',')) out.add_ints(each);
        break;
      case 'f':
        out.set_type(AttributeProto::FLOAT);
        out.set_f(std::strtof(rest.c_str(), nullptr));
        break;
      case 'F':
        out.set_type(AttributeProto::FLOATS);
        for (const std::string& each : split(rest, ','))
          out.add_floats(std::strtof(each.c_str(), nullptr));
        break;
      case 's':
        out.set_type(AttributeProto::STRING);
        out.set_s(rest);
        break;
      default:
        out.set_type(AttributeProto::TENSOR);
        out.mutable_t()->set_data_type(TensorProto::FLOAT);
        out.mutable_t()->add_dims(1);
        out.mutable_t()->add_float_data(1);
        break;
    }
  }

  /// The outputs of the last node are the outputs of the model.
  void node(const std::string& line) {
    NodeProto& node = *graph_->add_node();
    const std::size_t equals = line.find('=');
    const std::size_t open = line.find('(');
    const std::size_t close = line.find(')');
    graph_->clear_output();
    for (const std::string& each : split(line.substr(0, equals), ',')) {
      node.add_output(trimmed(each));
      graph_->add_output()->set_name(trimmed(each));
    }
    node.set_op_type(trimmed(line.substr(equals + 1, open - equals - 1)));
    node.set_name("node" + std::to_string(graph_->node_size()));
    for (const std::string& each : split(line.substr(open + 1, close - open - 1), ' '))
      node.add_input(input(each));
    for (const std::string& each : split(trimmed(line.substr(close + 1)), ' '))
      attribute(node, each);
  }

  /// Appends an operator after the first output that always becomes an op of the network.
  void last() {
    NodeProto& node = *graph_->add_node();
    node.set_op_type("Relu");
    node.add_input(graph_->output(0).name());
    node.add_output("last");
    graph_->mutable_output(0)->set_name("last");
  }

  ModelProto model_;
  GraphProto* graph_ = nullptr;
  int inputs_ = 0;
};

constexpr const char* unary[] = {"Abs",
                                 "Acos",
                                 "Acosh",
                                 "Asin",
                                 "Asinh",
                                 "Atan",
                                 "Atanh",
                                 "BitwiseNot",
                                 "Ceil",
                                 "Celu",
                                 "Clip",
                                 "Cos",
                                 "Cosh",
                                 "Elu",
                                 "Erf",
                                 "Exp",
                                 "Floor",
                                 "Gelu",
                                 "HardSigmoid",
                                 "HardSwish",
                                 "Identity",
                                 "IsInf",
                                 "IsNaN",
                                 "LeakyRelu",
                                 "Log",
                                 "Mish",
                                 "Neg",
                                 "Not",
                                 "Reciprocal",
                                 "Relu",
                                 "Round",
                                 "Selu",
                                 "Shrink",
                                 "Sigmoid",
                                 "Sign",
                                 "Sin",
                                 "Sinh",
                                 "Softplus",
                                 "Softsign",
                                 "Sqrt",
                                 "Tan",
                                 "Tanh",
                                 "ThresholdedRelu",
                                 "Bernoulli",
                                 "DynamicQuantizeLinear",
                                 "EyeLike",
                                 "RandomNormalLike",
                                 "RandomUniformLike",
                                 "Dropout",
                                 "Hardmax",
                                 "LogSoftmax",
                                 "Softmax",
                                 "LpNormalization",
                                 "MeanVarianceNormalization",
                                 "LRN",
                                 "ArgMax",
                                 "ArgMin",
                                 "ReduceL1",
                                 "ReduceL2",
                                 "ReduceLogSum",
                                 "ReduceLogSumExp",
                                 "ReduceMax",
                                 "ReduceMean",
                                 "ReduceMin",
                                 "ReduceProd",
                                 "ReduceSum",
                                 "ReduceSumSquare",
                                 "GlobalAveragePool",
                                 "GlobalLpPool",
                                 "GlobalMaxPool",
                                 "Shape",
                                 "Size",
                                 "Flatten",
                                 "Squeeze",
                                 "Transpose",
                                 "Trilu",
                                 "Max",
                                 "Mean",
                                 "Min",
                                 "Sum"};
constexpr const char* binary[] = {
    "Add",        "And",         "BitShift", "BitwiseAnd", "BitwiseOr",
    "BitwiseXor", "Div",         "Equal",    "Greater",    "GreaterOrEqual",
    "Less",       "LessOrEqual", "Max",      "Mean",       "Min",
    "Mod",        "Mul",         "Or",       "PRelu",      "Pow",
    "Sub",        "Sum",         "Xor",      "CastLike"};

constexpr Text texts[] = {
    {"y = Cast(f1x4) to=i7"},
    {"y = Where(b1x4 f1x4 c1)"},
    {"y = DequantizeLinear(u1x4 c1 Q)"},
    {"y = QuantizeLinear(f1x4 c1 Q)"},
    {"y = BatchNormalization(f1x3x4x4 w3 w3 w3 w3)"},
    {"y = CumSum(f1x4 s1)"},
    {"y = GroupNormalization(f1x4x4x4 w2 w2) num_groups=i2", 18},
    {"y = InstanceNormalization(f1x3x4x4 w3 w3)"},
    {"y = LayerNormalization(f2x6x8 w8 w8) axis=i-1"},
    {"y,m,v = LayerNormalization(f2x6x8 w8)"},
    {"y = ReduceMean(f1x3x4x4) axes=I2,3 keepdims=i0"},
    {"y = ReduceMax(f1x3x4x4 i-1) noop_with_empty_axes=i1", 18},
    {"y = ArgMax(f1x3x4x4) axis=i1 keepdims=i0"},
    {"y = Einsum(f2x3x4 f2x4x5) equation=sbij,bjk->bik"},
    {"y = Einsum(f2x3x4 w4x5) equation=s...j,jk"},
    {"y = Gemm(f4x6 w6x8 w8) alpha=f0.5"},
    {"y = Gemm(f6x4 w8x6) transA=i1 transB=i1"},
    {"y = MatMul(f2x4x6 f6x8)"},
    {"y = MatMul(f4 w4x2)"},
    {"y = MatMulInteger(u4x6 v6x8 Q Q)"},
    {"y = QLinearMatMul(u4x6 c1 Q v6x8 c1 Q c1 Q)"},
    {"y,h = GRU(f5x2x3 w1x12x3 w1x12x4) hidden_size=i4 direction=sforward"},
    {"y,h,c = LSTM(f5x2x3 w2x16x3 w2x16x4) hidden_size=i4 direction=sbidirectional"},
    {"y = RNN(f2x5x3 w1x4x3 w1x4x4) hidden_size=i4 layout=i1"},
    {"y = AveragePool(f1x3x8x8) kernel_shape=I2,2 strides=I2,2 count_include_pad=i1"},
    {"y = MaxPool(f1x3x8x8) kernel_shape=I3,3 strides=I2,2 ceil_mode=i1 pads=I1,1,1,1"},
    {"y,i = MaxPool(f1x3x8x8) kernel_shape=I3,3 auto_pad=sSAME_UPPER strides=I2,2"},
    {"y = LpPool(f1x3x8x8) kernel_shape=I2,2 p=i2"},
    {"y = Conv(f1x4x8x8 w6x2x3x3 w6) group=i2 pads=I1,1,1,1 strides=I2,2"},
    {"y = Conv(f1x4x8x8 w6x4x3x3) dilations=I2,1 auto_pad=sSAME_LOWER kernel_shape=I3,3"},
    {"y = Conv(f1x4x8 w6x4x3)"},
    {"y = ConvInteger(u1x4x8x8 v6x4x3x3 Q Q)"},
    {"y = QLinearConv(u1x4x8x8 c1 Q v6x4x3x3 c1 Q c1 Q)"},
    {"y = ConvTranspose(f1x4x8x8 w4x3x3x3 w6) group=i2 strides=I2,2 output_padding=I1,0"},
    {"y = ConvTranspose(f1x4x8x8 w4x3x3x3) strides=I2,2 output_shape=I16,16"},
    {"y = ConvTranspose(f1x4x8x8 w4x3x3x3) strides=I2,2 auto_pad=sSAME_UPPER"},
    {"y = GridSample(f1x3x8x8 f1x4x5x2)"},
    {"y = MaxRoiPool(f1x3x8x8 f4x5) pooled_shape=I2,2"},
    {"y = MaxUnpool(f1x3x4x4 n1x3x4x4) kernel_shape=I2,2", 17, "y=1x3x8x8"},
    {"y = RoiAlign(f1x3x8x8 f4x4 n4) output_height=i2 output_width=i3"},
    {"y = DepthToSpace(f1x8x4x4) blocksize=i2 mode=sCRD"},
    {"y = SpaceToDepth(f1x2x4x4) blocksize=i2"},
    {"y = Resize(f1x3x4x4 - r1,1,2,2) mode=snearest nearest_mode=sfloor "
     "coordinate_transformation_mode=sasymmetric"},
    {"y = Resize(f1x3x4x4 - - i1,3,7,9) mode=slinear"},
    {"y = Resize(f1x3x4x4 - - i7,9) mode=slinear axes=I2,3", 18},
    {"y = Resize(f1x3x4x4 r1,1,2,2)", 10},
    {"y = Upsample(f1x3x4x4 r1,1,2,2)", 9},
    {"y = Upsample(f1x3x4x4) scales=F1,1,2,2", 7},
    {"y = Compress(f1x4 b4)", 17, "y=2"},
    {"y = Concat(f1x3x4 f1x2x4) axis=i1"},
    {"y = Expand(f1x4 i3,2,4)"},
    {"y = Gather(f4x3 s1)"},
    {"y = Gather(f4x3 n2x2) axis=i1"},
    {"y = GatherElements(f4x3 n4x2) axis=i1"},
    {"y = GatherND(f4x3x2 n5x2)"},
    {"y = Pad(f1x3x4x4 i0,0,1,1,0,0,1,2) mode=sreflect"},
    {"y = Pad(f1x3x4x4 i1,1,1,1 - i2,3)", 18},
    {"y = Pad(f1x3x4x4) pads=I0,0,1,1,0,0,1,-1", 10},
    {"y = Reshape(f1x3x4x4 i0,-1,8)"},
    {"y = Reshape(f1x3x4x4) shape=I3,16", 4},
    {"y = ReverseSequence(f4x2 n2)"},
    {"y = Scatter(f4x2 n1x2 f1x2)"},
    {"y = ScatterElements(f4x2 n1x2 f1x2) axis=i0"},
    {"y = ScatterND(f4x2 n1x1 f1x2)"},
    {"y = Slice(f1x3x8x8 i0,1 i-1,7 i2,3 i1,2)"},
    {"y = Slice(f1x3x8x8 i-1 i-9223372036854775807 i2 i-1)"},
    {"y = Slice(f1x3x8x8) starts=I1 ends=I3 axes=I1", 9},
    {"y,z = Split(f1x6 i2,4) axis=i1"},
    {"y,z = Split(f1x5) axis=i1 num_outputs=i2", 18},
    {"y,z = Split(f1x6) axis=i1", 11},
    {"y = Squeeze(f1x3x1 i0)"},
    {"y = Tile(f1x4 i2,3)"},
    {"y = Transpose(f2x3x4) perm=I1,0,2"},
    {"y = Unsqueeze(f3x4 i0,3)"},
    {"c = Constant() value=t; y = Add(f1x4 c)"},
    {"c = Constant() value_ints=I4,1; y = Reshape(f1x4 c)"},
    {"c = Constant() value_float=f2; y = Mul(f1x4 c)"},
    {"c = ConstantOfShape(i2,4) value=t; y = Add(f2x4 c)"},
    {"k = NonMaxSuppression(f1x4x4 f1x1x4)", 17, "k=3x3"},
    {"y = NonZero(f1x4)", 17, "y=2x4"},
    {"y = OneHot(n1x4 s3 r0,1) axis=i1"},
    {"c = Range(s0 s8 s2); y = Add(n1x4 c)"},
    {"y,i = TopK(f1x8 i3) axis=i-1"},
    {"y,i = TopK(f1x8) k=i3", 9},
    {"y = Magic(f1x4)", 17, "y=1x4"},
    // Several nodes: computations on shapes, residuals, norms and activations as in exported
    // models.
    {"s = Shape(f2x3x4x4); n = Gather(s s0); u = Unsqueeze(n i0); t = Concat(u i-1) axis=i0; "
     "v = Reshape(in0 t); y = Relu(v)"},
    {"s = Shape(f2x3x4x4) start=i1 end=i3; a = Mul(s i2,1); c = Cast(a) to=i1; f = Floor(c); "
     "d = Cast(f) to=i7; t = Concat(i2 d i-1) axis=i0; v = Reshape(in0 t); y = Relu(v)"},
    {"s = Shape(f2x3x4x4); a = Slice(s i0 i2); b = Slice(s i2 i4); d = Div(b i2,2); "
     "e = Equal(d i2,2); w = Where(e d i1,1); n = Neg(w); m = Neg(n); t = Concat(a m i4) axis=i0; "
     "q = Squeeze(t); v = Reshape(in0 q); z = Size(v); y = Mul(v v)"},
    {"a = Conv(f1x4x8x8 w4x4x3x3) pads=I1,1,1,1; b = BatchNormalization(a w4 w4 w4 w4); "
     "c = Relu(b); d = Conv(c w4x4x3x3 w4) pads=I1,1,1,1; e = Add(d in0); f = Relu(e); "
     "g = GlobalAveragePool(f); h = Flatten(g); y = Gemm(h w4x10 w10)"},
    {"m = ReduceMean(f2x6x8) axes=I-1; d = Sub(in0 m); p = Pow(d c2); v = ReduceMean(p) axes=I-1; "
     "e = Add(v c0.00001); r = Sqrt(e); n = Div(d r); a = Mul(n w8); b = Add(a w8); y = Relu(b)"},
    {"a = Div(f2x6x8 c1.4142); b = Erf(a); c = Add(b c1); d = Mul(in0 c); y = Mul(d c0.5)"},
    {"a = Sigmoid(f1x4x8x8); b = Mul(in0 a); c = Transpose(b) perm=I0,2,3,1; "
     "d = Reshape(c i1,64,4); y = Softmax(d) axis=i-1"},
    {"a = MatMul(f2x4x6 w6x6); b = Add(a w6); c,d = Split(b i3,3) axis=i2; e = Concat(c d) "
     "axis=i2; "
     "f = Dropout(e); g = Identity(f); h = Unsqueeze(g i1); y = Clip(h c0 c6)"},
};

}  // namespace

std::vector<ModelProto> onnx_seeds() {
  std::vector<ModelProto> out;
  for (const char* op : unary) {
    std::string line =
        std::string("y") + (op == std::string("DynamicQuantizeLinear") ? ",s,z" : "");
    line += " = " + std::string(op) + "(f1x3x4x4)";
    if (op == std::string("LRN")) line += " size=i3";
    out.push_back(Builder({line.c_str()}).model());
  }
  for (const char* op : binary)
    out.push_back(Builder({("y = " + std::string(op) + "(f1x3x4x4 f4x4)").c_str()}).model());
  for (const Text& text : texts) out.push_back(Builder(text).model());
  return out;
}

}  // namespace tessera::fuzz
