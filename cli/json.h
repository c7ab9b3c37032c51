// Just enough to print small JSON answers; documents with a schema are written by tessera/files.h.
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// The text as a JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace tessera::cli
