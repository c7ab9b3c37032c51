// `inherit`: a profile as one tree, with everything its bases say merged in. Private to io/.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "io/tree.h"

namespace tessera {

/// The profile that `node` (under `key`) names: beside the file that says it, beside those that led
/// there, or on a shelf. Throws InputError.
[[nodiscard]] std::filesystem::path find_named(const Sources& sources, const Node& node,
                                               const char* key,
                                               std::span<const std::filesystem::path> shelves);

/// Parses the text (named by the newest source) and everything it inherits from; adds the files
/// to the sources.
[[nodiscard]] Node parse_inherited(std::string_view text, Sources& sources,
                                   std::span<const std::filesystem::path> shelves);

}  // namespace tessera
