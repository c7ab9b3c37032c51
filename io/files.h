// Reads whole files; validation/output_file.h writes them.
//
//   std::string text = read_file("problem.yaml");
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::io {

/// A path from the command line: "-" is the standard input.
[[nodiscard]] std::filesystem::path input_path(const std::string& path);

/// The contents of a file, pipe or device, at most `limit` bytes. Throws InputError (line 0) if it
/// cannot be opened, is a directory or is larger.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = std::size_t{2} << 30);

/// The first 4096 bytes, or all; nothing if it is no regular file: a pipe can be read only once.
[[nodiscard]] std::optional<std::string> beginning_of(const std::string& path);

/// The name of a file without folder and extension; empty for the standard input.
[[nodiscard]] std::string stem_of(const std::string& file);

}  // namespace tessera::io
