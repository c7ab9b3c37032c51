// `inherit`: a profile as one tree, merged with all of its bases. Private to io/.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "io/tree.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// The profile that `node` (under `key`) names: relative to the file with the key, relative to the
/// files that inherit from it, or in a profile folder. Throws InputError.
[[nodiscard]] std::filesystem::path find_named(const Sources& sources, const Node& node,
                                               const char* key,
                                               std::span<const std::filesystem::path> folders);

/// Parses the text (named by the newest source) and all bases it inherits from; adds their files to
/// the sources.
[[nodiscard]] Node parse_inherited(std::string_view text, Sources& sources,
                                   std::span<const std::filesystem::path> folders);

/// Converts and checks the tree; without its reference.
[[nodiscard]] Hardware read_hardware_tree(const Node& root, const Sources& sources);

/// The machine of the tree's `reference`; null if it has none.
[[nodiscard]] std::shared_ptr<const Hardware> read_reference(
    const Node& root, const Sources& sources, std::span<const std::filesystem::path> folders);

}  // namespace tessera::io
