// File name and exported symbols of the module of the baselines. Their solvers depend on many
// shared libraries, whose loading takes longer than placing most problems, and few runs use them.
// The program, the shared library and the Python module therefore load the module on first use
// (loaded.cpp). Static libraries link the baselines directly.
//
//   auto* make = reinterpret_cast<MakeEngine*>(dlsym(module, make_ilp_symbol));
//   std::unique_ptr<engine::PlacementEngine> engine(make());
#pragma once

#include "engine/engine.h"

namespace tessera::baselines {

/// The caller owns the engine; nullptr in a build without its solver.
using MakeEngine = engine::PlacementEngine*();

inline constexpr const char* make_ilp_symbol = "tessera_make_ilp_engine";
inline constexpr const char* make_cp_symbol = "tessera_make_cp_engine";

}  // namespace tessera::baselines
