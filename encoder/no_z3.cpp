// Replaces Z3 in a build without it (TESSERA_WITH_Z3=OFF).
#include "smt_engine.h"

namespace tessera::encoder {

std::unique_ptr<engine::PlacementEngine> make_smt_engine(const SmtParams&) {
  return nullptr;
}

}  // namespace tessera::encoder
