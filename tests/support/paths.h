// Paths of test files: in the repository, and optional data outside of it.
//
//   TESSERA_NEED_SHARED("benchmarks/minimalloc");              // skips the test if it is absent
//   for (auto& entry : std::filesystem::directory_iterator(shared_path("benchmarks/minimalloc")))
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

namespace tessera::testing {

/// A file of this repository.
[[nodiscard]] inline std::filesystem::path source_path(std::string_view inside) {
  return std::filesystem::path(TESSERA_SOURCE_DIR) / inside;
}
/// A file of the optional data folder; need not exist.
[[nodiscard]] inline std::filesystem::path shared_path(std::string_view inside) {
  return std::filesystem::path(TESSERA_SHARED_DIR) / inside;
}

}  // namespace tessera::testing

/// In the body of a TEST: skips it with a message if the data is missing.
#define TESSERA_NEED_SHARED(inside)                                            \
  if (!std::filesystem::exists(::tessera::testing::shared_path(inside)))       \
  GTEST_SKIP() << "needs " << ::tessera::testing::shared_path(inside).string() \
               << ", which is not there; set -DTESSERA_SHARED_DIR to a directory with it"
