#include "planner/engines.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "planner/greedy_engine.h"
#include "search/learning/engine.h"
#include "search/placement/boxing/engine.h"
#include "search/placement/canonical.h"

namespace tessera {

namespace {

// Nanoseconds per unit were measured over benchmarks of all kinds: sections that the canonical
// search looks at, steps of propagation of the learning engine, polls of CaDiCaL's terminator,
// rounds times buffers of boxing.
constexpr std::array<EngineEntry, 6> entries = {{
    {"canonical", "depth-first search over canonical placements",
     [] { return make_canonical_engine(); }, true, 1.4},
    {"learning", "clauses over orders and bounds, learned from conflicts",
     [] { return make_learning_engine({}); }, true, 12, true},
    {"sat", "every rule as clauses, decided by CaDiCaL", [] { return make_sat_engine({}); }, true,
     1'000'000},
    {"smt", "the same rules over integers or bit-vectors, decided by Z3",
     [] { return make_smt_engine({}); }, true, 0},
    {"boxing", "low placements of very many buffers; finding nothing proves nothing",
     [] { return make_boxing_engine({}); }, false, 3'000},
    {"greedy", "several orders of first fit; finding nothing proves nothing",
     [] { return make_greedy_engine(); }, false, 1'000},
}};

}  // namespace

std::span<const EngineEntry> engine_list() {
  return entries;
}

const EngineEntry* find_engine(std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const EngineEntry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::unique_ptr<PlacementEngine> make_engine(std::string_view name) {
  const EngineEntry* entry = find_engine(name);
  return entry == nullptr ? nullptr : entry->make();
}

}  // namespace tessera
