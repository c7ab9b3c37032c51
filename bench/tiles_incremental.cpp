// What a tile search saves by remembering: questions never asked, and questions made cheaper.
//
//   bench_tiles_incremental MODELS_DIR [EVERY [ENGINE...]]      every EVERY-th run of ops only
//
// For runs of up to 8 ops of three networks on three profiles, the same search four times, taking
// turns so that noise falls on all: every question to a fresh engine (bounds only); with dominance
// and carried-over placements; with both and one session; with bounds and one session. CPU time of
// the calling thread, whole search.
#include <time.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "planner/engines.h"
#include "planner/files.h"
#include "planner/import.h"
#include "planner/tile_engine.h"
#include "search/tiles/tile_search.h"

namespace {

using namespace tessera;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

constexpr int ways = 4;  ///< scratch, rules, rules + session, session

struct Row {
  std::array<double, ways> seconds{};
  std::array<std::int64_t, ways> asked{};  ///< questions that reached the engine
  TileCounters rules;                      ///< of rules + session
  std::int64_t searches = 0;
  std::int64_t limited = 0;  ///< searches in which a limit left a question open
};

void measure(const Network& net, OpRange ops, const Hardware& hardware, const std::string& name,
             Row& row) {
  const Subgraph part = make_subgraph(net, ops);
  bool limited = false;
  for (int turn = 0; turn < ways; ++turn) {
    const int way = (turn + static_cast<int>(row.searches)) % ways;
    const std::unique_ptr<PlacementEngine> engine =
        name == "auto" ? tile_engine(hardware) : make_engine(name);
    TileSearchParams params;
    params.engine = engine.get();
    params.options.weights = WeightPolicy::resident;
    params.nodes_per_question = 20000;
    params.dominance = params.carry_over = way == 1 || way == 2;
    params.sessions = way >= 2;
    const double begin = cpu_seconds();
    const TileSearchResult found = find_tile(part, hardware, params);
    const auto at = static_cast<std::size_t>(way);
    row.seconds[at] += cpu_seconds() - begin;
    row.asked[at] += found.counters.by_engine;
    limited = limited || found.counters.unknown > 0;
    if (way != 2) continue;
    row.rules.questions += found.counters.questions;
    row.rules.by_bound += found.counters.by_bound;
    row.rules.by_dominance += found.counters.by_dominance;
    row.rules.by_carry_over += found.counters.by_carry_over;
    row.rules.by_engine += found.counters.by_engine;
  }
  ++row.searches;
  row.limited += limited ? 1 : 0;
}

void print(const std::string& label, const Row& row) {
  std::printf(
      "| %s | %lld | %lld | %lld | %lld | %lld | %lld | %.2f | %.2f | %.2f | %.2f | %lld |\n",
      label.c_str(), static_cast<long long>(row.searches), static_cast<long long>(row.asked[0]),
      static_cast<long long>(row.rules.by_bound), static_cast<long long>(row.rules.by_dominance),
      static_cast<long long>(row.rules.by_carry_over), static_cast<long long>(row.rules.by_engine),
      row.seconds[0], row.seconds[1], row.seconds[2], row.seconds[3],
      static_cast<long long>(row.limited));
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
  if (engines.empty()) engines = {"auto", "sat", "smt"};
  std::printf(
      "| engine, network | searches | asked from scratch | bound | dominance | carry-over | "
      "asked | scratch s | rules s | rules + session s | session s | limited |\n");
  std::printf(
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const std::string& engine : engines)
    for (const char* model : {"fsrcnn_x2_360p", "unet_256", "mobilenet_v2"}) {
      const Network net =
          read_network(std::string(argv[1]) + "/" + model + ".onnx", {.dtype = ElementType::int8})
              .network;
      Row row;
      std::size_t turn = 0;
      for (const char* profile : {"ethos-u65-like", "nvdla-like", "gap9-like"}) {
        const Hardware hardware = load_profile(profile);
        for (OpIndex first = 0; first < net.ops.size(); ++first)
          for (std::size_t length = 1; length <= 8 && first + length <= net.ops.size(); ++length)
            if (turn++ % every == 0)
              measure(net, {first, first + length - 1}, hardware, engine, row);
      }
      print(engine + ", " + model, row);
      std::fflush(stdout);
    }
  return 0;
}
