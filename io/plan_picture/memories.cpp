// The memory lanes of a plan's picture: addresses over time.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "io/plan_picture/layers.h"
#include "io/units.h"
#include "model/hex_text.h"
#include "model/op_labels.h"

namespace tessera::io::plan_picture {

using svg::Anchor;
using svg::Canvas;
using svg::Panel;

namespace {

constexpr double title = 20;
constexpr double strip = 16;  ///< height of the strip of modes
constexpr double below = 26;
constexpr std::size_t most_boxes = 6000;  ///< drawn one by one, of one memory
constexpr double narrow = 0.5;            ///< narrower items may be merged

double plot_height(const PlanChart& chart, const ChartMemory& memory) {
  if (memory.offchip) return 190;
  const auto on_chip = std::count_if(chart.memories.begin(), chart.memories.end(),
                                     [](const ChartMemory& m) { return !m.offchip; });
  return on_chip == 1 ? 320 : on_chip == 2 ? 230 : 170;
}

std::string style_of(ChartKind kind, bool outlined, bool offchip) {
  std::string style = "fill=\"" + std::string(fill_of(kind)) + "\"";
  // Off-chip lifetimes may overlap: tensors are freed tile by tile.
  if (offchip) style += " fill-opacity=\"0.8\"";
  if (outlined) style += " stroke=\"#3f3f46\" stroke-width=\"0.5\"";
  return style;
}

void draw_box(Canvas& canvas, const Panel& panel, const ChartMemory& memory,
              const ChartBuffer& box) {
  const double x = panel.across(box.begin);
  if (box.bytes.end <= panel.bottom || box.bytes.begin >= panel.top) return;
  double y = panel.up(std::min(box.bytes.end, panel.top));
  const double width = std::max(0.5, panel.across(box.end) - x);
  // A few bytes of a large memory must be visible if there are few buffers.
  const double least = memory.buffers.size() < 300 ? 2.0 : 0.5;
  const double height = std::max(least, panel.up(std::max(box.bytes.begin, panel.bottom)) - y);
  y = std::min(y, panel.y + panel.height - height);
  const Offset base = memory.space.base;
  std::string about = box.name + ", " + std::string(words_of(box.kind, memory.offchip)) + "\n" +
                      format_size(box.bytes.size()) + " at " + std::to_string(box.bytes.begin);
  if (base != 0) about += " = " + hex_text(base + box.bytes.begin);
  about += "\ncycles " + std::to_string(std::llround(box.begin)) + " to " +
           std::to_string(std::llround(box.end));
  canvas.rect(x, y, width, height, style_of(box.kind, width > 2.5 && height > 2.5, memory.offchip),
              about);
  if (height < 10 || width < 40) return;
  const auto room = static_cast<std::size_t>((width - 6) / svg::text_width("n", 9.5));
  std::string name = without_repeats(box.name);
  // A suffix that PyTorch's export adds to op names; it carries no information.
  constexpr std::string_view added = "_output_0";
  if (const std::size_t at = name.rfind(added); at != name.npos && at > 0)
    name.erase(at, added.size());
  if (room >= std::min<std::size_t>(8, name.size()))
    canvas.text(x + width / 2, y + height / 2 + 3.3, shortened(name, room), 9.5, Anchor::middle);
}

/// Merges items narrower than half a pixel, per half pixel: draws the addresses that each kind
/// occupies there.
void draw_merged(Canvas& canvas, const Panel& panel, const ChartMemory& memory,
                 const std::vector<const ChartBuffer*>& boxes) {
  std::map<std::pair<std::int64_t, ChartKind>, std::vector<AddressRange>> cells;
  for (const ChartBuffer* box : boxes)
    cells[{static_cast<std::int64_t>(panel.across(box->begin) / narrow), box->kind}].push_back(
        box->bytes);
  // An address takes at least about a third of a pixel.
  const auto grain = static_cast<Offset>(static_cast<double>(panel.top) / panel.height / 3);
  for (auto& [cell, ranges] : cells) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<AddressRange> joined;
    for (const AddressRange& range : ranges) {
      if (!joined.empty() && range.begin <= joined.back().end + grain)
        joined.back().end = std::max(joined.back().end, range.end);
      else
        joined.push_back(range);
    }
    for (const AddressRange& range : joined)
      canvas.rect(static_cast<double>(cell.first) * narrow, panel.up(range.end), narrow,
                  std::max(0.5, panel.up(range.begin) - panel.up(range.end)),
                  style_of(cell.second, false, memory.offchip));
  }
}

/// Off-chip weights are one buffer that is always live, often ten times as large as all others. In
/// this case the panel shows the addresses of the rest and the edge of the weights.
bool zoom_in(Panel& panel, const ChartMemory& memory) {
  Offset low = max_address;
  Offset high = 0;
  for (const ChartBuffer& box : memory.buffers) {
    if (box.kind == ChartKind::weights) continue;
    low = std::min(low, box.bytes.begin);
    high = std::max(high, box.bytes.end);
  }
  if (high <= low || high - low > memory.height * 6 / 10) return false;
  const Size more = std::max<Size>(1, (high - low) / 8);
  panel.bottom = std::max<Offset>(0, low - more);
  panel.top = std::min(panel.top, high + more);
  return true;
}

void draw_modes(Canvas& canvas, const Frame& frame, const ChartMemory& memory, double y) {
  canvas.text(frame.left - 6, y + 11, "mode", 10, Anchor::end, svg::quiet);
  each_seen(frame, memory.modes, [&](const ChartMode& mode, double x, double width) {
    canvas.rect(x, y, std::max(least_seen, width), strip - 2,
                "fill=\"" + mode_fill(memory, mode.name) +
                    (width > 3 ? "\" stroke=\"#a1a1aa\" stroke-width=\"0.5\"" : "\""),
                "mode " + mode.name);
    if (svg::text_width(mode.name, 9) + 4 < width)
      canvas.text(x + width / 2, y + 10.5, mode.name, 9, Anchor::middle);
  });
}

}  // namespace

std::string_view fill_of(ChartKind kind) {
  switch (kind) {
    case ChartKind::weights:
      return "#edb95a";
    case ChartKind::input:
      return "#7fb5e6";
    case ChartKind::output:
      return "#7cc48d";
    case ChartKind::intermediate:
      return "#cfd2da";
    case ChartKind::kept:
      return "#c99ad9";
    case ChartKind::halo:
      return "#ef9a80";
    case ChartKind::copy:
      return "#d9cba0";
    case ChartKind::between:
      return "#6fbfb8";
  }
  return "#cfd2da";
}

std::string_view words_of(ChartKind kind, bool offchip) {
  switch (kind) {
    case ChartKind::weights:
      return "weights";
    case ChartKind::input:
      return offchip ? "input of the network" : "input";
    case ChartKind::output:
      return offchip ? "output of the network" : "output";
    case ChartKind::intermediate:
      return "intermediate of one group";
    case ChartKind::kept:
      return "resident across groups";
    case ChartKind::halo:
      return "halo reused between tiles";
    case ChartKind::copy:
      return "copy for another engine";
    case ChartKind::between:
      return "off-chip until later groups";
  }
  return "";
}

std::string mode_fill(const ChartMemory& memory, const std::string& mode) {
  std::vector<std::string> names;
  for (const Mode& each : memory.space.modes) names.push_back(each.name);
  for (const ChartMode& each : memory.modes)
    if (std::find(names.begin(), names.end(), each.name) == names.end()) names.push_back(each.name);
  const auto at = static_cast<double>(std::find(names.begin(), names.end(), mode) - names.begin());
  return svg::colour(std::fmod(0.08 + 0.27 * at, 1.0), 0.45, 0.87);
}

double memory_height(const PlanChart& chart, const ChartMemory& memory) {
  return title + plot_height(chart, memory) + below + (memory.modes.empty() ? 0 : strip);
}

double draw_memory(Canvas& canvas, const PlanChart& chart, const ChartMemory& memory,
                   const Frame& frame, double y) {
  const double height = plot_height(chart, memory);
  std::string words = svg::height_words(memory.space, memory.height);
  if (memory.offchip) words = "off-chip, " + words + "; placed tile by tile";
  if (memory.space.banks.size() > 1)
    words += ", " + std::to_string(memory.space.banks.size()) + " banks";
  if (memory.space.base != 0) words += ", addresses from " + hex_text(memory.space.base);
  Panel panel{.x = frame.left,
              .y = y + title,
              .width = frame.width,
              .height = height,
              .span = frame.cycles,
              .top = svg::shown_top(memory.space, memory.height)};
  if (memory.offchip && zoom_in(panel, memory)) words += "; weights are clipped";
  canvas.text(frame.left, y + 12, memory.space.name, 13, Anchor::start,
              "fill=\"#18181b\" font-weight=\"bold\"");
  canvas.text(frame.left + 1.2 * svg::text_width(memory.space.name, 13) + 14, y + 12, words, 11,
              Anchor::start, svg::quiet);
  svg::draw_ground(canvas, panel, memory.space);
  // Long lifetimes are drawn below shorter ones, in case they overlap in the picture.
  std::vector<const ChartBuffer*> order;
  for (const ChartBuffer& box : memory.buffers) order.push_back(&box);
  std::stable_sort(order.begin(), order.end(), [](const ChartBuffer* a, const ChartBuffer* b) {
    return a->end - a->begin > b->end - b->begin;
  });
  std::vector<const ChartBuffer*> together;
  const bool many = order.size() > most_boxes / 2;
  std::size_t drawn = 0;
  for (const ChartBuffer* box : order) {
    const bool wide = frame.width * (box->end - box->begin) / frame.cycles >= narrow;
    if (many && (!wide || drawn >= most_boxes))
      together.push_back(box);
    else
      draw_box(canvas, panel, memory, *box);
    ++drawn;
  }
  draw_merged(canvas, panel, memory, together);
  draw_cuts(canvas, chart, frame, panel.y, panel.height);
  svg::draw_boundaries(canvas, panel, memory.space);
  svg::draw_level(canvas, panel, memory.space.capacity, svg::limit_line);
  if (memory.height != memory.space.capacity)
    svg::draw_level(canvas, panel, memory.height, svg::height_line);
  y += title + height;
  if (!memory.modes.empty()) {
    draw_modes(canvas, frame, memory, y + 3);
    y += strip;
  }
  return y + below;
}

}  // namespace tessera::io::plan_picture
