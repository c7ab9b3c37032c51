#include "io/order_picture.h"

#include <algorithm>

#include "io/svg_panel.h"

namespace tessera::io {
namespace {

constexpr double order_width = 800;
constexpr double order_left = 84;
constexpr double panel_height = 160;
constexpr double panel_pitch = 220;
constexpr double order_header = 60;

void draw_curve(svg::Canvas& canvas, const svg::Panel& panel, const std::vector<Size>& live) {
  canvas.rect(panel.x, panel.y, panel.width, panel.height, svg::ground);
  for (const std::int64_t tick : svg::ticks(panel.top, 4, true)) {
    canvas.line(panel.x, panel.up(tick), panel.x + panel.width, panel.up(tick), svg::hair);
    canvas.text(panel.x - 6, panel.up(tick) + 4, std::to_string(tick), 11, svg::Anchor::end,
                svg::quiet);
  }
  std::string points = svg::number(panel.x) + "," + svg::number(panel.up(0));
  for (std::size_t k = 0; k < live.size(); ++k)
    for (const double time : {static_cast<double>(k), static_cast<double>(k + 1)})
      points += " " + svg::number(panel.across(time)) + "," + svg::number(panel.up(live[k]));
  points += " " + svg::number(panel.x + panel.width) + "," + svg::number(panel.up(0));
  canvas.polygon(points, "fill=\"#93c5fd\" stroke=\"#1d4ed8\" stroke-width=\"0.8\"");
  canvas.rect(panel.x, panel.y, panel.width, panel.height, svg::outline);
}

}  // namespace

std::string order_svg(const LiveCurves& curves, const std::string& title) {
  Size top = 1;
  std::size_t steps = 1;
  for (const auto& [name, live] : curves) {
    steps = std::max(steps, live.size());
    for (const Size bytes : live) top = std::max(top, bytes);
  }
  svg::Canvas canvas(order_width, order_header + panel_pitch * static_cast<double>(curves.size()));
  canvas.text(order_left, 22, title.empty() ? "live bytes" : title, 16, svg::Anchor::start,
              "font-weight=\"bold\"");
  double y = order_header;
  for (const auto& [name, live] : curves) {
    const Size peak = live.empty() ? 0 : *std::ranges::max_element(live);
    const svg::Panel panel{.x = order_left,
                           .y = y,
                           .width = order_width - order_left - 24,
                           .height = panel_height,
                           .span = static_cast<double>(steps),
                           .top = top + top / 20 + 1};
    canvas.text(order_left, y - 8, name + ": peak of " + std::to_string(peak) + " live bytes", 13,
                svg::Anchor::start);
    draw_curve(canvas, panel, live);
    svg::draw_level(canvas, panel, peak, svg::height_line);
    canvas.text(panel.x + panel.width, y + panel_height + 16, std::to_string(steps) + " ops", 11,
                svg::Anchor::end, svg::quiet);
    y += panel_pitch;
  }
  return canvas.finish();
}

}  // namespace tessera::io
