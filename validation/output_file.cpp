#include "validation/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <system_error>
#include <thread>
#include <utility>

namespace tessera::validation {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// How long to wait for a stalled reader once a stop was requested.
constexpr std::chrono::milliseconds patience{1000};
constexpr std::chrono::milliseconds glance{50};

std::string reason(int error) {
  return std::generic_category().message(error);
}

[[noreturn]] void refuse(const std::string& path, int error, std::string hint = {}) {
  throw BadInput(path + ": cannot be written: " + reason(error), std::move(hint));
}

[[noreturn]] void fail(const std::string& path, int error) {
  if (error == EPIPE) throw ClosedPipe(path + ": cannot be written: " + reason(error));
  throw OutputError(path + ": cannot be written: " + reason(error));
}

/// Is `path` a descriptor of this process, as in /dev/stdout or /dev/fd/63?
std::optional<int> descriptor_of(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error || folder != "/proc/" + std::to_string(::getpid()) + "/fd") return std::nullopt;
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

/// The end of a chain of symbolic links, possibly dangling, or the descriptor it leads to.
std::pair<fs::path, std::optional<int>> follow_links(const std::string& path) {
  fs::path target = path;
  for (int hops = 0; hops < 40; ++hops) {  // the limit of the kernel
    if (const std::optional<int> number = descriptor_of(target)) return {target, number};
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) return {target, std::nullopt};
    const fs::path next = fs::read_symlink(target, error);
    if (error) refuse(path, error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  refuse(path, ELOOP);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

FileIdentity identity_of(const struct stat& info) {
  FileIdentity identity;
  identity.device = info.st_dev;
  identity.number = info.st_ino;
  identity.replaced = S_ISREG(info.st_mode);
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
    // Several names may stand for one device.
    identity.device = info.st_rdev;
    identity.number = 0;
    identity.name = S_ISCHR(info.st_mode) ? "/character device" : "/block device";
    identity.sink = S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
  }
  return identity;
}

bool has_contents(const struct stat& info) {
  return S_ISREG(info.st_mode) || S_ISBLK(info.st_mode) || S_ISFIFO(info.st_mode);
}

/// Temporary name of the new version; after a kill it tells which file it belongs to.
fs::path name_beside(const fs::path& target, unsigned attempt) {
  constexpr std::size_t longest = 200;  // of the 255 bytes most file systems allow
  const auto ticks = static_cast<unsigned>(Clock::now().time_since_epoch().count());
  return folder_of(target) /
         (target.filename().string().substr(0, longest) + ".tessera-" + std::to_string(::getpid()) +
          "-" + std::to_string(ticks % 1'000'000U + attempt) + ".part");
}

/// Expires once nothing has moved for a second after a stop request.
class Patience {
 public:
  explicit Patience(const std::stop_token& stop) : stop_(stop) {}
  void moved() { since_.reset(); }
  [[nodiscard]] bool over() {
    if (!stop_.stop_requested()) return false;
    if (!since_) since_ = Clock::now();
    return Clock::now() - *since_ >= patience;
  }

 private:
  const std::stop_token& stop_;
  std::optional<Clock::time_point> since_;
};

/// Result of write_all(): the reader is stalled.
constexpr int given_up = -1;

/// 0, or the error that stopped it, or given_up.
int write_all(int file, std::string_view text, const std::stop_token& stop) {
  struct stat info {};
  const bool regular = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  Patience waiting(stop);
  while (!text.empty()) {
    std::size_t most = text.size();
    if (!regular) {
      // After poll() reports it ready, this many bytes do not block; a non-blocking descriptor
      // reports EAGAIN instead.
      most = std::min<std::size_t>(most, PIPE_BUF);
      pollfd ready{.fd = file, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, static_cast<int>(glance.count())) == 0) {
        if (waiting.over()) return given_up;
        continue;
      }
    }
    const ssize_t wrote = ::write(file, text.data(), most);
    if (wrote < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return errno;
    }
    waiting.moved();
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

/// An unnamed file in the folder, or -1. Naming it later requires /proc.
int open_unnamed([[maybe_unused]] const fs::path& folder) {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) != 0) return -1;
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#else
  return -1;
#endif
}

bool is_mount_point([[maybe_unused]] const fs::path& path) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx info {};
  return ::statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return false;
#endif
}

/// 0, or the error of writing a single byte.
int try_a_byte(int file) {
  if (::write(file, "\n", 1) != 1) return errno;
  return ::ftruncate(file, 0) == 0 && ::lseek(file, 0, SEEK_SET) == 0 ? 0 : errno;
}

}  // namespace

std::optional<FileIdentity> input_identity(const std::string& path) {
  struct stat info {};
  if ((path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info)) != 0 ||
      !has_contents(info))
    return std::nullopt;
  return identity_of(info);
}

std::optional<FileIdentity> standard_output_identity() {
  struct stat info {};
  if (::fstat(STDOUT_FILENO, &info) != 0) return std::nullopt;
  FileIdentity identity = identity_of(info);
  identity.replaced = false;
  return identity;
}

void write_to_descriptor(int descriptor, std::string_view text, const std::string& name,
                         const std::stop_token& stop) {
  const int error = write_all(descriptor, text, stop);
  if (error == given_up) throw OutputError(name + ": the reader of the pipe has closed it");
  if (error != 0) fail(name, error);
}

OutputFile::OutputFile(std::string path, Writer writer, Beside beside) : path_(std::move(path)) {
  const auto [target, descriptor] =
      path_ == "-" ? std::pair(fs::path(), std::optional(STDOUT_FILENO)) : follow_links(path_);
  struct stat info {};
  const bool exists = !descriptor && ::stat(target.c_str(), &info) == 0;
  if (!descriptor && !exists && errno != ENOENT) refuse(path_, errno);
  if (!descriptor && (exists ? S_ISDIR(info.st_mode) : target.filename().empty()))
    refuse(path_, EISDIR);
  if (descriptor) {
    open_descriptor(*descriptor);
  } else if (exists && !S_ISREG(info.st_mode)) {
    identity_ = identity_of(info);
    target_ = target;
    open_directly(S_ISFIFO(info.st_mode));
  } else {
    target_ = target;
    if (exists) {
      identity_ = identity_of(info);
      old_ = Replaced{info.st_mode & 07777U, info.st_uid, info.st_gid};
      require_replaceable();
    } else {
      struct stat folder {};
      if (::stat(folder_of(target_).c_str(), &folder) != 0)
        refuse(path_, errno,
               errno == ENOENT ? "missing folder " + folder_of(target_).string() : "");
      identity_.device = folder.st_dev;
      identity_.number = folder.st_ino;
      identity_.name = target_.filename().string();
    }
  }
  try {
    if (identity_.replaced || writer == Writer::by_name) open_beside(writer, beside);
  } catch (...) {
    abandon();
    if (file_ >= 0) ::close(file_);
    throw;
  }
}

OutputFile::~OutputFile() {
  abandon();
  if (file_ >= 0) ::close(file_);
}

/// A copy of the descriptor, so that closing it does not close the original.
void OutputFile::open_descriptor(int number) {
  const int flags = ::fcntl(number, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) refuse(path_, EBADF);
  file_ = ::fcntl(number, F_DUPFD_CLOEXEC, 3);
  struct stat info {};
  if (file_ < 0 || ::fstat(file_, &info) != 0) refuse(path_, errno);
  identity_ = identity_of(info);
  identity_.replaced = false;
}

/// A pipe without a reader stays closed until write(): a blocking open(2) would wait for the
/// reader.
void OutputFile::open_directly(bool pipe) {
  file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | (pipe ? O_NONBLOCK : 0));
  if (file_ >= 0 || (pipe && errno == ENXIO)) return;
  throw BadInput(path_ + ": cannot be opened for writing: " + reason(errno));
}

/// rename(2) checks only the permissions of the folder; the file to be replaced has to be writable,
/// too.
void OutputFile::require_replaceable() const {
  if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) refuse(path_, errno);
  struct stat folder {};
  if (::stat(folder_of(target_).c_str(), &folder) != 0) refuse(path_, errno);
  const uid_t me = ::geteuid();
  if ((folder.st_mode & S_ISVTX) != 0 && me != 0 && me != old_->owner && me != folder.st_uid)
    refuse(path_, EPERM,
           "the file belongs to another user, and the folder is sticky: only the owner may replace "
           "it");
  if (is_mount_point(target_))
    refuse(path_, EBUSY, "the file is a mount point and cannot be replaced; mount its folder");
}

void OutputFile::open_beside(Writer writer, Beside beside) {
  fs::path place = target_;
  if (!identity_.replaced) {
    std::error_code missing;
    place = fs::temp_directory_path(missing) / fs::path(path_).filename();
    if (missing) refuse(path_, missing.value(), "a certificate is first written to $TMPDIR");
  }
  for (unsigned attempt = 0;; ++attempt) {
    const fs::path name = name_beside(place, attempt);
    int error = 0;
    if (writer == Writer::by_name) {
      if (::mkdir(name.c_str(), 0777) != 0) error = errno;
    } else {
      if (beside == Beside::unnamed_if_possible) file_ = open_unnamed(folder_of(place));
      unnamed_ = file_ >= 0;
      if (!unnamed_) file_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ < 0) error = errno;
    }
    if (error == EEXIST && attempt < 100) continue;
    if (error != 0)
      refuse(path_, error,
             error == EACCES ? "no file can be created in " + folder_of(place).string() : "");
    beside_ = name;
    break;
  }
  if (writer == Writer::by_name) written_ = beside_ / place.filename();
  require_space();
}

void OutputFile::require_space() const {
  int error = 0;
  if (written_.empty()) {
    error = try_a_byte(file_);
  } else {
    const int trial = ::open(written_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    error = trial < 0 ? errno : try_a_byte(trial);
    if (trial >= 0) ::close(trial);
    ::unlink(written_.c_str());
  }
  if (error != 0) refuse(path_, error);
}

void OutputFile::write(std::string_view text, const std::stop_token& stop) {
  if (file_ < 0) wait_for_reader(stop);
  write_to_descriptor(file_, text, path_, stop);
}

void OutputFile::wait_for_reader(const std::stop_token& stop) {
  Patience waiting(stop);
  while (true) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ >= 0) return;
    if (errno != ENXIO) fail(path_, errno);
    if (waiting.over()) throw OutputError(path_ + ": no process reads this pipe");
    std::this_thread::sleep_for(glance);
  }
}

void OutputFile::commit(const std::stop_token& stop) {
  if (!written_.empty()) {
    const int made = ::open(written_.c_str(), O_RDONLY | O_CLOEXEC);
    if (made < 0) fail(path_, errno);
    if (identity_.replaced) return publish(made);
    std::array<char, 1 << 16> piece{};
    ssize_t got = 0;
    while ((got = ::read(made, piece.data(), piece.size())) > 0)
      write({piece.data(), static_cast<std::size_t>(got)}, stop);
    const int error = errno;
    ::close(made);
    if (got < 0) fail(path_, error);
  }
  if (identity_.replaced) return publish(file_);
  if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) fail(path_, errno);
}

/// Gives the complete file its name. Closes `file` here to detect late errors.
void OutputFile::publish(int file) {
  int error = 0;
  if (old_) {
    // Only root may change the owner; otherwise the file keeps the new owner.
    [[maybe_unused]] const int given = ::fchown(file, old_->owner, old_->group);
    if (::fchmod(file, old_->mode) != 0) error = errno;
  }
  if (error == 0 && unnamed_ &&
      ::linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(file)).c_str(), AT_FDCWD,
               beside_.c_str(), AT_SYMLINK_FOLLOW) != 0)
    error = errno;
  if (file == file_) file_ = -1;
  if (::close(file) != 0 && error == 0) error = errno;
  const fs::path& whole = written_.empty() ? beside_ : written_;
  if (error == 0 && ::rename(whole.c_str(), target_.c_str()) != 0) error = errno;
  if (error != 0) fail(path_, error);  // the destructor removes the temporary file
}

void OutputFile::abandon() const noexcept {
  if (beside_.empty()) return;
  if (written_.empty()) {
    ::unlink(beside_.c_str());
    return;
  }
  try {
    std::error_code ignored;
    fs::remove_all(beside_, ignored);
  } catch (...) {  // no memory: the plain folder name is sufficient
    ::rmdir(beside_.c_str());
  }
}

}  // namespace tessera::validation
