// Numbers with units, exactly: `16 KiB`, `1.5 MiB`, `500ms`, `1.05 GHz`, `0.23 pJ`, `12 GB/s`.
//
//   Parsed<Size> size = parse_size("16 KiB");
//   if (!size) throw InputError(file, line, size.error);
//   use(*size);                                              // 16384
//
// Decimal fractions have to give an integer: `0.5 KiB` is 512 bytes, `0.3 KiB` is rejected. `K`
// alone is rejected because it is ambiguous: 1000 or 1024.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/hardware.h"
#include "tessera/units.h"

namespace tessera::io {

/// A value, or an error clause ("has no unit; write it as in `500 MHz`").
template <typename T>
struct Parsed {
  T value{};
  std::string error;
  [[nodiscard]] explicit operator bool() const { return error.empty(); }
  [[nodiscard]] const T& operator*() const { return value; }
};

/// A decimal integer: no sign except `-`, no blanks, no exponent.
[[nodiscard]] Parsed<std::int64_t> parse_whole(std::string_view text);

/// Bytes: a plain integer, or a number with B, kB, MB, GB, TB, KiB, MiB, GiB or TiB. ensure: within
/// 0 .. max_address.
[[nodiscard]] Parsed<Size> parse_size(std::string_view text);

/// ns, us, ms, s, min or m, h; the unit is required. ensure: at most about 290 years, not negative.
[[nodiscard]] Parsed<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// The following require a unit and give a finite, non-negative number. In thousandths, exactly:
/// `12.5` is 12500.
[[nodiscard]] Parsed<Benefit> parse_benefit(std::string_view text);
[[nodiscard]] Parsed<double> parse_frequency(std::string_view text);        ///< in Hz
[[nodiscard]] Parsed<double> parse_energy(std::string_view text);           ///< in pJ
[[nodiscard]] Parsed<double> parse_energy_per_byte(std::string_view text);  ///< in pJ per byte
[[nodiscard]] Parsed<double> parse_power(std::string_view text);            ///< in mW
[[nodiscard]] Parsed<double> parse_area(std::string_view text);             ///< in mm2
[[nodiscard]] Parsed<Bandwidth> parse_bandwidth(std::string_view text);     ///< /s or /cycle

/// A plain decimal number, with or without a fraction or an exponent; finite.
[[nodiscard]] Parsed<double> parse_real(std::string_view text);

/// The size in readable form: `1 MiB`, `184 KiB`, `1000003`; parse_size reads it back.
[[nodiscard]] std::string format_size(Size size);

}  // namespace tessera::io
