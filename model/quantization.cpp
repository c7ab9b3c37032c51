#include "model/quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/network_types.h"
#include "say.h"

namespace tessera {
namespace {

/// Are all of them values of this integer type?
bool in_range(const std::vector<std::int64_t>& values, ElementType type) {
  const bool is_unsigned = to_string(type).starts_with('u');
  const Size bits = element_bits(type) - (is_unsigned ? 0 : 1);
  const std::int64_t most =
      bits < 63 ? (std::int64_t{1} << bits) - 1 : std::numeric_limits<std::int64_t>::max();
  return std::ranges::all_of(
      values, [&](std::int64_t v) { return v <= most && v >= (is_unsigned ? 0 : -most - 1); });
}

/// The axis of output channels of a product in its weights.
std::size_t channels_of_weights(const Network& network, const Op& op) {
  if (op.kind != OpKind::matmul) return op.kind == OpKind::conv ? 0 : 1;
  return network.tensors[op.inputs[1]].shape.size() - (op.transpose_b ? 2 : 1);
}

std::string product_error(const Network& network, const Op& op) {
  const std::optional<Quantization>& x = network.tensors[op.inputs[0]].quantization;
  const std::optional<Quantization>& w = network.tensors[op.inputs[1]].quantization;
  if (x && x->scale.size() > 1) return "multiplies a first input with several scales";
  if (!w || w->scale.size() == 1) return {};
  if (w->axis != channels_of_weights(network, op))
    return say("multiplies by weights with scales along axis ", w->axis, ", not ",
               channels_of_weights(network, op));
  if (op.kind == OpKind::conv_transpose && op.groups > 1)
    return "is a transposed convolution in groups with several scales";
  return {};
}

}  // namespace

std::string quantization_error(const Quantization& given, const std::vector<Dim>& shape,
                               ElementType type) {
  if (is_floating(type) || type == ElementType::boolean)
    return say("has scales, but elements of type ", to_string(type));
  const std::size_t count = given.scale.size();
  if (count == 0) return "has an empty list of scales";
  if (count > 1 && given.axis >= shape.size())
    return say("has scales along axis ", given.axis, ", but ", shape.size(), " axes");
  if (count > 1 && static_cast<Dim>(count) != shape[given.axis])
    return say("has ", count, " scales along an axis of ", shape[given.axis]);
  for (const double scale : given.scale)
    if (!std::isfinite(scale) || scale <= 0)
      return say("has a scale of ", scale, "; scales are positive");
  if (given.zero_point.size() != count)
    return say("has ", given.zero_point.size(), " zero points for ", count, " scales");
  if (!in_range(given.zero_point, type))
    return say("has a zero point that is no value of ", to_string(type));
  return {};
}

std::string quantization_error(const Network& network, const Op& op) {
  if (multiplies(op.kind)) return product_error(network, op);
  // Joined tensors are stored inside the output, so that their elements are not converted.
  if (op.kind == OpKind::concat)
    for (const TensorIndex t : op.inputs)
      if (network.tensors[t].quantization != network.tensors[op.outputs[0]].quantization)
        return say("joins '", network.tensors[t].name,
                   "', whose scales are not those of the output; put an op `quantize` between");
  return {};
}

bool is_quantized(const Network& network, const Op& op) {
  std::vector<TensorIndex> all = operands(op);
  if (multiplies(op.kind) && op.inputs.size() > 2) all.erase(all.begin() + 2);
  all.insert(all.end(), op.outputs.begin(), op.outputs.end());
  return std::ranges::any_of(
      all, [&](TensorIndex t) { return network.tensors[t].quantization.has_value(); });
}

}  // namespace tessera
