// The version of Tessera.
//
//   static_assert(tessera::version_major == 0);                     // what is compiled against
//   std::cout << "Tessera " << tessera::version() << '\n';          // the library that runs
//
// These are the only version numbers in the repository: CMake reads them from this file.
#pragma once

#include <string_view>

#include "api.h"

namespace tessera {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

/// "0.1.0": the version of the library, which may be newer than these headers.
[[nodiscard]] TESSERA_API std::string_view version();

}  // namespace tessera
