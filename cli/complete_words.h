// Completions that only the program can compute; the scripts of the shells call it during typing.
//
//   tessera __complete ops 0:3 tessera tile net.onnx --ops 0:3      # one word a line
//
// The words of the line determine the network and the profile. There are no errors: without
// completions nothing is printed.
#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// The hidden subcommand.
inline constexpr const char* complete_command = "__complete";

/// `kind` is profiles, ops or keys; `word` is the word at the cursor.
[[nodiscard]] std::vector<std::string> complete_words(const std::string& kind,
                                                      const std::string& word,
                                                      const std::vector<std::string>& line);

}  // namespace tessera::cli
