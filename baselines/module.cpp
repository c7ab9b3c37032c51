// The two exported functions of the module of the baselines.
#include "baselines/module.h"

#include "baselines/engines.h"

extern "C" {

[[gnu::visibility("default")]] tessera::engine::PlacementEngine* tessera_make_ilp_engine() {
  return tessera::baselines::make_ilp_engine().release();
}

[[gnu::visibility("default")]] tessera::engine::PlacementEngine* tessera_make_cp_engine() {
  return tessera::baselines::make_cp_engine().release();
}

}  // extern "C"
