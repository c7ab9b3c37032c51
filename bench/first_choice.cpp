// Run times of the alternatives for the first engine of `auto`: the records from which
// training/first_choice.py trains the forest of the first choice.
//
//   bench_first_choice SECONDS FILE... > records.csv
//
// One row per problem that greedy heuristics and bounds leave undecided: its name, the seconds of
// canonical search with each of its orders first, of the learning engine, and the features of the
// problem. Undecided runs count as the limit. A file name that ends in .<number>.csv gives the
// capacity.
#include "placer/first_choice.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "placer/make_engine.h"
#include "search/placement/bounds.h"
#include "search/placement/greedy.h"
#include "tessera/files.h"

namespace {

using namespace tessera;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(engine::PlacementEngine& engine, const PlacementProblem& problem, double limit) {
  engine::SearchParams params;
  params.budget.deadline = std::chrono::steady_clock::now() +
                           std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000));
  const double start = processor_seconds();
  const engine::SearchResult found = engine.solve(problem, params);
  const double took = processor_seconds() - start;
  return found.status == Status::unknown ? std::max(limit, took) : took;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("bench_first_choice SECONDS FILE...\n");
    return 0;
  }
  const double limit = std::atof(argv[1]);
  std::printf("problem,canonical,learning");
  for (const std::string_view feature : placer::shape_features)
    std::printf(",%.*s", static_cast<int>(feature.size()), feature.data());
  std::printf("\n");
  for (int k = 2; k < argc; ++k) {
    const std::string file = argv[k];
    InputOptions options;
    const std::string stem = file.substr(0, file.rfind('.'));
    const Size capacity = std::atoll(stem.substr(stem.rfind('.') + 1).c_str());
    if (file.ends_with(".csv") && capacity > 0) options.capacity = capacity;
    const PlacementProblem problem = load_input(file, options).problem;
    const auto shape = placer::shape_of(problem);
    if (!shape || search::lower_bounds(problem, {}).infeasible ||
        search::place_greedily(problem, {.first_fit_is_enough = true}).placement)
      continue;
    std::printf("%s", file.c_str());
    for (const char* engine : {"canonical", "learning"})
      std::printf(",%.6f", seconds_of(*placer::make_engine(engine), problem, limit));
    for (const float feature : *shape) std::printf(",%.5g", static_cast<double>(feature));
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
