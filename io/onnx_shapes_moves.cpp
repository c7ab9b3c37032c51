// Shapes of operators that move elements without computing.
#include <algorithm>
#include <numeric>

#include "io/onnx_shapes.h"

namespace tessera::io::onnx_reader::rules {
namespace {

/// The product of some extents, each within 0 .. max_extent; rejected above 62 bits.
Dim product(const Inference& of, Shape::const_iterator from, Shape::const_iterator to) {
  Dim out = 1;
  for (; from != to; ++from)
    if (__builtin_mul_overflow(out, *from, &out) || out > (Dim{1} << 62))
      of.fail("would make a tensor with more than 2^62 elements");
  return out;
}
Dim product(const Inference& of, const Shape& shape) {
  return product(of, shape.begin(), shape.end());
}

}  // namespace

void concat(Inference& of) {
  if (of.opset() >= 4 && !of.has_attribute("axis"))
    of.fail("is malformed: it has no attribute `axis`");
  Shape out = of.shape(0);
  const std::size_t axis = of.axis_attribute(1, out.size());
  for (int k = 1; k < of.inputs(); ++k) {
    const Shape& other = of.shape(k);
    if (other.size() != out.size())
      of.fail("joins tensors with ", out.size(), " and ", other.size(), " axes");
    for (std::size_t each = 0; each < out.size(); ++each)
      if (each != axis && other[each] != out[each])
        of.fail("joins ", shape_text(of.shape(0)), " and ", shape_text(other), " along axis ",
                axis);
    out[axis] += other[axis];
    if (out[axis] > max_extent) of.fail("would make a tensor with an extent above ", max_extent);
  }
  of.make(0, std::move(out), of.type(0));
}

void split(Inference& of) {
  const Shape& in = of.shape(0);
  const std::size_t axis = of.axis_attribute(0, in.size());
  const auto pieces = static_cast<Dim>(of.outputs());
  std::optional<std::vector<std::int64_t>> sizes = of.list(1, "split");
  if (!sizes) return;
  if (sizes->empty()) {
    if (of.number("num_outputs", pieces, 1, max_number) != pieces)
      of.fail("has ", pieces, " outputs but another number in its attribute `num_outputs`");
    // From version 18 on the last part may be smaller.
    if (of.opset() < 18 && in[axis] % pieces != 0)
      of.fail("splits an extent of ", in[axis], " into ", pieces, " equal pieces");
    const Dim each = (in[axis] + pieces - 1) / pieces;
    sizes->assign(static_cast<std::size_t>(pieces), each);
    sizes->back() = in[axis] - each * (pieces - 1);
  }
  if (sizes->size() != static_cast<std::size_t>(pieces))
    of.fail("has ", pieces, " outputs but ", sizes->size(), " sizes");
  Dim left = in[axis];
  for (const Dim size : *sizes) {
    if (size < 0 || size > left)
      of.fail("splits an extent of ", in[axis], " into pieces that do not add up to it");
    left -= size;
  }
  if (left != 0) of.fail("splits an extent of ", in[axis], " into pieces that leave ", left);
  for (int k = 0; k < of.outputs(); ++k) {
    Shape out = in;
    out[axis] = (*sizes)[static_cast<std::size_t>(k)];
    of.make(k, std::move(out), of.type(0));
  }
}

void slice(Inference& of) {
  const Shape& in = of.shape(0);
  const auto starts = of.list(1, "starts");
  const auto ends = of.list(2, "ends");
  const auto given = of.list(3, "axes");
  auto steps = of.list(4, "steps");
  if (!starts || !ends || !given || !steps) return;
  if (!of.has(1) && !of.has_attribute("starts")) of.fail("has no starts");
  std::vector<std::size_t> axes = of.axes(*given, in.size());
  if (axes.empty()) {
    if (starts->size() > in.size())
      of.fail("has ", starts->size(), " starts for a tensor with ", in.size(), " axes");
    axes.resize(starts->size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  if (steps->empty()) steps->assign(axes.size(), 1);
  if (starts->size() != axes.size() || ends->size() != axes.size() || steps->size() != axes.size())
    of.fail("has different numbers of starts, ends, axes and steps");
  Shape out = in;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Dim extent = in[axes[k]];
    const Dim step = (*steps)[k];
    if (step == 0) of.fail("goes in steps of 0");
    const bool back = step < 0;
    // For negative steps, positions run from the last element to one before the first.
    const auto place = [&](Dim at) {
      const Dim from_begin = at < 0 ? std::max(at, -extent - 1) + extent : at;
      return std::clamp<Dim>(from_begin, back ? -1 : 0, back ? extent - 1 : extent);
    };
    const Dim begin = place((*starts)[k]);
    const Dim end = place((*ends)[k]);
    const Dim distance = back ? begin - end : end - begin;
    const Dim stride = back ? -std::max(step, -max_number) : std::min(step, max_number);
    out[axes[k]] = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  }
  of.make(0, std::move(out), of.type(0));
}

void gather(Inference& of) {
  const Shape& data = of.shape(0);
  const Shape& index = of.shape(1);
  const std::size_t axis = of.axis_attribute(0, data.size());
  const auto at = data.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape out(data.begin(), at);
  out.insert(out.end(), index.begin(), index.end());
  out.insert(out.end(), at + 1, data.end());
  of.make(0, std::move(out), of.type(0));
}

void gather_elements(Inference& of) {
  static_cast<void>(of.axis_attribute(0, of.shape(0).size()));
  if (of.shape(0).size() != of.shape(1).size())
    of.fail("has indices with ", of.shape(1).size(), " axes for data with ", of.shape(0).size());
  of.make(0, of.shape(1), of.type(0));
}

void gather_nd(Inference& of) {
  const Shape& data = of.shape(0);
  const Shape& index = of.shape(1);
  of.need_rank(0, 1);
  of.need_rank(1, 1);
  const auto least = static_cast<std::int64_t>(std::min(data.size(), index.size()));
  const auto batch = static_cast<std::size_t>(of.number("batch_dims", 0, 0, least - 1));
  const Dim depth = index.back();
  if (depth < 1 || depth > static_cast<Dim>(data.size() - batch))
    of.fail("has indices of ", depth, " numbers for data with ", data.size(), " axes");
  Shape out(index.begin(), index.end() - 1);
  out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(batch) + depth, data.end());
  of.make(0, std::move(out), of.type(0));
}

void pad(Inference& of) {
  const Shape& in = of.shape(0);
  const char* name = of.opset() < 2 ? "paddings" : "pads";
  if (!of.has(1) && !of.has_attribute(name)) of.fail("has no pads");
  const auto pads = of.list(1, name);
  const auto given = of.list(3, "axes");
  if (!pads || !given) return;
  std::vector<std::size_t> axes = of.axes(*given, in.size());
  if (axes.empty()) {
    axes.resize(in.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  if (pads->size() != 2 * axes.size())
    of.fail("has ", pads->size(), " pads where ", 2 * axes.size(), " are needed");
  Shape out = in;
  for (std::size_t k = 0; k < pads->size(); ++k) {
    const Dim amount = (*pads)[k];
    if (amount < -max_number || amount > max_number)
      of.fail("has a pad of ", amount, ", which is not within ", -max_number, " .. ", max_number);
    out[axes[k % axes.size()]] += amount;
  }
  of.make(0, std::move(out), of.type(0));
}

void reshape(Inference& of) {
  const Shape& in = of.shape(0);
  const char* name = "shape";
  if (!of.has(1) && !of.has_attribute(name)) of.fail("has no target shape");
  const auto target = of.list(1, name);
  if (!target) return;
  const bool zeros = of.number("allowzero", 0, 0, 1) != 0;
  if (target->size() > max_rank)
    of.fail("would make a tensor with ", target->size(), " axes; at most ", max_rank,
            " are supported");
  Shape out;
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < target->size(); ++axis) {
    const Dim extent = (*target)[axis];
    if (extent < -1 || extent > max_extent) of.fail("would make a tensor with extent ", extent);
    if (extent == -1 && open) of.fail("leaves two extents open");
    if (extent == -1) open = axis;
    if (extent == 0 && !zeros && axis >= in.size())
      of.fail("keeps extent ", axis, " of a tensor with ", in.size(), " axes");
    out.push_back(extent == -1 ? 1 : extent == 0 && !zeros ? in[axis] : extent);
  }
  const Dim count = product(of, in);
  const Dim others = product(of, out);
  if (open) {
    if (others == 0 || count % others != 0)
      of.fail("reshapes ", shape_text(in), " into ", shape_text(*target),
              ", which leaves no whole number for the open extent");
    out[*open] = count / others;
  } else if (others != count) {
    of.fail("reshapes ", shape_text(in), " into ", shape_text(*target),
            ", which has another number of elements");
  }
  of.make(0, std::move(out), of.type(0));
}

void flatten(Inference& of) {
  const Shape& in = of.shape(0);
  const auto rank = static_cast<std::int64_t>(in.size());
  const std::int64_t given = of.number("axis", 1, -rank, rank);
  const auto middle = in.begin() + static_cast<std::ptrdiff_t>(given < 0 ? given + rank : given);
  of.make(0, {product(of, in.begin(), middle), product(of, middle, in.end())}, of.type(0));
}

void squeeze(Inference& of) {
  const Shape& in = of.shape(0);
  const auto given = of.list(1, "axes");
  if (!given) return;
  std::vector<bool> gone(in.size());
  for (std::size_t axis = 0; given->empty() && axis < in.size(); ++axis) gone[axis] = in[axis] == 1;
  for (const std::size_t axis : of.axes(*given, in.size())) {
    if (in[axis] != 1) of.fail("squeezes axis ", axis, " of extent ", in[axis]);
    gone[axis] = true;
  }
  Shape out;
  for (std::size_t axis = 0; axis < in.size(); ++axis)
    if (!gone[axis]) out.push_back(in[axis]);
  of.make(0, std::move(out), of.type(0));
}

void unsqueeze(Inference& of) {
  const Shape& in = of.shape(0);
  const auto given = of.list(1, "axes");
  if (!given) return;
  if (!of.has(1) && !of.has_attribute("axes")) of.fail("is malformed: it has no axes");
  const std::size_t rank = in.size() + given->size();
  if (rank > max_rank)
    of.fail("would make a tensor with ", rank, " axes; at most ", max_rank, " are supported");
  std::vector<bool> fresh(rank);
  for (const std::size_t axis : of.axes(*given, rank)) fresh[axis] = true;
  Shape out;
  auto next = in.begin();
  for (std::size_t axis = 0; axis < rank; ++axis) out.push_back(fresh[axis] ? 1 : *next++);
  of.make(0, std::move(out), of.type(0));
}

void expand(Inference& of) {
  const auto target = of.list(1, "");
  if (!target) return;
  if (target->size() > max_rank)
    of.fail("would make a tensor with ", target->size(), " axes; at most ", max_rank,
            " are supported");
  for (const Dim extent : *target)
    if (extent < 0 || extent > max_extent) of.fail("would make a tensor with extent ", extent);
  of.make(0, of.broadcast({of.shape(0), *target}), of.type(0));
}

void tile(Inference& of) {
  if (of.opset() < 6) return;  // the input holds a number and an axis
  const auto repeats = of.list(1, "");
  if (!repeats) return;
  Shape out = of.shape(0);
  if (repeats->size() != out.size())
    of.fail("has ", repeats->size(), " repeats for a tensor with ", out.size(), " axes");
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    const Dim times = (*repeats)[axis];
    if (times < 0 || times > max_number) of.fail("repeats axis ", axis, " ", times, " times");
    out[axis] *= times;
  }
  of.make(0, std::move(out), of.type(0));
}

void transpose(Inference& of) {
  const Shape& in = of.shape(0);
  std::vector<std::int64_t> order = ints_attribute(of.node(), "perm");
  if (order.empty())
    for (std::size_t axis = in.size(); axis-- > 0;) order.push_back(static_cast<Dim>(axis));
  if (order.size() != in.size())
    of.fail("permutes ", order.size(), " axes of a tensor with ", in.size());
  Shape out;
  for (const std::size_t axis : of.axes(order, in.size())) out.push_back(in[axis]);
  of.make(0, std::move(out), of.type(0));
}

}  // namespace tessera::io::onnx_reader::rules
