// Runs a long call from Python: other threads run meanwhile, Ctrl-C ends it, callbacks work.
//
//   Call call;
//   params.limits.stop = call.token();
//   params.progress = [&](const PlaceProgress& now) { call.back([&] { progress(now); }); };
//   PlacementResult result = call.run([&] { return place(problem, params); });
//
// Ctrl-C in the main thread requests a stop, and run() throws what Python's signal handler raises:
// KeyboardInterrupt, unless the handler was replaced. With a handler that does not raise, the
// result is returned, stopped as "interrupted".
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

  /// Runs `work` without the GIL. Throws exceptions of a callback or of a signal handler.
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

  /// For searching threads: runs `work` with the GIL. An exception ends the call.
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
  /// Handles signals that arrived before.
  static void pending_signals();
  void finish();

  std::stop_source source_;
  std::exception_ptr failed_;  ///< guarded by the GIL
  bool listens_ = false;
};

/// Records the thread in which Python receives signals; called once, at import.
void know_main_thread();

}  // namespace tessera::python
