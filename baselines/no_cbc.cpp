// In place of CBC, in a build without it (TESSERA_WITH_CBC).
#include "baselines/engines.h"

namespace tessera {

std::unique_ptr<PlacementEngine> make_ilp_engine() {
  return nullptr;
}

}  // namespace tessera
