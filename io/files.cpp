#include "io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "io/error.h"

namespace tessera {
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
  /// The error of close(2), where late write errors show; 0 if there is none.
  [[nodiscard]] int close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  throw InputError(path.string(), 0,
                   std::string(what) + ": " + std::generic_category().message(error));
}

/// 0, or the error that stopped it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

void write_directly(const fs::path& path, std::string_view text) {
  Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.get() < 0) fail(path, "cannot be opened for writing", errno);
  if (const int error = write_all(out.get(), text)) fail(path, "cannot be written", error);
  if (const int error = out.close()) fail(path, "cannot be written", error);
}

/// A new file next to `target`, with the permissions new files get; its name in `name`.
int create_beside(const fs::path& target, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = target.string() + '.' + std::to_string(::getpid()) + '-' + std::to_string(attempt);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/// Where the bytes go: the end of a chain of symbolic links, dangling or not.
fs::path follow_links(const fs::path& path) {
  fs::path target = path;
  for (int hops = 0; hops < 40; ++hops) {  // as many as the kernel follows
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) return target;
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, "cannot be followed", error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  fail(path, "cannot be followed", ELOOP);
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t limit) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) fail(path, "cannot be opened", errno);
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) fail(path, "cannot be read", errno);
  if (S_ISDIR(info.st_mode)) fail(path, "cannot be read", EISDIR);
  std::string text;
  // One more than the size, so that the end shows in the first read; pipes grow.
  if (S_ISREG(info.st_mode) && info.st_size > 0 &&
      static_cast<std::size_t>(info.st_size) <= limit) {
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
    if (size > limit) {
      throw InputError(
          path.string(), 0,
          "is larger than the " + std::to_string(limit >> 20U) + " MiB this program reads");
    }
  }
  text.resize(size);
  return text;
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail(path, "cannot be written", EISDIR);
  if (exists && !S_ISREG(info.st_mode)) return write_directly(path, text);

  const fs::path target = follow_links(path);
  std::string beside;
  Descriptor out(create_beside(target, beside));
  if (out.get() < 0) fail(path, "cannot be written", errno);
  int error = write_all(out.get(), text);
  if (error == 0 && exists && ::fchmod(out.get(), info.st_mode & static_cast<mode_t>(07777)) != 0) {
    error = errno;
  }
  if (const int late = out.close(); error == 0) error = late;
  if (error == 0 && ::rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    fail(path, "cannot be written", error);
  }
}

}  // namespace tessera
