// Whole files in, whole files out.
//
//   std::string text = read_file("problem.yaml");
//   write_file_atomically("out.json", json);     // appears whole or not at all
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

/// The contents of a file, pipe or device, at most `limit` bytes.
/// Throws InputError (line 0) where it cannot be opened, is a directory or is larger.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = std::size_t{2} << 30);

/// Writes beside the target and renames, so that a reader sees the old file or the new one. A
/// symbolic link stays a link: what it points to is replaced. What is not a regular file
/// (/dev/stdout, a pipe) is written to directly. The permissions of an existing file are kept.
/// Throws InputError (line 0) with the reason; then nothing has changed.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace tessera
