#include "io/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "io/svg_parts.h"
#include "io/text.h"
#include "io/units.h"
#include "model/derived.h"
#include "model/hex_text.h"
#include "tessera/check.h"

namespace tessera {
namespace {

using svg::Anchor;
using svg::Canvas;

constexpr double left = 84;
constexpr double right = 64;
constexpr double header = 46;
constexpr double panel_title = 26;
constexpr double axis = 34;   // below a panel: time ticks and their label
constexpr double strip = 18;  // the modes of the steps
constexpr double between = 14;
constexpr double legend_row = 22;
constexpr std::size_t most_tooltips = 20000;
constexpr std::string_view bank_border =
    "stroke=\"#4f46e5\" stroke-width=\"0.8\" stroke-opacity=\"0.55\"";
constexpr std::string_view quiet = "fill=\"#71717a\"";

/// One memory: where its addresses and steps are on the canvas.
struct Panel {
  MemoryIndex memory = 0;
  double x = 0, y = 0, width = 0, height = 0;
  double steps = 1;  ///< across
  Size top = 1;      ///< the highest address shown

  [[nodiscard]] double across(Step step) const {
    return x + width * (static_cast<double>(step) / steps);
  }
  [[nodiscard]] double up(Offset address) const {
    return y + height * (1 - static_cast<double>(address) / static_cast<double>(top));
  }
};

class Drawing {
 public:
  Drawing(const PlacementProblem& problem, const Placement& placement, const SvgOptions& options)
      : problem_(problem),
        placement_(placement),
        options_(options),
        heights_(heights(problem, placement)),
        steps_(std::max<Step>(1, horizon(problem))),
        canvas_(options.width, layout()) {}

  std::string draw() {
    const std::string& title = options_.title.empty() ? problem_.name : options_.title;
    canvas_.text(left, 22, title.empty() ? "placement" : cut(title, options_.width - left, 17), 16,
                 Anchor::start, "fill=\"#18181b\" font-weight=\"bold\"");
    canvas_.text(left, 38,
                 std::to_string(problem_.buffers.size()) + " buffers over " +
                     std::to_string(horizon(problem_)) + " steps",
                 11, Anchor::start, quiet);
    for (const Panel& panel : panels_) draw_panel(panel);
    draw_legend();
    return canvas_.finish();
  }

 private:
  /// Fills panels_; returns the height of the whole picture.
  double layout() {
    const std::size_t count = problem_.memories.size();
    const double one = options_.height > 0 ? options_.height
                       : count == 1        ? 560
                       : count == 2        ? 340
                                           : 240;
    double y = header;
    for (MemoryIndex m = 0; m < count; ++m) {
      Panel panel;
      panel.memory = m;
      panel.x = left;
      panel.y = y + panel_title;
      panel.width = std::max(100.0, options_.width - left - right);
      panel.height = one;
      panel.steps = static_cast<double>(steps_);
      panel.top = shown_top(m);
      panels_.push_back(panel);
      y = panel.y + one + axis + (has_modes(problem_.memories[m]) ? strip + 4 : 0) + between;
    }
    legend_y_ = y + 4;
    return legend_y_ + legend_row + 8;
  }

  /// All of the capacity, unless that would leave what is used a thin line at the bottom.
  [[nodiscard]] Size shown_top(MemoryIndex m) const {
    const Memory& memory = problem_.memories[m];
    Size used = heights_[m];
    for (const AddressRange& range : memory.reserved) used = std::max(used, range.end);
    if (memory.capacity <= max_address && memory.capacity / 4 <= used) {
      return std::max({memory.capacity, used, Size{1}});
    }
    if (memory.capacity <= max_address && used == 0) return memory.capacity;
    return std::max<Size>(1, used + used / 20);
  }

  void draw_panel(const Panel& panel) {
    const Memory& memory = problem_.memories[panel.memory];
    draw_caption(panel, memory);
    canvas_.rect(panel.x, panel.y, panel.width, panel.height, "fill=\"#fafafa\"");
    draw_banks(panel, memory);
    draw_grid(panel, memory);
    for (const AddressRange& range : memory.reserved) {
      const double y = panel.up(std::min(range.end, panel.top));
      canvas_.rect(panel.x, y, panel.width, panel.up(range.begin) - y, "fill=\"url(#reserved)\"",
                   "reserved " + bytes(range));
    }
    draw_buffers(panel);
    draw_bank_borders(panel, memory);
    draw_level(panel, memory.capacity, "#dc2626");
    draw_level(panel, heights_[panel.memory], "#2563eb");
    canvas_.rect(panel.x, panel.y, panel.width, panel.height,
                 "fill=\"none\" stroke=\"#52525b\" stroke-width=\"1\"");
    if (has_modes(memory)) draw_modes(panel, memory);
  }

  void draw_caption(const Panel& panel, const Memory& memory) {
    canvas_.text(panel.x, panel.y - 8, memory.name, 13, Anchor::start,
                 "fill=\"#18181b\" font-weight=\"bold\"");
    const Size height = heights_[panel.memory];
    const auto here =
        std::count_if(placement_.places.begin(), placement_.places.end(),
                      [&](const BufferPlace& place) { return place.memory == panel.memory; });
    std::string words = std::to_string(here) + " buffers, height " + format_size(height);
    if (const std::string about = rounded_size(height); !about.empty()) words += " (" + about + ")";
    if (memory.capacity <= max_address) {
      const double part = static_cast<double>(height) / static_cast<double>(memory.capacity);
      words += " of " + format_size(memory.capacity) + ", " + svg::number(part * 100) + " %";
    }
    canvas_.text(panel.x + 1.2 * svg::text_width(memory.name, 13) + 14, panel.y - 8, words, 11,
                 Anchor::start, quiet);
  }

  /// "1.41 GiB" for sizes that are a long number without a unit; else nothing.
  [[nodiscard]] static std::string rounded_size(Size size) {
    constexpr std::array<std::string_view, 4> names{"KiB", "MiB", "GiB", "TiB"};
    if (size < 10240 || size % 1024 == 0) return {};
    auto value = static_cast<double>(size) / 1024;
    std::size_t k = 0;
    for (; value >= 1024 && k + 1 < names.size(); ++k) value /= 1024;
    return svg::number(value) + ' ' + std::string(names[k]);
  }

  void draw_banks(const Panel& panel, const Memory& memory) {
    Offset begin = 0;
    double last_label = panel.y + panel.height + 100;
    for (std::size_t k = 0; k < memory.banks.size(); ++k) {
      const Offset end = begin + memory.banks[k].size;
      if (begin >= panel.top) break;
      const double top = panel.up(std::min(end, panel.top));
      const double bottom = panel.up(begin);
      if (k % 2 == 1) {
        canvas_.rect(panel.x, top, panel.width, bottom - top, "fill=\"#eef2ff\"");
      }
      const double middle = (top + bottom) / 2 + 3;
      if (last_label - middle >= 11) {
        canvas_.text(panel.x + panel.width + 5, middle, cut(memory.banks[k].name, right - 8, 10),
                     10, Anchor::start, "fill=\"#4f46e5\"");
        last_label = middle;
      }
      begin = end;
    }
  }

  /// Over the buffers: which of them cross a border has to be seen.
  void draw_bank_borders(const Panel& panel, const Memory& memory) {
    Offset begin = 0;
    for (const Bank& bank : memory.banks) {
      if (begin > 0 && begin < panel.top) {
        const double y = panel.up(begin);
        canvas_.line(panel.x, y, panel.x + panel.width, y, bank_border);
      }
      begin += bank.size;
    }
  }

  void draw_grid(const Panel& panel, const Memory& memory) {
    constexpr std::string_view hair = "stroke=\"#d4d4d8\" stroke-width=\"0.5\"";
    for (const Offset address : svg::ticks(panel.top, 8, true)) {
      const double y = panel.up(address);
      if (memory.banks.empty()) canvas_.line(panel.x, y, panel.x + panel.width, y, hair);
      canvas_.text(panel.x - 6, y + 3.5,
                   memory.base == 0 ? format_size(address) : hex_text(memory.base + address), 10,
                   Anchor::end, quiet);
    }
    const double bottom = panel.y + panel.height + modes_height(memory);
    for (const Step step : svg::ticks(steps_, 12, false)) {
      const double x = panel.across(step);
      canvas_.line(x, panel.y, x, panel.y + panel.height, hair);
      canvas_.text(x, bottom + 14, std::to_string(step), 10, Anchor::middle, quiet);
    }
    canvas_.text(panel.x + panel.width / 2, bottom + 28, "step", 10, Anchor::middle, quiet);
  }

  [[nodiscard]] static double modes_height(const Memory& memory) {
    return has_modes(memory) ? strip + 4 : 0;
  }

  void draw_buffers(const Panel& panel) {
    // Large ones first, so that where a wrong placement overlaps the small ones are still seen.
    std::vector<BufferIndex> order(problem_.buffers.size());
    std::iota(order.begin(), order.end(), BufferIndex{0});
    std::stable_sort(order.begin(), order.end(), [&](BufferIndex a, BufferIndex b) {
      return problem_.buffers[a].size > problem_.buffers[b].size;
    });
    for (const BufferIndex b : order) {
      if (placement_.places[b].memory == panel.memory) draw_buffer(panel, b);
    }
  }

  /// " = 0x20000010" where the memory has a base.
  [[nodiscard]] std::string address_of(BufferIndex b) const {
    const BufferPlace& place = placement_.places[b];
    const Offset base = problem_.memories[place.memory].base;
    // A placement that is wrong is drawn as well.
    return base == 0 || place.offset < 0 ? "" : " = " + hex_text(base + place.offset);
  }

  void draw_buffer(const Panel& panel, BufferIndex b) {
    const Buffer& buffer = problem_.buffers[b];
    const Offset offset = placement_.places[b].offset;
    const std::string fill = svg::buffer_colour(b);
    const bool weight = buffer.kind == BufferKind::weight;
    const std::vector<Segment> parts = segments(buffer);
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
      if (parts[k].steps.upper >= parts[k + 1].steps.lower) continue;
      const double y = (panel.up(offset) + panel.up(offset + buffer.size)) / 2;
      canvas_.line(panel.across(parts[k].steps.upper), y, panel.across(parts[k + 1].steps.lower), y,
                   "stroke=\"#52525b\" stroke-width=\"0.8\" stroke-dasharray=\"2 2\"");
    }
    const bool tooltips = problem_.buffers.size() <= most_tooltips;
    const std::string title = tooltips ? buffer.id + ": size " + format_size(buffer.size) + " at " +
                                             std::to_string(offset) + address_of(b) +
                                             (weight ? ", weight" : "")
                                       : std::string();
    const Segment* widest = nullptr;
    double most = 0;
    for (const Segment& part : parts) {
      const AddressRange bytes = part.range.at(offset);
      const double x = panel.across(part.steps.lower);
      const double y = panel.up(bytes.end);
      const double width = std::max(0.6, panel.across(part.steps.upper) - x);
      const double height = std::max(0.6, panel.up(bytes.begin) - y);
      std::string style = "fill=\"" + fill + "\"";
      if (width > 2.5 && height > 2.5) {
        style += weight ? " stroke=\"#18181b\" stroke-width=\"1.2\" stroke-dasharray=\"5 2\""
                        : " stroke=\"#3f3f46\" stroke-width=\"0.5\"";
      }
      if (tooltips) {
        canvas_.rect(x, y, width, height, style, title);
      } else {
        canvas_.rect(x, y, width, height, style);
      }
      if (height >= 11 && width > most) {
        most = width;
        widest = &part;
      }
    }
    if (widest != nullptr) label(panel, buffer, *widest, offset, most);
  }

  /// The id, and the size where there is room for a second line; only what fits.
  void label(const Panel& panel, const Buffer& buffer, const Segment& part, Offset offset,
             double width) {
    const AddressRange bytes = part.range.at(offset);
    const double height = panel.up(bytes.begin) - panel.up(bytes.end);
    constexpr double smallest = 8;
    const double fits = (width - 6) / std::max(1.0, svg::text_width(buffer.id, 1));
    if (fits < smallest) return;
    const double size = std::min(fits, std::clamp(height * 0.6, smallest, 12.0));
    const double x = (panel.across(part.steps.lower) + panel.across(part.steps.upper)) / 2;
    const double y = (panel.up(bytes.begin) + panel.up(bytes.end)) / 2;
    const std::string amount = format_size(buffer.size);
    const bool two = height >= 30 && svg::text_width(amount, 9) <= width - 4;
    canvas_.text(x, y + size * 0.35 - (two ? 6 : 0), buffer.id, size, Anchor::middle);
    if (two) canvas_.text(x, y + 11, amount, 9, Anchor::middle, "fill=\"#3f3f46\"");
  }

  void draw_level(const Panel& panel, Size level, std::string_view line_colour) {
    if (level <= 0 || level > panel.top) return;
    const double y = panel.up(level);
    canvas_.line(panel.x, y, panel.x + panel.width, y,
                 "stroke=\"" + std::string(line_colour) +
                     "\" stroke-width=\"1.4\" stroke-dasharray=\"7 4\"");
  }

  void draw_modes(const Panel& panel, const Memory& memory) {
    const auto& modes = panel.memory < placement_.modes.size() ? placement_.modes[panel.memory]
                                                               : std::vector<std::string>{};
    const double y = panel.y + panel.height + 4;
    canvas_.text(panel.x - 6, y + 12, "mode", 10, Anchor::end, quiet);
    std::vector<std::string> seen;
    for (const Mode& mode : memory.modes) seen.push_back(mode.name);
    for (std::size_t begin = 0; begin < modes.size();) {
      std::size_t end = begin;
      while (end < modes.size() && modes[end] == modes[begin]) ++end;
      auto found = std::find(seen.begin(), seen.end(), modes[begin]);
      if (found == seen.end()) found = seen.insert(seen.end(), modes[begin]);
      const double x = panel.across(static_cast<Step>(begin));
      const double width = panel.across(static_cast<Step>(end)) - x;
      const double shade = static_cast<double>(found - seen.begin());
      canvas_.rect(
          x, y, width, strip - 4,
          "fill=\"" + svg::colour(std::fmod(0.08 + 0.27 * shade, 1.0), 0.6, 0.85) +
              "\" stroke=\"#a1a1aa\" stroke-width=\"0.5\"",
          modes[begin] + ": steps " + std::to_string(begin) + " to " + std::to_string(end - 1));
      if (svg::text_width(modes[begin], 10) <= width - 4) {
        canvas_.text(x + width / 2, y + 11, modes[begin], 10, Anchor::middle);
      }
      begin = end;
    }
  }

  void draw_legend() {
    double x = left;
    const double y = legend_y_;
    const auto word = [&](std::string_view text) {
      canvas_.text(x, y + 10, text, 11, Anchor::start, quiet);
      x += svg::text_width(text, 11) + 22;
    };
    const auto box = [&](const std::string& style, std::string_view text) {
      canvas_.rect(x, y, 20, 12, style);
      x += 26;
      word(text);
    };
    const auto dash = [&](const std::string& style, std::string_view text) {
      canvas_.line(x, y + 6, x + 20, y + 6, style);
      x += 26;
      word(text);
    };
    const auto any_buffer = [&](auto has) {
      return std::any_of(problem_.buffers.begin(), problem_.buffers.end(), has);
    };
    const auto any_memory = [&](auto has) {
      return std::any_of(problem_.memories.begin(), problem_.memories.end(), has);
    };
    box("fill=\"" + svg::buffer_colour(0) + "\" stroke=\"#3f3f46\" stroke-width=\"0.5\"", "buffer");
    if (any_buffer([](const Buffer& b) { return b.kind == BufferKind::weight; })) {
      box("fill=\"" + svg::buffer_colour(1) +
              "\" stroke=\"#18181b\" stroke-width=\"1.2\" stroke-dasharray=\"5 2\"",
          "weight");
    }
    if (any_buffer([](const Buffer& b) { return b.live.size() > 1 || !b.gaps.empty(); })) {
      dash("stroke=\"#52525b\" stroke-width=\"0.8\" stroke-dasharray=\"2 2\"",
           "same buffer, nothing occupied");
    }
    if (any_memory([](const Memory& m) { return !m.reserved.empty(); })) {
      box("fill=\"url(#reserved)\"", "reserved");
    }
    if (any_memory([](const Memory& m) { return !m.banks.empty(); })) {
      dash(std::string(bank_border), "bank border");
    }
    dash("stroke=\"#2563eb\" stroke-width=\"1.4\" stroke-dasharray=\"7 4\"", "height");
    if (any_memory([](const Memory& m) { return m.capacity <= max_address; })) {
      dash("stroke=\"#dc2626\" stroke-width=\"1.4\" stroke-dasharray=\"7 4\"", "capacity");
    }
  }

  [[nodiscard]] static std::string bytes(const AddressRange& range) {
    return '[' + std::to_string(range.begin) + ", " + std::to_string(range.end) + ')';
  }

  /// The text, or as much of its beginning as fits.
  [[nodiscard]] static std::string cut(std::string_view text, double width, double size) {
    std::size_t bytes = 0;
    double used = 0;
    while (bytes < text.size() && used + 0.62 * size <= width) {
      used += 0.62 * size;
      bytes += std::max<std::size_t>(1, utf8_length(text.substr(bytes)));
    }
    return std::string(text.substr(0, bytes));
  }

  const PlacementProblem& problem_;
  const Placement& placement_;
  const SvgOptions& options_;
  std::vector<Size> heights_;
  Step steps_;
  std::vector<Panel> panels_;
  double legend_y_ = 0;
  Canvas canvas_;  // last: layout() has to know everything above
};

}  // namespace

std::string placement_svg(const PlacementProblem& problem, const Placement& placement,
                          const SvgOptions& options) {
  return Drawing(problem, placement, options).draw();
}

}  // namespace tessera
