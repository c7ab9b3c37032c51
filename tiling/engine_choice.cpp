#include "tiling/engine_choice.h"

#include <algorithm>

namespace tessera::tiling {

bool carries(const Mapping& mapping, std::string_view name) {
  return std::ranges::find(mapping.ops, name) != mapping.ops.end();
}

std::string_view carried_name(const Op& op, const OpLoops& loops, const Engine& engine) {
  for (const std::string_view name : names_of(op, loops))
    for (const Mapping& mapping : engine.maps)
      if (carries(mapping, name)) return name;
  return {};
}

bool has_mapping(const Op& op, const OpLoops& loops, const Engine& engine) {
  return engine.maps.empty() ? is_product(op) : !carried_name(op, loops, engine).empty();
}

std::optional<EngineChoice> choose_engine(const Op& op, const OpLoops& loops,
                                          const Hardware& hardware) {
  for (std::size_t e = 0; e < hardware.engines.size(); ++e)
    if (hardware.engines[e].kind == EngineKind::mac_array &&
        has_mapping(op, loops, hardware.engines[e]))
      return EngineChoice{e, true};
  for (std::size_t e = 0; e < hardware.engines.size(); ++e)
    if (hardware.engines[e].kind == EngineKind::vector) return EngineChoice{e, false};
  return std::nullopt;
}

std::optional<EngineChoice> choose_engine(const Network& network, const Op& op,
                                          const Hardware& hardware) {
  return choose_engine(op, loops_of(network, op, network.tensors[op.outputs.at(0)].shape),
                       hardware);
}

std::size_t queue_of(const Hardware& hardware, std::size_t engine) {
  const std::string& queue = hardware.engines[engine].queue;
  if (queue.empty()) return engine;
  for (std::size_t e = 0; e < engine; ++e)
    if (hardware.engines[e].queue == queue) return e;
  return engine;
}

std::size_t queue_of(const Network& network, const Op& op, const Hardware& hardware) {
  const auto chosen = choose_engine(network, op, hardware);
  return queue_of(hardware, chosen.value_or(EngineChoice{}).engine);
}

}  // namespace tessera::tiling
