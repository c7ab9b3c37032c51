#include "io/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "io/svg_panel.h"
#include "io/svg_parts.h"

namespace tessera::io {
namespace {

using svg::Anchor;

constexpr double frame_x = 84;
constexpr double frame_y = 72;
constexpr double frame_width = 1060;
constexpr double frame_height = 520;

/// An op or a group.
struct RoofPoint {
  std::string name;
  std::string bound_by;  ///< empty: a group
  double bytes = 0;      ///< off-chip
  double macs = 0;
  double cycles = 0;
  [[nodiscard]] double rate() const { return macs / cycles; }
  [[nodiscard]] double intensity() const { return macs / bytes; }
};

/// Powers of ten from `low` to `high` along `length`.
struct LogScale {
  int low = 0;
  int high = 1;
  double length = 1;
  [[nodiscard]] double at(double value) const {
    const double share = (std::log10(value) - low) / (high - low);
    return length * std::clamp(share, 0.0, 1.0);
  }
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> bound_colours{{
    {"mac", "#2563eb"},
    {"weights", "#7c3aed"},
    {"vector", "#059669"},
    {"sram", "#d97706"},
    {"dma", "#dc2626"},
}};

std::vector<RoofPoint> roof_points(const NetworkPlan& plan) {
  std::vector<RoofPoint> points;
  const auto add = [&](RoofPoint point) {
    if (point.macs > 0 && point.cycles > 0) points.push_back(std::move(point));
  };
  for (std::size_t k = 0; k < plan.subgraphs.size(); ++k) {
    const PlannedSubgraph& group = plan.subgraphs[k];
    if (group.ops.size() > 1)
      add({.name = "group " + std::to_string(k),
           .bytes = static_cast<double>(group.metrics.dram_bytes),
           .macs = static_cast<double>(plan.accounting.groups[k].macs),
           .cycles = static_cast<double>(group.metrics.latency_cycles)});
  }
  for (std::size_t k = 0; k < plan.layers.size(); ++k)
    add({.name = plan.layers[k].op,
         .bound_by = plan.layers[k].bound_by,
         .bytes = static_cast<double>(plan.layers[k].offchip_bytes),
         .macs = static_cast<double>(plan.accounting.layers[k].macs),
         .cycles = static_cast<double>(plan.layers[k].cycles)});
  return points;
}

int decade_of(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

int decade_after(double value) {
  return decade_of(value) + 1;
}

/// The ridge, where both limits meet, and all points.
std::pair<LogScale, LogScale> roof_scales(const std::vector<RoofPoint>& points,
                                          const Roofs& roofs) {
  const double ridge = roofs.macs_per_cycle / roofs.bytes_per_cycle;
  LogScale across{decade_of(ridge), decade_after(ridge), frame_width};
  LogScale up{decade_of(roofs.macs_per_cycle), decade_after(roofs.macs_per_cycle), frame_height};
  for (const RoofPoint& point : points) {
    up.low = std::min(up.low, decade_of(point.rate()));
    if (point.bytes <= 0) continue;
    across.low = std::min(across.low, decade_of(point.intensity()));
    across.high = std::max(across.high, decade_after(point.intensity()));
  }
  return {across, up};
}

std::string power_of_ten(int exponent) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%g", std::pow(10.0, exponent));
  return text.data();
}

std::string four_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

void draw_axes(svg::Canvas& canvas, const LogScale& across, const LogScale& up) {
  for (int k = across.low; k <= across.high; ++k) {
    const double x = frame_x + across.at(std::pow(10.0, k));
    canvas.line(x, frame_y, x, frame_y + frame_height, svg::hair);
    canvas.text(x, frame_y + frame_height + 18, power_of_ten(k), 12, Anchor::middle);
  }
  for (int k = up.low; k <= up.high; ++k) {
    const double y = frame_y + frame_height - up.at(std::pow(10.0, k));
    canvas.line(frame_x, y, frame_x + frame_width, y, svg::hair);
    canvas.text(frame_x - 8, y + 4, power_of_ten(k), 12, Anchor::end);
  }
  canvas.rect(frame_x, frame_y, frame_width, frame_height, svg::outline);
  canvas.text(frame_x + frame_width / 2, frame_y + frame_height + 40, "MACs per off-chip byte", 13,
              Anchor::middle);
  canvas.upright(24, frame_y + frame_height / 2 + 50, "MACs per cycle", 13);
}

void draw_roofs(svg::Canvas& canvas, const LogScale& across, const LogScale& up,
                const Roofs& roofs) {
  const double flat = frame_y + frame_height - up.at(roofs.macs_per_cycle);
  const double ridge = roofs.macs_per_cycle / roofs.bytes_per_cycle;
  // The slope begins at the left edge of the frame, or at the lower one.
  const double begin =
      std::max(std::pow(10.0, across.low), std::pow(10.0, up.low) / roofs.bytes_per_cycle);
  canvas.line(frame_x + across.at(begin),
              frame_y + frame_height - up.at(begin * roofs.bytes_per_cycle),
              frame_x + across.at(ridge), flat, svg::limit_line);
  canvas.line(frame_x + across.at(ridge), flat, frame_x + frame_width, flat, svg::height_line);
}

void draw_point(svg::Canvas& canvas, const RoofPoint& point, const LogScale& across,
                const LogScale& up) {
  const bool group = point.bound_by.empty();
  const double x = frame_x + (point.bytes > 0 ? across.at(point.intensity()) : frame_width);
  const double y = frame_y + frame_height - up.at(point.rate());
  std::string style = R"(fill="none" stroke="#18181b" stroke-width="1.5")";
  for (const auto& [word, colour] : bound_colours)
    if (word == point.bound_by)
      style = "fill=\"" + std::string(colour) + "\" fill-opacity=\"0.75\"";
  const std::string title = point.name + ": " + four_digits(point.rate()) + " MACs per cycle, " +
                            (point.bytes > 0 ? four_digits(point.intensity()) + " per off-chip byte"
                                             : std::string("no off-chip traffic")) +
                            (group ? "" : ", bound by " + point.bound_by);
  canvas.raw("<circle cx=\"" + svg::number(x) + "\" cy=\"" + svg::number(y) + "\" r=\"" +
             (group ? "8" : "4.5") + "\" " + style + "><title>" + svg::escaped(title) +
             "</title></circle>\n");
}

void draw_legend(svg::Canvas& canvas, const std::vector<RoofPoint>& points, const Roofs& roofs) {
  svg::Legend legend(canvas, frame_x, frame_x + frame_width, 44);
  legend.dash(svg::height_line, four_digits(roofs.macs_per_cycle) + " MACs per cycle");
  legend.dash(svg::limit_line, four_digits(roofs.bytes_per_cycle) + " off-chip bytes per cycle");
  for (const auto& [word, colour] : bound_colours)
    if (std::ranges::find(points, word, &RoofPoint::bound_by) != points.end())
      legend.box("fill=\"" + std::string(colour) + "\"", "bound by " + std::string(word));
  if (std::ranges::any_of(points, [](const RoofPoint& point) { return point.bound_by.empty(); }))
    legend.box(R"(fill="none" stroke="#18181b" stroke-width="1.5")", "group");
}

}  // namespace

std::string roofline_svg(const NetworkPlan& plan, const Roofs& roofs) {
  const std::vector<RoofPoint> points = roof_points(plan);
  const auto [across, up] = roof_scales(points, roofs);
  svg::Canvas canvas(frame_x + frame_width + 56, frame_y + frame_height + 60);
  canvas.text(frame_x, 26, "Roofline of " + plan.network + " on " + plan.profile, 16,
              Anchor::start);
  draw_legend(canvas, points, roofs);
  draw_axes(canvas, across, up);
  draw_roofs(canvas, across, up, roofs);
  for (const RoofPoint& point : points) draw_point(canvas, point, across, up);
  return canvas.finish();
}

}  // namespace tessera::io
