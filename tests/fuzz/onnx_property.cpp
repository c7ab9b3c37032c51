#include "tests/fuzz/onnx_property.h"

#include <stdexcept>
#include <string>

#include "io/network_onnx.h"
#include "io/network_passes.h"
#include "io/network_yaml.h"
#include "tessera/network_shapes.h"

namespace tessera::fuzz {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

void well_formed(const Network& network) {
  const std::vector<NetworkDefect> defects = check_network(network);
  require(defects.empty(), defects.empty() ? "" : "not well-formed: " + defects.front().message);
  const std::string yaml = io::write_network_yaml(network);
  try {
    require(io::read_network_yaml(yaml, "written").network == network,
            "reads back as another network");
  } catch (const io::InputError& error) {
    throw std::logic_error(std::string("does not read back: ") + error.what());
  }
}

}  // namespace

bool onnx(std::string_view bytes) {
  io::OnnxNetwork read;
  try {
    read = io::read_onnx(bytes, "fuzzed", {});
  } catch (const io::InputError& error) {
    const std::string_view what = error.what();
    require(error.line == 0 && error.file == "fuzzed", "the error is about the file");
    require(!error.message.empty() && what.size() < 600, "a sentence, not a book");
    require(what.find('\n') == std::string_view::npos, "a sentence is one line");
    return false;
  }
  well_formed(read.network);
  for (const bool on : {true, false})
    well_formed(io::simplified(read.network,
                               {.recognise = on,
                                .fold_batch_norm = on,
                                .fuse_activations = on,
                                .dtype = on ? std::optional(ElementType::int8) : std::nullopt}));
  return true;
}

}  // namespace tessera::fuzz
