// The ONNX reader under libFuzzer: accepted inputs are mutated as messages, not as bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/onnx_mutator.h"
#include "tests/fuzz/onnx_property.h"
#include "tests/fuzz/onnx_seeds.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::onnx({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  static const std::vector<tessera::onnx::ModelProto> seeds = tessera::fuzz::onnx_seeds();
  if (seed % 64 == 0) return LLVMFuzzerMutate(data, size, most);
  tessera::fuzz::OnnxMutator mutator(seeds, seed);
  tessera::onnx::ModelProto model;
  if (seed % 16 == 1 || !model.ParseFromArray(data, static_cast<int>(size)) || !model.has_graph())
    model = mutator.start();
  mutator.mutate(model);
  const std::string bytes = model.SerializeAsString();
  if (bytes.empty() || bytes.size() > most) return size;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
