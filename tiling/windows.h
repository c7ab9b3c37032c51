// Ops with windows: ranges along one axis.
//
//   Window window{.kernel = 3, .stride = 2, .dilation = 1, .pad = 1};
//   window_input(window, {0, 4}, 56) == Span{0, 8};
//
// Every function returns the smallest range around the elements read. It is empty if the outputs
// depend on padding only.
#pragma once

#include <string_view>

#include "tessera/network.h"
#include "tiling/box.h"

namespace tessera::tiling {

struct Window {
  Dim kernel = 1;
  Dim stride = 1;
  Dim dilation = 1;
  Dim pad = 0;  ///< before the first element
};

/// require: the op has windows, axis < op.kernel.size().
[[nodiscard]] Window window_on(const Op& op, std::size_t axis);

/// The range that the windows of outputs `made` cover, including padding.
[[nodiscard]] Span window_reach(const Window& window, const Span& made);

/// For convolutions and pools over an axis of `extent` elements.
[[nodiscard]] Span window_input(const Window& window, const Span& made, Dim extent);

/// For transposed convolutions.
[[nodiscard]] Span transposed_window_input(const Window& window, const Span& made, Dim extent);

/// `mode` constant (or empty), edge or reflect.
[[nodiscard]] Span padded_input(std::string_view mode, Dim pad, const Span& made, Dim extent);

/// From an axis of `in` elements to one of `out`.
[[nodiscard]] Span resized_input(const ResizeRule& rule, const Span& made, Dim in, Dim out);

}  // namespace tessera::tiling
