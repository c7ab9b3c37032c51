// Guided search with CaDiCaL or Z3 as an advisor after every decision, compared with guided search
// alone.
//
//   bench_guided_advisors SECONDS CAPACITY FILE...
//   bench_guided_advisors 5 0 ../shared/benchmarks/flat-load/*.csv
//
// Capacity 0: the number at the end of a file's name, before ".csv".
//
// One line per variant: problems placed, refuted and undecided; steps, queries, number of refuting
// answers, total time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "encoder/advisor.h"
#include "search/guided/engine.h"
#include "tessera/files.h"

namespace {

using namespace tessera;

std::int64_t stat_of(const engine::SearchResult& found, const char* name) {
  for (const Stat& stat : found.stats)
    if (stat.name == name)
      if (const auto* value = std::get_if<std::int64_t>(&stat.value)) return *value;
  return 0;
}

struct Totals {
  int placed = 0;
  int refuted = 0;
  int open = 0;
  std::int64_t steps = 0;
  std::int64_t asked = 0;
  std::int64_t advised = 0;
  double seconds = 0;
};

Size capacity_of(const std::string& file, Size said) {
  if (said != 0) return said;
  const std::string stem = file.substr(0, file.rfind('.'));
  return std::strtoll(stem.substr(stem.rfind('.') + 1).c_str(), nullptr, 10);
}

Totals run(const search::GuidedParams& params, const std::vector<PlacementProblem>& problems,
           double seconds) {
  Totals all;
  const auto engine = search::make_guided_engine(params);
  for (const PlacementProblem& problem : problems) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    engine::SearchParams search;
    search.budget.deadline =
        start + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    search.budget.max_nodes = 500'000;
    const engine::SearchResult found = engine->solve(problem, search);
    all.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    ++(found.status == Status::feasible     ? all.placed
       : found.status == Status::infeasible ? all.refuted
                                            : all.open);
    all.steps += stat_of(found, "steps");
    all.asked += stat_of(found, "advisor_asked");
    all.advised += stat_of(found, "advisor_refuted");
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s SECONDS CAPACITY FILE...\n", argv[0]);
    return 2;
  }
  std::vector<PlacementProblem> problems;
  for (int k = 3; k < argc; ++k)
    problems.push_back(
        load_input(argv[k], {.capacity = capacity_of(argv[k], std::strtoll(argv[2], nullptr, 10))})
            .problem);
  const search::GuidedParams whole;
  const search::GuidedParams plain{.restarts = false, .learn = false, .sections = false};
  std::vector<std::pair<std::string, search::GuidedParams>> ways{{"plain", plain},
                                                                 {"whole", whole}};
  for (const auto& [name, base] : {std::pair{"plain", plain}, std::pair{"whole", whole}})
    for (const auto& [solver, which] : {std::pair{"cadical", encoder::AdvisingSolver::cadical},
                                        std::pair{"chains", encoder::AdvisingSolver::chains},
                                        std::pair{"z3", encoder::AdvisingSolver::z3}})
      for (const std::int64_t conflicts : {10, 1000}) {
        search::GuidedParams params = base;
        params.advisor = encoder::make_solver_advisor({.solver = which, .conflicts = conflicts});
        ways.emplace_back(std::string(name) + '+' + solver + '/' + std::to_string(conflicts),
                          params);
      }
  for (const auto& [name, params] : ways) {
    const Totals all = run(params, problems, std::strtod(argv[1], nullptr));
    std::printf(
        "%-20s %3d placed %3d refuted %3d open %9lld steps %8lld asked %7lld refuted %8.2f s\n",
        name.c_str(), all.placed, all.refuted, all.open, static_cast<long long>(all.steps),
        static_cast<long long>(all.asked), static_cast<long long>(all.advised), all.seconds);
    std::fflush(stdout);
  }
  return 0;
}
