// In place of CBC, in a build without it (TESSERA_WITH_CBC).
#include "baselines/engines.h"

namespace tessera::baselines {

std::unique_ptr<engine::PlacementEngine> make_ilp_engine() {
  return nullptr;
}

}  // namespace tessera::baselines
