// Compares "auto" with the best single engine. One line per problem: processor seconds of each
// engine on one thread; for auto on two threads the wall time, and the estimated time on two idle
// cores: processor seconds, halved while two engines run. Target: at most 1.5 times the time of the
// best engine, if that engine decides within a second.
//
//   bench_auto_race LIMIT CAPACITY FILE...      # CAPACITY 0: the file's, or its name's (x.256.csv)
//   bench_auto_race LIMIT generated COUNT       # generated problems of every kind and size

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "io/load.h"
#include "placer/make_engine.h"
#include "tessera/generate.h"
#include "tessera/place.h"

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

struct Timing {
  Status status = Status::unknown;
  std::string by{};
  double wall = 0;
  double idle = 0;  ///< seconds on idle cores
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Named {
  std::string name;
  PlacementProblem problem;
};

Timing time_of(const PlacementProblem& problem, const std::string& engine, int threads,
               double limit) {
  const Clock::time_point start = Clock::now();
  PlaceParams params;
  double idle = 0;
  double since = processor_seconds();
  bool both = false;
  params.progress = [&](const PlaceProgress& progress) {
    const double now = processor_seconds();
    idle += (now - since) / (both ? 2 : 1);
    since = now;
    both = threads > 1 && (progress.phase == "race" || progress.phase == "boxing");
  };
  params.engine = engine;
  params.limits.threads = threads;
  params.limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000));
  const PlacementResult result = place(problem, params);
  const double wall = std::chrono::duration<double>(Clock::now() - start).count();
  idle += (processor_seconds() - since) / (both ? 2 : 1);
  return {result.status, result.engine, wall, idle};
}

/// "X231_0.256.csv" -> 256; none if the name has no number there.
std::optional<Size> capacity_in(const std::string& path) {
  const std::size_t end = path.rfind(".csv");
  if (end == std::string::npos || end == 0) return std::nullopt;
  const std::size_t dot = path.rfind('.', end - 1);
  if (dot == std::string::npos) return std::nullopt;
  const Size capacity = std::atoll(path.c_str() + dot + 1);
  return capacity > 0 ? std::optional(capacity) : std::nullopt;
}

std::vector<Named> files(int argc, char** argv) {
  std::vector<Named> problems;
  const Size given = std::atoll(argv[2]);
  for (int k = 3; k < argc; ++k) {
    const std::string path = argv[k];
    InputOptions options;
    if (given > 0) options.capacity = given;
    if (given == 0 && path.ends_with(".csv")) options.capacity = capacity_in(path);
    problems.push_back({path.substr(path.rfind('/') + 1), io::load_problem(path, options).problem});
  }
  return problems;
}

std::vector<Named> generated(int count) {
  std::vector<Named> problems;
  const char* const kinds[] = {"random", "packable", "network"};
  const std::int64_t sizes[] = {15, 30, 60, 120, 250, 500, 1000, 2000, 4000};
  const double slacks[] = {1.0, 1.005, 1.02, 1.1};
  for (int k = 0; k < count; ++k) {
    const auto seed = static_cast<std::uint64_t>(k);
    GenerateParams params{.kind = kinds[k % 3],
                          .buffers = sizes[k / 3 % 9],
                          .seed = seed,
                          .capacity = k % 2 == 0 ? 4096 : 1 << 20,
                          .alignment = k % 5 == 0 ? 16 : 1,
                          .slack = slacks[k % 4]};
    problems.push_back(
        {params.kind + ":" + std::to_string(params.buffers) + ":" + std::to_string(k),
         generate(params)});
  }
  return problems;
}

std::string_view short_status(Status status) {
  return status == Status::feasible ? "yes" : status == Status::infeasible ? "no" : "?";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s LIMIT CAPACITY FILE... | LIMIT generated COUNT\n", argv[0]);
    return 2;
  }
  const double limit = std::atof(argv[1]);
  const bool made = std::strcmp(argv[2], "generated") == 0;
  const std::vector<Named> problems = made ? generated(std::atoi(argv[3])) : files(argc, argv);
  const char* const engines[] = {"canonical", "learning", "boxing"};
  std::printf(
      "| problem | canonical | learning | boxing | auto: answer | by | wall | processor | "
      "over best |\n| --- | ---: | ---: | ---: | --- | --- | ---: | ---: | ---: |\n");
  int late = 0;
  int contradictions = 0;
  for (const Named& each : problems) {
    std::printf("| %s ", each.name.c_str());
    double best = limit;
    Status known = Status::unknown;
    const auto learn = [&](Status status) {
      if (status == Status::unknown) return;
      if (known != Status::unknown && known != status) ++contradictions;
      known = status;
    };
    for (const char* engine : engines) {
      if (placer::make_engine(engine)->unsupported(each.problem, Objective::fit)) {
        std::printf("| - ");
        continue;
      }
      const Timing alone = time_of(each.problem, engine, 1, limit);
      if (alone.status == Status::unknown) {
        std::printf("| ? ");
        continue;
      }
      std::printf("| %.3f ", alone.idle);
      best = std::min(best, alone.idle);
      learn(alone.status);
    }
    const Timing all = time_of(each.problem, "auto", 2, limit);
    learn(all.status);
    const double allowed = 1.5 * std::max(best, 1.0);
    const bool over = known != Status::unknown && all.idle > allowed;
    late += over ? 1 : 0;
    std::printf("| %s | %s | %.3f | %.3f | %.2f%s |\n", short_status(all.status).data(),
                all.by.c_str(), all.wall, all.idle, all.idle / std::max(best, 1e-4),
                over ? " LATE" : "");
    std::fflush(stdout);
  }
  std::printf("%zu problems, %d late, %d contradictions\n", problems.size(), late, contradictions);
  return contradictions == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
