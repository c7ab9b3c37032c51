// Results of engines `sat` and `smt` on folders of instances, with their placements checked.
//
//   encoder_verdicts sat 10 ../shared/benchmarks/flat-load/[HB]*.csv
//   encoder_verdicts sat 10 --heights ../shared/benchmarks/pypto/**/*.json
//
// One line per query: fit (or minimum cost with soft rules) and, with --heights, the minimum height
// of every memory. The capacity of a CSV is the number before its extension. Ends with 1 if a
// placement is invalid.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "encoder/load_cut.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "io/load.h"
#include "tessera/check.h"

namespace {

using namespace tessera;

double cpu_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Totals {
  int questions = 0;
  int decided = 0;
  int wrong = 0;
  double solving = 0;
  double slowest = 0;
};

class Bench {
 public:
  Bench(std::string_view engine, double limit, bool heights)
      : engine_(engine), limit_(limit), heights_(heights) {}

  void measure(const std::string& file) {
    InputOptions options;
    if (file.ends_with(".csv")) {
      const std::size_t dot = file.rfind('.', file.size() - 5);
      options.capacity = std::atoll(file.c_str() + dot + 1);
    }
    const PlacementProblem problem = io::load_problem(file, options).problem;
    const std::string name = file.substr(file.rfind('/') + 1);
    const bool soft =
        std::any_of(problem.relations.begin(), problem.relations.end(),
                    [](const Relation& each) { return each.kind == RelationKind::avoid_overlap; });
    const engine::SearchResult first = ask(problem, soft ? Objective::cost : Objective::fit, name);
    if (!heights_ || first.status != Status::feasible || soft) return;
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) lower(problem, first, m, name);
  }

  int finish() const {
    std::printf("questions %d  decided %d  wrong %d\n", totals_.questions, totals_.decided,
                totals_.wrong);
    std::printf("solving %.2f s (slowest %.2f s), thread time\n", totals_.solving, totals_.slowest);
    return totals_.wrong == 0 ? 0 : 1;
  }

 private:
  /// Bisection between the refuted height and the height of the best placement, to the byte: the
  /// last refutation is one byte below the minimum.
  void lower(PlacementProblem problem, const engine::SearchResult& first, MemoryIndex m,
             const std::string& name) {
    Memory& memory = problem.memories[m];
    memory.banks.clear();
    const std::vector<AddressRange> reserved = memory.reserved;
    Size high = heights(problem, *first.placement)[m];
    Size low = 0;
    while (low + 1 < high) {
      memory.capacity = low == 0 ? high - 1 : low + (high - low) / 2;
      memory.reserved = reserved;
      for (AddressRange& each : memory.reserved) each.end = std::min(each.end, memory.capacity);
      std::erase_if(memory.reserved, [](const AddressRange& each) { return each.empty(); });
      const engine::SearchResult next =
          ask(problem, Objective::fit,
              name + " " + memory.name + " in " + std::to_string(memory.capacity));
      if (next.status == Status::unknown) return;
      if (next.status == Status::infeasible) {
        low = memory.capacity;
      } else {
        high = heights(problem, *next.placement)[m];
        if (low == 0) low = std::max<Size>(1, heaviest(problem, m) - 1);
      }
    }
  }

  /// Lower bound: the live bytes of one step.
  static Size heaviest(const PlacementProblem& problem, MemoryIndex m) {
    Poll never;
    const auto cut = encoder::heaviest_step(problem, {m}, never);
    return cut ? cut->asked : 0;
  }

  engine::SearchResult ask(const PlacementProblem& problem, Objective goal,
                           const std::string& name) {
    const auto engine = make();
    engine::SearchParams params;
    params.goal = goal;
    params.budget.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(std::llround(1000 * limit_));
    const double start = cpu_seconds();
    engine::SearchResult result = engine->solve(problem, params);
    const double solving = cpu_seconds() - start;
    Cost cost = 0;
    bool wrong = false;
    if (result.placement) {
      wrong = !check(problem, *result.placement).empty();
      cost = soft_cost(problem, *result.placement);
    }
    const bool decided = result.status != Status::unknown &&
                         (goal != Objective::cost || !result.placement || result.bound == cost);
    std::printf("%-64s %-10s cost %lld bound %lld %8.3f s%s\n", name.c_str(),
                std::string(to_string(result.status)).c_str(), static_cast<long long>(cost),
                static_cast<long long>(result.bound), solving, wrong ? "  WRONG" : "");
    std::fflush(stdout);
    ++totals_.questions;
    totals_.decided += decided ? 1 : 0;
    totals_.wrong += wrong ? 1 : 0;
    totals_.solving += solving;
    totals_.slowest = std::max(totals_.slowest, solving);
    return result;
  }

  [[nodiscard]] std::unique_ptr<engine::PlacementEngine> make() const {
    if (engine_ == "smt") return encoder::make_smt_engine({});
    if (engine_ == "order")
      return encoder::make_sat_engine({.encoding = encoder::OffsetEncoding::order});
    if (engine_ == "chains")
      return encoder::make_sat_engine({.encoding = encoder::OffsetEncoding::chains});
    return encoder::make_sat_engine({});
  }

  std::string engine_;
  double limit_;
  bool heights_;
  Totals totals_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s sat|order|chains|smt SECONDS [--heights] FILE...\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> words(argv + 3, argv + argc);
  const auto has = [&words](std::string_view flag) {
    return std::find(words.begin(), words.end(), flag) != words.end();
  };
  Bench bench(argv[1], std::atof(argv[2]), has("--heights"));
  for (const std::string& word : words) {
    if (!word.starts_with("--")) bench.measure(word);
  }
  return bench.finish();
}
