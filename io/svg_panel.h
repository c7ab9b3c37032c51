// A memory panel of a drawing: addresses upwards, time to the right, with the common decorations.
// Private to io/.
//
//   svg::Panel panel{.x = 84, .y = 72, .width = 1000, .height = 300, .span = 10, .top = 65536};
//   svg::draw_ground(canvas, panel, memory);         // banks, addresses, reserved ranges
//   canvas.rect(panel.across(3), panel.up(bytes.end), ...);
//   svg::draw_boundaries(canvas, panel, memory);        // of banks, over everything; the frame
#pragma once

#include <string>
#include <string_view>

#include "io/svg_parts.h"
#include "tessera/problem.h"

namespace tessera::io::svg {

inline constexpr std::string_view bank_border =
    "stroke=\"#4f46e5\" stroke-width=\"0.8\" stroke-opacity=\"0.55\"";
inline constexpr std::string_view ground = "fill=\"#fafafa\"";
inline constexpr std::string_view outline = "fill=\"none\" stroke=\"#52525b\" stroke-width=\"1\"";
inline constexpr std::string_view quiet = "fill=\"#71717a\"";
inline constexpr std::string_view hair = "stroke=\"#d4d4d8\" stroke-width=\"0.5\"";
inline constexpr std::string_view limit_line =
    "stroke=\"#dc2626\" stroke-width=\"1.4\" stroke-dasharray=\"7 4\"";
inline constexpr std::string_view height_line =
    "stroke=\"#2563eb\" stroke-width=\"1.4\" stroke-dasharray=\"7 4\"";

struct Panel {
  double x = 0, y = 0, width = 0, height = 0;
  double span = 1;    ///< of time, across
  Size top = 1;       ///< the highest address shown
  Offset bottom = 0;  ///< the lowest one

  [[nodiscard]] double across(double time) const { return x + width * (time / span); }
  /// require: bottom < top.
  [[nodiscard]] double up(Offset address) const {
    return y +
           height * (1 - static_cast<double>(address - bottom) / static_cast<double>(top - bottom));
  }
};

/// The whole capacity, unless the used part would be a thin line at the bottom.
[[nodiscard]] Size shown_top(const Memory& memory, Size height);

/// "height 56 (...) of 64, 87.5 %".
[[nodiscard]] std::string height_words(const Memory& memory, Size height);

/// The text, or the prefix that fits.
[[nodiscard]] std::string cut(std::string_view text, double width, double size);

void draw_ground(Canvas& canvas, const Panel& panel, const Memory& memory);
void draw_boundaries(Canvas& canvas, const Panel& panel, const Memory& memory);
/// A line at an address, if it is in the shown range.
void draw_level(Canvas& canvas, const Panel& panel, Size level, std::string_view style);

/// Legend of colours and lines, left to right; begins a new row if one is full.
class Legend {
 public:
  Legend(Canvas& canvas, double left, double right, double y)
      : canvas_(canvas), left_(left), right_(right), x_(left), y_(y) {}
  void box(const std::string& style, std::string_view text);
  void dash(std::string_view style, std::string_view text);
  void words(std::string_view text);
  /// Below the last row.
  [[nodiscard]] double bottom() const { return y_ + row; }

  static constexpr double row = 22;

 private:
  void begin(std::string_view text);
  void put(std::string_view text);
  Canvas& canvas_;
  double left_;
  double right_;
  double x_;
  double y_;
};

}  // namespace tessera::io::svg
