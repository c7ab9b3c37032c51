#include "tessera/version.h"

namespace tessera {

std::string_view version() {
  return TESSERA_VERSION;  // CMakeLists.txt reads it from the header
}

}  // namespace tessera
