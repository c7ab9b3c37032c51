// Shapes of operators that slide a window over their input, or read parts of it.
#include <algorithm>
#include <cmath>

#include "io/onnx_shapes.h"

namespace tessera::io::onnx_reader {

using onnx::TensorProto;

namespace rules {
namespace {

/// Window attributes on `spatial` axes, with every entry in bounds.
struct Windows {
  Windows(const Inference& of, const Shape& weights, std::size_t spatial)
      : kernel(of.numbers("kernel_shape", spatial, 1, 1, max_number)),
        stride(of.numbers("strides", spatial, 1, 1, max_number)),
        dilation(of.numbers("dilations", spatial, 1, 1, max_number)),
        rule(of.text("auto_pad", "NOTSET")) {
    if (rule != "NOTSET" && rule != "VALID" && rule != "SAME_UPPER" && rule != "SAME_LOWER")
      of.fail("has an auto_pad ", shown(rule), " that is none of NOTSET, VALID, SAME_UPPER and ",
              "SAME_LOWER");
    // With auto_pad, paddings follow from the extents; exporters may state them anyway.
    pads = of.numbers("pads", 2 * spatial, 0, -max_number, max_number);
    if (weights.empty()) return;
    const Shape own(weights.begin() + 2, weights.end());
    if (of.has_attribute("kernel_shape") && !kernel_is(own))
      of.fail("has a kernel_shape ", shape_text(kernel), " but weights of ", shape_text(own));
    kernel = own;
    for (const Dim extent : kernel)
      if (extent < 1) of.fail("has weights of ", shape_text(weights));
  }
  [[nodiscard]] bool kernel_is(const Shape& own) const { return kernel == own; }
  [[nodiscard]] Dim span(std::size_t axis) const { return dilation[axis] * (kernel[axis] - 1) + 1; }
  [[nodiscard]] Dim padding(std::size_t axis) const {
    return pads[axis] + pads[axis + kernel.size()];
  }
  [[nodiscard]] bool same() const { return rule.starts_with("SAME"); }

  std::vector<Dim> kernel, stride, dilation, pads;
  std::string rule;
};

Dim windowed(const Inference& of, const Windows& windows, std::size_t axis, Dim extent, bool ceil) {
  const Dim stride = windows.stride[axis];
  if (windows.same()) return (extent + stride - 1) / stride;
  const Dim span = windows.span(axis);
  const Dim padded = extent + windows.padding(axis);
  const Dim room = padded - span;
  if (room < 0) of.fail("has a window of ", span, " on an axis of ", padded, " with padding");
  return (room + (ceil ? stride - 1 : 0)) / stride + 1;
}

}  // namespace

void convolution(Inference& of) {
  const bool quantized = of.node().op_type() == "QLinearConv";
  const Shape& x = of.shape(0);
  const Shape& w = of.shape(quantized ? 3 : 1);
  of.need_rank(0, 3);
  if (w.size() != x.size())
    of.fail("has weights with ", w.size(), " axes for an input with ", x.size());
  const Windows windows(of, w, x.size() - 2);
  const Dim groups = of.number("group", 1, 1, max_number);
  if (w[1] * groups != x[1])
    of.fail("has weights for ", w[1] * groups, " input channels where the input has ", x[1]);
  Shape out{x[0], w[0]};
  for (std::size_t axis = 0; axis + 2 < x.size(); ++axis)
    out.push_back(windowed(of, windows, axis, x[axis + 2], false));
  const int type = quantized                              ? of.type(7)
                   : of.node().op_type() == "ConvInteger" ? static_cast<int>(TensorProto::INT32)
                                                          : of.type(0);
  of.make(0, std::move(out), type);
}

void transposed_convolution(Inference& of) {
  const Shape& x = of.shape(0);
  const Shape& w = of.shape(1);
  of.need_rank(0, 3);
  if (w.size() != x.size())
    of.fail("has weights with ", w.size(), " axes for an input with ", x.size());
  const std::size_t spatial = x.size() - 2;
  const Windows windows(of, w, spatial);
  const Dim groups = of.number("group", 1, 1, max_number);
  if (w[0] != x[1]) of.fail("has weights for ", w[0], " input channels where the input has ", x[1]);
  const std::vector<Dim> more = of.numbers("output_padding", spatial, 0, 0, max_number);
  Shape out{x[0], w[1] * groups};
  if (of.has_attribute("output_shape")) {
    const std::vector<Dim> given = of.numbers("output_shape", spatial, 1, 1, max_number);
    out.insert(out.end(), given.begin(), given.end());
    return of.make(0, std::move(out), of.type(0));
  }
  for (std::size_t axis = 0; axis < spatial; ++axis) {
    const Dim span = windows.span(axis);
    const Dim stride = windows.stride[axis];
    const Dim padding = windows.same() ? std::max<Dim>(0, span - stride) : windows.padding(axis);
    out.push_back((x[axis + 2] - 1) * stride + span + more[axis] - padding);
  }
  of.make(0, std::move(out), of.type(0));
}

void pool(Inference& of) {
  of.need_rank(0, 3);
  const Shape& in = of.shape(0);
  if (!of.has_attribute("kernel_shape"))
    of.fail("is malformed: it has no attribute `kernel_shape`");
  const Windows windows(of, {}, in.size() - 2);
  const bool ceil = of.number("ceil_mode", 0, 0, 1) != 0;
  Shape out = in;
  for (std::size_t axis = 0; axis + 2 < in.size(); ++axis)
    out[axis + 2] = windowed(of, windows, axis, in[axis + 2], ceil);
  of.make(0, out, of.type(0));
  of.make(1, out, TensorProto::INT64);
}

void global_pool(Inference& of) {
  of.need_rank(0, 2);
  Shape out = of.shape(0);
  std::fill(out.begin() + 2, out.end(), 1);
  of.make(0, std::move(out), of.type(0));
}

void regions(Inference& of) {
  of.need_rank(0, 4, 4);
  of.need_rank(1, 2, 2);
  Shape out{of.shape(1)[0], of.shape(0)[1]};
  if (of.node().op_type() == "MaxRoiPool") {
    if (!of.has_attribute("pooled_shape"))
      of.fail("is malformed: it has no attribute `pooled_shape`");
    const std::vector<Dim> pooled = of.numbers("pooled_shape", 2, 1, 1, max_number);
    out.insert(out.end(), pooled.begin(), pooled.end());
  } else {
    out.push_back(of.number("output_height", 1, 1, max_number));
    out.push_back(of.number("output_width", 1, 1, max_number));
  }
  of.make(0, std::move(out), of.type(0));
}

void grid_sample(Inference& of) {
  of.need_rank(0, 3);
  const std::size_t rank = of.shape(0).size();
  of.need_rank(1, rank, rank);
  Shape out{of.shape(0)[0], of.shape(0)[1]};
  out.insert(out.end(), of.shape(1).begin() + 1, of.shape(1).end() - 1);
  of.make(0, std::move(out), of.type(0));
}

void blocks(Inference& of) {
  of.need_rank(0, 4, 4);
  const Shape& in = of.shape(0);
  if (!of.has_attribute("blocksize")) of.fail("is malformed: it has no attribute `blocksize`");
  const Dim r = of.number("blocksize", 1, 1, 1 << 14);
  if (of.node().op_type() == "DepthToSpace") {
    if (in[1] % (r * r) != 0) of.fail("has ", in[1], " channels, not a multiple of ", r * r);
    return of.make(0, {in[0], in[1] / (r * r), in[2] * r, in[3] * r}, of.type(0));
  }
  if (in[2] % r != 0 || in[3] % r != 0)
    of.fail("has extents ", in[2], " and ", in[3], ", which are no multiples of ", r);
  of.make(0, {in[0], in[1] * r * r, in[2] / r, in[3] / r}, of.type(0));
}

void resize(Inference& of) {
  const bool upsample = of.node().op_type() == "Upsample";
  const Shape& in = of.shape(0);
  // From version 18 on, the scales or sizes may apply to given axes.
  std::vector<std::size_t> axes;
  for (const std::size_t each : of.axes(ints_attribute(of.node(), "axes"), in.size()))
    axes.push_back(each);
  if (axes.empty())
    for (std::size_t axis = 0; axis < in.size(); ++axis) axes.push_back(axis);
  if (of.text("keep_aspect_ratio_policy", "stretch") != "stretch") return;

  Shape out = in;
  const auto entries = [&](std::size_t size, const char* what) {
    if (size != axes.size())
      of.fail("has ", size, " ", what, " where ", axes.size(), " are needed");
  };
  if (!upsample && of.has(3)) {
    const Constant* sizes = of.constant(3);
    if (sizes == nullptr) return;
    if (!sizes->integer) of.fail("has sizes that are no integers");
    entries(sizes->size(), "sizes");
    for (std::size_t k = 0; k < axes.size(); ++k) out[axes[k]] = sizes->integers[k];
    return of.make(0, std::move(out), of.type(0));
  }
  std::vector<double> scales;
  if (const onnx::AttributeProto* given = attribute(of.node(), "scales")) {
    scales.assign(given->floats().begin(), given->floats().end());
  } else if (of.has_attribute("height_scale") || of.has_attribute("width_scale")) {
    return;  // version 1
  } else {
    // Before version 11 the second input holds the scales; there was no region.
    const int position = upsample || of.opset() < 11 ? 1 : 2;
    if (!of.has(position)) of.fail("has neither scales nor sizes");
    const Constant* values = of.constant(position);
    if (values == nullptr) return;
    if (values->integer) of.fail("has scales that are no real numbers");
    scales = values->reals;
  }
  entries(scales.size(), "scales");
  const bool crop = of.text("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  if (crop) return;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const double extent = std::floor(static_cast<double>(in[axes[k]]) * scales[k]);
    if (!(scales[k] > 0 && extent >= 1 && extent <= static_cast<double>(max_extent)))
      of.fail("scales axis ", axes[k], " of ", in[axes[k]], " by ", scales[k]);
    out[axes[k]] = static_cast<Dim>(extent);
  }
  of.make(0, std::move(out), of.type(0));
}

}  // namespace rules

}  // namespace tessera::io::onnx_reader
