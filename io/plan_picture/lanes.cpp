// The lanes of a plan's picture except memories: ops, bus, array, time axis.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "io/plan_picture/layers.h"
#include "model/op_labels.h"

namespace tessera::io::plan_picture {

using svg::Anchor;
using svg::Canvas;

namespace {

constexpr double runs_lane = 34;
constexpr std::size_t longest_name = 25;  ///< of an op, drawn vertically
constexpr double name_size = 10;

/// 1, 2 or 5 times a power of ten, so that there are at most ten steps.
double round_step(double total) {
  double step = 1;
  for (;; step *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if (total <= 10 * factor * step) return factor * step;
}

std::string shade(bool odd, bool ops, double width) {
  return std::string(width > 2 ? "stroke=\"#ffffff\" stroke-width=\"0.6\" " : "") + "fill=\"#" +
         (ops ? (odd ? "f1f1f3" : "e6e6ea") : (odd ? "d4d4d8" : "c3c3ca")) + "\"";
}

void axis_label(Canvas& canvas, const Frame& frame, double y, std::string_view text) {
  canvas.text(frame.left - 6, y, text, 10, Anchor::end, svg::quiet);
}

void caption(Canvas& canvas, const Frame& frame, double y, std::string_view name,
             std::string_view words) {
  canvas.text(frame.left, y, name, 13, Anchor::start, "fill=\"#18181b\" font-weight=\"bold\"");
  canvas.text(frame.left + 1.2 * svg::text_width(name, 13) + 14, y, words, 11, Anchor::start,
              svg::quiet);
}

void draw_runs(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y) {
  each_seen(frame, chart.runs, [&](const ChartRun& run, double x, double width) {
    const auto k = static_cast<std::size_t>(&run - chart.runs.data());
    canvas.rect(x, y, std::max(least_seen, width), runs_lane - 4, shade(k % 2 == 1, false, width),
                run.about);
    const std::string tiles = std::to_string(run.tiles) + (run.tiles == 1 ? " tile" : " tiles");
    std::vector<std::string> lines{std::to_string(k)};
    if (svg::text_width("group " + lines[0], 11) + 6 < width) lines[0] = "group " + lines[0];
    if (run.tiles > 1) {
      const std::string shown = (run.shown == 1 ? "one of " : "two of ") + tiles;
      lines.push_back(run.shown < run.tiles && svg::text_width(shown, 9) + 4 < width ? shown
                                                                                     : tiles);
    }
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const double size = line == 0 ? 11 : 9;
      if (svg::text_width(lines[line], size) + 3 > width) break;
      const double first = lines.size() == 1 ? 19 : 12;
      canvas.text(x + width / 2, y + first + 12 * static_cast<double>(line), lines[line], size,
                  Anchor::middle);
    }
  });
}

bool fits_lying(const ChartOp& op, const Frame& frame) {
  return svg::text_width(op.name, name_size) + 6 < frame.across(op.end) - frame.across(op.begin);
}

/// As high as the longest vertical name.
double names_lane(const PlanChart& chart, const Frame& frame) {
  std::size_t longest = 0;
  for (const ChartOp& op : chart.ops)
    if (!fits_lying(op, frame)) longest = std::max(longest, op.name.size());
  if (longest == 0) return 24;
  return 14 + 0.88 * svg::text_width(std::string(std::min(longest, longest_name), 'n'), 9.5) + 10;
}

/// Names of ops: each op once, the widest first, then further tiles as space permits. A name is
/// horizontal if it fits, otherwise vertical in the middle of the op.
class Names {
 public:
  Names(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y, double lane)
      : canvas_(canvas), chart_(chart), frame_(frame), y_(y), lane_(lane), foot_(y + lane - 8) {}

  /// Number of ops with a name.
  std::size_t draw() {
    std::vector<std::size_t> order(chart_.ops.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return chart_.ops[a].end - chart_.ops[a].begin > chart_.ops[b].end - chart_.ops[b].begin;
    });
    std::vector<std::size_t> again;
    for (const std::size_t k : order)
      if (named_.contains(chart_.ops[k].index))
        again.push_back(k);
      else
        name(chart_.ops[k]);
    const std::size_t count = named_.size();
    for (const std::size_t k : again) name(chart_.ops[k]);
    return count;
  }

 private:
  static constexpr double line = 11;

  void name(const ChartOp& op) {
    const double begin = frame_.across(op.begin);
    const double end = frame_.across(op.end);
    const double middle = (begin + end) / 2;
    const double width = svg::text_width(op.name, name_size);
    if (fits_lying(op, frame_) && is_free(middle - width / 2, middle + width / 2)) {
      const double base = op.lane == ChartLane::all     ? 15
                          : op.lane == ChartLane::upper ? lane_ / 4 + 4
                                                        : 3 * lane_ / 4 + 4;
      canvas_.text(middle, y_ + base, op.name, name_size, Anchor::middle);
      taken_.emplace(middle - width / 2, middle + width / 2);
      named_.insert(op.index);
      return;
    }
    const double low = middle - line / 2;
    const double high = middle + line / 2;
    if (low < frame_.left || high > frame_.right() || !is_free(low, high)) return;
    taken_.emplace(low, high);
    named_.insert(op.index);
    canvas_.upright(middle + 3.5, foot_, shortened(op.name, longest_name), 9.5);
  }
  [[nodiscard]] bool is_free(double low, double high) const {
    const auto after = taken_.lower_bound(low);
    if (after != taken_.end() && after->first < high) return false;
    return after == taken_.begin() || std::prev(after)->second <= low;
  }

  Canvas& canvas_;
  const PlanChart& chart_;
  const Frame& frame_;
  double y_;
  double lane_;
  double foot_;
  std::map<double, double> taken_;  ///< disjoint intervals that names occupy
  std::set<std::size_t> named_;
};

/// A filled curve over time windows, with two heights for each.
void area(Canvas& canvas, const Frame& frame, const std::vector<double>& low,
          const std::vector<double>& high, double window, double floor, double scale,
          std::string_view style) {
  std::string points;
  const auto point = [&](double x, double value) {
    points += svg::number(x) + ',' + svg::number(floor - value * scale) + ' ';
  };
  for (std::size_t k = 0; k < high.size(); ++k) {
    point(frame.across(window * static_cast<double>(k)), high[k]);
    point(frame.across(window * static_cast<double>(k + 1)), high[k]);
  }
  for (std::size_t k = low.size(); k-- > 0;) {
    point(frame.across(window * static_cast<double>(k + 1)), low[k]);
    point(frame.across(window * static_cast<double>(k)), low[k]);
  }
  canvas.polygon(points, style);
}

std::string rate_text(double bytes_per_cycle, double clock_hz) {
  std::string text = svg::number(bytes_per_cycle) + " B/cycle";
  if (clock_hz > 0) text += " (" + svg::number(bytes_per_cycle * clock_hz / 1e9) + " GB/s)";
  return text;
}

}  // namespace

std::string short_number(double value) {
  static constexpr std::array<const char*, 5> units{"", " k", " M", " G", " T"};
  std::size_t k = 0;
  while (value >= 1000 && k + 1 < units.size()) {
    value /= 1000;
    ++k;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3g%s", value, units[k]);
  return text.data();
}

std::vector<double> cuts_of(const PlanChart& chart, const Frame& frame) {
  constexpr double least = 3;  // narrower lines would hide each other
  const auto wide = [&](const ChartRun& run) {
    return frame.across(run.end) - frame.across(run.begin) >= least;
  };
  std::vector<double> cuts;
  for (std::size_t k = 0; k + 1 < chart.runs.size(); ++k)
    if (wide(chart.runs[k]) || wide(chart.runs[k + 1])) cuts.push_back(chart.runs[k].end);
  return cuts;
}

void draw_cuts(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y,
               double height) {
  for (const double cycle : cuts_of(chart, frame))
    canvas.line(frame.across(cycle), y, frame.across(cycle), y + height, cut_line);
}

double ops_height(const PlanChart& chart, const Frame& frame) {
  return runs_lane + names_lane(chart, frame) + 30;
}

double draw_ops(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y) {
  axis_label(canvas, frame, y + 18, "groups");
  draw_runs(canvas, chart, frame, y);
  y += runs_lane;
  axis_label(canvas, frame, y + 15, "ops");
  const double lane = names_lane(chart, frame);
  each_seen(frame, chart.ops, [&](const ChartOp& op, double x, double width) {
    const double height = op.lane == ChartLane::all ? lane : lane / 2;
    canvas.rect(x, op.lane == ChartLane::lower ? y + height : y, std::max(least_seen, width),
                height, shade(op.index % 2 == 1, true, width),
                "op " + std::to_string(op.index) + ": " + op.name);
  });
  const std::size_t named = Names(canvas, chart, frame, y, lane).draw();
  if (named < chart.ops_of_network) {
    canvas.text(frame.left, y + lane + 13,
                std::to_string(named) + " of " + std::to_string(chart.ops_of_network) +
                    " ops are named; hover over the others for their names",
                10, Anchor::start, svg::quiet);
  }
  return y + lane + 30;
}

double draw_traffic(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y) {
  const ChartTraffic& traffic = chart.traffic;
  const double height = traffic_height - 44;
  std::vector<double> none(traffic.read.size(), 0);
  std::vector<double> read(traffic.read);
  std::vector<double> both(traffic.read);
  double most = std::max({traffic.limit, traffic.write_limit, 1e-12});
  double busy = 0;
  for (std::size_t k = 0; k < read.size(); ++k) {
    read[k] /= traffic.window;
    both[k] = read[k] + (k < traffic.written.size() ? traffic.written[k] / traffic.window : 0);
    most = std::max(most, both[k]);
    busy += both[k] / static_cast<double>(read.size());
  }
  std::string words = "bytes per cycle, on average " + rate_text(busy, chart.clock_hz);
  if (traffic.limit > 0) {
    words += " of " + rate_text(traffic.limit, chart.clock_hz);
    if (traffic.write_limit > 0)
      words +=
          " for reading and " + rate_text(traffic.write_limit, chart.clock_hz) + " for writing";
    else
      words += ", " + svg::number(100 * busy / traffic.limit) + " %";
  }
  caption(canvas, frame, y + 12, "bus to " + traffic.memory, words);
  const double top = y + 20;
  canvas.rect(frame.left, top, frame.width, height, svg::ground);
  const double scale = height / (most * 1.08);
  const double floor = top + height;
  for (const double value : {0.0, most / 2, most}) {
    axis_label(canvas, frame, floor - value * scale + 3.5, svg::number(value));
    canvas.line(frame.left, floor - value * scale, frame.right(), floor - value * scale, svg::hair);
  }
  area(canvas, frame, none, read, traffic.window, floor, scale, read_fill);
  area(canvas, frame, read, both, traffic.window, floor, scale, written_fill);
  draw_cuts(canvas, chart, frame, top, height);
  for (const double limit : {traffic.limit, traffic.write_limit})
    if (limit > 0)
      canvas.line(frame.left, floor - limit * scale, frame.right(), floor - limit * scale,
                  svg::limit_line);
  canvas.rect(frame.left, top, frame.width, height, svg::outline);
  return y + traffic_height;
}

double draw_utilisation(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y) {
  const double height = utilisation_height - 34;
  double all = 0;
  for (const ChartRun& run : chart.runs) all += run.utilisation * (run.end - run.begin);
  caption(canvas, frame, y + 12, "array",
          "MAC utilisation per group; overall " + svg::number(100 * all / chart.cycles) + " %");
  const double top = y + 20;
  canvas.rect(frame.left, top, frame.width, height, svg::ground);
  each_seen(frame, chart.runs, [&](const ChartRun& run, double x, double width) {
    const double h = height * std::clamp(run.utilisation, 0.0, 1.0);
    canvas.rect(x, top + height - h, std::max(least_seen, width), h, busy_fill,
                "group " + std::to_string(&run - chart.runs.data()) + ": " +
                    svg::number(100 * run.utilisation) + " %");
  });
  draw_cuts(canvas, chart, frame, top, height);
  for (const int percent : {0, 50, 100})
    axis_label(canvas, frame, top + height * (1 - percent / 100.0) + 3.5,
               std::to_string(percent) + " %");
  canvas.rect(frame.left, top, frame.width, height, svg::outline);
  return y + utilisation_height - 8;
}

double draw_time(Canvas& canvas, const PlanChart& chart, const Frame& frame, double y) {
  const double step = round_step(chart.cycles);
  const double seconds = chart.clock_hz > 0 ? chart.cycles / chart.clock_hz : 0;
  const char* const unit = seconds < 1e-6 ? "ns" : seconds < 1e-3 ? "µs" : seconds < 1 ? "ms" : "s";
  const double per_second = seconds < 1e-6 ? 1e9 : seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
  const auto count = static_cast<int>(chart.cycles / step);
  for (int k = 0; k <= count; ++k) {
    const double x = frame.across(k * step);
    canvas.line(x, y, x, y + 6, "stroke=\"#71717a\"");
    canvas.text(x, y + 19, short_number(k * step), 11, Anchor::middle, svg::quiet);
    if (chart.clock_hz <= 0) continue;
    canvas.text(x, y + 32, svg::number(k * step / chart.clock_hz * per_second), 10, Anchor::middle,
                "fill=\"#a1a1aa\"");
  }
  axis_label(canvas, frame, y + 19, "cycles");
  if (chart.clock_hz > 0) axis_label(canvas, frame, y + 32, unit);
  return y + time_height - 14;
}

}  // namespace tessera::io::plan_picture
