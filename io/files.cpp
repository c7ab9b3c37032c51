#include "io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "io/error.h"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  throw InputError(path.string(), 0,
                   std::string(what) + ": " + std::generic_category().message(error));
}

[[noreturn]] void too_large(const fs::path& path, std::size_t limit) {
  throw InputError(path.string(), 0,
                   "is larger than the " + std::to_string(limit >> 20U) + " MiB limit");
}

}  // namespace

fs::path input_path(const std::string& path) {
  return path == "-" ? "/dev/stdin" : path;
}

std::optional<std::string> beginning_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::string bytes(4096, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::string stem_of(const std::string& file) {
  return file == "-" || file == "/dev/stdin" ? std::string() : fs::path(file).stem().string();
}

std::string read_file(const fs::path& path, std::size_t limit) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) fail(path, "cannot be opened", errno);
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(info.st_mode)) fail(path, "cannot be read", EISDIR);
  // Check regular files before reading; the size of pipes and devices is only known by reading.
  if (S_ISREG(info.st_mode) && info.st_size > 0 && static_cast<std::size_t>(info.st_size) > limit) {
    too_large(path, limit);
  }
  std::string text;
  // One byte more than the size, so that the first read reaches the end; the buffer grows for
  // pipes.
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    text.resize(static_cast<std::size_t>(info.st_size) + 1);
  } else {
    text.resize(std::size_t{1} << 16);
  }
  std::size_t size = 0;
  for (;;) {
    if (size == text.size()) text.resize(text.size() * 2);
    const ssize_t got = ::read(in.get(), text.data() + size, text.size() - size);
    if (got < 0) {
      if (errno == EINTR) continue;
      fail(path, "cannot be read", errno);
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) too_large(path, limit);
  }
  text.resize(size);
  return text;
}

}  // namespace tessera::io
