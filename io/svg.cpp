#include "io/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "io/svg_panel.h"
#include "io/text.h"
#include "io/units.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/hex_text.h"
#include "tessera/check.h"

namespace tessera::io {
namespace {

using svg::Anchor;
using svg::Canvas;
using svg::cut;
using svg::hair;
using svg::quiet;

constexpr double left = 84;
constexpr double right = 64;
constexpr double header = 46;
constexpr double panel_title = 26;
constexpr double axis = 34;   // below a panel: time ticks and their label
constexpr double strip = 18;  // strip of the modes
constexpr double between = 14;
constexpr double legend_row = 22;
constexpr std::size_t most_tooltips = 20000;

struct MemoryPanel : svg::Panel {
  MemoryIndex memory = 0;
  [[nodiscard]] double across(Step step) const {
    return svg::Panel::across(static_cast<double>(step));
  }
};

constexpr std::string_view weight_fill = "#edb95a";

/// From pale yellow through green to a deep blue on which text is still readable.
std::string life_fill(double share) {
  return svg::colour((58 + 152 * share) / 360, 0.42 + 0.16 * share, 0.84 - 0.16 * share);
}

/// A buffer of very many runs is drawn from the first used byte to the last.
std::vector<Segment> drawn_parts(const Buffer& buffer) {
  if (part_segment_count(buffer) <= max_part_runs) return segments(buffer);
  std::vector<Segment> hulls;
  for (const Load& load : loads(buffer)) hulls.push_back({load.steps, load.range});
  return hulls;
}

class Drawing {
 public:
  Drawing(const PlacementProblem& problem, const Placement& placement, const SvgOptions& options)
      : problem_(problem),
        placement_(placement),
        options_(options),
        heights_(heights(problem, placement)),
        steps_(std::max<Step>(1, horizon(problem))),
        canvas_(options.width, layout()) {
    find_lives();
  }

  std::string draw() {
    const std::string& title = options_.title.empty() ? problem_.name : options_.title;
    canvas_.text(left, 22, title.empty() ? "placement" : cut(title, options_.width - left, 17), 16,
                 Anchor::start, "fill=\"#18181b\" font-weight=\"bold\"");
    canvas_.text(left, 38,
                 std::to_string(problem_.buffers.size()) + " buffers over " +
                     std::to_string(horizon(problem_)) + " steps",
                 11, Anchor::start, quiet);
    for (const MemoryPanel& panel : panels_) draw_panel(panel);
    draw_legend();
    return canvas_.finish();
  }

 private:
  /// Computes panels_; returns the height of the whole picture.
  double layout() {
    const std::size_t count = problem_.memories.size();
    const double one = options_.height > 0 ? options_.height
                       : count == 1        ? 560
                       : count == 2        ? 340
                                           : 240;
    double y = header;
    for (MemoryIndex m = 0; m < count; ++m) {
      MemoryPanel panel;
      panel.memory = m;
      panel.x = left;
      panel.y = y + panel_title;
      panel.width = std::max(100.0, options_.width - left - right);
      panel.height = one;
      panel.span = static_cast<double>(steps_);
      panel.top = svg::shown_top(problem_.memories[m], heights_[m]);
      panels_.push_back(panel);
      y = panel.y + one + axis + (has_modes(problem_.memories[m]) ? strip + 4 : 0) + between;
    }
    legend_y_ = y + 4;
    return legend_y_ + legend_row + 8;
  }

  void draw_panel(const MemoryPanel& panel) {
    const Memory& memory = problem_.memories[panel.memory];
    draw_caption(panel, memory);
    svg::draw_ground(canvas_, panel, memory);
    draw_steps(panel, memory);
    draw_buffers(panel);
    svg::draw_boundaries(canvas_, panel, memory);
    svg::draw_level(canvas_, panel, memory.capacity, svg::limit_line);
    svg::draw_level(canvas_, panel, heights_[panel.memory], svg::height_line);
    if (has_modes(memory)) draw_modes(panel, memory);
  }

  void draw_caption(const MemoryPanel& panel, const Memory& memory) {
    canvas_.text(panel.x, panel.y - 8, memory.name, 13, Anchor::start,
                 "fill=\"#18181b\" font-weight=\"bold\"");
    const Size height = heights_[panel.memory];
    const auto here =
        std::count_if(placement_.places.begin(), placement_.places.end(),
                      [&](const BufferPlace& place) { return place.memory == panel.memory; });
    const std::string words =
        std::to_string(here) + " buffers, " + svg::height_words(memory, height);
    canvas_.text(panel.x + 1.2 * svg::text_width(memory.name, 13) + 14, panel.y - 8, words, 11,
                 Anchor::start, quiet);
  }

  void draw_steps(const MemoryPanel& panel, const Memory& memory) {
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

  void draw_buffers(const MemoryPanel& panel) {
    // Large buffers first, so that small ones stay visible if an invalid placement overlaps.
    std::vector<BufferIndex> order(problem_.buffers.size());
    std::iota(order.begin(), order.end(), BufferIndex{0});
    std::stable_sort(order.begin(), order.end(), [&](BufferIndex a, BufferIndex b) {
      return problem_.buffers[a].size > problem_.buffers[b].size;
    });
    for (const BufferIndex b : order) {
      if (placement_.places[b].memory == panel.memory) draw_buffer(panel, b);
    }
  }

  /// " = 0x20000010" if the memory has a base.
  [[nodiscard]] std::string address_of(BufferIndex b) const {
    const BufferPlace& place = placement_.places[b];
    const Offset base = problem_.memories[place.memory].base;
    // Invalid placements are drawn as well.
    return base == 0 || place.offset < 0 ? "" : " = " + hex_text(base + place.offset);
  }

  void draw_buffer(const MemoryPanel& panel, BufferIndex b) {
    const Buffer& buffer = problem_.buffers[b];
    const Offset offset = placement_.places[b].offset;
    const std::string fill = fill_of(buffer);
    const bool weight = buffer.kind == BufferKind::weight;
    const std::vector<Segment> parts = drawn_parts(buffer);
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
        draw_in_a_crowd(x, y, width, height, style);
      }
      if (height >= 11 && width > most) {
        most = width;
        widest = &part;
      }
    }
    if (widest != nullptr) label(panel, buffer, *widest, offset, most);
  }

  /// If there are more buffers than pixels: rounds to half pixels and draws equal boxes once.
  void draw_in_a_crowd(double x, double y, double width, double height, const std::string& style) {
    const auto halves = [](double value) { return std::llround(value * 2); };
    const auto far = [&](double from, double length) {
      return std::max(halves(from + length), halves(from) + 1);
    };
    const std::array<long long, 4> place{halves(x), halves(y), far(x, width) - halves(x),
                                         far(y, height) - halves(y)};
    if (!crowd_.insert({place, style}).second) return;
    canvas_.rect(static_cast<double>(place[0]) / 2, static_cast<double>(place[1]) / 2,
                 static_cast<double>(place[2]) / 2, static_cast<double>(place[3]) / 2, style);
  }

  /// The id, and the size if a second line fits; omitted if it does not fit.
  void label(const MemoryPanel& panel, const Buffer& buffer, const Segment& part, Offset offset,
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

  void draw_modes(const MemoryPanel& panel, const Memory& memory) {
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

  /// Colour by lifetime, from the shortest to the longest, on a logarithmic scale, so that a few
  /// long lifetimes leave the others distinguishable.
  [[nodiscard]] std::string fill_of(const Buffer& buffer) const {
    if (buffer.kind == BufferKind::weight) return std::string(weight_fill);
    return life_colour(life_of(buffer));
  }
  [[nodiscard]] std::string life_colour(Step life) const {
    const double low = doublings(*lives_.begin());
    const double high = doublings(*lives_.rbegin());
    return life_fill(high > low ? (doublings(life) - low) / (high - low) : 0);
  }
  [[nodiscard]] static Step life_of(const Buffer& buffer) {
    Step steps = 0;
    for (const StepRange& live : buffer.live) steps += live.upper - live.lower;
    return steps;
  }
  [[nodiscard]] static double doublings(Step life) {
    return std::log2(static_cast<double>(std::max<Step>(1, life)));
  }
  void find_lives() {
    for (const Buffer& buffer : problem_.buffers)
      if (buffer.kind != BufferKind::weight) lives_.insert(life_of(buffer));
  }

  void draw_legend() {
    svg::Legend legend(canvas_, left, options_.width - 12.0, legend_y_);
    const auto any_buffer = [&](auto has) {
      return std::any_of(problem_.buffers.begin(), problem_.buffers.end(), has);
    };
    const auto any_memory = [&](auto has) {
      return std::any_of(problem_.memories.begin(), problem_.memories.end(), has);
    };
    const std::string outline = " stroke=\"#3f3f46\" stroke-width=\"0.5\"";
    const auto steps = [](Step n) { return std::to_string(n) + (n == 1 ? " step" : " steps"); };
    // Every lifetime if there are few; otherwise three of the scale.
    std::set<Step> lives = lives_;
    if (constexpr std::size_t most = 6; lives.size() > most) {
      const double middle = (doublings(*lives_.begin()) + doublings(*lives_.rbegin())) / 2;
      lives = {*lives_.begin(), static_cast<Step>(std::lround(std::exp2(middle))),
               *lives_.rbegin()};
    }
    for (const Step life : lives)
      legend.box("fill=\"" + life_colour(life) + "\"" + outline,
                 (life == *lives.begin() ? "buffer live for " : "") + steps(life));
    if (any_buffer([](const Buffer& b) { return b.kind == BufferKind::weight; })) {
      legend.box("fill=\"" + std::string(weight_fill) +
                     "\" stroke=\"#18181b\" stroke-width=\"1.2\" stroke-dasharray=\"5 2\"",
                 "weight");
    }
    if (any_buffer([](const Buffer& b) { return b.live.size() > 1 || !b.gaps.empty(); })) {
      legend.dash("stroke=\"#52525b\" stroke-width=\"0.8\" stroke-dasharray=\"2 2\"",
                  "same buffer, no bytes occupied");
    }
    if (any_memory([](const Memory& m) { return !m.reserved.empty(); }))
      legend.box("fill=\"url(#reserved)\"", "reserved");
    if (any_memory([](const Memory& m) { return m.banks.size() > 1; }))
      legend.dash(svg::bank_border, "bank border");
    if (shown([&](const MemoryPanel& p) { return heights_[p.memory]; }))
      legend.dash(svg::height_line, "height");
    if (shown([&](const MemoryPanel& p) { return problem_.memories[p.memory].capacity; }))
      legend.dash(svg::limit_line, "capacity");
  }

  /// Is such an address drawn as a line in some panel?
  template <typename Address>
  [[nodiscard]] bool shown(const Address& address) const {
    return std::any_of(panels_.begin(), panels_.end(), [&](const MemoryPanel& panel) {
      return address(panel) > 0 && address(panel) <= panel.top;
    });
  }

  const PlacementProblem& problem_;
  const Placement& placement_;
  const SvgOptions& options_;
  std::vector<Size> heights_;
  Step steps_;
  std::set<std::pair<std::array<long long, 4>, std::string>> crowd_;
  std::set<Step> lives_;  ///< lifetimes of buffers that are not weights
  std::vector<MemoryPanel> panels_;
  double legend_y_ = 0;
  Canvas canvas_;  // last member: layout() needs all of the above
};

}  // namespace

std::string placement_svg(const PlacementProblem& problem, const Placement& placement,
                          const SvgOptions& options) {
  return Drawing(problem, placement, options).draw();
}

}  // namespace tessera::io
