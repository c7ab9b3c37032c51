#include "io/svg_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/text.h"

namespace tessera::io::svg {

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0 || (length == 1 && static_cast<unsigned char>(c) < 0x20 && c != '\n')) {
      out += "\xEF\xBF\xBD";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string number(double value) {
  std::array<char, 40> digits{};
  const double rounded = std::round(value * 100) / 100;
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), rounded);
  static_cast<void>(code);  // coordinates are small: 40 characters suffice
  return {digits.data(), end};
}

std::string colour(double hue, double saturation, double lightness) {
  // HSL to RGB as in CSS Color Module Level 3, section 4.2.4.
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue * 12, 12);
    const double a = saturation * std::min(lightness, 1 - lightness);
    return lightness - a * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0);
  };
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "#";
  for (const double shift : {0.0, 8.0, 4.0}) {
    const auto value = static_cast<unsigned>(std::lround(channel(shift) * 255));
    out += hex[value >> 4U];
    out += hex[value & 15U];
  }
  return out;
}

std::vector<std::int64_t> ticks(std::int64_t top, int wanted, bool addresses) {
  std::int64_t step = 1;
  if (addresses && top >= 1024) {
    while (step < top / wanted) step *= 2;
  } else {
    // 1, 2, 5, 10, 20, 50, ...
    for (int k = 0; step < top / wanted; ++k) step = k % 3 == 1 ? step / 2 * 5 : step * 2;
  }
  std::vector<std::int64_t> out;
  for (std::int64_t value = 0; value <= top; value += step) out.push_back(value);
  return out;
}

double text_width(std::string_view text, double font_size) {
  return 0.62 * font_size * static_cast<double>(utf8_width(text));
}

Canvas::Canvas(double width, double height) {
  const std::string w = number(width);
  const std::string h = number(height);
  out_ = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + w + "\" height=\"" + h +
         "\" viewBox=\"0 0 " + w + ' ' + h +
         "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
         "<defs><pattern id=\"reserved\" width=\"6\" height=\"6\" "
         "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
         "<rect width=\"6\" height=\"6\" fill=\"#e4e4e7\"/>"
         "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#a1a1aa\" stroke-width=\"2\"/>"
         "</pattern></defs>\n";
  rect(0, 0, width, height, "fill=\"#ffffff\"");
}

void Canvas::open_rect(double x, double y, double width, double height, std::string_view style) {
  out_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
          "\" height=\"" + number(height) + "\" ";
  out_ += style;
}

void Canvas::rect(double x, double y, double width, double height, std::string_view style) {
  open_rect(x, y, width, height, style);
  out_ += "/>\n";
}

void Canvas::rect(double x, double y, double width, double height, std::string_view style,
                  std::string_view title) {
  open_rect(x, y, width, height, style);
  out_ += "><title>" + escaped(title) + "</title></rect>\n";
}

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view style) {
  out_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
          "\" y2=\"" + number(y2) + "\" ";
  out_ += style;
  out_ += "/>\n";
}

void Canvas::text(double x, double y, std::string_view text, double size, Anchor anchor,
                  std::string_view style) {
  constexpr std::array<std::string_view, 3> anchors{"start", "middle", "end"};
  out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" + number(size) +
          "\" text-anchor=\"";
  out_ += anchors[static_cast<std::size_t>(anchor)];
  out_ += "\" ";
  out_ += style.empty() ? "fill=\"#27272a\"" : style;
  out_ += '>' + escaped(text) + "</text>\n";
}

void Canvas::upright(double x, double y, std::string_view text, double size) {
  out_ += "<text transform=\"translate(" + number(x) + ' ' + number(y) +
          ") rotate(-90)\" font-size=\"" + number(size) + "\" fill=\"#27272a\">" + escaped(text) +
          "</text>\n";
}

void Canvas::polygon(std::string_view points, std::string_view style) {
  out_ += "<polygon points=\"";
  out_ += points;
  out_ += "\" ";
  out_ += style;
  out_ += "/>\n";
}

std::string Canvas::finish() {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace tessera::io::svg
