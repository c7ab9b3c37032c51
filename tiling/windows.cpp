#include "tiling/windows.h"

#include <algorithm>

namespace tessera::tiling {
namespace {

constexpr Dim floor_div(Dim a, Dim b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
constexpr Dim signed_ceil_div(Dim a, Dim b) {
  return -floor_div(-a, b);
}

/// Is there a tap j in [0, kernel) and an output o in `made` with o * stride - pad + j * dilation
/// == x?
bool window_touches(const Window& window, const Span& made, Dim x) {
  for (Dim tap = 0; tap < window.kernel; ++tap) {
    const Dim scaled = x + window.pad - tap * window.dilation;
    if (scaled % window.stride != 0) continue;
    const Dim output = scaled / window.stride;
    if (made.begin <= output && output < made.end) return true;
  }
  return false;
}

/// Is there a tap j in [0, kernel) with x * stride - pad + j * dilation inside `made`?
bool transposed_touches(const Window& window, const Span& made, Dim x) {
  const Dim origin = x * window.stride - window.pad;
  const Dim first = std::max<Dim>(0, signed_ceil_div(made.begin - origin, window.dilation));
  const Dim last = std::min(window.kernel - 1, floor_div(made.end - 1 - origin, window.dilation));
  return first <= last;
}

/// An exact rational coordinate, denominator positive.
struct Ratio {
  Dim over = 0;
  Dim under = 1;
  [[nodiscard]] Dim floor() const { return floor_div(over, under); }
};

Ratio source(const ResizeRule& rule, Dim x, Dim in, Dim out) {
  using enum ResizeRule::Coordinates;
  switch (rule.coordinates) {
    case asymmetric:
      return {x * in, out};
    case align_corners:
      return out == 1 ? Ratio{} : Ratio{x * (in - 1), out - 1};
    case pytorch_half_pixel:
      if (out == 1) return {};
      break;
    case half_pixel:
      break;
  }
  return {(2 * x + 1) * in - out, 2 * out};
}

Dim nearest(const ResizeRule& rule, const Ratio& at) {
  using enum ResizeRule::Nearest;
  switch (rule.nearest) {
    case ResizeRule::Nearest::floor:
      return at.floor();
    case ceil:
      return signed_ceil_div(at.over, at.under);
    case round_prefer_ceil:
      return floor_div(2 * at.over + at.under, 2 * at.under);
    case round_prefer_floor:
      break;
  }
  return signed_ceil_div(2 * at.over - at.under, 2 * at.under);
}

}  // namespace

Window window_on(const Op& op, std::size_t axis) {
  return {op.kernel[axis], op.stride[axis], op.dilation[axis], op.pad_begin[axis]};
}

Span window_reach(const Window& window, const Span& made) {
  return {made.begin * window.stride - window.pad,
          (made.end - 1) * window.stride - window.pad + window.dilation * (window.kernel - 1) + 1};
}

Span window_input(const Window& window, const Span& made, Dim extent) {
  Span region = intersect(window_reach(window, made), Span{0, extent});
  // If the border cuts a window, its first tap inside may be further in (dilation, stride).
  while (!region.empty() && !window_touches(window, made, region.begin)) ++region.begin;
  while (!region.empty() && !window_touches(window, made, region.end - 1)) --region.end;
  return region.empty() ? Span{} : region;
}

Span transposed_window_input(const Window& window, const Span& made, Dim extent) {
  const Dim reach = window.dilation * (window.kernel - 1);
  Span region = intersect(Span{signed_ceil_div(made.begin + window.pad - reach, window.stride),
                               floor_div(made.end - 1 + window.pad, window.stride) + 1},
                          Span{0, extent});
  while (!region.empty() && !transposed_touches(window, made, region.begin)) ++region.begin;
  while (!region.empty() && !transposed_touches(window, made, region.end - 1)) --region.end;
  return region.empty() ? Span{} : region;
}

Span padded_input(std::string_view mode, Dim pad, const Span& made, Dim extent) {
  const Span wanted{made.begin - pad, made.end - pad};
  const Span inside = intersect(wanted, Span{0, extent});
  if (mode == "edge") {
    const auto nearest_inside = [&](Dim x) { return std::clamp<Dim>(x, 0, extent - 1); };
    return {nearest_inside(wanted.begin), nearest_inside(wanted.end - 1) + 1};
  }
  if (mode == "reflect") {
    Span region = inside;
    const Span before{wanted.begin, std::min<Dim>(wanted.end, 0)};
    if (!before.empty()) region = hull(region, Span{1 - before.end, 1 - before.begin});
    const Span after{std::max(wanted.begin, extent), wanted.end};
    const Dim mirror = 2 * (extent - 1);
    if (!after.empty())
      region = hull(region, Span{mirror - after.end + 1, mirror - after.begin + 1});
    return intersect(region, Span{0, extent});
  }
  return inside;
}

Span resized_input(const ResizeRule& rule, const Span& made, Dim in, Dim out) {
  if (in == out) return made;
  const auto inside = [&](Dim x) { return std::clamp<Dim>(x, 0, in - 1); };
  const Ratio first = source(rule, made.begin, in, out);
  const Ratio last = source(rule, made.end - 1, in, out);
  if (rule.linear) return {inside(first.floor()), inside(last.floor() + 1) + 1};
  return {inside(nearest(rule, first)), inside(nearest(rule, last)) + 1};
}

}  // namespace tessera::tiling
