#include "calls.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

namespace tessera::python {
namespace {

namespace py = pybind11;

/// signal.set_wakeup_fd(): returns the previous descriptor. Our pipe is never full, and owners of
/// the previous one may have asked for warnings.
int set_wakeup_fd(int fd) {
  struct Known {
    py::object call = py::module_::import("signal").attr("set_wakeup_fd");
    py::tuple names = py::make_tuple("warn_on_full_buffer");
  };
  // Lives as long as the process: there is no safe moment to destroy it.
  static const Known* const known = new Known;
  const py::int_ number(fd);
  PyObject* arguments[] = {number.ptr(), Py_False};
  PyObject* before = PyObject_Vectorcall(known->call.ptr(), arguments, 1, known->names.ptr());
  if (before == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(before).cast<int>();
}

/// Python's signal handler can write the number of a signal to a file descriptor. While a call runs
/// in the main thread, that is a pipe of ours, read by one listener thread. A call of microseconds
/// therefore needs no thread of its own.
class Listener {
 public:
  /// One for the process, as its signals are. Never destroyed: its thread may outlive `main`.
  static Listener& instance() {
    static Listener* const listener = new Listener;
    return *listener;
  }

  void enter(std::stop_source& source) {
    const std::lock_guard lock(mutex_);
    if (!started_) start();
    // For nested calls from a callback the pipe is already installed.
    if (active_.empty()) previous_ = set_wakeup_fd(pipe_[1]);
    active_.push_back(&source);
  }

  void leave(std::stop_source& source, bool heard) {
    const std::lock_guard lock(mutex_);
    std::erase(active_, &source);
    // Signals for this call are not for the next one.
    if (heard) drain();
    if (!active_.empty()) return;
    try {
      set_wakeup_fd(previous_);
    } catch (const py::error_already_set&) {
      // The previous descriptor has been closed meanwhile.
    }
  }

  [[nodiscard]] bool is_main_thread() const {
    return pthread_equal(main_thread_.load(), pthread_self()) != 0;
  }

  void set_main_thread(pthread_t thread) { main_thread_.store(thread); }

 private:
  Listener() {
    // A forked process has one thread, which is its main thread; there is no listener.
    pthread_atfork(nullptr, nullptr, [] {
      Listener& child = instance();
      child.main_thread_.store(pthread_self());
      child.started_ = false;
    });
  }

  void start() {
    if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::bad_alloc();
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for threads of Python
    std::thread([this, from = pipe_[0]] { listen(from); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    started_ = true;
  }

  void listen(int from) {
    pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
    for (;;) {
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return;
      const std::lock_guard lock(mutex_);
      drain();
    }
  }

  /// require: mutex_ is held.
  void drain() {
    unsigned char numbers[64];
    ssize_t count = 0;
    while ((count = read(pipe_[0], numbers, sizeof numbers)) > 0) {
      // Forwards to the previous descriptor (an event loop); a full pipe has been noticed anyway.
      if (previous_ >= 0) static_cast<void>(!write(previous_, numbers, static_cast<size_t>(count)));
      const bool ends = std::any_of(numbers, numbers + count, [](unsigned char number) {
        return number == SIGINT || number == SIGTERM;
      });
      if (ends)
        for (std::stop_source* source : active_) source->request_stop();
    }
  }

  std::mutex mutex_;
  std::vector<std::stop_source*> active_;
  int pipe_[2] = {-1, -1};
  int previous_ = -1;
  bool started_ = false;
  std::atomic<pthread_t> main_thread_{};
};

}  // namespace

void know_main_thread() {
  const auto ident =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  Listener::instance().set_main_thread(static_cast<pthread_t>(ident));
}

Call::Call() : listens_(Listener::instance().is_main_thread()) {
  if (listens_) Listener::instance().enter(source_);
}

Call::~Call() {
  if (listens_) Listener::instance().leave(source_, source_.stop_requested());
}

void Call::pending_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void Call::finish() {
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  if (PyErr_CheckSignals() == 0) return;
  source_.request_stop();
  throw py::error_already_set();
}

}  // namespace tessera::python
