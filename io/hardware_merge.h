// `inherit`: a profile as one tree, with everything its bases say merged in. Private to io/.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "io/tree.h"
#include "tessera/hardware.h"

namespace tessera {

/// Parses the text (named by the newest source) and everything it inherits from; adds the files
/// to the sources.
[[nodiscard]] Node parse_inherited(std::string_view text, Sources& sources,
                                   std::span<const std::filesystem::path> shelves);

/// What such a tree means, checked.
[[nodiscard]] Hardware read_hardware_tree(const Node& root, const Sources& sources);

}  // namespace tessera
