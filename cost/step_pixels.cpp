#include "cost/step_pixels.h"

#include <algorithm>

namespace tessera::cost {

double StepPixels::span(std::int64_t made, std::int64_t taps, std::size_t axis) const {
  if (loops.spread) {
    const std::int64_t met = made + (taps - 1) * loops.dilation[axis];
    return static_cast<double>(tiling::ceil_div(met, loops.upscale[axis]));
  }
  const auto inputs = static_cast<double>(tiling::ceil_div(made, loops.upscale[axis]));
  return (inputs - 1) * static_cast<double>(loops.stride[axis]) +
         static_cast<double>(taps - 1) * static_cast<double>(loops.dilation[axis]) + 1;
}
double StepPixels::read() const {
  double all = 0;
  const auto rows = Parts(nest.H, unroll.H);
  const auto columns = Parts(nest.W, unroll.W);
  const auto share = [](double touched, std::int64_t outputs, std::int64_t taps) {
    return std::min(touched, static_cast<double>(outputs) * static_cast<double>(taps));
  };
  if (taps_together) {
    for (const auto& [h, of_h] : rows)
      for (const auto& [w, of_w] : columns)
        for (const auto& [t, of_t] : Parts(nest.R * nest.S, unroll.T))
          all += of_h * of_w * of_t * share(span(h, nest.R, 0) * span(w, nest.S, 1), h * w, t);
    return all;
  }
  double of_columns = 0;
  for (const auto& [w, of_w] : columns)
    for (const auto& [s, of_s] : Parts(nest.S, unroll.S))
      of_columns += of_w * of_s * share(span(w, s, 1), w, s);
  for (const auto& [h, of_h] : rows)
    for (const auto& [r, of_r] : Parts(nest.R, unroll.R))
      all += of_h * of_r * share(span(h, r, 0), h, r);
  return all * of_columns;
}
// The ratio is monotonic in each extent of a step, so its minimum is at the end of each.
double StepPixels::least_share() const {
  const auto most = [](std::int64_t loop, std::int64_t by) {
    return static_cast<double>(std::min(loop, by));
  };
  const auto met = [&](double outputs, double taps, std::size_t axis) {
    return (outputs - 1) * static_cast<double>(loops.stride[axis]) +
           (taps - 1) * static_cast<double>(loops.dilation[axis]) + 1;
  };
  const double rows = most(nest.H, unroll.H);
  const double columns = most(nest.W, unroll.W);
  if (taps_together) {
    const double taps = most(nest.R * nest.S, unroll.T);
    double least = 1;
    for (const double h : {1.0, rows})
      for (const double w : {1.0, columns})
        least = std::min(least, met(h, static_cast<double>(nest.R), 0) *
                                    met(w, static_cast<double>(nest.S), 1) / (h * w * taps));
    return least;
  }
  const auto along = [&](double outputs, double taps, std::size_t axis) {
    double least = 1;
    for (const double o : {1.0, outputs})
      for (const double t : {1.0, taps}) least = std::min(least, met(o, t, axis) / (o * t));
    return least;
  };
  return along(rows, most(nest.R, unroll.R), 0) * along(columns, most(nest.S, unroll.S), 1);
}
}  // namespace tessera::cost
