#include "io/buffer_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

#include "io/collected.h"
#include "io/files.h"
#include "io/text.h"
#include "io/units.h"
#include "model/say.h"

namespace tessera::io {
namespace {

enum class Column : std::uint8_t { id, lower, upper, size, alignment, offset, hint, gaps, address };
constexpr std::size_t meanings = 9;

struct ColumnName {
  std::string_view name;
  Column column;
};
constexpr std::array column_names{
    ColumnName{"id", Column::id},         ColumnName{"buffer", Column::id},
    ColumnName{"buffer_id", Column::id},  ColumnName{"lower", Column::lower},
    ColumnName{"begin", Column::lower},   ColumnName{"start", Column::lower},
    ColumnName{"upper", Column::upper},   ColumnName{"end", Column::upper},
    ColumnName{"size", Column::size},     ColumnName{"alignment", Column::alignment},
    ColumnName{"offset", Column::offset}, ColumnName{"hint", Column::hint},
    ColumnName{"gaps", Column::gaps},     ColumnName{"address", Column::address}};

/// Removes the next part of `rest` up to `separator`, and the separator.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view piece = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view{} : rest.substr(at + 1);
  return piece;
}

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

class Reader {
 public:
  Reader(std::string text, const std::string& file, Lifetimes lifetimes)
      : file_(file), lifetimes_(lifetimes) {
    csv_.table.text = std::move(text);
    csv_.source.file = file;
  }

  BufferCsv read() {
    const std::string_view text = without_bom(csv_.table.text);
    require_text(text, file_);
    csv_.table.header = csv_.table.text.size() - text.size();
    std::string_view rest = text;
    if (trimmed(without_cr(next_part(rest, '\n'))).empty()) {
      throw error(text.find_first_not_of(" \t\r\n") == text.npos
                      ? "is empty"
                      : "begins with a blank line instead of the header",
                  "the first line is a header such as id,lower,upper,size");
    }
    read_header(without_cr(text.substr(0, text.find('\n'))));
    const auto lines = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n')) + 1;
    csv_.problem.memories.push_back({.name = "memory"});
    csv_.problem.buffers.reserve(lines);
    csv_.table.rows.reserve(lines);
    csv_.source.buffers.reserve(lines);
    const char* const base = csv_.table.text.data();
    while (!rest.empty()) {
      ++line_;
      const auto begin = static_cast<std::size_t>(rest.data() - base);
      const std::string_view row = without_cr(next_part(rest, '\n'));
      const bool blank = trimmed(row).empty();
      if (blank && rest.find_first_not_of(" \t\r\n") == rest.npos) break;
      const std::size_t before = wrong_.count();
      wrong_.attempt([&] {
        if (blank) throw error("is blank, but rows follow", "remove the blank line");
        csv_.table.rows.push_back(begin);
        csv_.source.buffers.push_back(line_);
        csv_.problem.buffers.emplace_back();
        read_row(row);
      });
      if (wrong_.count() > before && !blank) broken_.insert(csv_.problem.buffers.size() - 1);
    }
    if (csv_.problem.buffers.empty()) {
      line_ = 1;
      throw error("has a header but no buffers", "a problem has at least one buffer");
    }
    csv_.source.memories.push_back(1);
    const std::vector<Defect> defects = validate(csv_.problem);
    for (const Defect& defect : defects)
      if (!follows(defect)) wrong_.attempt([&] { throw located(defect); });
    wrong_.rethrow();
    return std::move(csv_);
  }

 private:
  /// Does the defect follow from a row that was not read completely? Duplicate ids are still
  /// reported.
  [[nodiscard]] bool follows(const Defect& defect) const {
    if (defect.part != ProblemPart::buffer || !broken_.contains(defect.index)) return false;
    return defect.field != "id" || csv_.problem.buffers[defect.index].id.empty();
  }

  [[nodiscard]] InputError error(std::string message, std::string hint = {}) const {
    return {file_, line_, std::move(message), std::move(hint)};
  }

  [[nodiscard]] InputError located(const Defect& defect) const {
    if (defect.part != ProblemPart::buffer || defect.field != "id") {
      return defect_error(csv_.source, defect);
    }
    const std::string& id = csv_.problem.buffers[defect.index].id;
    if (!is_printable(id))
      return {file_, csv_.source.buffers[defect.index],
              "the id " + shown(id) + " has an invisible character", "names are one line of text"};
    const auto first = std::find_if(csv_.problem.buffers.begin(), csv_.problem.buffers.end(),
                                    [&](const Buffer& buffer) { return buffer.id == id; });
    const auto index = static_cast<std::size_t>(first - csv_.problem.buffers.begin());
    return {file_, csv_.source.buffers[defect.index],
            "the id " + shown(id) + " is already on line " +
                std::to_string(csv_.source.buffers[index])};
  }

  void read_header(std::string_view header) {
    std::array<std::string_view, meanings> named{};
    while (header.data() != nullptr) {
      const bool last = header.find(',') == header.npos;
      const std::string_view name = trimmed(next_part(header, ','));
      const auto known = std::find_if(column_names.begin(), column_names.end(),
                                      [&](const ColumnName& each) { return each.name == name; });
      if (known == column_names.end()) throw unknown_column(name);
      std::string_view& before = named[static_cast<std::size_t>(known->column)];
      if (!before.empty()) {
        throw error(before == name ? "the column " + shown(name) + " is given twice"
                                   : "the columns " + shown(before) + " and " + shown(name) +
                                         " have the same meaning; keep one");
      }
      before = name;
      if (known->column == Column::offset) csv_.table.offset_column = columns_.size();
      if (known->column == Column::address) csv_.table.address_column = columns_.size();
      columns_.push_back(known->column);
      if (last) break;
    }
    csv_.table.columns = columns_.size();
    const auto has = [&](Column column) {
      return !named[static_cast<std::size_t>(column)].empty();
    };
    if (!has(Column::offset)) csv_.table.offset_column = columns_.size();
    if (!has(Column::address)) csv_.table.address_column = columns_.size();
    if (!has(Column::id)) throw missing_column("`id` (or `buffer`, `buffer_id`)");
    if (!has(Column::lower)) throw missing_column("`lower` (or `begin`, `start`)");
    if (!has(Column::upper)) throw missing_column("`upper` (half-open) or `end` (inclusive)");
    if (!has(Column::size)) throw missing_column("`size`");
    upper_name_ = named[static_cast<std::size_t>(Column::upper)];
    lower_name_ = named[static_cast<std::size_t>(Column::lower)];
    inclusive_ = lifetimes_ == Lifetimes::inclusive ||
                 (lifetimes_ == Lifetimes::by_header && upper_name_ == "end");
  }

  [[nodiscard]] InputError unknown_column(std::string_view name) const {
    if (name.empty()) return error("the header has a column without a name");
    std::array<std::string_view, column_names.size()> known{};
    std::transform(column_names.begin(), column_names.end(), known.begin(),
                   [](const ColumnName& each) { return each.name; });
    const std::string_view close = closest_word(name, known);
    return error("the header has the unknown column " + shown(name),
                 close.empty() ? "known columns are id, lower, upper or end, size, alignment, "
                                 "offset, hint and gaps; the first line must be the header"
                               : "did you mean `" + std::string(close) + "`?");
  }

  [[nodiscard]] InputError missing_column(std::string_view what) const {
    return error("the header has no column " + std::string(what));
  }

  void read_row(std::string_view row) {
    std::array<std::string_view, meanings> cells{};
    std::size_t count = 0;
    for (std::size_t begin = 0;; ++count) {
      const std::size_t comma = row.find(',', begin);
      if (count < columns_.size()) {
        cells[static_cast<std::size_t>(columns_[count])] =
            trimmed(row.substr(begin, comma - begin));
      }
      if (comma == row.npos) break;
      begin = comma + 1;
    }
    if (++count != columns_.size()) {
      throw error("has " + std::to_string(count) + (count == 1 ? " field" : " fields") +
                  ", but the header has " + std::to_string(columns_.size()));
    }
    const auto cell = [&](Column column) { return cells[static_cast<std::size_t>(column)]; };

    Buffer& buffer = csv_.problem.buffers.back();
    const std::string_view id = cell(Column::id);
    if (id.empty()) throw error("the id is empty");
    if (id.find('"') != id.npos) {
      throw error("the id " + shown(id) + " contains a quote; quotes are not part of this format");
    }
    buffer.id = id;
    wrong_.attempt([&] { read_live(cell(Column::lower), cell(Column::upper), buffer); });
    const auto take = [&](Column column, std::string_view name, Size least, auto& to) {
      wrong_.attempt([&] { to = bytes(cell(column), name, least); });
    };
    take(Column::size, "size", 1, buffer.size);
    if (has(Column::alignment)) take(Column::alignment, "alignment", 1, buffer.alignment);
    if (!cell(Column::offset).empty()) take(Column::offset, "offset", 0, buffer.offset);
    if (!cell(Column::hint).empty() && cell(Column::hint) != "-1")
      take(Column::hint, "hint", 0, buffer.hint);
    if (!cell(Column::gaps).empty()) wrong_.attempt([&] { read_gaps(cell(Column::gaps), buffer); });
    if (has(Column::address)) {
      std::optional<Offset>& address = csv_.table.addresses.emplace_back();
      if (!cell(Column::address).empty()) take(Column::address, "address", 0, address);
    }
  }

  void read_live(std::string_view lower, std::string_view upper, Buffer& buffer) const {
    StepRange live{step(lower, lower_name_), step(upper, upper_name_)};
    if (inclusive_) ++live.upper;
    if (live.empty()) {
      throw error("buffer " + shown(buffer.id) + " begins at " + std::to_string(live.lower) +
                      " but ends at " + std::string(upper) +
                      (inclusive_ ? " (inclusive)" : " (half-open)"),
                  inclusive_ ? "" : "if the ends are inclusive, add --lifetimes inclusive");
    }
    buffer.live.push_back(live);
  }

  [[nodiscard]] bool has(Column column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }

  /// "`size` of buffer `b1`".
  [[nodiscard]] std::string subject(std::string_view column) const {
    return "`" + std::string(column) + "` of buffer " + shown(csv_.problem.buffers.back().id);
  }

  [[nodiscard]] Step step(std::string_view text, std::string_view column) const {
    const Parsed<std::int64_t> value = parse_whole(text);
    if (!value) throw error(subject(column) + " is " + shown(text) + ", which " + value.error);
    if (*value < 0 || *value > max_address) {
      throw error(subject(column) + " is " + shown(text) + ", but steps run from 0 to " +
                  std::to_string(max_address));
    }
    return *value;
  }

  [[nodiscard]] Size bytes(std::string_view text, std::string_view column, Size least) const {
    Size value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (stop != end || code != std::errc{} || value < 0 || value > max_address) {
      // names the units, and the reason if it is wrong
      const Parsed<Size> parsed = parse_size(text);
      if (!parsed) {
        throw error(subject(column) + " is " + shown(text) + ", which " + parsed.error);
      }
      value = *parsed;
    }
    if (value < least) {
      throw error(subject(column) + " is " + std::to_string(value) + ", but it must be at least " +
                  std::to_string(least));
    }
    return value;
  }

  void read_gaps(std::string_view list, Buffer& buffer) const {
    while (!list.empty()) {
      const std::string_view text = next_part(list, ' ');
      if (text.empty()) continue;
      std::string_view window = text;
      std::string_view steps = next_part(window, '@');
      const bool has_window = text.find('@') != text.npos;
      const std::size_t dash = steps.find('-');
      const std::size_t colon = window.find(':');
      if (dash == steps.npos || (has_window && colon == window.npos)) {
        throw error("buffer " + shown(buffer.id) + " has the gap " + shown(text) +
                    ", which is neither L-U nor L-U@lo:hi");
      }
      Gap gap{.steps = {step(steps.substr(0, dash), "gaps"), step(steps.substr(dash + 1), "gaps")},
              .window = {}};
      if (inclusive_) ++gap.steps.upper;
      if (has_window) {
        gap.window = {bytes(window.substr(0, colon), "gaps", 0),
                      bytes(window.substr(colon + 1), "gaps", 0)};
      }
      buffer.gaps.push_back(gap);
    }
    std::sort(buffer.gaps.begin(), buffer.gaps.end(),
              [](const Gap& a, const Gap& b) { return a.steps < b.steps; });
  }

  std::string file_;
  Lifetimes lifetimes_;
  BufferCsv csv_;
  Collected wrong_;
  std::unordered_set<BufferIndex> broken_;  ///< those with an error in their row
  std::vector<Column> columns_;
  std::string_view lower_name_ = "lower";
  std::string_view upper_name_ = "upper";
  bool inclusive_ = false;
  std::size_t line_ = 1;
};

void append_number(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  static_cast<void>(code);  // 24 characters hold every 64-bit number
  out.append(digits.data(), end);
}

}  // namespace

BufferCsv read_buffer_csv(std::string text, const std::string& file, Lifetimes lifetimes) {
  return Reader(std::move(text), file, lifetimes).read();
}

BufferCsv read_buffer_csv_file(const std::filesystem::path& path, Lifetimes lifetimes) {
  return read_buffer_csv(read_file(path), path.string(), lifetimes);
}

std::string write_buffer_csv(const CsvTable& table, std::span<const BufferPlace> places,
                             std::span<const Offset> addresses) {
  const auto line_from = [&](std::size_t begin) {
    const std::string_view rest = std::string_view(table.text).substr(begin);
    return without_cr(rest.substr(0, rest.find('\n')));
  };
  std::string out;
  out.reserve(table.text.size() + 12 * places.size());
  out += line_from(table.header);
  const bool new_offset = table.offset_column == table.columns;
  const bool new_address = table.address_column == table.columns && !addresses.empty();
  if (new_offset) out += ",offset";
  if (new_address) out += ",address";
  out += '\n';
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    std::string_view rest = line_from(table.rows[k]);
    if (new_offset && table.address_column == table.columns) {
      out += rest;
    } else {
      for (std::size_t column = 0; column < table.columns; ++column) {
        if (column > 0) out += ',';
        const std::string_view cell = next_part(rest, ',');
        if (column == table.offset_column) {
          append_number(out, places[k].offset);
        } else if (column == table.address_column) {
          if (!addresses.empty()) append_number(out, addresses[k]);
        } else {
          out += cell;
        }
      }
    }
    if (new_offset) {
      out += ',';
      append_number(out, places[k].offset);
    }
    if (new_address) {
      out += ',';
      append_number(out, addresses[k]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace tessera::io
