#include "tessera/engines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "baselines/engines.h"
#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "model/words.h"
#include "placer/make_engine.h"
#include "search/guided/engine.h"
#include "search/learning/engine.h"
#include "search/offchip/shared_objects.h"
#include "search/offchip/taa.h"
#include "search/offchip/weave.h"
#include "search/placement/boxing/engine.h"
#include "search/placement/canonical.h"
#include "search/placement/greedy_engine.h"
#include "tessera/errors.h"

namespace tessera::placer {
namespace {

constexpr auto infos = std::to_array<EngineInfo>({
    {"canonical", "depth-first search over canonical placements"},
    {"learning", "conflict-driven search over orders and bounds", true, true},
    {"sat", "encoding of all rules as clauses, solved by CaDiCaL"},
#ifndef TESSERA_WITHOUT_Z3
    {"smt", "encoding over integers or bit-vectors, solved by Z3"},
#endif
    {"guided", "search over the next buffer, guided by a solver; incomplete", false},
#ifndef TESSERA_WITHOUT_CBC
    {"ilp", "baseline: integer linear program, solved by CBC"},
#endif
#ifndef TESSERA_WITHOUT_GECODE
    {"cp", "baseline: constraint program, solved by Gecode"},
#endif
    {"weave", "places buffers into bytes that other tiles have freed; incomplete", false},
    {"taa", "baseline: tile-aware allocation as published", false},
    {"shared-objects", "baseline: shared objects for whole tensors as published", false},
    {"boxing", "fast heuristic for very many buffers; incomplete", false},
    {"greedy", "several first-fit orders; incomplete", false},
});

struct Maker {
  std::unique_ptr<engine::PlacementEngine> (*make)(const EngineParams& params);
  double ns_per_unit;
};

// Nanoseconds per unit, measured over benchmarks of all kinds. The units are: the work of canonical
// search (sections, items and nodes), propagation steps of the learning engine, polls of CaDiCaL's
// terminator, rounds times buffers of boxing.
constexpr std::array<Maker, infos.size()> makers = {{
    {[](const EngineParams& p) { return search::make_canonical_engine(p.canonical); }, 1.4},
    {[](const EngineParams& p) { return search::make_learning_engine(p.learning); }, 12},
    {[](const EngineParams& p) { return encoder::make_sat_engine(p.sat); }, 1'000'000},
#ifndef TESSERA_WITHOUT_Z3
    {[](const EngineParams& p) { return encoder::make_smt_engine(p.smt); }, 0},
#endif
    {[](const EngineParams& p) { return search::make_guided_engine(p.guided); }, 12},
#ifndef TESSERA_WITHOUT_CBC
    {[](const EngineParams&) { return baselines::make_ilp_engine(); }, 0},
#endif
#ifndef TESSERA_WITHOUT_GECODE
    {[](const EngineParams&) { return baselines::make_cp_engine(); }, 0},
#endif
    {[](const EngineParams&) { return search::make_weave_engine(); }, 0},
    {[](const EngineParams& p) { return search::make_taa_engine(p.taa_step); }, 0},
    {[](const EngineParams&) { return search::make_shared_objects_engine(); }, 0},
    {[](const EngineParams& p) { return search::make_boxing_engine(p.boxing); }, 3'000},
    {[](const EngineParams& p) { return search::make_greedy_engine(p.greedy_order); }, 1'000},
}};

/// infos.size() if the name is unknown.
std::size_t position(std::string_view name) {
  const auto found = std::ranges::find(infos, name, &EngineInfo::name);
  return static_cast<std::size_t>(found - infos.begin());
}

}  // namespace

}  // namespace tessera::placer

namespace tessera {

std::span<const EngineInfo> engine_list() {
  return placer::infos;
}

}  // namespace tessera

namespace tessera::placer {

std::unique_ptr<engine::PlacementEngine> make_engine(std::string_view name,
                                                     const EngineParams& params) {
  const std::size_t at = position(name);
  return at == infos.size() ? nullptr : makers[at].make(params);
}

std::unique_ptr<engine::PlacementEngine> make_known_engine(std::string_view name) {
  if (auto engine = make_engine(name)) return engine;
  if (name == "smt")
    throw BadInput("engine smt needs Z3, and this build of Tessera has no Z3",
                   "build it with -DTESSERA_WITH_Z3=ON; engine sat takes the same problems");
  if (name == "ilp")
    throw BadInput(
        "engine ilp needs CBC, and this build of Tessera has no CBC",
        "build it with -DTESSERA_WITH_CBC=ON where coinor-libcbc-dev is installed; every "
        "complete engine takes the same problems");
  if (name == "cp")
    throw BadInput("engine cp needs Gecode, and this build of Tessera has no Gecode",
                   "build it with -DTESSERA_WITH_GECODE=ON where libgecode-dev is installed; every "
                   "complete engine takes the same problems");
  std::string names = "auto";
  for (const EngineInfo& known : infos) names += ", " + std::string(known.name);
  std::vector<std::string_view> known_names{"auto"};
  for (const EngineInfo& known : infos) known_names.push_back(known.name);
  const std::string_view close = closest_word(name, known_names);
  throw BadInput(
      "unknown engine '" + std::string(name) + "'",
      close.empty() ? "engines: " + names : "did you mean `" + std::string(close) + "`?");
}

double ns_per_unit(std::string_view name) {
  return makers.at(position(name)).ns_per_unit;
}

void require_engine(const PlacementProblem& problem, const std::string& name, Objective goal) {
  if (name == "auto") return;
  const std::unique_ptr<engine::PlacementEngine> engine = make_known_engine(name);
  if (const auto why = engine->unsupported(problem, goal))
    throw BadInput("engine " + name + " does not support this problem: " + *why,
                   "use --engine auto");
}

}  // namespace tessera::placer
