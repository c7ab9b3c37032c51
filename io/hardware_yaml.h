// `tessera: hardware/1`: a profile of an accelerator.
//
//   std::vector<std::filesystem::path> folders{"hw_profiles"};
//   Hardware hardware = read_hardware_yaml_file(find_profile("nvdla-like", folders), folders);
//
// `inherit: base/npu` merges another profile first: relative to this file (base/npu.yaml) or in a
// profile folder. Maps merge key by key, other values are replaced, and the value `null` removes an
// inherited key. A replaced figure loses its `provenance` unless a new one is given. Errors name
// the file of the line.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// `file` is for messages and for relative paths in `inherit`.
[[nodiscard]] Hardware read_hardware_yaml(std::string_view text, const std::string& file,
                                          std::span<const std::filesystem::path> folders = {});
[[nodiscard]] Hardware read_hardware_yaml_file(const std::filesystem::path& path,
                                               std::span<const std::filesystem::path> folders = {});

/// The file and those it inherits from.
[[nodiscard]] std::vector<std::filesystem::path> hardware_yaml_files(
    const std::filesystem::path& path, std::span<const std::filesystem::path> folders = {});

/// An existing path is used as it is; otherwise `<folder>/<name>.yaml` of the first folder that has
/// it. Throws InputError with the list of available names.
[[nodiscard]] std::filesystem::path find_profile(const std::string& name_or_path,
                                                 std::span<const std::filesystem::path> folders);

/// Names of the profiles in the folders, sorted. Subfolders, which hold bases, are excluded.
[[nodiscard]] std::vector<std::string> profile_names(
    std::span<const std::filesystem::path> folders);

}  // namespace tessera::io
