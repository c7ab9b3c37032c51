// Implements tessera_c.h. No exception leaves this file, and exhausted memory does not end the
// program: all code that can throw runs inside guarded().

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tessera/errors.h"
#include "tessera/files.h"
#include "tessera/place.h"
#include "tessera/version.h"
#include "tessera_c.h"

struct tessera_problem {
  tessera::PlacementProblem problem;
  std::string wrong;  ///< the first error; empty: none
};

struct tessera_result {
  tessera_status status = TESSERA_UNKNOWN;
  tessera::PlacementResult found;
  std::vector<int64_t> offsets;
  std::vector<std::string> memories;   ///< names of all memories
  std::vector<std::size_t> memory_of;  ///< per buffer
  std::string reason;
  std::string json;
  bool best = false;
};

namespace {

using namespace tessera;

constexpr const char* out_of_memory_text = "out of memory";

std::string sentence(const BadInput& bad) {
  return bad.hint.empty() ? std::string(bad.what()) : bad.what() + std::string("; ") + bad.hint;
}

/// Runs `change` on the problem unless it already has an error.
template <typename Change>
void guarded(tessera_problem* problem, Change change) {
  if (problem == nullptr || !problem->wrong.empty()) return;
  try {
    change(problem->problem);
  } catch (const BadInput& bad) {
    try {
      problem->wrong = sentence(bad);
    } catch (...) {
      problem->wrong = "no memory";  // short enough to need no allocation
    }
  } catch (...) {
    problem->wrong = "no memory";
  }
}

template <typename Change>
void with_buffer(tessera_problem* problem, std::size_t buffer, Change change) {
  guarded(problem, [&](PlacementProblem& p) {
    if (buffer >= p.buffers.size())
      throw BadInput("unknown buffer number " + std::to_string(buffer) + ", but " +
                     std::to_string(p.buffers.size()) + " buffers");
    change(p.buffers[buffer]);
  });
}

/// Calls the caller's poll function every few milliseconds, from a separate thread: the search
/// polls a token, and its threads are not the caller's.
class Watcher {
 public:
  Watcher(const tessera_options& options, std::stop_source& source) {
    if (options.stop == nullptr) return;
    thread_ = std::jthread([&options, &source, this](const std::stop_token& done) {
      constexpr auto pause = std::chrono::milliseconds(5);
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, done, pause, [&] { return done.stop_requested(); })) {
        if (done.stop_requested()) return;
        if (options.stop(options.context) == 0) continue;
        source.request_stop();
        return;
      }
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last member: the thread ends before the members it uses
};

Objective minimize_of(tessera_goal goal) {
  switch (goal) {
    case TESSERA_ANY:
      return Objective::fit;
    case TESSERA_LEAST_HEIGHT:
      return Objective::height;
    case TESSERA_LEAST_COST:
      return Objective::cost;
    case TESSERA_FEWEST_MODES:
      return Objective::modes;
    case TESSERA_FEWEST_SWITCHES:
      return Objective::switches;
    case TESSERA_MOST_BENEFIT:
      return Objective::benefit;
  }
  throw BadInput("unknown goal");
}

PlaceParams params_of(const tessera_options& options) {
  PlaceParams params;
  params.minimize = minimize_of(options.goal);
  if (options.engine != nullptr) params.engine = options.engine;
  if (options.timeout_ms != 0) {
    constexpr std::int64_t most = std::int64_t{1} << 40U;  // still in range as nanoseconds
    params.limits.timeout =
        std::chrono::milliseconds(std::clamp<std::int64_t>(options.timeout_ms, -1, most));
  }
  if (options.work != 0) params.limits.work = options.work;
  if (options.memory != 0) params.limits.memory = options.memory;
  if (options.threads != 0) params.limits.threads = options.threads;
  params.limits.seed = options.seed;
  return params;
}

void answer(const tessera_problem* problem, const tessera_options& options,
            tessera_result& result) {
  if (problem == nullptr) throw BadInput("the problem is null");
  if (!problem->wrong.empty()) throw BadInput(problem->wrong);
  PlaceParams params = params_of(options);
  std::stop_source source;
  params.limits.stop = source.get_token();
  {
    const Watcher watcher(options, source);
    result.found = place(problem->problem, params);
  }
  result.reason = result.found.reason;
  result.json = result_json(problem->problem, result.found);
  for (const Memory& memory : problem->problem.memories) result.memories.push_back(memory.name);
  if (result.found.placement) {
    for (const BufferPlace& at : result.found.placement->places) {
      result.offsets.push_back(at.offset);
      result.memory_of.push_back(at.memory);
    }
    for (const BufferIndex b : result.found.placement->left_out) result.offsets[b] = -1;
  }
  switch (result.found.status) {
    case Status::feasible:
      result.status = TESSERA_FEASIBLE;
      break;
    case Status::infeasible:
      result.status = TESSERA_INFEASIBLE;
      break;
    case Status::unknown:
      result.status = TESSERA_UNKNOWN;
      if (result.reason.empty())
        result.reason = "stopped: " + std::string(to_string(result.found.stop));
      break;
  }
  const bool height = params.minimize == Objective::height;
  result.best = result.status == TESSERA_FEASIBLE &&
                (height ? result.found.proven_minimum : result.found.proven_optimal);
}

}  // namespace

extern "C" {

const char* tessera_version(void) {
  return tessera::version().data();  // of a null-terminated literal
}

tessera_problem* tessera_problem_new(int64_t capacity, int64_t alignment) {
  try {
    auto problem = std::make_unique<tessera_problem>();
    Memory memory;
    memory.name = "memory";
    if (capacity != 0) memory.capacity = capacity;
    if (alignment != 0) memory.alignment = alignment;
    problem->problem.memories.push_back(std::move(memory));
    return problem.release();
  } catch (...) {
    return nullptr;
  }
}

tessera_problem* tessera_problem_load(const char* path, const char* profile, int64_t capacity) {
  auto* problem = new (std::nothrow) tessera_problem;
  guarded(problem, [&](PlacementProblem& to) {
    if (path == nullptr) throw BadInput("the path is null");
    InputOptions options;
    if (profile != nullptr) options.profile = profile;
    if (capacity != 0) options.capacity = capacity;
    to = load_input(path, options).problem;
  });
  return problem;
}

void tessera_problem_free(tessera_problem* problem) {
  delete problem;
}

size_t tessera_buffers(const tessera_problem* problem) {
  return problem == nullptr ? 0 : problem->problem.buffers.size();
}

void tessera_add_buffer(tessera_problem* problem, const char* id, int64_t lower, int64_t upper,
                        int64_t size) {
  guarded(problem, [&](PlacementProblem& p) {
    Buffer buffer;
    buffer.id = id == nullptr ? std::to_string(p.buffers.size()) : std::string(id);
    buffer.live.push_back({lower, upper});
    buffer.size = size;
    p.buffers.push_back(std::move(buffer));
  });
}

void tessera_set_size(tessera_problem* problem, size_t buffer, int64_t size) {
  with_buffer(problem, buffer, [&](Buffer& b) { b.size = size; });
}

void tessera_set_alignment(tessera_problem* problem, size_t buffer, int64_t alignment) {
  with_buffer(problem, buffer, [&](Buffer& b) { b.alignment = alignment; });
}

void tessera_fix(tessera_problem* problem, size_t buffer, int64_t offset) {
  with_buffer(problem, buffer, [&](Buffer& b) { b.offset = offset; });
}

void tessera_set_hint(tessera_problem* problem, size_t buffer, int64_t offset) {
  with_buffer(problem, buffer, [&](Buffer& b) { b.hint = offset; });
}

void tessera_make_optional(tessera_problem* problem, size_t buffer, double benefit) {
  with_buffer(problem, buffer, [&](Buffer& b) {
    constexpr double most = 1e15;
    if (!(benefit >= 0 && benefit <= most))
      throw BadInput("buffer '" + b.id +
                     "' has a benefit that is negative, too large or not a number");
    b.optional = true;
    b.benefit = std::llround(benefit * 1000);
  });
}

tessera_result* tessera_place(const tessera_problem* problem, const tessera_options* options) {
  auto* result = new (std::nothrow) tessera_result;
  if (result == nullptr) return nullptr;
  const auto failed = [result](tessera_status status, const char* why) {
    *result = tessera_result{};
    result->status = status;
    try {
      result->reason = why;
    } catch (...) {
      result->reason = "no memory";
    }
  };
  try {
    const tessera_options standard{};
    answer(problem, options == nullptr ? standard : *options, *result);
  } catch (const BadInput& bad) {
    failed(TESSERA_BAD_INPUT, bad.what());
    try {
      result->reason = sentence(bad);
    } catch (...) {  // then without the hint
    }
  } catch (const std::bad_alloc&) {
    failed(TESSERA_UNKNOWN, out_of_memory_text);
  } catch (const std::exception& error) {
    failed(TESSERA_BUG, error.what());
  } catch (...) {
    failed(TESSERA_BUG, "an unknown exception was thrown");
  }
  return result;
}

void tessera_result_free(tessera_result* result) {
  delete result;
}

tessera_status tessera_status_of(const tessera_result* result) {
  return result == nullptr ? TESSERA_UNKNOWN : result->status;
}

const char* tessera_reason(const tessera_result* result) {
  return result == nullptr ? out_of_memory_text : result->reason.c_str();
}

int64_t tessera_offset(const tessera_result* result, size_t buffer) {
  return result == nullptr || buffer >= result->offsets.size() ? -1 : result->offsets[buffer];
}

const char* tessera_memory(const tessera_result* result, size_t buffer) {
  if (tessera_offset(result, buffer) < 0) return nullptr;
  return result->memories[result->memory_of[buffer]].c_str();
}

int64_t tessera_height(const tessera_result* result) {
  return result == nullptr ? 0 : result->found.height;
}

int64_t tessera_lower_bound(const tessera_result* result) {
  return result == nullptr ? 0 : result->found.lower_bound;
}

double tessera_benefit(const tessera_result* result) {
  return result == nullptr ? 0 : static_cast<double>(result->found.benefit) / 1000;
}

double tessera_benefit_bound(const tessera_result* result) {
  return result == nullptr ? 0 : static_cast<double>(result->found.benefit_bound) / 1000;
}

int tessera_is_best(const tessera_result* result) {
  return result != nullptr && result->best ? 1 : 0;
}

const char* tessera_json(const tessera_result* result) {
  return result == nullptr ? "" : result->json.c_str();
}

}  // extern "C"
