#include "io/svg_panel.h"

#include <algorithm>
#include <array>

#include "io/text.h"
#include "io/units.h"
#include "model/hex_text.h"

namespace tessera::io::svg {
namespace {

constexpr double beside = 56;  // for the names of banks

/// "1.41 GiB" for sizes whose exact form is a long number; otherwise empty.
std::string rounded_size(Size size) {
  constexpr std::array<std::string_view, 4> names{"KiB", "MiB", "GiB", "TiB"};
  if (size < 10240 || size % 1024 == 0) return {};
  auto value = static_cast<double>(size) / 1024;
  std::size_t k = 0;
  for (; value >= 1024 && k + 1 < names.size(); ++k) value /= 1024;
  return number(value) + ' ' + std::string(names[k]);
}

void draw_banks(Canvas& canvas, const Panel& panel, const Memory& memory) {
  Offset begin = 0;
  double last_label = panel.y + panel.height + 100;
  for (std::size_t k = 0; k < memory.banks.size(); ++k) {
    const Offset end = begin + memory.banks[k].size;
    if (begin >= panel.top) break;
    const double top = panel.up(std::min(end, panel.top));
    const double bottom = panel.up(begin);
    if (k % 2 == 1) canvas.rect(panel.x, top, panel.width, bottom - top, "fill=\"#eef2ff\"");
    const double middle = (top + bottom) / 2 + 3;
    if (last_label - middle >= 11) {
      canvas.text(panel.x + panel.width + 5, middle, cut(memory.banks[k].name, beside, 10), 10,
                  Anchor::start, "fill=\"#4f46e5\"");
      last_label = middle;
    }
    begin = end;
  }
}

}  // namespace

Size shown_top(const Memory& memory, Size height) {
  Size used = height;
  for (const AddressRange& range : memory.reserved) used = std::max(used, range.end);
  if (memory.capacity <= max_address && memory.capacity / 4 <= used)
    return std::max({memory.capacity, used, Size{1}});
  if (memory.capacity <= max_address && used == 0) return memory.capacity;
  return std::max<Size>(1, used + used / 20);
}

std::string height_words(const Memory& memory, Size height) {
  std::string words = "height " + format_size(height);
  if (const std::string about = rounded_size(height); !about.empty()) words += " (" + about + ")";
  if (memory.capacity <= max_address && memory.capacity > 0) {
    const double part = static_cast<double>(height) / static_cast<double>(memory.capacity);
    words += " of " + format_size(memory.capacity) + ", " + number(part * 100) + " %";
  }
  return words;
}

std::string cut(std::string_view text, double width, double size) {
  std::size_t bytes = 0;
  double used = 0;
  while (bytes < text.size() && used + 0.62 * size <= width) {
    used += 0.62 * size;
    bytes += std::max<std::size_t>(1, utf8_length(text.substr(bytes)));
  }
  return std::string(text.substr(0, bytes));
}

void draw_ground(Canvas& canvas, const Panel& panel, const Memory& memory) {
  canvas.rect(panel.x, panel.y, panel.width, panel.height, ground);
  draw_banks(canvas, panel, memory);
  const Offset step = ticks(panel.top - panel.bottom, panel.height < 200 ? 4 : 8, true).at(1);
  for (Offset address = (panel.bottom + step - 1) / step * step; address <= panel.top;
       address += step) {
    const double y = panel.up(address);
    if (memory.banks.empty()) canvas.line(panel.x, y, panel.x + panel.width, y, hair);
    canvas.text(panel.x - 6, y + 3.5,
                memory.base == 0 ? format_size(address) : hex_text(memory.base + address), 10,
                Anchor::end, quiet);
  }
  for (const AddressRange& range : memory.reserved) {
    const double y = panel.up(std::min(range.end, panel.top));
    canvas.rect(
        panel.x, y, panel.width, panel.up(range.begin) - y, "fill=\"url(#reserved)\"",
        "reserved [" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ')');
  }
}

void draw_boundaries(Canvas& canvas, const Panel& panel, const Memory& memory) {
  Offset begin = 0;
  for (const Bank& bank : memory.banks) {
    if (begin > 0 && begin < panel.top) {
      const double y = panel.up(begin);
      canvas.line(panel.x, y, panel.x + panel.width, y, bank_border);
    }
    begin += bank.size;
  }
  canvas.rect(panel.x, panel.y, panel.width, panel.height, outline);
}

void draw_level(Canvas& canvas, const Panel& panel, Size level, std::string_view style) {
  if (level <= panel.bottom || level > panel.top) return;
  const double y = panel.up(level);
  canvas.line(panel.x, y, panel.x + panel.width, y, style);
}

void Legend::begin(std::string_view text) {
  if (x_ > left_ && x_ + 26 + text_width(text, 11) > right_) {
    x_ = left_;
    y_ += row;
  }
}

void Legend::words(std::string_view text) {
  begin(text);
  put(text);
}

void Legend::put(std::string_view text) {
  canvas_.text(x_, y_ + 10, text, 11, Anchor::start, quiet);
  x_ += text_width(text, 11) + 18;
}

void Legend::box(const std::string& style, std::string_view text) {
  begin(text);
  canvas_.rect(x_, y_, 20, 12, style);
  x_ += 26;
  put(text);
}

void Legend::dash(std::string_view style, std::string_view text) {
  begin(text);
  canvas_.line(x_, y_ + 6, x_ + 20, y_ + 6, style);
  x_ += 26;
  put(text);
}

}  // namespace tessera::io::svg
