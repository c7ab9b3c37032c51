#include "commands/sequence.h"

#include <algorithm>

namespace tessera::commands {
namespace {

constexpr std::size_t longest_digit = 300;

Numbers less_first(const Numbers& values, std::size_t count) {
  Numbers list;
  for (std::size_t k = 0; k < count; ++k) list.push_back(values[k] - values[0]);
  return list;
}

bool linear(const Numbers& values) {
  for (std::size_t k = 2; k < values.size(); ++k)
    if (values[k] - values[k - 1] != values[1] - values[0]) return false;
  return true;
}

bool repeats_every(const Numbers& values, std::size_t radix) {
  for (std::size_t k = radix; k < values.size(); ++k)
    if (values[k] != values[k - radix]) return false;
  return true;
}

/// Do all lists of `radix` values differ from the first one by a constant?
bool is_digit(const Numbers& values, std::size_t radix) {
  for (std::size_t k = radix; k < values.size(); ++k)
    if (values[k] - values[k - k % radix] != values[k % radix] - values[0]) return false;
  return true;
}

std::size_t longest_radix(const Numbers& values) {
  return std::min(values.size() / 2, longest_digit);
}

}  // namespace

std::int64_t Sequence::at(std::int64_t round) const {
  std::int64_t sum = 0;
  for (const Numbers& digit : digits) {
    const auto radix = static_cast<std::int64_t>(digit.size());
    sum += digit[static_cast<std::size_t>(round % radix)];
    round /= radix;
  }
  return sum + round * step;
}

Sequence sequence_of(const Numbers& values, bool repeats) {
  if (std::ranges::count(values, values.front()) == static_cast<std::ptrdiff_t>(values.size()))
    return {};
  if (!repeats && linear(values)) return {.digits = {}, .step = values[1] - values[0]};
  for (std::size_t radix = 2; radix <= longest_radix(values); ++radix)
    if (repeats_every(values, radix)) return {.digits = {less_first(values, radix)}};
  Sequence best{.digits = {less_first(values, values.size())}};
  if (repeats) return best;
  for (std::size_t radix = 2; radix <= longest_radix(values); ++radix) {
    if (!is_digit(values, radix)) continue;
    Numbers rest;
    for (std::size_t k = 0; k < values.size(); k += radix) rest.push_back(values[k]);
    Sequence found = sequence_of(rest, false);
    found.digits.insert(found.digits.begin(), less_first(values, radix));
    if (json_text(found).size() < json_text(best).size()) best = std::move(found);
  }
  return best;
}

std::string json_text(const Sequence& sequence) {
  if (sequence.digits.empty()) return std::to_string(sequence.step);
  std::string text = "[";
  for (const Numbers& digit : sequence.digits) {
    for (std::size_t k = 0; k < digit.size(); ++k)
      text += (k == 0 ? "[" : ",") + std::to_string(digit[k]);
    text += "],";
  }
  if (sequence.step != 0) text += std::to_string(sequence.step) + ",";
  text.back() = ']';
  return text;
}

}  // namespace tessera::commands
