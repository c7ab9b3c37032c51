#include "io/onnx_operators.h"

#include <algorithm>
#include <unordered_map>

#include "io/onnx_shapes.h"

namespace tessera::io::onnx_reader {
namespace {

// Attributes that several operators share.
#define WINDOW "auto_pad:s dilations:I kernel_shape:I pads:I strides:I"
#define RECURRENT                                                          \
  "activation_alpha:F activation_beta:F activations:S clip:f direction:s " \
  "hidden_size:i layout:i output_sequence:i "
#define REDUCED "axes:I keepdims:i noop_with_empty_axes:i"
#define OLD_BROADCAST "axis:i broadcast:i consumed_inputs:I"

constexpr Operator operators[] = {
    // One tensor, element by element.
    {"Abs", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Acos", 1, 1, 1, 1, "", rules::same},
    {"Acosh", 1, 1, 1, 1, "", rules::same},
    {"Asin", 1, 1, 1, 1, "", rules::same},
    {"Asinh", 1, 1, 1, 1, "", rules::same},
    {"Atan", 1, 1, 1, 1, "", rules::same},
    {"Atanh", 1, 1, 1, 1, "", rules::same},
    {"BitwiseNot", 1, 1, 1, 1, "", rules::same},
    {"Ceil", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Celu", 1, 1, 1, 1, "alpha:f", rules::same},
    {"Clip", 1, 3, 1, 1, "max:f min:f consumed_inputs:I", rules::same},
    {"Cos", 1, 1, 1, 1, "", rules::same},
    {"Cosh", 1, 1, 1, 1, "", rules::same},
    {"Elu", 1, 1, 1, 1, "alpha:f consumed_inputs:I", rules::same},
    {"Erf", 1, 1, 1, 1, "", rules::same},
    {"Exp", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Floor", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Gelu", 1, 1, 1, 1, "approximate:s", rules::same},
    {"HardSigmoid", 1, 1, 1, 1, "alpha:f beta:f consumed_inputs:I", rules::same},
    {"HardSwish", 1, 1, 1, 1, "", rules::same},
    {"Identity", 1, 1, 1, 1, "", rules::same},
    {"IsInf", 1, 1, 1, 1, "detect_negative:i detect_positive:i", rules::tested},
    {"IsNaN", 1, 1, 1, 1, "", rules::tested},
    {"LeakyRelu", 1, 1, 1, 1, "alpha:f consumed_inputs:I", rules::same},
    {"Log", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Mish", 1, 1, 1, 1, "", rules::same},
    {"Neg", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Not", 1, 1, 1, 1, "", rules::tested},
    {"Reciprocal", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Relu", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Round", 1, 1, 1, 1, "", rules::same},
    {"Selu", 1, 1, 1, 1, "alpha:f gamma:f consumed_inputs:I", rules::same},
    {"Shrink", 1, 1, 1, 1, "bias:f lambd:f", rules::same},
    {"Sigmoid", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Sign", 1, 1, 1, 1, "", rules::same},
    {"Sin", 1, 1, 1, 1, "", rules::same},
    {"Sinh", 1, 1, 1, 1, "", rules::same},
    {"Softplus", 1, 1, 1, 1, "", rules::same},
    {"Softsign", 1, 1, 1, 1, "", rules::same},
    {"Sqrt", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"Tan", 1, 1, 1, 1, "", rules::same},
    {"Tanh", 1, 1, 1, 1, "consumed_inputs:I", rules::same},
    {"ThresholdedRelu", 1, 1, 1, 1, "alpha:f", rules::same},
    // Several tensors, broadcast.
    {"Add", 2, 2, 1, 1, OLD_BROADCAST, rules::broadcast_old},
    {"And", 2, 2, 1, 1, OLD_BROADCAST, rules::compared},
    {"BitShift", 2, 2, 1, 1, "direction:s", rules::broadcast},
    {"BitwiseAnd", 2, 2, 1, 1, "", rules::broadcast},
    {"BitwiseOr", 2, 2, 1, 1, "", rules::broadcast},
    {"BitwiseXor", 2, 2, 1, 1, "", rules::broadcast},
    {"Div", 2, 2, 1, 1, OLD_BROADCAST, rules::broadcast_old},
    {"Equal", 2, 2, 1, 1, OLD_BROADCAST, rules::compared},
    {"Greater", 2, 2, 1, 1, OLD_BROADCAST, rules::compared},
    {"GreaterOrEqual", 2, 2, 1, 1, "", rules::compared},
    {"Less", 2, 2, 1, 1, OLD_BROADCAST, rules::compared},
    {"LessOrEqual", 2, 2, 1, 1, "", rules::compared},
    {"Max", 1, many, 1, 1, "consumed_inputs:I", rules::broadcast},
    {"Mean", 1, many, 1, 1, "consumed_inputs:I", rules::broadcast},
    {"Min", 1, many, 1, 1, "consumed_inputs:I", rules::broadcast},
    {"Mod", 2, 2, 1, 1, "fmod:i", rules::broadcast},
    {"Mul", 2, 2, 1, 1, OLD_BROADCAST, rules::broadcast_old},
    {"Or", 2, 2, 1, 1, OLD_BROADCAST, rules::compared},
    {"PRelu", 2, 2, 1, 1, "consumed_inputs:I", rules::same},
    {"Pow", 2, 2, 1, 1, OLD_BROADCAST, rules::broadcast_old},
    {"Sub", 2, 2, 1, 1, OLD_BROADCAST, rules::broadcast_old},
    {"Sum", 1, many, 1, 1, "consumed_inputs:I", rules::broadcast},
    {"Where", 3, 3, 1, 1, "", rules::chosen},
    {"Xor", 2, 2, 1, 1, OLD_BROADCAST, rules::compared},
    // Type conversions and constants of a type.
    {"Bernoulli", 1, 1, 1, 1, "dtype:i seed:f", rules::typed},
    {"Cast", 1, 1, 1, 1, "saturate:i to:i", rules::typed},
    {"CastLike", 2, 2, 1, 1, "saturate:i", rules::cast_like},
    {"DequantizeLinear", 2, 3, 1, 1, "axis:i block_size:i", rules::dequantize},
    {"DynamicQuantizeLinear", 1, 1, 3, 3, "", rules::dynamic_quantize},
    {"EyeLike", 1, 1, 1, 1, "dtype:i k:i", rules::typed},
    {"QuantizeLinear", 2, 3, 1, 1, "axis:i block_size:i output_dtype:i saturate:i",
     rules::quantize},
    {"RandomNormalLike", 1, 1, 1, 1, "dtype:i mean:f scale:f seed:f", rules::typed},
    {"RandomUniformLike", 1, 1, 1, 1, "dtype:i high:f low:f seed:f", rules::typed},
    // Norms, and other operators along an axis.
    {"BatchNormalization", 5, 5, 1, 5,
     "consumed_inputs:I epsilon:f is_test:i momentum:f spatial:i training_mode:i",
     rules::batch_norm},
    {"CumSum", 2, 2, 1, 1, "exclusive:i reverse:i", rules::same},
    {"Dropout", 1, 3, 1, 2, "consumed_inputs:I is_test:i ratio:f seed:i", rules::dropout},
    {"GroupNormalization", 3, 3, 1, 1, "epsilon:f num_groups:i stash_type:i", rules::same},
    {"Hardmax", 1, 1, 1, 1, "axis:i", rules::along_axis},
    {"InstanceNormalization", 3, 3, 1, 1, "consumed_inputs:I epsilon:f", rules::instance_norm},
    {"LRN", 1, 1, 1, 1, "alpha:f beta:f bias:f size:i", rules::same},
    {"LayerNormalization", 2, 3, 1, 3, "axis:i epsilon:f stash_type:i", rules::layer_norm},
    {"LogSoftmax", 1, 1, 1, 1, "axis:i", rules::along_axis},
    {"LpNormalization", 1, 1, 1, 1, "axis:i p:i", rules::same},
    {"MeanVarianceNormalization", 1, 1, 1, 1, "axes:I", rules::same},
    {"Softmax", 1, 1, 1, 1, "axis:i", rules::along_axis},
    // Reductions.
    {"ArgMax", 1, 1, 1, 1, "axis:i keepdims:i select_last_index:i", rules::arg_reduce},
    {"ArgMin", 1, 1, 1, 1, "axis:i keepdims:i select_last_index:i", rules::arg_reduce},
    {"ReduceL1", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceL2", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceLogSum", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceLogSumExp", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceMax", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceMean", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceMin", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceProd", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceSum", 1, 2, 1, 1, REDUCED, rules::reduce},
    {"ReduceSumSquare", 1, 2, 1, 1, REDUCED, rules::reduce},
    // Products.
    {"Einsum", 1, many, 1, 1, "equation:s", rules::einsum},
    {"Gemm", 2, 3, 1, 1, "alpha:f beta:f broadcast:i transA:i transB:i", rules::gemm},
    {"MatMul", 2, 2, 1, 1, "", rules::matmul},
    {"MatMulInteger", 2, 4, 1, 1, "", rules::matmul},
    {"QLinearMatMul", 8, 8, 1, 1, "", rules::matmul},
    {"GRU", 3, 6, 0, 2, RECURRENT "linear_before_reset:i", rules::recurrent},
    {"LSTM", 3, 8, 0, 3, RECURRENT "input_forget:i", rules::recurrent},
    {"RNN", 3, 6, 0, 2, RECURRENT, rules::recurrent},
    // Windows.
    {"AveragePool", 1, 1, 1, 1, WINDOW " ceil_mode:i count_include_pad:i", rules::pool},
    {"Conv", 2, 3, 1, 1, WINDOW " group:i", rules::convolution},
    {"ConvInteger", 2, 4, 1, 1, WINDOW " group:i", rules::convolution},
    {"ConvTranspose", 2, 3, 1, 1, WINDOW " group:i output_padding:I output_shape:I",
     rules::transposed_convolution},
    {"GlobalAveragePool", 1, 1, 1, 1, "", rules::global_pool},
    {"GlobalLpPool", 1, 1, 1, 1, "p:i", rules::global_pool},
    {"GlobalMaxPool", 1, 1, 1, 1, "", rules::global_pool},
    {"GridSample", 2, 2, 1, 1, "align_corners:i mode:s padding_mode:s", rules::grid_sample},
    {"LpPool", 1, 1, 1, 1, WINDOW " ceil_mode:i p:i", rules::pool},
    {"MaxPool", 1, 1, 1, 2, WINDOW " ceil_mode:i storage_order:i", rules::pool},
    {"MaxRoiPool", 2, 2, 1, 1, "pooled_shape:I spatial_scale:f", rules::regions},
    {"MaxUnpool", 2, 3, 1, 1, "kernel_shape:I pads:I strides:I", rules::unknown},
    {"QLinearConv", 8, 9, 1, 1, WINDOW " group:i", rules::convolution},
    {"RoiAlign", 3, 3, 1, 1,
     "coordinate_transformation_mode:s mode:s output_height:i output_width:i sampling_ratio:i "
     "spatial_scale:f",
     rules::regions},
    {"DepthToSpace", 1, 1, 1, 1, "blocksize:i mode:s", rules::blocks},
    {"SpaceToDepth", 1, 1, 1, 1, "blocksize:i", rules::blocks},
    {"Resize", 1, 4, 1, 1,
     "antialias:i axes:I coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
     "extrapolation_value:f keep_aspect_ratio_policy:s mode:s nearest_mode:s",
     rules::resize},
    {"Upsample", 1, 2, 1, 1, "height_scale:f mode:s scales:F width_scale:f", rules::resize},
    // Data movement.
    {"Compress", 2, 2, 1, 1, "axis:i", rules::unknown},
    {"Concat", 1, many, 1, 1, "axis:i", rules::concat},
    {"Expand", 2, 2, 1, 1, "", rules::expand},
    {"Flatten", 1, 1, 1, 1, "axis:i", rules::flatten},
    {"Gather", 2, 2, 1, 1, "axis:i", rules::gather},
    {"GatherElements", 2, 2, 1, 1, "axis:i", rules::gather_elements},
    {"GatherND", 2, 2, 1, 1, "batch_dims:i", rules::gather_nd},
    {"Pad", 1, 4, 1, 1, "mode:s paddings:I pads:I value:f", rules::pad},
    {"Reshape", 1, 2, 1, 1, "allowzero:i consumed_inputs:I shape:I", rules::reshape},
    {"ReverseSequence", 2, 2, 1, 1, "batch_axis:i time_axis:i", rules::same},
    {"Scatter", 3, 3, 1, 1, "axis:i", rules::same},
    {"ScatterElements", 3, 3, 1, 1, "axis:i reduction:s", rules::same},
    {"ScatterND", 3, 3, 1, 1, "reduction:s", rules::same},
    {"Slice", 1, 5, 1, 1, "axes:I ends:I starts:I", rules::slice},
    {"Split", 1, 2, 1, many, "axis:i num_outputs:i split:I", rules::split},
    {"Squeeze", 1, 2, 1, 1, "axes:I", rules::squeeze},
    {"Tile", 2, 3, 1, 1, "", rules::tile},
    {"Transpose", 1, 1, 1, 1, "perm:I", rules::transpose},
    {"Trilu", 1, 2, 1, 1, "upper:i", rules::same},
    {"Unsqueeze", 1, 2, 1, 1, "axes:I", rules::unsqueeze},
    // Constants, and shapes as values.
    {"Constant", 0, 0, 1, 1,
     "value:t value_float:f value_floats:F value_int:i value_ints:I value_string:s "
     "value_strings:S",
     rules::literal},
    {"ConstantOfShape", 1, 1, 1, 1, "value:t", rules::filled},
    {"NonMaxSuppression", 2, 5, 1, 1, "center_point_box:i", rules::unknown},
    {"NonZero", 1, 1, 1, 1, "", rules::unknown},
    {"OneHot", 3, 3, 1, 1, "axis:i", rules::one_hot},
    {"Range", 3, 3, 1, 1, "", rules::range},
    {"Shape", 1, 1, 1, 1, "end:i start:i", rules::shape_of},
    {"Size", 1, 1, 1, 1, "", rules::size_of},
    {"TopK", 1, 2, 2, 2, "axis:i k:i largest:i sorted:i", rules::top_k},
};

#undef WINDOW
#undef RECURRENT
#undef REDUCED
#undef OLD_BROADCAST

}  // namespace

char Operator::attribute_kind(std::string_view name) const {
  std::string_view rest(attributes);
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    if (entry.size() == name.size() + 2 && entry.starts_with(name) && entry[name.size()] == ':')
      return entry.back();
  }
  return 0;
}

const Operator* operator_of(std::string_view type) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Operator*> by_type;
    for (const Operator& each : operators) by_type.emplace(each.type, &each);
    return by_type;
  }();
  const auto at = table.find(type);
  return at == table.end() ? nullptr : at->second;
}

}  // namespace tessera::io::onnx_reader
