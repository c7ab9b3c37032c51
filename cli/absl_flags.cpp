#include "cli/absl_flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/words.h"
#include "tessera/errors.h"

namespace tessera::cli {

namespace {

constexpr std::string_view spaces = " \t\n\v\f\r";

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text.substr(0, text.find_last_not_of(spaces) + 1);
}

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<bool> yes_or_no(std::string_view text) {
  const std::string word = in_small_letters(without_spaces(text));
  constexpr std::array<std::string_view, 5> yes{"1", "t", "true", "y", "yes"};
  constexpr std::array<std::string_view, 5> no{"0", "f", "false", "n", "no"};
  if (std::find(yes.begin(), yes.end(), word) != yes.end()) return true;
  if (std::find(no.begin(), no.end(), word) != no.end()) return false;
  return std::nullopt;
}

class FlagReader {
 public:
  FlagReader(std::span<const AbslFlag> known, const std::string& command)
      : known_(known), command_(command) {}

  AbslFlags read(std::span<const std::string> arguments) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      std::string_view argument = arguments[k];
      if (argument.size() < 2 || argument[0] != '-') {
        flags_.others.push_back(arguments[k]);
        continue;
      }
      argument.remove_prefix(argument[1] == '-' ? 2 : 1);
      if (argument.empty()) {
        flags_.others.insert(flags_.others.end(),
                             arguments.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                             arguments.end());
        break;
      }
      const std::size_t equals = argument.find('=');
      const std::string_view name = argument.substr(0, equals);
      std::optional<std::string_view> value;
      if (equals != argument.npos) value = argument.substr(equals + 1);
      if (const AbslFlag* flag = find(name); flag == nullptr) {
        read_negated(name, value);
      } else if (flag->is_switch) {
        set_switch(name, value);
      } else if (value) {
        set(name, *value);
      } else if (k + 1 < arguments.size()) {
        set(name, arguments[++k]);
      } else {
        throw wrong("--" + std::string(name) + " needs a value");
      }
    }
    return std::move(flags_);
  }

 private:
  [[nodiscard]] BadInput wrong(const std::string& what) const {
    return BadInput(command_ + ": " + what, command_ + " --help");
  }

  [[nodiscard]] const AbslFlag* find(std::string_view name) const {
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const AbslFlag& flag) { return flag.name == name; });
    return found == known_.end() ? nullptr : &*found;
  }

  void set(std::string_view name, std::string_view value) {
    flags_.values.insert_or_assign(std::string(name), std::string(value));
  }

  void set_switch(std::string_view name, std::optional<std::string_view> value) {
    const std::optional<bool> on = value ? yes_or_no(*value) : true;
    if (!on)
      throw wrong("--" + std::string(name) + "='" + std::string(*value) +
                  "' is neither true nor false");
    set(name, *on ? "true" : "false");
  }

  void read_negated(std::string_view name, std::optional<std::string_view> value) {
    const AbslFlag* flag = name.starts_with("no") ? find(name.substr(2)) : nullptr;
    if (flag == nullptr) throw unknown(name);
    const std::string what = "--" + std::string(name);
    if (!flag->is_switch)
      throw wrong(what + ": `no` applies to on/off flags only; --" + std::string(flag->name) +
                  " takes a value");
    if (value) throw wrong(what + " takes no value: it is --" + std::string(flag->name) + "=false");
    set(flag->name, "false");
  }

  [[nodiscard]] BadInput unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const AbslFlag& flag : known_) names.push_back(flag.name);
    const std::string_view close = closest_word(name, names);
    const std::string what = command_ + ": there is no flag --" + std::string(name);
    return close.empty() ? BadInput(what, command_ + " --help")
                         : BadInput(what, "did you mean `--" + std::string(close) + "`?");
  }

  std::span<const AbslFlag> known_;
  const std::string& command_;
  AbslFlags flags_;
};

struct DurationUnit {
  std::string_view name;
  double nanoseconds;
};
/// Longer names first: `ms` is not `m`.
constexpr std::array duration_units{DurationUnit{"ns", 1},   DurationUnit{"us", 1e3},
                                    DurationUnit{"ms", 1e6}, DurationUnit{"s", 1e9},
                                    DurationUnit{"m", 60e9}, DurationUnit{"h", 3600e9}};

/// Parses and removes the decimal number at the front of `rest`.
std::optional<double> take_decimal(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::string_view digits = rest.substr(0, end);
  rest.remove_prefix(end);
  if (digits.find_first_of("0123456789") == digits.npos) return std::nullopt;
  double value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                            std::chars_format::fixed);
  if (code != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string AbslFlags::value(std::string_view name, std::string_view otherwise) const {
  const auto found = values.find(name);
  return found == values.end() ? std::string(otherwise) : found->second;
}

bool AbslFlags::is_on(std::string_view name, bool otherwise) const {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : found->second == "true";
}

AbslFlags read_absl_flags(std::span<const std::string> arguments, std::span<const AbslFlag> known,
                          const std::string& command) {
  return FlagReader(known, command).read(arguments);
}

std::int64_t absl_number(std::string_view text, const std::string& what) {
  std::string_view digits = without_spaces(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  const std::string plain = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  const auto [stop, code] =
      std::from_chars(plain.data(), plain.data() + plain.size(), value, hexadecimal ? 16 : 10);
  if (digits.empty() || digits.starts_with('-') || code != std::errc{} ||
      stop != plain.data() + plain.size())
    throw BadInput(what + " '" + std::string(text) + "' is not a whole number of bytes",
                   "write it without a unit: 1048576");
  return value;
}

std::optional<std::chrono::nanoseconds> absl_duration(std::string_view text,
                                                      const std::string& what) {
  const auto wrong = [&] {
    return BadInput(what + " '" + std::string(text) + "' is not a duration",
                    "write it as in 500ms, 10s, 1m30s or inf");
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty()) throw wrong();
  if (rest == "inf" && !negative) return std::nullopt;
  if (rest == "inf" || rest == "0") return std::chrono::nanoseconds(0);
  double total = 0;
  while (!rest.empty()) {
    const std::optional<double> number = take_decimal(rest);
    const auto unit =
        std::find_if(duration_units.begin(), duration_units.end(),
                     [&](const DurationUnit& each) { return rest.starts_with(each.name); });
    if (!number || unit == duration_units.end()) throw wrong();
    rest.remove_prefix(unit->name.size());
    total += *number * unit->nanoseconds;
  }
  if (negative) return std::chrono::nanoseconds(0);
  constexpr double longest = 9e18;  // 285 years, and below 2^63
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(total, longest)));
}

}  // namespace tessera::cli
