// Savings of incremental tile search: skipped queries, and cheaper queries.
//
//   bench_tiles_incremental MODELS_DIR [EVERY [ENGINE...]]      every EVERY-th group of ops only
//
// For groups of up to 8 ops of three networks on three profiles. The probes of a search are
// recorded once, skipping only those decided by bounds: every tile whose load leaves the query
// undecided. Then the same probes go to each engine in four ways, alternating so that noise affects
// all:
//   scratch        a new engine for every probe
//   session        one session of the engine, which gets new sizes
//   rules          dominance and reused placements, then a new engine
//   rules+session  both: the procedure of a tile search
// Seconds are CPU time of the calling thread from sizes to results (rules and engine; computing
// sizes of tiles is excluded). "Calls" are those of the solver itself. Ends with 1 if two ways give
// different results.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/tile_probes.h"
#include "engine/session.h"
#include "placer/make_engine.h"
#include "search/tiles/decider.h"
#include "tessera/files.h"
#include "tessera/import.h"

namespace {

using namespace tessera;

/// Counts the solver calls of an engine.
class Counter final : public engine::PlacementEngine {
 public:
  explicit Counter(std::string engine)
      : engine_(std::move(engine)), asked_(placer::make_engine(engine_)) {}
  std::string_view name() const override { return engine_; }
  facts::FeatureSet features() const override { return facts::FeatureSet::everything(); }
  engine::SearchResult solve(const PlacementProblem& problem,
                             const engine::SearchParams& params) override {
    const engine::SearchResult result = asked_->solve(problem, params);
    // Results from the load alone made no solver call.
    calls += result.stats.empty() ? 0 : 1;
    return result;
  }
  std::unique_ptr<engine::PlacementSession> open(const PlacementProblem& problem) override {
    return std::make_unique<Session>(engine::open_session(*asked_, problem), calls);
  }
  std::int64_t calls = 0;

 private:
  class Session final : public engine::PlacementSession {
   public:
    Session(std::unique_ptr<engine::PlacementSession> session, std::int64_t& calls)
        : session_(std::move(session)), calls_(calls) {}
    engine::SearchResult solve(const SizeLayer& layer,
                               const engine::SearchParams& params) override {
      engine::SearchResult result = session_->solve(layer, params);
      for (const Stat& each : result.stats) {
        if (each.name != "session_solver_calls") continue;
        const std::int64_t now = std::get<std::int64_t>(each.value);
        calls_ += now - counted_;
        counted_ = now;
      }
      return result;
    }

   private:
    std::unique_ptr<engine::PlacementSession> session_;
    std::int64_t& calls_;
    std::int64_t counted_ = 0;
  };

  std::string engine_;
  std::unique_ptr<engine::PlacementEngine> asked_;
};

enum Way : std::uint8_t { scratch, session, rules, rules_and_session };
constexpr std::size_t ways = 4;

struct Row {
  std::array<double, ways> seconds{};
  std::array<std::int64_t, ways> calls{};
  std::int64_t searches = 0;
  std::int64_t bounded = 0;  ///< probes that no variant needs
  std::int64_t probes = 0;
  std::int64_t dominance = 0;
  std::int64_t carry_over = 0;
  std::int64_t unknown = 0;
  std::int64_t differing = 0;

  void add(const Row& other) {
    for (std::size_t way = 0; way < ways; ++way) {
      seconds[way] += other.seconds[way];
      calls[way] += other.calls[way];
    }
    searches += other.searches;
    bounded += other.bounded;
    probes += other.probes;
    dominance += other.dominance;
    carry_over += other.carry_over;
    unknown += other.unknown;
    differing += other.differing;
  }
};

void measure(const bench::TileProbes& probes, const std::string& name, Row& row) {
  std::array<std::vector<Status>, ways> verdicts;
  for (std::size_t turn = 0; turn < ways; ++turn) {
    const std::size_t way = (turn + static_cast<std::size_t>(row.searches)) % ways;
    Counter counter(name);
    search::TileSearchParams params;
    params.engine = &counter;
    params.time_per_question = std::chrono::seconds(20);
    params.nodes_per_question = std::numeric_limits<std::int64_t>::max();
    params.sessions = way == session || way == rules_and_session;
    params.dominance = params.carry_over = way == rules || way == rules_and_session;
    search::TileCounters counters;
    const double begin = bench::cpu_seconds();
    search::Decider decider(probes.lowering, params, counters);
    for (const auto& [sizes, capacities] : probes.layers) {
      verdicts[way].push_back(decider.decide(sizes).verdict);
    }
    row.seconds[way] += bench::cpu_seconds() - begin;
    row.calls[way] += counter.calls;
    row.unknown += counters.unknown;
    if (way != rules_and_session) continue;
    row.dominance += counters.by_dominance;
    row.carry_over += counters.by_carry_over;
  }
  for (std::size_t way = 1; way < ways; ++way) {
    for (std::size_t k = 0; k < probes.layers.size(); ++k) {
      const bool both = verdicts[0][k] != Status::unknown && verdicts[way][k] != Status::unknown;
      if (both && verdicts[0][k] != verdicts[way][k]) ++row.differing;
    }
  }
  ++row.searches;
  row.bounded += probes.bounded;
  row.probes += std::ssize(probes.layers);
}

void print(const std::string& label, const Row& row) {
  std::printf("| %s | %lld | %lld | %lld | %lld | %lld |", label.c_str(),
              static_cast<long long>(row.searches), static_cast<long long>(row.bounded),
              static_cast<long long>(row.probes), static_cast<long long>(row.dominance),
              static_cast<long long>(row.carry_over));
  for (std::size_t way = 0; way < ways; ++way) {
    std::printf(" %lld | %.3f |", static_cast<long long>(row.calls[way]), row.seconds[way]);
  }
  std::printf(" %.2f | %lld%s |\n",
              row.seconds[rules_and_session] > 0
                  ? row.seconds[scratch] / row.seconds[rules_and_session]
                  : 0,
              static_cast<long long>(row.unknown), row.differing == 0 ? "" : " DIFFERS");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODELS_DIR [EVERY [ENGINE...]]\n", argv[0]);
    return 2;
  }
  const std::size_t every = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  std::vector<std::string> engines;
  for (int k = 3; k < argc; ++k) engines.emplace_back(argv[k]);
  if (engines.empty()) engines = {"sat", "smt"};
  std::printf(
      "| engine, network | searches | bounded | probes | dominance | carried over | scratch calls "
      "| s | session calls | s | rules calls | s | rules+session calls | s | ratio | unknown |\n");
  std::printf("| --- |");
  for (int column = 0; column < 15; ++column) std::printf(" ---: |");
  std::printf("\n");
  std::vector<Row> totals(engines.size());
  for (const char* model : {"fsrcnn_x2_360p", "unet_256", "mobilenet_v2"}) {
    const Network net =
        read_network(std::string(argv[1]) + "/" + model + ".onnx", {.dtype = ElementType::int8})
            .network;
    std::vector<Row> rows(engines.size());
    std::size_t turn = 0;
    for (const char* profile : {"ethos-u65-like", "nvdla-like", "gap9-like"}) {
      const Hardware hardware = load_profile(profile);
      for (OpIndex first = 0; first < net.ops.size(); ++first) {
        for (std::size_t length = 1; length <= 8 && first + length <= net.ops.size(); ++length) {
          if (turn++ % every != 0) continue;
          const bench::TileProbes probes =
              bench::tile_probes(net, {first, first + length - 1}, hardware);
          for (std::size_t e = 0; e < engines.size(); ++e) measure(probes, engines[e], rows[e]);
        }
      }
    }
    for (std::size_t e = 0; e < engines.size(); ++e) {
      print(engines[e] + ", " + model, rows[e]);
      totals[e].add(rows[e]);
    }
  }
  bool differing = false;
  for (std::size_t e = 0; e < engines.size(); ++e) {
    print(engines[e] + ", all", totals[e]);
    differing = differing || totals[e].differing > 0;
  }
  return differing ? 1 : 0;
}
