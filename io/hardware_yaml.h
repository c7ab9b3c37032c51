// `tessera: hardware/1`: a profile of an accelerator.
//
//   std::vector<std::filesystem::path> folders{"hw_profiles"};
//   Hardware hardware = read_hardware_yaml_file(find_profile("nvdla-like", folders), folders);
//
// `inherit: base/npu` takes everything from another profile first: beside this file
// (base/npu.yaml) or in a folder with profiles. Maps merge key by key, everything else is replaced,
// and a key with the value `null` takes the inherited one away. A replaced figure loses its
// `provenance` unless a new one is given. Errors name the file the line is in.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/error.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// `file` is for messages and for what `inherit` is relative to.
[[nodiscard]] Hardware read_hardware_yaml(std::string_view text, const std::string& file,
                                          std::span<const std::filesystem::path> folders = {});
[[nodiscard]] Hardware read_hardware_yaml_file(const std::filesystem::path& path,
                                               std::span<const std::filesystem::path> folders = {});

/// The file and those it inherits from.
[[nodiscard]] std::vector<std::filesystem::path> hardware_yaml_files(
    const std::filesystem::path& path, std::span<const std::filesystem::path> folders = {});

/// A path that exists is taken as it is; else `<folder>/<name>.yaml` of the first folder that has
/// it. Throws InputError that lists the names there are.
[[nodiscard]] std::filesystem::path find_profile(const std::string& name_or_path,
                                                 std::span<const std::filesystem::path> folders);

/// Names of the profiles in the folders, sorted, without those of subfolders (which are bases).
[[nodiscard]] std::vector<std::string> profile_names(
    std::span<const std::filesystem::path> folders);

}  // namespace tessera::io
