// In place of Gecode, in a build without it (TESSERA_WITH_GECODE).
#include "baselines/engines.h"

namespace tessera::baselines {

std::unique_ptr<engine::PlacementEngine> make_cp_engine() {
  return nullptr;
}

}  // namespace tessera::baselines
