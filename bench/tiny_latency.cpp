// Latency of one tiny problem, set-up included. Network-like problems of 10 to 60 buffers, as a
// tile search asks them by the thousand: median, 99th and 99.9th percentile, maximum; in wall time,
// and in processor time, which approximates an idle machine.
//
//   bench_tiny_latency [COUNT]

#include <time.h>  // clock_gettime

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "search/placement/canonical.h"
#include "tessera/generate.h"

namespace {

double processor_micros() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

void report(const char* name, std::vector<double>& micros) {
  std::sort(micros.begin(), micros.end());
  const auto at = [&](double part) {
    return micros[std::min(micros.size() - 1,
                           static_cast<std::size_t>(part * static_cast<double>(micros.size())))];
  };
  std::printf("%-9s median %.1f, 99 %% %.1f, 99.9 %% %.1f, worst %.1f\n", name, at(0.5), at(0.99),
              at(0.999), micros.back());
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace tessera;
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  search::CanonicalSolver solver({});
  std::vector<double> micros;
  std::vector<double> processor;
  int undecided = 0;
  for (int k = 0; k < count; ++k) {
    const PlacementProblem problem = generate({.kind = "network",
                                               .buffers = 10 + k % 51,
                                               .seed = static_cast<std::uint64_t>(k),
                                               .slack = 1.0 + 0.02 * (k % 6)});
    const double before = processor_micros();
    const auto start = std::chrono::steady_clock::now();
    engine::SearchParams params;
    params.budget.deadline = start + std::chrono::seconds(1);
    const engine::SearchResult result = solver.solve(problem, params);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    micros.push_back(took.count());
    processor.push_back(processor_micros() - before);
    undecided += result.status == Status::unknown ? 1 : 0;
  }
  std::printf("%d problems, %d undecided, in microseconds\n", count, undecided);
  report("wall", micros);
  report("processor", processor);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
