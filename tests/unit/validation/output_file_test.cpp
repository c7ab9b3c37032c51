#include "validation/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tessera/files.h"
#include "tests/unit/io/support.h"

namespace tessera::validation {
namespace {

namespace fs = std::filesystem;
using testing::Folder;
using testing::slurp;
using testing::spill;
using Beside = OutputFile::Beside;
using Writer = OutputFile::Writer;

std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void put(const fs::path& path, std::string_view text, Beside beside = Beside::unnamed_if_possible) {
  OutputFile file(path.string(), Writer::here, beside);
  file.write(text);
  file.commit();
}

std::string refusal_of(const fs::path& path) {
  try {
    const OutputFile file(path.string());
  } catch (const BadInput& error) {
    return error.what();
  }
  return "was accepted";
}

/// Both kinds of temporary files: unnamed, and named for file systems without O_TMPFILE.
class OutputFiles : public ::testing::TestWithParam<Beside> {};
INSTANTIATE_TEST_SUITE_P(All, OutputFiles,
                         ::testing::Values(Beside::unnamed_if_possible, Beside::named));

TEST_P(OutputFiles, AppearWholeAndLeaveNothingBeside) {
  const Folder folder;
  put(folder / "out", "one", GetParam());
  EXPECT_EQ(slurp(folder / "out"), "one");
  put(folder / "out", "two, and longer", GetParam());
  EXPECT_EQ(slurp(folder / "out"), "two, and longer");
  EXPECT_EQ(entries(folder.path()), std::vector<std::string>{"out"});
}

TEST_P(OutputFiles, ChangeNothingBeforeTheyAreCommitted) {
  const Folder folder;
  spill(folder / "old", "old");
  {
    OutputFile over((folder / "old").string(), Writer::here, GetParam());
    OutputFile fresh((folder / "new").string(), Writer::here, GetParam());
    over.write("half of");
    fresh.write("half of");
    EXPECT_EQ(slurp(folder / "old"), "old");
    EXPECT_FALSE(fs::exists(folder / "new"));
  }
  EXPECT_EQ(entries(folder.path()), std::vector<std::string>{"old"});
  EXPECT_EQ(slurp(folder / "old"), "old");
}

TEST_P(OutputFiles, AreGoneWhenAbandoned) {
  const Folder folder;
  const OutputFile file((folder / "out").string(), Writer::here, GetParam());
  const OutputFile proof((folder / "proof").string(), Writer::by_name);
  spill(proof.beside().string() + ".part", "left by its writer");
  file.abandon();
  proof.abandon();
  EXPECT_EQ(entries(folder.path()), std::vector<std::string>{});
}

TEST(OutputFile, SaysInItsNameWhoseItIs) {
  const Folder folder;
  const OutputFile file((folder / "out.json").string(), Writer::here, Beside::named);
  const std::vector<std::string> there = entries(folder.path());
  ASSERT_EQ(there.size(), 1U);
  EXPECT_THAT(there.front(),
              ::testing::StartsWith("out.json.tessera-" + std::to_string(::getpid()) + "-"));
  EXPECT_THAT(there.front(), ::testing::EndsWith(".part"));
  // Names may be as long as the file system allows.
  const std::string longest(255, 'n');
  put(folder / longest, "x", Beside::named);
  EXPECT_EQ(slurp(folder / longest), "x");
}

TEST_P(OutputFiles, KeepThePermissionsOfAnExistingFile) {
  const Folder folder;
  spill(folder / "out", "x");
  ::chmod((folder / "out").c_str(), 0604);
  put(folder / "out", "y", GetParam());
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder / "out").permissions()), 0604U);
  OutputFile proof((folder / "out").string(), Writer::by_name);
  spill(proof.beside(), "z");
  proof.commit();
  EXPECT_EQ(slurp(folder / "out"), "z");
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder / "out").permissions()), 0604U);
}

TEST_P(OutputFiles, HaveThePermissionsOfTheUmaskWhereNew) {
  const Folder folder;
  const mode_t before = ::umask(027);
  put(folder / "out", "x", GetParam());
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder / "out").permissions()), 0640U);
}

TEST_P(OutputFiles, GoThroughSymbolicLinks) {
  const Folder folder;
  fs::create_directory(folder / "deep");
  spill(folder / "deep/target", "old");
  fs::create_symlink("deep/target", folder / "link");
  fs::create_symlink("link", folder / "link-to-link");
  put(folder / "link-to-link", "new", GetParam());
  EXPECT_EQ(slurp(folder / "deep/target"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link-to-link"));

  fs::create_symlink("deep/fresh", folder / "dangling");
  put(folder / "dangling", "fresh", GetParam());
  EXPECT_EQ(slurp(folder / "deep/fresh"), "fresh");
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));

  OutputFile proof((folder / "link-to-link").string(), Writer::by_name);
  spill(proof.beside(), "by name");
  proof.commit();
  EXPECT_EQ(slurp(folder / "deep/target"), "by name");
  EXPECT_TRUE(fs::is_symlink(folder / "link-to-link"));
}

TEST(OutputFile, IsWhatAnotherWriterPutBeside) {
  const Folder folder;
  {
    OutputFile proof((folder / "no.proof").string(), Writer::by_name);
    spill(proof.beside(), "certificate");
    spill(proof.beside().string() + ".part", "left by its writer");
    EXPECT_FALSE(fs::exists(folder / "no.proof"));
    proof.commit();
    EXPECT_EQ(slurp(folder / "no.proof"), "certificate");
  }
  EXPECT_EQ(entries(folder.path()), std::vector<std::string>{"no.proof"});
  { const OutputFile nothing_came((folder / "other").string(), Writer::by_name); }
  EXPECT_EQ(entries(folder.path()), std::vector<std::string>{"no.proof"});
}

TEST(OutputFile, SaysBeforehandWhyItCannotBeWritten) {
  const Folder folder;
  EXPECT_THAT(refusal_of(folder / "no/out"),
              ::testing::HasSubstr("cannot be written: No such file"));
  EXPECT_THAT(refusal_of(folder.path()), ::testing::HasSubstr("Is a directory"));
  EXPECT_THAT(refusal_of(folder / "new/"), ::testing::HasSubstr("Is a directory"));
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THAT(refusal_of(folder / "a"), ::testing::HasSubstr("Too many levels"));
  spill(folder / "file", "x");
  EXPECT_THAT(refusal_of(folder / "file/out"), ::testing::HasSubstr("Not a directory"));
  EXPECT_EQ(slurp(folder / "file"), "x");
}

TEST(OutputFile, RespectsAFileNobodyMayWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const Folder folder;
  spill(folder / "out", "precious");
  ::chmod((folder / "out").c_str(), 0444);
  EXPECT_THAT(refusal_of(folder / "out"), ::testing::HasSubstr("Permission denied"));
  fs::create_directory(folder / "closed");
  ::chmod((folder / "closed").c_str(), 0555);
  EXPECT_THAT(refusal_of(folder / "closed/out"), ::testing::HasSubstr("Permission denied"));
}

/// Limits the size of files during its lifetime; exceeding it is an error and no signal.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST_P(OutputFiles, NoticeAFullDisk) {
  const Folder folder;
  spill(folder / "out", "old");
  {
    const FileSizeLimit none(0);
    EXPECT_THAT(refusal_of(folder / "out"), ::testing::HasSubstr("File too large"));
  }
  {
    OutputFile file((folder / "out").string(), Writer::here, GetParam());
    const FileSizeLimit little(1000);
    EXPECT_THROW(file.write(std::string(5000, 'x')), OutputError);
  }
  EXPECT_EQ(slurp(folder / "out"), "old");
  EXPECT_EQ(entries(folder.path()), std::vector<std::string>{"out"});
}

TEST(OutputFile, WritesToDevicesDirectly) {
  put("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  OutputFile proof("/dev/null", Writer::by_name);
  spill(proof.beside(), "certificate");
  proof.commit();
  if (fs::exists("/dev/full")) {
    OutputFile full("/dev/full");
    EXPECT_THROW(full.write("x"), OutputError);
  }
}

/// A pipe's two ends.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(end), 0); }
  int end[2] = {-1, -1};
};

TEST(OutputFile, WritesToDescriptorsWithoutClosingThem) {
  const Pipe pipe;
  put("/dev/fd/" + std::to_string(pipe.end[1]), "one ");
  put("/proc/self/fd/" + std::to_string(pipe.end[1]), "two");
  char text[8] = {};
  EXPECT_EQ(::read(pipe.end[0], text, sizeof text), 7);
  EXPECT_STREQ(text, "one two");
  EXPECT_THAT(refusal_of("/dev/fd/" + std::to_string(pipe.end[0])),
              ::testing::HasSubstr("Bad file descriptor"));
  ::close(pipe.end[0]);
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  OutputFile closed("/dev/fd/" + std::to_string(pipe.end[1]));
  EXPECT_THROW(closed.write("x"), ClosedPipe);
  ::signal(SIGPIPE, before);
  ::close(pipe.end[1]);
}

TEST(OutputFile, AppendsWhereTheStandardOutputIsAFile) {
  const Folder folder;
  spill(folder / "log", "before ");
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  put("/dev/fd/" + std::to_string(log), "after");
  ::close(log);
  EXPECT_EQ(slurp(folder / "log"), "before after");
}

TEST(OutputFile, WaitsForTheReaderOfAPipe) {
  const Folder folder;
  const std::string name = (folder / "fifo").string();
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  OutputFile file(name);  // there is no reader yet, and the constructor does not block
  std::string got;
  {
    const std::jthread reader([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      got = slurp(name);
    });
    file.write(std::string(200'000, 'x'));
    file.commit();
  }
  EXPECT_EQ(got.size(), 200'000U);
  EXPECT_TRUE(fs::is_fifo(name));
}

TEST(OutputFile, GivesUpAReaderWhoSleepsOnceStopped) {
  const Folder folder;
  const std::string name = (folder / "fifo").string();
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  std::stop_source stop;
  stop.request_stop();
  OutputFile unread(name);
  EXPECT_THROW(unread.write("x", stop.get_token()), OutputError);
  const Pipe pipe;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(
      write_to_descriptor(pipe.end[1], std::string(1'000'000, 'x'), "pipe", stop.get_token()),
      OutputError);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  ::close(pipe.end[0]);
  ::close(pipe.end[1]);
}

TEST(OutputFile, KnowsOneFileUnderManyNames) {
  const Folder folder;
  fs::create_directory(folder / "deep");
  fs::create_directory_symlink("deep", folder / "link");
  spill(folder / "deep/there", "x");
  fs::create_hard_link(folder / "deep/there", folder / "hard");
  fs::create_symlink("deep/new", folder / "dangling");
  const auto same = [&](const std::string& one, const std::string& other) {
    const OutputFile a((folder / one).string());
    const OutputFile b((folder / other).string());
    return a.identity().same_file(b.identity());
  };
  EXPECT_TRUE(same("deep/there", "link/../deep/./there"));
  EXPECT_TRUE(same("deep/there", "link/there"));
  EXPECT_TRUE(same("deep/there", "hard"));
  EXPECT_TRUE(same("deep/new", "link/new"));
  EXPECT_TRUE(same("deep/new", "dangling"));
  EXPECT_FALSE(same("deep/new", "new"));
  EXPECT_FALSE(same("deep/new", "deep/other"));
  EXPECT_FALSE(same("deep/there", "deep/new"));
  EXPECT_TRUE(OutputFile((folder / "link/there").string())
                  .identity()
                  .same_file(*input_identity((folder / "hard").string())));
  EXPECT_FALSE(input_identity((folder / "missing").string()));
  // Several outputs may go to /dev/null.
  EXPECT_FALSE(OutputFile("/dev/null").identity().same_file(OutputFile("/dev/null").identity()));
  EXPECT_FALSE(input_identity("/dev/null") &&
               OutputFile("/dev/null").identity().same_file(*input_identity("/dev/null")));
}

TEST(WriteOutput, IsAllAtOnce) {
  const Folder folder;
  write_output((folder / "out").string(), "x");
  EXPECT_EQ(slurp(folder / "out"), "x");
  EXPECT_THROW(write_output(folder.path().string(), "x"), BadInput);
}

}  // namespace
}  // namespace tessera::validation
