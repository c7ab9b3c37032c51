// Small pieces of an SVG drawing. Private to io/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/units.h"

namespace tessera::io::svg {

/// Text content and attribute values; what XML cannot hold becomes U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// With at most two decimals, so that files stay small and the same everywhere.
[[nodiscard]] std::string number(double value);

/// "#rrggbb"; hue in turns, the others from 0 to 1.
[[nodiscard]] std::string colour(double hue, double saturation, double lightness);

/// Round values in [0, top], about `wanted` of them: 1, 2 or 5 times a power of ten, or for
/// addresses from 1 KiB on powers of two.
[[nodiscard]] std::vector<std::int64_t> ticks(std::int64_t top, int wanted, bool addresses);

/// About how wide a text is in a sans-serif font of this size.
[[nodiscard]] double text_width(std::string_view text, double font_size);

enum class Anchor : std::uint8_t { start, middle, end };

/// Appends elements; knows nothing of what they mean.
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
  /// From below upwards: `x` is the foot of the letters, `y` where they begin.
  void upright(double x, double y, std::string_view text, double size);
  /// `points` is "x,y x,y ...".
  void polygon(std::string_view points, std::string_view style);
  [[nodiscard]] std::string finish();

 private:
  void open_rect(double x, double y, double width, double height, std::string_view style);
  std::string out_;
};

}  // namespace tessera::io::svg
