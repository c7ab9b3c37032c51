// A long call from Python: others may run meanwhile, Ctrl-C ends it, callbacks come back.
//
//   Call call;
//   params.limits.stop = call.token();
//   params.progress = [&](const PlaceProgress& now) { call.back([&] { progress(now); }); };
//   PlacementResult result = call.run([&] { return place(problem, params); });
//
// Ctrl-C in the main thread asks the search to end, and run() throws what Python's handler of the
// signal raises: KeyboardInterrupt, unless somebody replaced the handler. Then the result comes
// back, stopped as "interrupted".
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <mutex>
#include <stop_token>
#include <utility>

namespace tessera::python {

class Call {
 public:
  /// require: the GIL is held, here and in the destructor.
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  /// Runs `work` without the GIL. Throws what a callback threw, or what a signal raised.
  template <typename Work>
  auto run(Work&& work) {
    pending_signals();
    auto result = [&] {
      const pybind11::gil_scoped_release release;
      return work();
    }();
    finish();
    return result;
  }

  /// From a searching thread: runs `work` with the GIL. What it throws ends the call.
  template <typename Work>
  void back(Work&& work) {
    const pybind11::gil_scoped_acquire acquire;
    if (failed_) return;
    try {
      work();
    } catch (...) {
      failed_ = std::current_exception();
      source_.request_stop();
    }
  }

 private:
  /// Of the Python that runs now: handlers of signals that came before.
  static void pending_signals();
  void finish();

  std::stop_source source_;
  std::exception_ptr failed_;  ///< guarded by the GIL
  bool listens_ = false;
};

/// Which thread Python takes signals in; called once, when the module is imported.
void know_main_thread();

}  // namespace tessera::python
