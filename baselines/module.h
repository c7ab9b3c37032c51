// What the module of the baselines shows, and its file: their solvers bring a score of shared
// libraries along, which take longer to load than most problems to place, and hardly anybody asks
// for them. So the program, the shared library and the Python module load them with the first
// engine that is asked for (loaded.cpp); what is linked statically has them inside.
//
//   auto* make = reinterpret_cast<MakeEngine*>(dlsym(module, make_ilp_symbol));
//   std::unique_ptr<engine::PlacementEngine> engine(make());
#pragma once

#include "engine/engine.h"

namespace tessera::baselines {

/// The caller owns it; nullptr in a build without its solver.
using MakeEngine = engine::PlacementEngine*();

inline constexpr const char* make_ilp_symbol = "tessera_make_ilp_engine";
inline constexpr const char* make_cp_symbol = "tessera_make_cp_engine";

}  // namespace tessera::baselines
