// Ablation of the rules of canonical search. One line per rule switched off: nodes and processor
// seconds, for placed and for refuted problems. "open" problems have used up the limit; their nodes
// are not counted. The limit is a number of nodes, so that tables are reproducible.
//
//   bench_canonical_ablation                                      # generated, 20,000 nodes each
//   bench_canonical_ablation 1000000 1048576 A.csv C.csv D.csv    # nodes, capacity, files

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/load.h"
#include "model/random.h"
#include "placer/switches.h"
#include "search/placement/canonical.h"
#include "tessera/generate.h"

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

/// Steps as full as short lifetimes allow, `copies` of each buffer: some problems are infeasible.
PlacementProblem full(std::size_t buffers, Size capacity, std::int64_t copies, std::uint64_t seed) {
  PlacementProblem problem;
  problem.memories.push_back({.name = "m", .capacity = capacity});
  Random random(seed);
  const std::size_t steps = buffers / static_cast<std::size_t>(3 * copies) + 2;
  std::vector<Size> load(steps, 0);
  for (int misses = 0; problem.buffers.size() < buffers && misses < 10'000;) {
    const std::size_t lower = random.below(steps);
    const std::size_t upper = std::min(steps, lower + 1 + random.below(6));
    Size room = capacity;
    for (std::size_t t = lower; t < upper; ++t) room = std::min(room, capacity - load[t]);
    room /= copies;
    if (room <= 0) {
      ++misses;
      continue;
    }
    const Size size = std::min(room, random.between(1, 60));
    for (std::size_t t = lower; t < upper; ++t) load[t] += copies * size;
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      problem.buffers.push_back({.id = "b" + std::to_string(problem.buffers.size()),
                                 .live = {{static_cast<Step>(lower), static_cast<Step>(upper)}},
                                 .size = size});
    }
  }
  return problem;
}

std::vector<PlacementProblem> generated() {
  std::vector<PlacementProblem> problems;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    problems.push_back(full(24, 60, 1, seed));
    problems.push_back(full(40, 256, 1, seed));
    problems.push_back(full(40, 256, 2, seed));
    problems.push_back(generate({.kind = "packable", .buffers = 100, .seed = seed}));
  }
  return problems;
}

void measure(const char* name, const search::CanonicalParams& params,
             const std::vector<PlacementProblem>& problems, std::int64_t limit) {
  Tally found;
  Tally refuted;
  Tally open;
  for (const PlacementProblem& problem : problems) {
    const double before = processor_seconds();
    engine::SearchParams search;
    search.budget.max_nodes = limit;
    const engine::SearchResult result =
        search::make_canonical_engine(params)->solve(problem, search);
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
  const std::int64_t limit = argc > 1 ? std::atoll(argv[1]) : 20'000;
  std::vector<PlacementProblem> problems;
  for (int k = 3; k < argc; ++k) {
    problems.push_back(io::load_problem(argv[k], {.capacity = std::atoll(argv[2])}).problem);
  }
  if (problems.empty()) problems = generated();
  std::printf("| without | placed | nodes | s | refuted | nodes | s | open |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  measure("(everything on)", {}, problems, limit);
  for (const placer::Switch& each : placer::switches_of("canonical")) {
    placer::EngineParams without;
    each.rule(without) = false;
    measure(std::string(each.name).c_str(), without.canonical, problems, limit);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
