#include "io/plan_svg.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "io/svg_parts.h"

namespace tessera {
namespace {

using svg::Anchor;
using svg::Canvas;

constexpr double width = 1200;
constexpr double left = 96;
constexpr double right = 24;
constexpr double plot_width = width - left - right;

std::string short_number(double value) {
  static constexpr std::array<const char*, 5> units{"", " k", " M", " G", " T"};
  std::size_t k = 0;
  while (value >= 1000 && k + 1 < units.size()) {
    value /= 1000;
    ++k;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), value < 100 && k > 0 ? "%.1f%s" : "%.0f%s", value,
                units[k]);
  return text.data();
}

/// 1, 2 or 5 times a power of ten, so that at most ten of them are needed.
double round_step(double total) {
  double step = 1;
  for (;;) {
    for (const double factor : {1.0, 2.0, 5.0})
      if (total <= 10 * factor * step) return factor * step;
    step *= 10;
  }
}

std::string kib(Size bytes) {
  std::array<char, 40> text{};
  if (bytes < 1024 * 1024)
    std::snprintf(text.data(), text.size(), "%.0f KiB", static_cast<double>(bytes) / 1024);
  else
    std::snprintf(text.data(), text.size(), "%.1f MiB", static_cast<double>(bytes) / 1048576);
  return text.data();
}

/// Neighbours differ, nothing shouts.
const char* color_of(std::size_t index) {
  static constexpr std::array<const char*, 8> colors{"#4e79a7", "#f2a65a", "#76b7b2", "#d37295",
                                                     "#59a14f", "#b6992d", "#9d7660", "#8f7ab8"};
  return colors[index % colors.size()];
}

constexpr std::string_view faint = "fill=\"#666\"";
constexpr std::string_view grid = "stroke=\"#ddd\"";
constexpr std::string_view limit_line = "stroke=\"#c0392b\" stroke-dasharray=\"5 3\"";
constexpr std::string_view on_block = "fill=\"#fff\" font-weight=\"bold\"";

std::string fill(std::size_t index) {
  return std::string("fill=\"") + color_of(index) + "\"";
}

void axis_label(Canvas& canvas, double y, std::string_view text) {
  canvas.text(left - 8, y, text, 12, Anchor::end, faint);
}

std::string tooltip(const PlannedSubgraph& s, std::size_t index) {
  std::string text = "subgraph " + std::to_string(index) + ": " + s.names.front();
  if (s.names.size() > 1) text += " .. " + s.names.back();
  return text + "\n" + std::to_string(s.ops.size()) + " ops, " + std::to_string(s.tile_count()) +
         " tiles\n" + std::to_string(s.metrics.latency_cycles) + " cycles, " +
         std::to_string(s.metrics.dram_bytes) + " DRAM bytes, peak " +
         std::to_string(s.metrics.peak_bytes) + " bytes";
}

/// Left edge and width of each subgraph on the time axis.
std::vector<std::pair<double, double>> spans_of(const NetworkPlan& plan) {
  const auto total = static_cast<double>(std::max<std::int64_t>(1, plan.totals.latency_cycles));
  std::vector<std::pair<double, double>> spans;
  double x = left;
  for (const PlannedSubgraph& s : plan.subgraphs) {
    const double w = plot_width * static_cast<double>(s.metrics.latency_cycles) / total;
    spans.emplace_back(x, w);
    x += w;
  }
  return spans;
}

Size capacity_of(const NetworkPlan& plan) {
  Size capacity = 0;
  if (plan.subgraphs.empty()) return capacity;
  for (const Memory& memory : plan.subgraphs.front().placements.front().problem.memories)
    if (memory.capacity != unbounded) capacity += memory.capacity;
  return capacity;
}

/// One bar per subgraph, `value` against `most`, with a dashed line at `limit` if there is one.
template <typename Value>
void bars(Canvas& canvas, const NetworkPlan& plan, double y, double height,
          const std::string& label, double most, double limit, const Value& value,
          const std::string& top) {
  axis_label(canvas, y + 12, label);
  axis_label(canvas, y + 28, top);
  canvas.line(left, y + height, left + plot_width, y + height, grid);
  const auto spans = spans_of(plan);
  for (std::size_t k = 0; k < plan.subgraphs.size(); ++k) {
    const double h = most > 0 ? height * value(plan.subgraphs[k]) / most : 0;
    canvas.rect(spans[k].first, y + height - h, std::max(0.5, spans[k].second - 0.5), h, fill(k),
                tooltip(plan.subgraphs[k], k));
  }
  if (limit > 0 && limit <= most) {
    const double at = y + height - height * limit / most;
    canvas.line(left, at, left + plot_width, at, limit_line);
  }
}

}  // namespace

std::string plan_svg(const NetworkPlan& plan) {
  Canvas canvas(width, 584);
  canvas.text(left, 30, plan.network + " on " + plan.profile, 18, Anchor::start,
              "font-weight=\"bold\"");
  canvas.text(left, 52,
              std::to_string(plan.subgraphs.size()) +
                  (plan.subgraphs.size() == 1 ? " subgraph, score " : " subgraphs, score ") +
                  svg::number(plan.score) + " of layer by layer" +
                  (plan.optimal ? ", proved best" : "") + "; latency " +
                  short_number(static_cast<double>(plan.totals.latency_cycles)) +
                  " cycles, DRAM traffic " + kib(plan.totals.dram_bytes) + ", peak " +
                  kib(plan.totals.peak_bytes),
              12, Anchor::start);
  const auto spans = spans_of(plan);
  double y = 76;
  axis_label(canvas, y + 26, "subgraphs");
  for (std::size_t k = 0; k < plan.subgraphs.size(); ++k) {
    const PlannedSubgraph& s = plan.subgraphs[k];
    canvas.rect(spans[k].first, y, std::max(0.5, spans[k].second - 0.5), 44, fill(k),
                tooltip(s, k));
    // The number leads to the row of the table; what else there is room for stands below it.
    const double middle = spans[k].first + spans[k].second / 2;
    const std::string number = "#" + std::to_string(k);
    const std::string ops = std::to_string(s.ops.size()) + (s.ops.size() == 1 ? " op" : " ops");
    const std::string tiles =
        s.tile_count() == 1 ? "1 tile" : std::to_string(s.tile_count()) + " tiles";
    const auto fits = [&](const std::string& text) {
      return svg::text_width(text, 11) + 6 < spans[k].second;
    };
    if (!fits(number)) continue;
    const bool all = fits(ops) && fits(tiles);
    canvas.text(middle, y + (all ? 14 : 26), number, 11, Anchor::middle, on_block);
    if (!all) continue;
    canvas.text(middle, y + 27, ops, 11, Anchor::middle, on_block);
    canvas.text(middle, y + 40, tiles, 11, Anchor::middle, on_block);
  }
  y += 64;
  const auto capacity = static_cast<double>(capacity_of(plan));
  const double most_memory = std::max(capacity, static_cast<double>(plan.totals.peak_bytes)) * 1.02;
  bars(
      canvas, plan, y, 150, "memory", most_memory, capacity,
      [](const PlannedSubgraph& s) { return static_cast<double>(s.metrics.peak_bytes); },
      kib(static_cast<Size>(capacity)));
  y += 174;
  double most_traffic = 0;
  for (const PlannedSubgraph& s : plan.subgraphs)
    most_traffic = std::max(most_traffic, s.metrics.peak_bandwidth);
  bars(
      canvas, plan, y, 110, "DRAM", most_traffic, 0,
      [](const PlannedSubgraph& s) { return s.metrics.peak_bandwidth; },
      svg::number(most_traffic) + " B/cycle");
  y += 134;
  bars(
      canvas, plan, y, 80, "MACs busy", 1, 0,
      [](const PlannedSubgraph& s) { return s.utilisation; }, "100 %");
  y += 80;
  const double cycles = std::max(1.0, static_cast<double>(plan.totals.latency_cycles));
  const double step = round_step(cycles);
  for (double at = 0; at <= cycles; at += step) {
    const double x = left + plot_width * at / cycles;
    canvas.line(x, y, x, y + 6, grid);
    canvas.text(x, y + 20, short_number(at), 12, Anchor::middle, faint);
  }
  canvas.text(left + plot_width / 2, y + 40, "cycles", 12, Anchor::middle, faint);
  return canvas.finish();
}

}  // namespace tessera
