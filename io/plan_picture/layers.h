// The parts of a plan's picture, one function each. Private to io/plan_picture/.
//
//   y = draw_ops(canvas, chart, frame, y);          // returns where the next part may begin
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/plan_picture/plan_chart.h"
#include "io/svg_panel.h"

namespace tessera::io::plan_picture {

/// Position of the plot on the canvas.
struct Frame {
  double left = 96;
  double width = 1104;
  double cycles = 1;
  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double across(double cycle) const { return left + width * (cycle / cycles); }
};

/// Minimum width of a drawn item.
inline constexpr double least_seen = 0.4;

/// Calls draw(each, x, width) for items of a row over time, except for items too narrow to be
/// distinguished from the one before.
template <typename Row, typename Draw>
void each_seen(const Frame& frame, const Row& row, const Draw& draw) {
  double last = -1;
  for (const auto& each : row) {
    const double x = frame.across(each.begin);
    const double width = frame.across(each.end) - x;
    if (width < least_seen && x - last < least_seen) continue;
    last = x;
    draw(each, x, width);
  }
}

[[nodiscard]] std::string_view fill_of(ChartKind kind);
/// Legend text, on-chip or off-chip.
[[nodiscard]] std::string_view words_of(ChartKind kind, bool offchip);

/// "1.2 M".
[[nodiscard]] std::string short_number(double value);

/// The groups of ops, and below them the names of the ops as space permits.
[[nodiscard]] double draw_ops(svg::Canvas& canvas, const PlanChart& chart, const Frame& frame,
                              double y);
[[nodiscard]] double ops_height(const PlanChart& chart, const Frame& frame);

[[nodiscard]] double draw_memory(svg::Canvas& canvas, const PlanChart& chart,
                                 const ChartMemory& memory, const Frame& frame, double y);
[[nodiscard]] double memory_height(const PlanChart& chart, const ChartMemory& memory);
/// Cycles of the boundaries between groups, except between groups too narrow to be distinguished.
[[nodiscard]] std::vector<double> cuts_of(const PlanChart& chart, const Frame& frame);
/// Draws these boundaries over one plot.
void draw_cuts(svg::Canvas& canvas, const PlanChart& chart, const Frame& frame, double y,
               double height);
[[nodiscard]] std::string mode_fill(const ChartMemory& memory, const std::string& mode);

[[nodiscard]] double draw_traffic(svg::Canvas& canvas, const PlanChart& chart, const Frame& frame,
                                  double y);
[[nodiscard]] double draw_utilisation(svg::Canvas& canvas, const PlanChart& chart,
                                      const Frame& frame, double y);
[[nodiscard]] double draw_time(svg::Canvas& canvas, const PlanChart& chart, const Frame& frame,
                               double y);
inline constexpr double traffic_height = 158;
inline constexpr double utilisation_height = 92;
inline constexpr double time_height = 58;

inline constexpr std::string_view read_fill = "fill=\"#5b9bd5\"";
inline constexpr std::string_view written_fill = "fill=\"#63b077\"";
inline constexpr std::string_view busy_fill = "fill=\"#a8a29e\"";
inline constexpr std::string_view cut_line =
    "stroke=\"#18181b\" stroke-opacity=\"0.5\" stroke-width=\"0.8\"";

}  // namespace tessera::io::plan_picture
