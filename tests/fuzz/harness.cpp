// One program per reader: TESSERA_FUZZED names the property (properties.h). An uncaught exception
// ends the program, and libFuzzer keeps the input.
#include <cstddef>
#include <cstdint>

#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::TESSERA_FUZZED({reinterpret_cast<const char*>(data), size});
  return 0;
}
