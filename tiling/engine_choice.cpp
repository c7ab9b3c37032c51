#include "tiling/engine_choice.h"

#include <algorithm>
#include <string_view>

namespace tessera::tiling {
namespace {

bool carries(const Mapping& mapping, std::string_view name) {
  return std::ranges::find(mapping.ops, name) != mapping.ops.end();
}

}  // namespace

std::vector<std::size_t> mappings_for(const Op& op, const OpLoops& loops, const Engine& engine) {
  std::vector<std::size_t> found;
  for (const std::string_view name : names_of(op, loops)) {
    for (std::size_t m = 0; m < engine.maps.size(); ++m)
      if (carries(engine.maps[m], name)) found.push_back(m);
    if (!found.empty()) break;
  }
  return found;
}

bool has_mapping(const Op& op, const OpLoops& loops, const Engine& engine) {
  return engine.maps.empty() ? is_product(op) : !mappings_for(op, loops, engine).empty();
}

std::optional<EngineChoice> choose_engine(const Op& op, const OpLoops& loops,
                                          const Hardware& hardware) {
  const auto find = [&](EngineKind kind) -> std::optional<std::size_t> {
    for (std::size_t e = 0; e < hardware.engines.size(); ++e)
      if (hardware.engines[e].kind == kind) return e;
    return std::nullopt;
  };
  for (std::size_t e = 0; e < hardware.engines.size(); ++e)
    if (hardware.engines[e].kind == EngineKind::mac_array &&
        has_mapping(op, loops, hardware.engines[e]))
      return EngineChoice{e, true};
  const bool products = is_product(op);
  auto found = find(products ? EngineKind::mac_array : EngineKind::vector);
  if (!found) found = find(products ? EngineKind::vector : EngineKind::mac_array);
  if (!found) return std::nullopt;
  return EngineChoice{*found, false};
}

}  // namespace tessera::tiling
