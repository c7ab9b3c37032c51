// Checks that explanations are minimal, with another engine: `sat` without symmetry breaking.
//
//   encoder_explain 30 ../shared/benchmarks/flat-load/*.csv
//
// For every infeasible instance: the number of named buffers, whether they alone are infeasible,
// and whether the rest fits without each single one. The first argument limits each explanation
// (seconds); every query to the other engine has 10 s. Ends with 1 if an explanation is wrong.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "encoder/explain.h"
#include "encoder/sat_engine.h"
#include "io/load.h"
#include "search/learning/engine.h"

namespace {

using namespace tessera;
using namespace tessera::encoder;

Status again(const PlacementProblem& problem) {
  engine::SearchParams params;
  params.budget.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  return encoder::make_sat_engine(
             {.encoding = encoder::OffsetEncoding::order, .break_symmetry = false})
      ->solve(problem, params)
      .status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SECONDS FILE...\n", argv[0]);
    return 2;
  }
  int explained = 0;
  int minimal = 0;
  int wrong = 0;
  for (int i = 2; i < argc; ++i) {
    const std::string file = argv[i];
    InputOptions options;
    if (file.ends_with(".csv")) {
      options.capacity = std::atoll(file.c_str() + file.rfind('.', file.size() - 5) + 1);
    }
    const PlacementProblem problem = io::load_problem(file, options).problem;
    const auto start = std::chrono::steady_clock::now();
    ExplainParams params;
    params.budget.deadline =
        start + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * std::atof(argv[1])));
    const auto engine = search::make_learning_engine({});
    params.engine = engine.get();
    const Explanation why = explain(problem, params);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (why.status != Status::infeasible) continue;
    ++explained;
    minimal += why.minimal ? 1 : 0;
    bool right = true;
    int asked = 0;
    int answered = 0;
    const auto expect = [&](const PlacementProblem& part, Status status) {
      const Status found = again(part);
      ++asked;
      answered += found != Status::unknown ? 1 : 0;
      right = right && (found == status || found == Status::unknown);
    };
    expect(part_of(problem, why.buffers, why.rules), Status::infeasible);
    for (const BufferIndex out : why.buffers) {
      std::vector<BufferIndex> rest = why.buffers;
      std::erase(rest, out);
      if (why.minimal) expect(part_of(problem, rest, why.rules), Status::feasible);
    }
    for (const HardwareRule& out : why.rules) {
      std::vector<HardwareRule> rest = why.rules;
      std::erase(rest, out);
      if (why.minimal) expect(part_of(problem, why.buffers, rest), Status::feasible);
    }
    wrong += right ? 0 : 1;
    std::printf("%-24s %3zu of %3zu buffers, %zu rules, %6.2f s, %s, %d of %d confirmed%s\n",
                file.substr(file.rfind('/') + 1).c_str(), why.buffers.size(),
                problem.buffers.size(), why.rules.size(), taken.count(),
                why.minimal ? "minimal" : "not proved minimal", answered, asked,
                right ? "" : "  WRONG");
    std::fflush(stdout);
  }
  std::printf("explained %d  proved minimal %d  wrong %d\n", explained, minimal, wrong);
  return wrong == 0 ? 0 : 1;
}
