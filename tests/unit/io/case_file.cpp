#include "tests/unit/io/case_file.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tests/support/paths.h"
#include "tests/unit/io/support.h"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void no_escape(std::string_view text) {
  throw std::runtime_error("no escape: " + std::string(text.substr(0, 20)));
}

/// The end of a repeat that begins at `begin`: its closing brace.
std::size_t end_of_repeat(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '}') return at;
    if (text[at] == '\\') ++at;
  }
  no_escape(text);
}

/// `round`: the number of blanks that `\^` represents, which is the number of completed rounds.
std::string unescaped(std::string_view text, std::size_t round) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
    ++at;
    if (kind == 'n') {
      out += '\n';
    } else if (kind == 't') {
      out += '\t';
    } else if (kind == 'r') {
      out += '\r';
    } else if (kind == '\\') {
      out += '\\';
    } else if (kind == '^') {
      out.append(round, ' ');
    } else if (kind == 'x' && at + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
      at += 2;
    } else if (kind >= '0' && kind <= '9') {
      std::size_t digits = 0;
      const std::size_t times = std::stoul(std::string(text.substr(at, 9)), &digits);
      const std::size_t begin = at + digits + 1;
      if (begin > text.size() || text[begin - 1] != '{') no_escape(text.substr(at));
      const std::size_t end = end_of_repeat(text, begin);
      for (std::size_t k = 0; k < times; ++k) out += unescaped(text.substr(begin, end - begin), k);
      at = end;
    } else {
      no_escape(text.substr(at));
    }
  }
  return out;
}

bool ends_in_lone_backslash(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  const std::size_t backslashes = last == line.npos ? line.size() : line.size() - last - 1;
  return backslashes % 2 == 1;
}

constexpr std::string_view folder = "tests/usage/malformed";

}  // namespace

std::vector<std::string> malformed_formats() {
  std::vector<std::string> formats;
  for (const fs::directory_entry& entry : fs::directory_iterator(source_path(folder))) {
    if (entry.path().extension() == ".cases") formats.push_back(entry.path().stem().string());
  }
  std::sort(formats.begin(), formats.end());
  return formats;
}

std::vector<MalformedCase> malformed_cases(std::string_view format) {
  const fs::path path = source_path(folder) / (std::string(format) + ".cases");
  std::istringstream lines(slurp(path));
  std::vector<MalformedCase> cases;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string rest = line.size() > 2 ? line.substr(2) : std::string();
    if (line[0] == '=') {
      cases.push_back({.name = rest, .data = {}, .error = {}, .hint = {}});
      continue;
    }
    if (cases.empty()) throw std::runtime_error(path.string() + ": no case yet: " + line);
    MalformedCase& last = cases.back();
    constexpr std::string_view hint = "  hint: ";
    if (line[0] == '|') {
      if (ends_in_lone_backslash(rest)) {
        last.data += rest.substr(0, rest.size() - 1);
      } else {
        last.data += rest + '\n';
      }
    } else if (line[0] == '>' && rest.starts_with(hint)) {
      last.hint = rest.substr(hint.size());
    } else if (line[0] == '>') {
      last.error = rest;
    } else if (line[0] != '!') {  // reported by the program, not by its reader
      throw std::runtime_error(path.string() + ": has no such line: " + line);
    }
  }
  for (MalformedCase& each : cases) each.data = unescaped(each.data, 0);
  return cases;
}

}  // namespace tessera::testing
