#include "io/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "io/text.h"
#include "tessera/names.h"

namespace tessera::io {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;  ///< in the smallest unit of its kind
};

constexpr std::int64_t kilo = 1000;
constexpr std::int64_t kibi = 1024;

constexpr std::array size_units{Unit{"B", 1},
                                Unit{"kB", kilo},
                                Unit{"MB", kilo* kilo},
                                Unit{"GB", kilo* kilo* kilo},
                                Unit{"TB", kilo* kilo* kilo* kilo},
                                Unit{"KiB", kibi},
                                Unit{"MiB", kibi* kibi},
                                Unit{"GiB", kibi* kibi* kibi},
                                Unit{"TiB", kibi* kibi* kibi* kibi}};
constexpr std::array duration_units{Unit{"ns", 1},
                                    Unit{"us", kilo},
                                    Unit{"ms", kilo* kilo},
                                    Unit{"s", kilo* kilo* kilo},
                                    Unit{"m", 60 * kilo* kilo* kilo},
                                    Unit{"min", 60 * kilo* kilo* kilo},
                                    Unit{"h", 3600 * kilo* kilo* kilo}};

struct RealUnit {
  std::string_view name;
  double factor;
};
constexpr std::array frequency_units{RealUnit{"Hz", 1}, RealUnit{"kHz", 1e3}, RealUnit{"MHz", 1e6},
                                     RealUnit{"GHz", 1e9}};
constexpr std::array energy_units{RealUnit{"fJ", 1e-3}, RealUnit{"pJ", 1}, RealUnit{"nJ", 1e3},
                                  RealUnit{"uJ", 1e6}, RealUnit{"mJ", 1e9}};
constexpr std::array energy_per_byte_units{RealUnit{"fJ/B", 1e-3}, RealUnit{"pJ/B", 1},
                                           RealUnit{"nJ/B", 1e3}, RealUnit{"fJ/bit", 8e-3},
                                           RealUnit{"pJ/bit", 8}};
constexpr std::array power_units{RealUnit{"uW", 1e-3}, RealUnit{"mW", 1}, RealUnit{"W", 1e3}};
constexpr std::array bandwidth_units{RealUnit{"B/s", 1},         RealUnit{"kB/s", 1e3},
                                     RealUnit{"MB/s", 1e6},      RealUnit{"GB/s", 1e9},
                                     RealUnit{"TB/s", 1e12},     RealUnit{"KiB/s", 1024},
                                     RealUnit{"MiB/s", 1048576}, RealUnit{"GiB/s", 1073741824},
                                     RealUnit{"Mbit/s", 1.25e5}, RealUnit{"Gbit/s", 1.25e8}};

constexpr bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

/// A decimal number: its digits, and the number of decimals.
struct Decimal {
  std::int64_t digits = 0;
  int behind_point = 0;
};

struct Split {
  std::string_view number;
  std::string_view unit;
};

/// "1.5 KiB" -> "1.5", "KiB".
Split split(std::string_view text) {
  text = trimmed(text);
  std::size_t k = 0;
  while (k < text.size() && (is_decimal(text[k]) || text[k] == '.' || text[k] == '-')) ++k;
  // An exponent belongs to the number only if digits follow: `1e3 Hz`, but `1 eV`.
  if (k > 0 && k < text.size() && (text[k] == 'e' || text[k] == 'E')) {
    std::size_t j = k + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    if (j < text.size() && is_decimal(text[j])) {
      while (j < text.size() && is_decimal(text[j])) ++j;
      k = j;
    }
  }
  return {text.substr(0, k), trimmed(text.substr(k))};
}

constexpr std::string_view beyond = "is too large";  ///< for what can be counted at all
constexpr std::string_view exponent = "has an exponent; write all digits";

Parsed<Decimal> parse_decimal(std::string_view text) {
  if (text.find_first_of("eE") != text.npos) return {{}, std::string(exponent)};
  Decimal decimal;
  bool point = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_decimal(c)) return {{}, "is not a number"};
    any = true;
    const auto ten = checked_mul(decimal.digits, 10);
    const auto next = ten ? checked_add(*ten, c - '0') : std::nullopt;
    if (!next) return {{}, std::string(beyond)};
    decimal.digits = *next;
    decimal.behind_point += point ? 1 : 0;
  }
  if (!any || text.front() == '.' || text.back() == '.') return {{}, "is not a number"};
  while (decimal.behind_point > 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    --decimal.behind_point;
  }
  return {decimal, {}};
}

std::string too_large(const std::string& most) {
  return std::string(beyond) + "; the largest is " + most;
}
std::string too_large(std::int64_t most) {
  return too_large(std::to_string(most));
}

/// digits * factor / 10^behind_point if that is whole and at most `most`.
Parsed<std::int64_t> exact(const Decimal& decimal, std::int64_t factor, std::int64_t most,
                           std::string_view smallest) {
  // A factor of 1024^4 has 40 factors of two; dividing first keeps the product in range.
  __extension__ using Wide = __int128;
  Wide value = static_cast<Wide>(decimal.digits) * factor;
  for (int k = 0; k < decimal.behind_point; ++k) {
    if (value % 10 != 0) return {{}, "is not a whole number of " + std::string(smallest)};
    value /= 10;
  }
  if (value > most) return {{}, too_large(most)};
  return {static_cast<std::int64_t>(value), {}};
}

template <typename U>
std::string list(std::span<const U> units) {
  std::string out;
  for (const U& unit : units) {
    if (!out.empty()) out += ", ";
    out += unit.name;
  }
  return out;
}

template <typename U>
const U* find(std::span<const U> units, std::string_view name) {
  for (const U& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

template <typename U>
std::string unit_error(std::span<const U> units, std::string_view unit, std::string_view example) {
  if (unit.empty()) return "has no unit; for instance `" + std::string(example) + "`";
  return "has the unknown unit " + shown(unit) + "; known are " + list(units);
}

Parsed<double> parse_quantity(std::string_view text, std::span<const RealUnit> units,
                              std::string_view example) {
  const Split parts = split(text);
  if (parts.number.empty())
    return {0, "is not a number with a unit such as `" + std::string(example) + "`"};
  const Parsed<double> number = parse_real(parts.number);
  if (!number) return {0, number.error};
  if (*number < 0) return {0, "is negative"};
  const RealUnit* unit = find(units, parts.unit);
  if (unit == nullptr) return {0, unit_error(units, parts.unit, example)};
  const double value = *number * unit->factor;
  if (!std::isfinite(value)) return {0, "is too large"};
  return {value, {}};
}

}  // namespace

Parsed<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return {0, "is not a whole number"};
  if (error == std::errc::result_out_of_range) return {0, "is too large"};
  return {value, {}};
}

Parsed<double> parse_real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument || !std::isfinite(value)) {
    return {0, "is not a number"};
  }
  if (error == std::errc::result_out_of_range) return {0, "is out of range"};
  return {value, {}};
}

Parsed<Benefit> parse_benefit(std::string_view text) {
  if (text.starts_with('-')) return {0, "is negative"};
  const Parsed<Decimal> number = parse_decimal(text);
  if (number.error == beyond) return {0, too_large(benefit_text(max_address))};
  if (!number) return {0, number.error};
  if ((*number).behind_point > 3) return {0, "has more than three decimals"};
  const Parsed<Benefit> benefit = exact(*number, 1000, max_address, "thousandths");
  if (benefit.error == too_large(max_address)) return {0, too_large(benefit_text(max_address))};
  return benefit;
}

Parsed<Size> parse_size(std::string_view text) {
  const Split parts = split(text);
  if (parts.number.empty()) {
    return {0, "is not a size; write bytes such as 4096, or a unit as in `16 KiB`"};
  }
  if (parts.number.front() == '-') return {0, "is negative"};
  if (parts.unit.empty() && parts.number.find('.') != std::string_view::npos) {
    return {0, "is not a whole number of bytes"};
  }
  const Parsed<Decimal> number = parse_decimal(parts.number);
  if (number.error == beyond) return {0, too_large(max_address)};
  if (number.error == exponent)
    return {0, number.error + "; the largest is " + std::to_string(max_address)};
  if (!number) return {0, number.error};
  std::int64_t factor = 1;
  if (!parts.unit.empty()) {
    const Unit* unit = find(std::span<const Unit>(size_units), parts.unit);
    if (unit == nullptr) {
      if (parts.unit == "K" || parts.unit == "k" || parts.unit == "KB" || parts.unit == "Kb") {
        return {0, "has the ambiguous unit " + shown(parts.unit) +
                       "; write KiB for 1024 bytes or kB for 1000"};
      }
      return {0, unit_error(std::span<const Unit>(size_units), parts.unit, "16 KiB")};
    }
    factor = unit->factor;
  }
  return exact(*number, factor, max_address, "bytes");
}

Parsed<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  using std::chrono::nanoseconds;
  const Split parts = split(text);
  if (parts.number.empty()) return {{}, "is not a duration such as `500ms`, `10s` or `2m`"};
  if (parts.number.front() == '-') return {{}, "is negative"};
  constexpr std::int64_t most = nanoseconds::max().count();
  const std::string too_long = too_large(std::to_string(most / duration_units.back().factor) + "h");
  const Parsed<Decimal> number = parse_decimal(parts.number);
  if (number.error == beyond) return {{}, too_long};
  if (!number) return {{}, number.error};
  const Unit* unit = find(std::span<const Unit>(duration_units), parts.unit);
  if (unit == nullptr) {
    return {{}, unit_error(std::span<const Unit>(duration_units), parts.unit, "10s")};
  }
  const Parsed<std::int64_t> value = exact(*number, unit->factor, most, "nanoseconds");
  if (value.error == too_large(most)) return {{}, too_long};
  return {nanoseconds(*value), value.error};
}

Parsed<double> parse_frequency(std::string_view text) {
  return parse_quantity(text, frequency_units, "500 MHz");
}
Parsed<double> parse_energy(std::string_view text) {
  return parse_quantity(text, energy_units, "0.2 pJ");
}
Parsed<double> parse_energy_per_byte(std::string_view text) {
  return parse_quantity(text, energy_per_byte_units, "1.2 pJ/B");
}
Parsed<double> parse_power(std::string_view text) {
  return parse_quantity(text, power_units, "50 mW");
}
Parsed<double> parse_area(std::string_view text) {
  constexpr std::array area_units{RealUnit{"mm2", 1}, RealUnit{"um2", 1e-6}};
  return parse_quantity(text, area_units, "0.5 mm2");
}

Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  const Split parts = split(text);
  const bool per_cycle = parts.unit == "B/cycle";
  constexpr std::array cycle_units{RealUnit{"B/cycle", 1}};
  const Parsed<double> value = per_cycle ? parse_quantity(text, cycle_units, "16 B/cycle")
                                         : parse_quantity(text, bandwidth_units, "12 GB/s");
  return {{*value, per_cycle}, value.error};
}

std::string format_size(Size size) {
  constexpr std::array<std::string_view, 4> names{"KiB", "MiB", "GiB", "TiB"};
  if (size < kibi || size % kibi != 0) return std::to_string(size);
  std::size_t k = 0;
  size /= kibi;
  while (k + 1 < names.size() && size >= kibi && size % kibi == 0) {
    size /= kibi;
    ++k;
  }
  return std::to_string(size) + ' ' + std::string(names[k]);
}

}  // namespace tessera::io
