// What completion offers for a value that only the program knows: the shells' scripts ask for it
// while somebody types.
//
//   tessera __complete ops 0:3 tessera tile net.onnx --ops 0:3      # one word a line
//
// The words of the line say which network and which profile are meant. Nothing here is an error:
// where there is nothing to offer, nothing is printed.
#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// The argument that asks for it.
inline constexpr const char* complete_command = "__complete";

/// `kind` is profiles, ops or keys; `word` is what stands at the cursor so far.
[[nodiscard]] std::vector<std::string> complete_words(const std::string& kind,
                                                      const std::string& word,
                                                      const std::vector<std::string>& line);

}  // namespace tessera::cli
