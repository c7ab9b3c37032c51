#include "io/plan_picture/plan_picture.h"

#include <algorithm>
#include <array>
#include <set>

#include "io/plan_picture/layers.h"
#include "io/text.h"

namespace tessera::io {
namespace {

using namespace plan_picture;
using svg::Anchor;
using svg::Canvas;
using svg::Legend;

constexpr double canvas_width = 1280;
constexpr std::size_t most_modes_in_legend = 8;
constexpr double legend_top = 62;

bool is_cut(const PlanChart& chart, const ChartMemory& memory) {
  return memory.space.capacity <= max_address &&
         memory.space.capacity <= svg::shown_top(memory.space, memory.height) && chart.cycles > 0;
}

/// One entry for each colour and line in the picture.
double draw_legend(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y) {
  Legend legend(canvas, frame.left, canvas_width - 16, y);
  std::array<std::array<bool, chart_kinds>, 2> seen{};
  for (const ChartMemory& memory : chart.memories)
    for (const ChartBuffer& box : memory.buffers)
      seen[memory.offchip ? 1 : 0][static_cast<std::size_t>(box.kind)] = true;
  for (std::size_t k = 0; k < chart_kinds; ++k) {
    const auto kind = static_cast<ChartKind>(k);
    if (!seen[0][k] && !seen[1][k]) continue;
    legend.box(
        "fill=\"" + std::string(fill_of(kind)) + "\" stroke=\"#3f3f46\" stroke-width=\"0.5\"",
        words_of(kind, !seen[0][k]));
  }
  const auto any = [&](auto has) {
    return std::any_of(chart.memories.begin(), chart.memories.end(), has);
  };
  if (any([](const ChartMemory& m) { return !m.space.reserved.empty(); }))
    legend.box("fill=\"url(#reserved)\"", "reserved");
  if (any([](const ChartMemory& m) { return m.space.banks.size() > 1; }))
    legend.dash(svg::bank_border, "bank border");
  if (!cuts_of(chart, frame).empty()) legend.dash(cut_line, "cut point");
  if (any([](const ChartMemory& m) { return m.height > 0; }))
    legend.dash(svg::height_line, "highest address in use");
  if (any([&](const ChartMemory& m) { return is_cut(chart, m); }) || chart.traffic.limit > 0)
    legend.dash(svg::limit_line, "limit");
  const auto moved = [](const std::vector<double>& bytes) {
    return std::any_of(bytes.begin(), bytes.end(), [](double b) { return b > 0; });
  };
  if (moved(chart.traffic.read)) legend.box(std::string(read_fill), "DRAM read");
  if (moved(chart.traffic.written)) legend.box(std::string(written_fill), "DRAM write");
  legend.box(std::string(busy_fill), "array busy");
  std::set<std::string> names;
  for (const ChartMemory& memory : chart.memories)
    for (const ChartMode& mode : memory.modes) {
      if (!names.insert(mode.name).second || names.size() > most_modes_in_legend) continue;
      legend.box(
          "fill=\"" + mode_fill(memory, mode.name) + "\" stroke=\"#a1a1aa\" stroke-width=\"0.5\"",
          "mode " + mode.name);
    }
  if (names.size() > most_modes_in_legend)
    legend.words(std::to_string(names.size() - most_modes_in_legend) + " more modes");
  return legend.bottom();
}

}  // namespace

std::string plan_picture_svg(const PlanChart& chart) {
  const Frame frame{.cycles = chart.cycles};
  // The end of the legend is known only after drawing it.
  Canvas trial(canvas_width, 1);
  const double top = draw_legend(trial, chart, frame, legend_top) + 14;
  double height =
      top + ops_height(chart, frame) + traffic_height + utilisation_height + time_height;
  for (const ChartMemory& memory : chart.memories) height += memory_height(chart, memory);
  const bool stretched = std::any_of(chart.runs.begin(), chart.runs.end(),
                                     [](const ChartRun& run) { return run.shown < run.tiles; });
  if (stretched) height += 18;

  Canvas canvas(canvas_width, height);
  canvas.text(frame.left, 26, svg::cut(chart.title, canvas_width - frame.left - 20, 18), 18,
              Anchor::start, "fill=\"#18181b\" font-weight=\"bold\"");
  canvas.text(frame.left, 47, svg::cut(chart.summary, canvas_width - frame.left - 10, 12), 12,
              Anchor::start);
  static_cast<void>(draw_legend(canvas, chart, frame, legend_top));
  double y = draw_ops(canvas, chart, frame, top);
  for (const ChartMemory& memory : chart.memories) y = draw_memory(canvas, chart, memory, frame, y);
  y = draw_traffic(canvas, chart, frame, y);
  y = draw_utilisation(canvas, chart, frame, y);
  y = draw_time(canvas, chart, frame, y);
  if (stretched)
    canvas.text(frame.left, y + 4,
                "A group with too many tiles to draw shows one tile (two with double buffering), "
                "stretched over the time of the group; bus traffic is as simulated.",
                11, Anchor::start, svg::quiet);
  return canvas.finish();
}

}  // namespace tessera::io
