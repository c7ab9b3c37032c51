// `inherit`: a profile as one tree, with everything its bases say merged in. Private to io/.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "io/tree.h"
#include "tessera/hardware.h"

namespace tessera::io {

/// The profile that `node` (under `key`) names: beside the file that says it, beside those that led
/// there, or in a folder with profiles. Throws InputError.
[[nodiscard]] std::filesystem::path find_named(const Sources& sources, const Node& node,
                                               const char* key,
                                               std::span<const std::filesystem::path> folders);

/// Parses the text (named by the newest source) and everything it inherits from; adds the files
/// to the sources.
[[nodiscard]] Node parse_inherited(std::string_view text, Sources& sources,
                                   std::span<const std::filesystem::path> folders);

/// What such a tree means, checked; without its reference.
[[nodiscard]] Hardware read_hardware_tree(const Node& root, const Sources& sources);

/// The machine that the tree's `reference` names; nothing where it names none.
[[nodiscard]] std::shared_ptr<const Hardware> read_reference(
    const Node& root, const Sources& sources, std::span<const std::filesystem::path> folders);

}  // namespace tessera::io
