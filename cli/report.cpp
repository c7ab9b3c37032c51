#include "cli/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "cli/help_text.h"
#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/hex_text.h"
#include "model/live_bytes.h"
#include "model/op_labels.h"
#include "model/optional.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/names.h"

namespace tessera::cli {

namespace {

constexpr std::size_t head_width = 12;
constexpr std::size_t bar_width = 40;
constexpr std::size_t most_rows = 24;  ///< rows of a table of buffers

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string percent(Size part, Size whole) {
  if (whole <= 0) return "0 %";
  return number(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

/// "1048576 (1 MiB)", if the unit shortens the number.
std::string bytes(Size size) {
  if (size == unbounded) return "unbounded";
  const std::string plain = std::to_string(size);
  const std::string pretty = size_text(size);
  return pretty == plain ? plain : plain + " (" + pretty + ")";
}

std::string count(std::size_t n, const char* one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

std::string row(const std::string& head, const std::string& text) {
  std::string line = head;
  line.resize(std::max(head_width, head.size() + 1), ' ');
  return line + text + "\n";
}

std::string range_text(Offset begin, Offset end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string live_text(const Buffer& buffer) {
  std::string text;
  for (const StepRange& live : buffer.live)
    text += (text.empty() ? "" : " ") + range_text(live.lower, live.upper);
  return text;
}

std::string padded(std::string text, std::size_t width, bool right) {
  if (text.size() >= width) return text;
  const std::string blanks(width - text.size(), ' ');
  return right ? blanks + text : text + blanks;
}

/// One row per buffer: id, size, addresses, lifetime.
std::string buffer_table(const PlacementProblem& problem, const Placement& placement,
                         const std::vector<BufferIndex>& buffers) {
  std::size_t id_width = 0;
  std::size_t size_width = 0;
  std::size_t place_width = 0;
  std::vector<std::string> places;
  std::vector<std::string> ids;
  const std::size_t shown = std::min(buffers.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const Buffer& buffer = problem.buffers[buffers[i]];
    const Offset at = placement.places[buffers[i]].offset;
    places.push_back(range_text(at, at + buffer.size));
    const Offset base = problem.memories[placement.places[buffers[i]].memory].base;
    if (base != 0) places.back() += " = " + hex_text(base + at);
    ids.push_back(buffer.id);
    size_width = std::max(size_width, std::to_string(buffer.size).size());
    place_width = std::max(place_width, places.back().size());
  }
  ids = readable_names(std::move(ids));
  for (const std::string& id : ids) id_width = std::max(id_width, id.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const Buffer& buffer = problem.buffers[buffers[i]];
    text += row("", "  " + padded(ids[i], id_width, false) + "  " +
                        padded(std::to_string(buffer.size), size_width, true) + " at " +
                        padded(places[i], place_width, false) + "  live " + live_text(buffer));
  }
  if (buffers.size() > shown)
    text += row("", "  and " + std::to_string(buffers.size() - shown) + " more");
  return text;
}

/// The proved bound of a height. `minimized`: also state if the minimum is not proved.
std::string least_text(Size height, Size bound, bool minimized) {
  std::string text = "lower bound " + bytes(bound);
  if (height == bound)
    text += ", minimum proved";
  else if (minimized)
    text += ", minimum not proved";
  return text;
}

std::string memory_report(const PlacementProblem& problem, const PlacementResult& result,
                          MemoryIndex m, const ReportOptions& options) {
  const Memory& memory = problem.memories[m];
  const Size height = result.heights[m];
  const Size bound = m < result.lower_bounds.size() ? result.lower_bounds[m] : 0;
  std::string text =
      row(memory.name,
          "height " + bytes(height) +
              (memory.capacity == unbounded ? std::string() : " of " + bytes(memory.capacity)) +
              (memory.base == 0 ? std::string() : ", addresses from " + hex_text(memory.base)));
  const Size whole = memory.capacity == unbounded ? height : memory.capacity;
  text += row("", bar(height, bound, whole) +
                      (memory.capacity == unbounded ? "" : " " + percent(height, whole) + " used"));
  if (bound > 0)
    text += row("", least_text(height, bound, options.minimizing && problem.memories.size() == 1));
  const Peak peak = peak_of(problem, *result.placement, m);
  if (!peak.buffers.empty()) {
    text += row("", "peak at step " + std::to_string(peak.step) + ": " + bytes(peak.bytes) +
                        " live in " + count(peak.buffers.size(), "buffer") + ", " +
                        percent(peak.bytes, height) + " of the height " + std::to_string(height));
    text += buffer_table(problem, *result.placement, peak.buffers);
  }
  if (m < result.placement->modes.size() && !result.placement->modes[m].empty()) {
    const std::vector<std::string>& modes = result.placement->modes[m];
    std::string line;
    std::size_t runs = 0;
    for (std::size_t from = 0; from < modes.size();) {
      std::size_t to = from;
      while (to < modes.size() && modes[to] == modes[from]) ++to;
      if (++runs <= most_rows) {
        line += (line.empty() ? "" : ", ") + modes[from] + " at " +
                (to - from == 1 ? "step " + std::to_string(from)
                                : "steps " + std::to_string(from) + "-" + std::to_string(to - 1));
      }
      from = to;
    }
    if (runs > most_rows) line += ", ...";
    text += row("", "modes: " + line);
    const std::vector<std::string> idle = unused_modes(problem, *result.placement)[m];
    std::string unused;
    for (const std::string& mode : idle) unused += (unused.empty() ? "" : ", ") + mode;
    if (!unused.empty()) text += row("", "unused modes: " + unused);
  }
  return text;
}

std::string stats_text(const PlacementResult& result) {
  std::string text;
  for (const Stat& stat : result.stats) {
    text += stat.name + " = ";
    if (const auto* whole = std::get_if<std::int64_t>(&stat.value)) text += std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&stat.value)) text += number(*real, 6);
    if (const auto* words = std::get_if<std::string>(&stat.value)) text += *words;
    text += "\n";
  }
  return text;
}

/// The buffers left out, and the benefit of the rest.
std::string choice_report(const PlacementProblem& problem, const PlacementResult& result) {
  const std::vector<BufferIndex>& out = result.placement->left_out;
  std::string line = benefit_text(result.benefit);
  if (result.objectives.size() <= 1)
    line += result.proven_optimal ? ", maximum proved"
                                  : ", upper bound " + benefit_text(result.benefit_bound);
  std::string text = row("benefit", line);
  if (out.empty()) return text + row("", "all optional buffers are placed");
  std::string names;
  const std::size_t shown = std::min(out.size(), most_rows);
  for (std::size_t k = 0; k < shown; ++k)
    names += (k == 0 ? "" : ", ") + problem.buffers[out[k]].id;
  if (out.size() > shown) names += " and " + std::to_string(out.size() - shown) + " more";
  return text + row("", count(out.size(), "buffer") + " left out: " + names);
}

/// Several objectives, each at the values reached by the previous ones.
std::string objectives_report(const PlacementResult& result) {
  std::string text;
  for (const ObjectiveValue& each : result.objectives) {
    const bool benefit = each.name == "benefit";
    const auto value = [&](std::int64_t of) {
      return benefit ? benefit_text(of) : std::to_string(of);
    };
    std::string line = text.empty() ? "" : "then ";
    line += each.name + ' ' + value(each.value) + ", ";
    if (each.proved)
      line += std::string(benefit ? "maximum" : "minimum") + " proved" +
              (text.empty() ? "" : " at the values before");
    else
      line += (benefit ? "upper bound " : "lower bound ") + value(each.bound);
    text += row(text.empty() ? "in order" : "", line);
  }
  return text;
}

std::string found_report(const PlacementProblem& problem, const PlacementResult& result,
                         const ReportOptions& options) {
  const std::size_t placed = problem.buffers.size() - result.placement->left_out.size();
  std::string text =
      row("feasible", count(placed, "buffer") + " placed in " + number(result.seconds, 3) +
                          " s by " + result.engine + ", checked");
  if (result.stop != StopReason::completed)
    text += row("", "stopped by " + stop_text(result.stop) + "; best placement found");
  for (MemoryIndex m = 0; m < problem.memories.size(); ++m)
    text += memory_report(problem, result, m, options);
  // The bound on the largest height may exceed the bounds of single memories that share buffers.
  if (problem.memories.size() > 1 && result.lower_bound > 0)
    text += row("all", "largest height " + bytes(result.height) + "; " +
                           least_text(result.height, result.lower_bound, options.minimizing));
  if (has_optional(problem)) text += choice_report(problem, result);
  const bool soft = std::any_of(
      problem.relations.begin(), problem.relations.end(),
      [](const Relation& relation) { return relation.kind == RelationKind::avoid_overlap; });
  if (soft) {
    std::string line = std::to_string(result.cost) + " for overlaps (avoid_overlap)";
    const bool alone = result.objectives.size() <= 1;  // else it is said of all of them together
    if (alone && result.cost_bound == result.cost)
      line += ", minimum proved";
    else if (alone && result.cost_bound > 0)
      line += ", lower bound " + std::to_string(result.cost_bound);
    text += row("cost", line);
  }
  if (result.objectives.size() > 1) text += objectives_report(result);
  return text;
}

/// As live_bytes(). Only exempt buffers share addresses; without them, the sum of the loads.
std::vector<std::pair<Step, Size>> live_in(const PlacementProblem& problem,
                                           const Placement& placement,
                                           const std::vector<BufferIndex>& buffers) {
  if (!exempt_pairs(problem).empty()) {
    std::vector<Segment> occupied;
    for (const BufferIndex b : buffers)
      for (const Segment& segment : segments(problem.buffers[b]))
        occupied.push_back({segment.steps, segment.range.at(placement.places[b].offset)});
    return live_bytes(occupied);
  }
  std::map<Step, Size> changes;
  for (const BufferIndex b : buffers)
    for (const Load& load : loads(problem.buffers[b])) {
      changes[load.steps.lower] += load.bytes;
      changes[load.steps.upper] -= load.bytes;
    }
  std::vector<std::pair<Step, Size>> result;
  Size bytes = 0;
  for (const auto& [step, change] : changes) result.emplace_back(step, bytes += change);
  return result;
}

}  // namespace

Peak peak_of(const PlacementProblem& problem, const Placement& placement, MemoryIndex memory) {
  std::vector<BufferIndex> here;
  for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
    if (placement.places[b].memory == memory && !is_left_out(placement, b)) here.push_back(b);
  Peak peak;
  for (const auto& [step, bytes] : live_in(problem, placement, here))
    if (bytes > peak.bytes) peak = {.step = step, .bytes = bytes, .buffers = {}};
  if (peak.bytes == 0) return peak;
  for (const BufferIndex b : here)
    if (std::ranges::any_of(loads(problem.buffers[b]),
                            [&](const Load& load) { return load.steps.contains(peak.step); }))
      peak.buffers.push_back(b);
  std::sort(peak.buffers.begin(), peak.buffers.end(), [&](BufferIndex a, BufferIndex b) {
    return std::pair(-placement.places[a].offset, a) < std::pair(-placement.places[b].offset, b);
  });
  return peak;
}

std::string stop_text(StopReason stop) {
  switch (stop) {
    case StopReason::time_limit:
      return "the time limit";
    case StopReason::node_limit:
      return "the node limit";
    case StopReason::memory_limit:
      return "the memory limit";
    case StopReason::interrupted:
      return "an interrupt";
    case StopReason::completed:
      break;
  }
  return "the solver, which is incomplete,";
}

std::string bar(Size part, Size bound, Size whole) {
  const auto cells = [&](Size value) {
    if (whole <= 0) return std::size_t{0};
    const double share = static_cast<double>(value) / static_cast<double>(whole);
    const double width = share * static_cast<double>(bar_width);
    return std::min(bar_width, static_cast<std::size_t>(width + 0.5));
  };
  std::string text(bar_width, ' ');
  const std::size_t full = cells(part);
  std::fill(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(full), '#');
  const std::size_t mark = cells(bound);
  if (bound > 0 && mark < full) text[mark] = '|';
  return "[" + text + "]";
}

std::string placement_report(const PlacementProblem& problem, const PlacementResult& result,
                             const ReportOptions& options) {
  std::string text;
  switch (result.status) {
    case Status::feasible:
      text = found_report(problem, result, options);
      break;
    case Status::infeasible:
      text = row("infeasible", "proved in " + number(result.seconds, 3) + " s by " + result.engine);
      if (!result.reason.empty()) text += row("", result.reason);
      if (!options.explain.empty())
        text += row("", problem.rules.empty()
                            ? "for a minimal set of buffers that does not fit, run"
                            : "for a minimal set of buffers and rules that cannot be placed "
                              "together, run") +
                "  tessera explain " + options.explain + "\n";
      break;
    case Status::unknown:
      text = row("unknown", "stopped by " + stop_text(result.stop) + " after " +
                                number(result.seconds, 3) + " s without a result");
      if (!result.reason.empty()) text += row("", result.reason);
      for (MemoryIndex m = 0; m < problem.memories.size() && m < result.lower_bounds.size(); ++m)
        text +=
            row(problem.memories[m].name, "lower bound " + bytes(result.lower_bounds[m]) +
                                              ", capacity " + bytes(problem.memories[m].capacity));
      break;
  }
  text = wrapped(text, options.width, head_width);
  if (options.stats) text += stats_text(result);
  return text;
}

}  // namespace tessera::cli
