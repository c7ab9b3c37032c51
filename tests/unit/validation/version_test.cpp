#include "tessera/version.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera::validation {
namespace {

TEST(Version, TheLibrarySaysWhatTheHeaderSays) {
  EXPECT_EQ(version(), std::to_string(version_major) + "." + std::to_string(version_minor) + "." +
                           std::to_string(version_patch));
}

}  // namespace
}  // namespace tessera::validation
