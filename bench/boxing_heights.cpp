// Height, time and memory of boxing. One line per instance.
//
//   boxing_heights 10 resnet50.csv iopddl-S.csv malloc:1000000:1 training:30000:2
//   boxing_heights 10 --threads=1 --seed=3 --no-focus resnet50.csv
//
// The first argument is the time limit in seconds. An instance is a file or KIND:BUFFERS:SEED of
// generate_trace(). Every placement is checked; an invalid one ends the program with 1. The peak
// memory is that of the process: run one instance per call to measure it.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/load.h"
#include "search/placement/boxing/engine.h"
#include "tessera/check.h"
#include "validation/generate_traces.h"

namespace {

using namespace tessera;

PlacementProblem instance(const std::string& name) {
  const std::size_t first = name.find(':');
  if (const auto kind = validation::trace_kind_from(std::string_view(name).substr(0, first))) {
    const std::size_t second = name.find(':', first + 1);
    validation::TraceParams params;
    params.kind = *kind;
    if (first != std::string::npos) params.buffers = std::atoll(name.c_str() + first + 1);
    if (second != std::string::npos)
      params.seed = std::strtoull(name.c_str() + second + 1, nullptr, 10);
    return validation::generate_trace(params);
  }
  return io::load_problem(name).problem;
}

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

bool measure(const std::string& name, double limit, search::BoxingParams params) {
  const PlacementProblem problem = instance(name);
  if (const auto why = search::make_boxing_engine()->unsupported(problem, Objective::fit)) {
    std::printf("%s: %s\n", name.c_str(), why->c_str());
    return true;
  }
  const auto start = std::chrono::steady_clock::now();
  const double user = user_seconds();
  params.budget.deadline =
      start + std::chrono::microseconds(static_cast<std::int64_t>(limit * 1e6));
  const search::BoxingResult result = search::box(problem, params);
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double spent = user_seconds() - user;
  const bool found = result.status == Status::feasible;
  const bool right = !found || check(problem, *result.placement, 1).empty();
  const char* verdict = !found ? "above the capacity" : right ? "checked" : "WRONG";
  const std::size_t slash = name.find_last_of('/');
  for (std::size_t m = 0; m < result.heights.size(); ++m) {
    const auto bound = static_cast<double>(std::max<Size>(result.lower_bounds[m], 1));
    std::printf("%-28s %8zu %14lld %14lld %8.4f %%%s %7.2f s %7.2f s user %6ld MB %s",
                name.substr(slash == std::string::npos ? 0 : slash + 1).c_str(),
                problem.buffers.size(), static_cast<long long>(result.lower_bounds[m]),
                static_cast<long long>(result.heights[m]),
                100 * (static_cast<double>(result.heights[m]) / bound - 1),
                result.heights[m] == result.lower_bounds[m] ? " proven" : "       ", wall, spent,
                peak_megabytes(), verdict);
    std::printf("\n");
  }
  for (const search::HeightAt& at : result.over_time)
    std::fprintf(stderr, "    %8.3f s %14lld %s\n", at.seconds, static_cast<long long>(at.height),
                 at.by.c_str());
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(
        stderr,
        "usage: boxing_heights SECONDS [--threads=N] [--seed=N] [--no-PHASE] INSTANCE...\n");
    return 2;
  }
  search::BoxingParams params;
  bool right = true;
  try {
    for (int k = 2; k < count; ++k) {
      const std::string argument = arguments[k];
      if (argument.starts_with("--threads=")) {
        params.threads = std::atoi(argument.c_str() + 10);
      } else if (argument.starts_with("--seed=")) {
        params.seed = std::strtoull(argument.c_str() + 7, nullptr, 10);
      } else if (argument == "--no-stacking") {
        params.stacking = false;
      } else if (argument == "--no-boxing") {
        params.boxing = false;
      } else if (argument == "--no-improve") {
        params.improve = false;
      } else if (argument == "--no-focus") {
        params.focus = false;
      } else if (argument == "--no-exact") {
        params.exact = false;
      } else {
        right = measure(argument, std::atof(arguments[1]), params) && right;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return right ? 0 : 1;
}
