#include "tests/support/proofs.h"

#include <cstdio>
#include <sstream>

namespace tessera::testing {
namespace {

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("-0123456789") == std::string::npos;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// Replaces a number by another one.
std::string changed(Random& random, const std::string& number, const std::string& elsewhere) {
  const long long value = std::atoll(number.c_str());
  switch (random.below(6)) {
    case 0:
      return std::to_string(value + 1);
    case 1:
      return std::to_string(value - 1);
    case 2:
      return std::to_string(-value);
    case 3:
      return std::to_string(value ^ 1);
    case 4:
      return std::to_string(random.between(-1, 12));
    default:
      return elsewhere;
  }
}

}  // namespace

std::string sealed(std::string text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  char line[32] = {};
  std::snprintf(line, sizeof line, "end %016llx\n", static_cast<unsigned long long>(hash));
  return std::move(text) + line;
}

std::string unsealed(const std::string& text) {
  constexpr std::size_t length = 4 + 16 + 1;
  return text.size() < length ? std::string() : text.substr(0, text.size() - length);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string damaged(Random& random, const std::string& text, const std::string& other) {
  std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> others = lines_of(other);
  if (lines.empty()) return text;
  const std::size_t at = random.below(lines.size());
  const auto here = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(10)) {
    case 0:
      lines.erase(here);
      break;
    case 1:
      lines.insert(here, lines[random.below(lines.size())]);
      break;
    case 2:
      std::swap(lines[at], lines[random.below(lines.size())]);
      break;
    case 3:
      if (!others.empty()) lines.insert(here, others[random.below(others.size())]);
      break;
    default: {
      std::vector<std::string> words = words_of(lines[at]);
      std::vector<std::size_t> numbers;
      for (std::size_t k = 0; k < words.size(); ++k)
        if (is_number(words[k])) numbers.push_back(k);
      if (numbers.empty()) {
        if (!words.empty()) words[0] = std::string(1, "oipvmkbxuhyzasldqcetwnrg"[random.below(24)]);
      } else {
        const std::size_t k = numbers[random.below(numbers.size())];
        words[k] = changed(random, words[k], words[numbers[random.below(numbers.size())]]);
      }
      lines[at] = joined(words);
    }
  }
  return text_of(lines);
}

}  // namespace tessera::testing
