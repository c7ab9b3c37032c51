// Compares sessions with fresh engines on the same sequences of queries.
//
//   encoder_sessions sat|smt|learning ../shared/benchmarks/flat-load/H*.csv
//
// For every instance three sequences of 14 size vectors: "tile" searches the largest scale that
// fits by bisection between 0.5 and 1.2, "ramp" raises the scale from 0.8 by 0.03, "walk" changes a
// tenth of the sizes by -3 .. 2 each time. Times are thread times (the encoding time of fresh
// engines is wall time). Differing results end the program with 1.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "engine/session.h"
#include "io/load.h"
#include "search/learning/engine.h"
#include "tessera/check.h"

namespace {

using namespace tessera;

enum class Sequence : std::uint8_t { tile, ramp, walk };
constexpr const char* names[] = {"tile", "ramp", "walk"};

double cpu_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double number(const Stats& stats, std::string_view name) {
  for (const Stat& each : stats) {
    if (each.name != name) continue;
    if (const auto* whole = std::get_if<std::int64_t>(&each.value)) {
      return static_cast<double>(*whole);
    }
    if (const auto* real = std::get_if<double>(&each.value)) return *real;
  }
  return 0;
}

struct Row {
  double session = 0;
  double fresh = 0;
  double encoding = 0;  ///< of the fresh engines
  int fresh_calls = 0;  ///< solver calls of the fresh engines
  double session_calls = 0;
  double refutations = 0;
  double placements = 0;
  double orders = 0;
  int differing = 0;
};

void add(Row& sum, const Row& row) {
  sum.fresh += row.fresh;
  sum.encoding += row.encoding;
  sum.session += row.session;
  sum.fresh_calls += row.fresh_calls;
  sum.session_calls += row.session_calls;
  sum.refutations += row.refutations;
  sum.placements += row.placements;
  sum.orders += row.orders;
  sum.differing += row.differing;
}

class Bench {
 public:
  explicit Bench(std::string_view engine) : engine_(engine) {}

  Row measure(const PlacementProblem& base, Sequence sequence, std::uint64_t seed) {
    Row row;
    PlacementProblem problem = base;
    const std::unique_ptr<engine::PlacementEngine> engine = make();
    double start = cpu_seconds();
    const std::unique_ptr<engine::PlacementSession> session =
        engine::open_session(*engine, problem);
    row.session += cpu_seconds() - start;
    SizeLayer layer;
    for (const Buffer& buffer : base.buffers) layer.sizes.push_back(buffer.size);
    for (const Memory& memory : base.memories) layer.capacities.push_back(memory.capacity);
    double low = 0.5;
    double high = 1.2;
    engine::SearchResult last;
    for (int question = 0; question < 14; ++question) {
      const double middle = (low + high) / 2;
      if (sequence == Sequence::tile) scale(base, layer, middle);
      if (sequence == Sequence::ramp) scale(base, layer, 0.8 + 0.03 * question);
      if (sequence == Sequence::walk) walk(layer, seed);
      for (BufferIndex b = 0; b < problem.buffers.size(); ++b) {
        problem.buffers[b].size = layer.sizes[b];
      }
      start = cpu_seconds();
      last = session->solve(layer, params());
      row.session += cpu_seconds() - start;
      start = cpu_seconds();
      const engine::SearchResult fresh = make()->solve(problem, params());
      row.fresh += cpu_seconds() - start;
      row.encoding += number(fresh.stats, "encode_seconds");
      row.fresh_calls += fresh.stats.empty() ? 0 : 1;
      if (last.placement && !check(problem, *last.placement).empty()) ++row.differing;
      const bool both = last.status != Status::unknown && fresh.status != Status::unknown;
      if (both && last.status != fresh.status) ++row.differing;
      (last.status == Status::feasible ? low : high) = middle;
    }
    row.session_calls = number(last.stats, "session_solver_calls");
    row.refutations = number(last.stats, "session_refutations_reused");
    row.placements = number(last.stats, "session_placements_reused");
    row.orders = number(last.stats, "session_orders_reused") +
                 number(last.stats, "session_first_fits") + number(last.stats, "session_repairs");
    return row;
  }

 private:
  [[nodiscard]] std::unique_ptr<engine::PlacementEngine> make() const {
    if (engine_ == "learning") return search::make_learning_engine({});
    return engine_ == "smt" ? encoder::make_smt_engine({}) : encoder::make_sat_engine({});
  }
  [[nodiscard]] static engine::SearchParams params() {
    engine::SearchParams result;
    result.budget.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    return result;
  }
  static void scale(const PlacementProblem& base, SizeLayer& layer, double factor) {
    for (BufferIndex b = 0; b < base.buffers.size(); ++b) {
      const double size = static_cast<double>(base.buffers[b].size) * factor;
      layer.sizes[b] = std::max<Size>(1, static_cast<Size>(size));
    }
  }
  static void walk(SizeLayer& layer, std::uint64_t& state) {
    const auto next = [&state](std::uint64_t bound) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return (state >> 33U) % bound;
    };
    for (Size& size : layer.sizes) {
      if (next(10) == 0) size = std::max<Size>(1, size - 3 + static_cast<Size>(next(6)));
    }
  }

  std::string_view engine_;
};

void print(const std::string& name, const char* sequence, const Row& row) {
  std::printf("%-24s %-5s %9.3f %9.3f %9.3f %6.2f  %3d -> %3.0f  %3.0f %3.0f %3.0f%s\n",
              name.c_str(), sequence, row.fresh, row.encoding, row.session, row.fresh / row.session,
              row.fresh_calls, row.session_calls, row.refutations, row.placements, row.orders,
              row.differing == 0 ? "" : "  DIFFERS");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s sat|smt|learning FILE...\n", argv[0]);
    return 2;
  }
  std::printf("%-24s %-5s %9s %9s %9s %6s  solver calls  refuted placed ordered\n", "instance", "",
              "fresh s", "encoding", "session s", "ratio");
  Row total;
  Row of[3];
  double worst = 1e9;
  Bench bench(argv[1]);
  for (int i = 2; i < argc; ++i) {
    const std::string file = argv[i];
    InputOptions options;
    if (file.ends_with(".csv")) {
      options.capacity = std::atoll(file.c_str() + file.rfind('.', file.size() - 5) + 1);
    }
    const PlacementProblem problem = io::load_problem(file, options).problem;
    for (const Sequence sequence : {Sequence::tile, Sequence::ramp, Sequence::walk}) {
      const Row row = bench.measure(problem, sequence, static_cast<std::uint64_t>(i));
      print(file.substr(file.rfind('/') + 1), names[static_cast<int>(sequence)], row);
      // Below this, both only add up the load of each step, and the clock dominates.
      if (row.fresh >= 0.01) worst = std::min(worst, row.fresh / row.session);
      add(of[static_cast<int>(sequence)], row);
      add(total, row);
    }
  }
  print("total", "", total);
  for (int k = 0; k < 3; ++k) print("all", names[k], of[k]);
  std::printf("worst ratio of a session %.2f (of those that take 10 ms or more)\n", worst);
  return total.differing == 0 ? 0 : 1;
}
