#include "io/files.h"

#include <sys/stat.h>

#include <algorithm>

#include "tests/unit/io/support.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using testing::Folder;
using testing::slurp;
using testing::spill;

std::size_t entries(const Folder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
}

TEST(Files, ReadsWhatIsThere) {
  const Folder folder;
  const std::string text("a\0b\r\n", 5);
  spill(folder / "x", text);
  EXPECT_EQ(read_file(folder / "x"), text);
  spill(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
  const std::string large(300000, 'y');
  spill(folder / "large", large);
  EXPECT_EQ(read_file(folder / "large"), large);
}

TEST(Files, RefusesWhatCannotBeRead) {
  const Folder folder;
  EXPECT_REFUSED(read_file(folder / "none"), 0, "cannot be opened: No such file");
  EXPECT_REFUSED(read_file(folder.path()), 0, "cannot be read: Is a directory");
  spill(folder / "large", std::string(2000, 'x'));
  EXPECT_REFUSED(read_file(folder / "large", 1000), 0, "larger than");
  EXPECT_REFUSED(read_file("/dev/zero", 1000000), 0, "larger than");
}

TEST(Files, WritesWholeFilesAndLeavesNothingBeside) {
  const Folder folder;
  write_file_atomically(folder / "out", "one");
  EXPECT_EQ(slurp(folder / "out"), "one");
  write_file_atomically(folder / "out", "two, and longer");
  EXPECT_EQ(slurp(folder / "out"), "two, and longer");
  EXPECT_EQ(entries(folder), 1U);
}

TEST(Files, KeepsThePermissionsOfAnExistingFile) {
  const Folder folder;
  spill(folder / "out", "x");
  fs::permissions(folder / "out", fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomically(folder / "out", "y");
  EXPECT_EQ(fs::status(folder / "out").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(Files, GivesNewFilesThePermissionsOfTheUmask) {
  const Folder folder;
  const mode_t before = ::umask(027);
  write_file_atomically(folder / "out", "x");
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(Files, WritesThroughSymbolicLinks) {
  const Folder folder;
  fs::create_directory(folder / "deep");
  spill(folder / "deep/target", "old");
  fs::create_symlink("deep/target", folder / "link");
  fs::create_symlink("link", folder / "link-to-link");
  write_file_atomically(folder / "link-to-link", "new");
  EXPECT_EQ(slurp(folder / "deep/target"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link-to-link"));

  fs::create_symlink("deep/fresh", folder / "dangling");
  write_file_atomically(folder / "dangling", "fresh");
  EXPECT_EQ(slurp(folder / "deep/fresh"), "fresh");
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
}

TEST(Files, RefusesALoopOfLinks) {
  const Folder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_REFUSED((write_file_atomically(folder / "a", "x"), 0), 0, "cannot be followed");
}

TEST(Files, WritesToDevicesDirectly) {
  EXPECT_NO_THROW(write_file_atomically("/dev/null", "gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Files, SaysWhyAFileCannotBeWritten) {
  const Folder folder;
  EXPECT_REFUSED((write_file_atomically(folder / "no/out", "x"), 0), 0,
                 "cannot be written: No such file");
  EXPECT_REFUSED((write_file_atomically(folder.path(), "x"), 0), 0,
                 "cannot be written: Is a directory");
}

// A full disk is what /dev/full is for.
TEST(Files, NoticesAFullDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  EXPECT_REFUSED((write_file_atomically("/dev/full", "x"), 0), 0, "No space left");
}

}  // namespace
}  // namespace tessera
