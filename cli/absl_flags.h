// Parses command lines in the syntax of Abseil flags.
//
//   constexpr std::array known{AbslFlag{"input"}, AbslFlag{"validate", true}};
//   AbslFlags flags = read_absl_flags({"-input", "a.csv", "--novalidate"}, known, "tessera x");
//   flags.value("input", "");        // "a.csv"
//   flags.is_on("validate", true);   // false
//
// One dash or two; `--name=value` or `--name value`; Boolean flags as `--name`, `--noname` or
// `--name=` with true, t, yes, y, 1 and their opposites. The last occurrence of a flag counts, `--`
// ends the flags, and other arguments are returned (https://abseil.io/docs/cpp/guides/flags).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

struct AbslFlag {
  std::string_view name;
  bool is_switch = false;  ///< Boolean, takes no separate value
};

struct AbslFlags {
  std::map<std::string, std::string, std::less<>> values;  ///< "true" or "false" for switches
  std::vector<std::string> others;                         ///< arguments that are not flags

  [[nodiscard]] bool has(std::string_view name) const { return values.contains(name); }
  [[nodiscard]] std::string value(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] bool is_on(std::string_view name, bool otherwise) const;
};

/// Throws BadInput that begins with `command`, which the hint uses as well.
[[nodiscard]] AbslFlags read_absl_flags(std::span<const std::string> arguments,
                                        std::span<const AbslFlag> known,
                                        const std::string& command);

/// A decimal number, or a hexadecimal one with 0x. Throws BadInput that begins with `what`.
[[nodiscard]] std::int64_t absl_number(std::string_view text, const std::string& what);

/// `10s`, `1m30s`, `1.5h`, `-2ms`, `0`; none for `inf`. Negative durations become 0. Throws
/// BadInput that begins with `what`.
[[nodiscard]] std::optional<std::chrono::nanoseconds> absl_duration(std::string_view text,
                                                                    const std::string& what);

}  // namespace tessera::cli
