// Helpers for the tests of readers: expected errors, and temporary folders.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "io/error.h"

namespace tessera::testing {

/// The error that `read` throws, or none.
template <typename Read>
std::optional<io::InputError> refusal(Read read) {
  try {
    static_cast<void>(read());
  } catch (const io::InputError& error) {
    return error;
  }
  return std::nullopt;
}

/// EXPECT_REFUSED(read_it(), 3, "is empty")
#define EXPECT_REFUSED(expression, at_line, words)                                    \
  do {                                                                                \
    const auto refused_ = ::tessera::testing::refusal([&] { return expression; });    \
    ASSERT_TRUE(refused_) << "was accepted";                                          \
    EXPECT_EQ(refused_->line, static_cast<std::size_t>(at_line)) << refused_->what(); \
    EXPECT_THAT(refused_->message, ::testing::HasSubstr(words));                      \
  } while (false)

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A temporary empty folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::testing
