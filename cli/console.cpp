#include "cli/console.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/command.h"
#include "planner/errors.h"
#include "planner/files.h"

namespace tessera::cli {

namespace {

/// Wakes the listener when the program is done; never sent from outside on purpose.
constexpr int goodbye = SIGUSR1;

sigset_t listened() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, goodbye);
  return set;
}

void listen(std::stop_source source, const std::atomic<bool>& done) {
  const sigset_t set = listened();
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) return;
    if (done) return;
    if (signal == goodbye) continue;
    if (!source.request_stop()) _exit(exit_stopped);
  }
}

}  // namespace

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw OutputError(std::string("cannot write to the standard output: ") +
                        std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void deliver(const std::string& path, std::string_view text) {
  if (path == "-")
    print(text);
  else
    write_output(path, text);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

void complain(std::string_view text) {
  std::string line(text);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void note(std::string_view text, bool quiet) {
  if (!quiet) complain("tessera: note: " + std::string(text));
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

Interrupts::Interrupts() {
  const sigset_t set = listened();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  listener_ = std::thread([this] { listen(source_, done_); });
}

Interrupts::~Interrupts() {
  done_ = true;
  pthread_kill(listener_.native_handle(), goodbye);
  listener_.join();
}

StatusLine::StatusLine(bool quiet)
    : active_(!quiet && stderr_is_terminal()), start_(std::chrono::steady_clock::now()) {}

StatusLine::~StatusLine() {
  if (width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
}

double StatusLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void StatusLine::show(const std::string& text) {
  if (!active_) return;
  const auto now = std::chrono::steady_clock::now();
  if (width_ > 0 && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const std::string line = text.substr(0, 78);
  std::fprintf(stderr, "\r%-*s", static_cast<int>(std::max(width_, line.size())), line.c_str());
  std::fflush(stderr);
  width_ = std::max(width_, line.size());
}

}  // namespace tessera::cli
