#include "io/files.h"

#include <ctime>
#include <filesystem>

#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using testing::Folder;
using testing::spill;

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

TEST(Files, AFileThatIsTooLargeIsNotRead) {
  const Folder folder;
  spill(folder / "huge", "");
  // sparse, takes no disk space
  std::filesystem::resize_file(folder / "huge", std::uintmax_t{3} << 30);
  const std::clock_t begin = std::clock();
  EXPECT_REFUSED(read_file(folder / "huge"), 0, "is larger than the 2048 MiB");
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.2);
}

}  // namespace
}  // namespace tessera::io
