// What is each rule of the canonical search worth? One line per rule switched off: nodes and
// processor seconds, for problems that are placed and for problems that are refuted.
//
//   bench_canonical_ablation                                  # generated problems, 2 s each
//   bench_canonical_ablation 5 1048576 A.csv C.csv D.csv      # seconds, capacity, files

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/load.h"
#include "planner/generate.h"
#include "search/placement/canonical.h"

namespace {

using namespace tessera;

struct Tally {
  int decided = 0;
  std::int64_t nodes = 0;
  double seconds = 0;
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<PlacementProblem> generated() {
  std::vector<PlacementProblem> problems;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    problems.push_back(
        generate({.kind = "random", .buffers = 40, .seed = seed, .capacity = 4096, .slack = 1.02}));
    problems.push_back(
        generate({.kind = "packable", .buffers = 60, .seed = seed, .capacity = 4096}));
  }
  return problems;
}

void measure(const char* name, const CanonicalParams& params,
             const std::vector<PlacementProblem>& problems, double limit) {
  Tally found;
  Tally refuted;
  Tally open;
  for (const PlacementProblem& problem : problems) {
    const double before = processor_seconds();
    SearchParams search;
    search.budget.deadline = std::chrono::steady_clock::now() +
                             std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000));
    const SearchResult result = make_canonical_engine(params)->solve(problem, search);
    Tally& tally = result.status == Status::feasible     ? found
                   : result.status == Status::infeasible ? refuted
                                                         : open;
    ++tally.decided;
    tally.seconds += processor_seconds() - before;
    for (const Stat& stat : result.stats) {
      if (stat.name == "nodes") tally.nodes += std::get<std::int64_t>(stat.value);
    }
  }
  std::printf("| %-18s | %4d | %10lld | %8.3f | %4d | %10lld | %8.3f | %4d |\n", name,
              found.decided, static_cast<long long>(found.nodes), found.seconds, refuted.decided,
              static_cast<long long>(refuted.nodes), refuted.seconds, open.decided);
}

}  // namespace

int main(int argc, char** argv) try {
  const double limit = argc > 1 ? std::atof(argv[1]) : 2.0;
  std::vector<PlacementProblem> problems;
  for (int k = 3; k < argc; ++k) {
    problems.push_back(load_problem(argv[k], {.capacity = std::atoll(argv[2])}).problem);
  }
  if (problems.empty()) problems = generated();
  using Switch = bool CanonicalParams::*;
  const std::pair<const char*, Switch> switches[] = {
      {"section_inference", &CanonicalParams::section_inference},
      {"dominance", &CanonicalParams::dominance},
      {"decomposition", &CanonicalParams::decomposition},
      {"hatless", &CanonicalParams::hatless},
      {"monotonic_floor", &CanonicalParams::monotonic_floor},
      {"unallocated_floor", &CanonicalParams::unallocated_floor},
      {"one_machine", &CanonicalParams::one_machine},
      {"failed_states", &CanonicalParams::failed_states},
      {"local_choice", &CanonicalParams::local_choice},
      {"subset_sums", &CanonicalParams::subset_sums},
      {"symmetry", &CanonicalParams::symmetry},
      {"restarts", &CanonicalParams::restarts}};
  std::printf("| without | placed | nodes | s | refuted | nodes | s | open |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  measure("(everything on)", {}, problems, limit);
  for (const auto& [name, rule] : switches) {
    CanonicalParams params;
    params.*rule = false;
    measure(name, params, problems, limit);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
