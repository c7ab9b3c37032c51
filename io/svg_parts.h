// Primitives of an SVG drawing. Private to io/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/units.h"

namespace tessera::io::svg {

/// Escapes text content and attribute values; characters invalid in XML become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// At most two decimals, so that files are small and identical on all platforms.
[[nodiscard]] std::string number(double value);

/// "#rrggbb"; hue in turns, the others from 0 to 1.
[[nodiscard]] std::string colour(double hue, double saturation, double lightness);

/// About `wanted` round values in [0, top]: 1, 2 or 5 times a power of ten, or powers of two for
/// addresses from 1 KiB on.
[[nodiscard]] std::vector<std::int64_t> ticks(std::int64_t top, int wanted, bool addresses);

/// Approximate width of a text in a sans-serif font of this size.
[[nodiscard]] double text_width(std::string_view text, double font_size);

enum class Anchor : std::uint8_t { start, middle, end };

/// Appends elements, independent of their meaning.
class Canvas {
 public:
  Canvas(double width, double height);
  void raw(std::string_view text) { out_ += text; }
  void rect(double x, double y, double width, double height, std::string_view style);
  /// With a tooltip; `title` is escaped here.
  void rect(double x, double y, double width, double height, std::string_view style,
            std::string_view title);
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void text(double x, double y, std::string_view text, double size, Anchor anchor,
            std::string_view style = {});
  /// Vertical text, upwards: `x` is the baseline, `y` the start.
  void upright(double x, double y, std::string_view text, double size);
  /// `points` is "x,y x,y ...".
  void polygon(std::string_view points, std::string_view style);
  [[nodiscard]] std::string finish();

 private:
  void open_rect(double x, double y, double width, double height, std::string_view style);
  std::string out_;
};

}  // namespace tessera::io::svg
