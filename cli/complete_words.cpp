#include "cli/complete_words.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "tessera/files.h"
#include "tessera/import.h"
#include "tessera/profile.h"

namespace tessera::cli {

namespace {

/// Limit on the response time of a completion.
constexpr std::chrono::seconds patience{2};
constexpr std::uintmax_t largest_network = std::uintmax_t{512} << 20;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// The value of an option, at any position; "" if it is absent.
std::string value_of(const std::vector<std::string>& line, const std::string& letter,
                     const std::string& name) {
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k].starts_with(name + "=")) return line[k].substr(name.size() + 1);
    if ((line[k] == letter || line[k] == name) && k + 1 < line.size()) return line[k + 1];
  }
  return {};
}

std::optional<Network> network_of(const std::vector<std::string>& line) {
  const std::string profile = value_of(line, "-p", "--profile");
  for (std::size_t k = 2; k < line.size(); ++k) {
    const std::string& word = line[k];
    const std::string ending = std::filesystem::path(word).extension().string();
    if (word == profile || line[k - 1] == "-o" || line[k - 1] == "--output") continue;
    if (ending != ".onnx" && ending != ".tflite" && ending != ".yaml" && ending != ".yml") continue;
    std::error_code error;
    if (!std::filesystem::is_regular_file(word, error)) continue;
    if (std::filesystem::file_size(word, error) > largest_network || error) continue;
    ImportOptions options;
    options.limits.timeout = patience;
    return read_network(word, options).network;
  }
  return std::nullopt;
}

/// FIRST:LAST, by numbers or by names, as in the word so far.
std::vector<std::string> ranges(const Network& network, const std::string& word) {
  std::vector<std::string> words;
  const std::size_t count = network.ops.size();
  // A name may contain a colon: the longest matching name counts.
  std::optional<OpIndex> first;
  std::string begun;
  for (OpIndex k = 0; k < count; ++k)
    for (const std::string& name : {network.ops[k].name, std::to_string(k)})
      if (word.starts_with(name + ":") && name.size() >= begun.size()) {
        first = k;
        begun = name;
      }
  if (first) {
    for (OpIndex k = *first; k < count; ++k)
      words.push_back(begun + ":" + (is_number(begun) ? std::to_string(k) : network.ops[k].name));
    return words;
  }
  if (is_number(word)) {
    for (OpIndex k = 0; k < count; ++k) words.push_back(std::to_string(k) + ":");
    return words;
  }
  if (word.empty() && count > 0) words.push_back("0:" + std::to_string(count - 1));
  for (const Op& op : network.ops) words.push_back(op.name);
  return words;
}

std::vector<std::string> offered(const std::string& kind, const std::string& word,
                                 const std::vector<std::string>& line) {
  if (kind == "profiles") return profile_list();
  if (kind == "ops") {
    const std::optional<Network> network = network_of(line);
    return network ? ranges(*network, word) : std::vector<std::string>{};
  }
  if (kind == "keys") {
    std::vector<std::string> words;
    const std::string name = value_of(line, "-p", "--profile");
    if (name.empty()) return words;
    for (const std::string& key : Profile(name).keys()) words.push_back(key + "=");
    return words;
  }
  return {};
}

}  // namespace

std::vector<std::string> complete_words(const std::string& kind, const std::string& word,
                                        const std::vector<std::string>& line) {
  std::vector<std::string> words;
  try {
    words = offered(kind, word, line);
  } catch (const std::exception&) {
    return {};  // the command itself will report the error
  }
  std::erase_if(words, [&](const std::string& each) {
    return !each.starts_with(word) || each.find('\n') != each.npos;
  });
  return words;
}

}  // namespace tessera::cli
