// The queries of a tile search, recorded for benchmarks that put them to other solvers.
//
//   TileProbes probes = tile_probes(net, {3, 7}, hardware);
//   for (const SizeLayer& layer : probes.layers) session->solve(layer, {});
#pragma once

#include <time.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "model/size_layer.h"
#include "placer/tile_engine.h"
#include "search/tiles/tile_search.h"

namespace tessera::bench {

/// Of the calling thread.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct TileProbes {
  tiling::Lowering lowering;
  std::vector<SizeLayer> layers;
  std::int64_t bounded = 0;  ///< further probes, decided by the load of a step
};

/// Forwards to another engine and records the queries.
class Recorder final : public engine::PlacementEngine {
 public:
  explicit Recorder(engine::PlacementEngine& engine) : engine_(engine) {}
  std::string_view name() const override { return engine_.name(); }
  facts::FeatureSet features() const override { return engine_.features(); }
  engine::SearchResult solve(const PlacementProblem& problem,
                             const engine::SearchParams& params) override {
    probes.push_back(size_layer(problem));
    return engine_.solve(problem, params);
  }
  std::vector<SizeLayer> probes;

 private:
  engine::PlacementEngine& engine_;
};

/// The probes that the load of a step cannot decide.
inline TileProbes tile_probes(const Network& net, OpRange ops, const Hardware& hardware) {
  const std::unique_ptr<engine::PlacementEngine> engine = placer::tile_engine(hardware);
  Recorder recorder(*engine);
  search::TileSearchParams params;
  params.engine = &recorder;
  params.options.weights = WeightPolicy::resident;
  params.dominance = params.carry_over = params.sessions = false;
  search::TileSearchResult found =
      search::find_tile(tiling::make_subgraph(net, ops), hardware, params);
  return {std::move(found.lowering), std::move(recorder.probes), found.counters.by_bound};
}

}  // namespace tessera::bench
