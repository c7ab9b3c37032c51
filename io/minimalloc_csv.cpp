#include "io/minimalloc_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_set>

#include "io/text.h"
#include "model/say.h"
#include "tessera/validate.h"

namespace tessera::io {
namespace {

constexpr std::string_view white = " \t\n\v\f\r";

/// Removes the part of `rest` up to the separator, and the separator. At the end of the text `rest`
/// becomes empty with null data.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view piece = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view{} : rest.substr(at + 1);
  return piece;
}

/// The standard name for a column's name or alias; unknown names stay.
std::string_view meaning_of(std::string_view name) {
  if (name == "buffer" || name == "buffer_id") return "id";
  if (name == "begin" || name == "start") return "lower";
  if (name == "end") return "upper";
  return name;
}

class MinimallocReader {
 public:
  explicit MinimallocReader(const std::string& file) : file_(file) {}

  MinimallocTable read(const std::string& bytes) {
    std::string_view rest = without_bom(bytes);
    while (rest.data() != nullptr) {
      ++line_;
      std::string_view row = take_part(rest, '\n');
      if (row.ends_with('\r')) row.remove_suffix(1);
      if (row.empty()) {
        pass_over(rest);
        break;
      }
      if (columns_.empty())
        read_columns(row);
      else
        read_buffer(row);
    }
    return std::move(table_);
  }

 private:
  [[nodiscard]] InputError error(std::string message, std::string hint = {}) const {
    return {file_, line_, std::move(message), std::move(hint)};
  }

  void pass_over(std::string_view rest) {
    if (rest.find_first_not_of(white) == rest.npos) return;
    table_.notes.push_back(file_ + ":" + std::to_string(line_) +
                           ": is blank, which ends the file; the rest is ignored");
  }

  void read_columns(std::string_view row) {
    while (row.data() != nullptr) {
      const std::string_view name = take_part(row, ',');
      if (name == "end") inclusive_ = 1;
      if (!columns_.emplace(meaning_of(name), columns_.size()).second)
        throw error(
            "the column " + shown(name) + " is given twice, or has the same meaning as another",
            "keep one");
    }
    for (const char* needed : {"id", "lower", "upper", "size"})
      if (!columns_.contains(needed))
        throw error("the header has no column `" + std::string(needed) + "`",
                    "the columns id, lower, upper and size are required");
  }

  [[nodiscard]] std::int64_t number(std::string_view cell, std::string_view what) const {
    std::string_view digits = cell;
    digits.remove_prefix(std::min(digits.find_first_not_of(white), digits.size()));
    digits = digits.substr(0, digits.find_last_not_of(white) + 1);
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || stop != digits.data() + digits.size() || code != std::errc{})
      throw error("`" + std::string(what) + "` is " + shown(cell) +
                  ", which is not a whole number" +
                  (code == std::errc::result_out_of_range ? " of 64 bits" : ""));
    return value;
  }

  void require_least(std::int64_t value, std::int64_t least, std::string_view what) const {
    if (value < least)
      throw error("`" + std::string(what) + "` is " + std::to_string(value) +
                  ", but it must be at least " + std::to_string(least));
  }

  void read_buffer(std::string_view row) {
    std::vector<std::string_view> cells;
    while (row.data() != nullptr) cells.push_back(take_part(row, ','));
    if (cells.size() != columns_.size())
      throw error("has " + std::to_string(cells.size()) +
                  (cells.size() == 1 ? " field" : " fields") + ", but the header has " +
                  std::to_string(columns_.size()));
    const auto cell = [&](std::string_view column) {
      const auto found = columns_.find(column);
      return found == columns_.end() ? std::string_view{} : cells[found->second];
    };
    MinimallocBuffer buffer;
    buffer.line = line_;
    buffer.id = cell("id");
    buffer.live = {number(cell("lower"), "lower"), last_step(cell("upper"), "upper")};
    if (buffer.live.empty())
      throw error("the lifetime begins at " + std::to_string(buffer.live.lower) +
                  " and has no step before its end, " + shown(cell("upper")));
    buffer.size = number(cell("size"), "size");
    require_least(buffer.size, 0, "size");
    if (columns_.contains("alignment")) {
      buffer.alignment = number(cell("alignment"), "alignment");
      require_least(buffer.alignment, 1, "alignment");
    }
    if (!cell("offset").empty()) {
      buffer.offset = number(cell("offset"), "offset");
      require_least(*buffer.offset, 0, "offset");
    }
    if (!cell("hint").empty())
      if (const std::int64_t hint = number(cell("hint"), "hint"); hint >= 0) buffer.hint = hint;
    read_gaps(cell("gaps"), buffer);
    table_.buffers.push_back(std::move(buffer));
  }

  /// One past the last step.
  [[nodiscard]] Step last_step(std::string_view cell, std::string_view what) const {
    const std::optional<Step> step = checked_add(number(cell, what), inclusive_);
    if (!step)
      throw error("`" + std::string(what) + "` is " + shown(cell) + ", which is too large");
    return *step;
  }

  void read_gaps(std::string_view list, MinimallocBuffer& buffer) const {
    while (list.data() != nullptr) {
      const std::string_view text = take_part(list, ' ');
      if (text.empty()) continue;
      std::string_view window = text;
      const std::string_view steps = take_part(window, '@');
      const std::size_t dash = steps.find('-');
      const std::size_t colon = window.find(':');
      if (dash == steps.npos || (window.data() != nullptr && colon == window.npos))
        throw error("the gap " + shown(text) + " is neither L-U nor L-U@lo:hi");
      Gap gap{{number(steps.substr(0, dash), "gaps"), last_step(steps.substr(dash + 1), "gaps")},
              {}};
      if (window.data() != nullptr) {
        gap.window = {number(window.substr(0, colon), "gaps"),
                      number(window.substr(colon + 1), "gaps")};
        if (!AddressRange{0, buffer.size}.contains(*gap.window) ||
            gap.window->begin > gap.window->end)
          throw error("the gap " + shown(text) + " has a window that is not inside the buffer's " +
                      std::to_string(buffer.size) + " bytes");
      }
      buffer.gaps.push_back(gap);
    }
  }

  std::string file_;
  MinimallocTable table_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  Step inclusive_ = 0;
  std::size_t line_ = 0;
};

/// The window that a buffer occupies from a step on; none: it occupies nothing. Of several changes
/// at one step the last one counts; the end of a gap precedes a beginning.
struct Change {
  Step step = 0;
  bool begins = false;
  std::optional<AddressRange> window;
};

/// The intervals in which a live buffer does not occupy all its bytes, sorted and disjoint.
std::vector<Gap> occupied_less(const MinimallocBuffer& buffer) {
  const AddressRange whole{0, buffer.size};
  std::vector<Change> changes;
  for (const Gap& gap : buffer.gaps) {
    if (gap.steps.empty()) continue;
    changes.push_back({gap.steps.lower, true, gap.window});
    changes.push_back({gap.steps.upper, false, whole});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.step != b.step ? a.step < b.step : a.begins < b.begins;
  });
  std::vector<Gap> less;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const Step next = k + 1 < changes.size() ? changes[k + 1].step : buffer.live.upper;
    const StepRange steps{std::max(changes[k].step, buffer.live.lower),
                          std::min(next, buffer.live.upper)};
    std::optional<AddressRange> window = changes[k].window;
    if (steps.empty() || window == whole) continue;
    if (window && window->empty()) window.reset();
    less.push_back({steps, window});
  }
  return less;
}

/// Every step in the file, in order; in the problem its rank replaces it.
class StepRanks {
 public:
  void name(const StepRange& steps) {
    named_.push_back(steps.lower);
    named_.push_back(steps.upper);
  }
  void sort() {
    std::sort(named_.begin(), named_.end());
    named_.erase(std::unique(named_.begin(), named_.end()), named_.end());
  }
  [[nodiscard]] StepRange rank(const StepRange& steps) const {
    return {rank(steps.lower), rank(steps.upper)};
  }

 private:
  [[nodiscard]] Step rank(Step step) const {
    return std::lower_bound(named_.begin(), named_.end(), step) - named_.begin();
  }
  std::vector<Step> named_;
};

bool is_utf8(std::string_view text) {
  while (!text.empty() && utf8_length(text) > 0) text.remove_prefix(utf8_length(text));
  return text.empty();
}

/// A unique name: the row's own name if possible.
std::string unlike_others(const MinimallocBuffer& row, std::unordered_set<std::string>& taken) {
  std::string name = row.id;
  if (name.empty() || !is_utf8(name) || !is_printable(name) || taken.contains(name))
    name = "line " + std::to_string(row.line);
  while (!taken.insert(name).second) name += '+';
  return name;
}

/// Escapes special characters of LaTeX.
std::string in_latex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      out += '\\';
      out += c;
      out += "{}";
    } else {
      if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string in_centimetres(double value) {
  std::array<char, 40> text{};
  const auto [end, code] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 4);
  return code == std::errc{} ? std::string(text.data(), end) : "0";
}

}  // namespace

MinimallocTable read_minimalloc_csv(std::string text, const std::string& file) {
  return MinimallocReader(file).read(text);
}

MinimallocProblem minimalloc_problem(const MinimallocTable& table, Size capacity,
                                     const std::string& file) {
  MinimallocProblem out;
  out.problem.memories.push_back(
      {.name = "memory", .capacity = std::min<Size>(capacity, max_address)});
  out.placed.resize(table.buffers.size());
  out.others.resize(table.buffers.size());
  StepRanks ranks;
  std::vector<std::vector<Gap>> gaps;
  for (const MinimallocBuffer& row : table.buffers) {
    gaps.push_back(occupied_less(row));
    ranks.name(row.live);
    for (const Gap& gap : gaps.back()) ranks.name(gap.steps);
  }
  ranks.sort();
  std::unordered_set<std::string> taken;
  std::vector<std::size_t> lines;
  for (std::size_t r = 0; r < table.buffers.size(); ++r) {
    const MinimallocBuffer& row = table.buffers[r];
    if (row.size == 0) {
      out.others[r] = row.offset.value_or(0);
      continue;
    }
    out.placed[r] = out.problem.buffers.size();
    Buffer& buffer = out.problem.buffers.emplace_back();
    buffer.id = unlike_others(row, taken);
    buffer.live = {ranks.rank(row.live)};
    buffer.size = row.size;
    buffer.alignment = row.alignment;
    buffer.offset = row.offset;
    buffer.hint = row.hint;
    for (const Gap& gap : gaps[r]) buffer.gaps.push_back({ranks.rank(gap.steps), gap.window});
    lines.push_back(row.line);
  }
  if (out.problem.buffers.empty()) return out;
  const std::vector<Defect> defects = validate(out.problem);
  if (defects.empty()) return out;
  const Defect& first = defects.front();
  throw InputError(file, first.part == ProblemPart::buffer ? lines.at(first.index) : 0,
                   first.message);
}

std::vector<Offset> offsets_of(const MinimallocProblem& asked, const Placement& placement) {
  std::vector<Offset> offsets = asked.others;
  for (std::size_t r = 0; r < offsets.size(); ++r)
    if (asked.placed[r]) offsets[r] = placement.places.at(*asked.placed[r]).offset;
  return offsets;
}

std::string write_minimalloc_csv(const MinimallocTable& table, const std::vector<Offset>& offsets) {
  const auto any = [&](auto has) {
    return std::any_of(table.buffers.begin(), table.buffers.end(), has);
  };
  const bool alignments = any([](const MinimallocBuffer& row) { return row.alignment != 1; });
  const bool hints = any([](const MinimallocBuffer& row) { return row.hint.has_value(); });
  const bool gaps = any([](const MinimallocBuffer& row) { return !row.gaps.empty(); });
  std::string out = "id,lower,upper,size";
  if (alignments) out += ",alignment";
  if (hints) out += ",hint";
  if (gaps) out += ",gaps";
  out += ",offset\n";
  for (std::size_t r = 0; r < table.buffers.size(); ++r) {
    const MinimallocBuffer& row = table.buffers[r];
    out += row.id + ',' + std::to_string(row.live.lower) + ',' + std::to_string(row.live.upper) +
           ',' + std::to_string(row.size);
    if (alignments) out += ',' + std::to_string(row.alignment);
    if (hints) out += ',' + std::to_string(row.hint.value_or(-1));
    if (gaps) out += ',';
    for (std::size_t k = 0; k < row.gaps.size(); ++k) {
      const Gap& gap = row.gaps[k];
      if (k > 0) out += ' ';
      out += std::to_string(gap.steps.lower) + '-' + std::to_string(gap.steps.upper);
      if (gap.window)
        out += '@' + std::to_string(gap.window->begin) + ':' + std::to_string(gap.window->end);
    }
    out += ',' + std::to_string(offsets[r]) + '\n';
  }
  return out;
}

std::string minimalloc_tikz(const MinimallocTable& table, Size capacity,
                            const std::vector<Offset>& offsets) {
  constexpr double width = 17;
  constexpr double height = 8.5;
  StepRange all{0, 1};
  for (std::size_t r = 0; r < table.buffers.size(); ++r) {
    const StepRange& live = table.buffers[r].live;
    all.lower = r == 0 ? live.lower : std::min(all.lower, live.lower);
    all.upper = r == 0 ? live.upper : std::max(all.upper, live.upper);
  }
  const auto x = [&](Step step) {
    const double steps = static_cast<double>(all.upper) - static_cast<double>(all.lower);
    return in_centimetres(width * (static_cast<double>(step) - static_cast<double>(all.lower)) /
                          steps);
  };
  const auto y = [&](Offset address) {
    return in_centimetres(height * static_cast<double>(address) / static_cast<double>(capacity));
  };
  const auto rectangle = [&](const StepRange& steps, const AddressRange& bytes) {
    return "(" + x(steps.lower) + "," + y(bytes.begin) + ") rectangle (" + x(steps.upper) + "," +
           y(bytes.end) + ")";
  };
  std::string out =
      "\\documentclass[tikz]{standalone}\n"
      "\\begin{document}\n"
      "\\begin{tikzpicture}\n";
  for (std::size_t r = 0; r < table.buffers.size(); ++r) {
    const MinimallocBuffer& row = table.buffers[r];
    const auto draw = [&](const StepRange& steps, const AddressRange& window) {
      if (steps.empty()) return;
      const std::string corners = rectangle(steps, window.at(offsets[r]));
      out += "\\filldraw[fill=lightgray,draw=darkgray] " + corners + ";\n";
      out += "\\path " + corners + " node[midway] {" + in_latex(row.id) + "};\n";
    };
    Step from = row.live.lower;
    for (const Gap& gap : occupied_less(row)) {
      draw({from, gap.steps.lower}, {0, row.size});
      if (gap.window) draw(gap.steps, *gap.window);
      from = gap.steps.upper;
    }
    draw({from, row.live.upper}, {0, row.size});
  }
  out += "\\draw[thick] " + rectangle(all, {0, capacity}) + ";\n";
  out +=
      "\\end{tikzpicture}\n"
      "\\end{document}\n";
  return out;
}

}  // namespace tessera::io
