#include "tiling/trailing.h"

#include "tiling/engine_choice.h"

namespace tessera::tiling {

bool works_side_by_side(const Hardware& hardware) {
  return hardware.tiling.engines == EngineOrder::side_by_side;
}

std::vector<std::int64_t> trailing_choices(const Subgraph& part, const Hardware& hardware) {
  std::vector<std::int64_t> choices;
  if (!works_side_by_side(hardware) || part.own) return choices;
  const auto queue = [&](std::size_t step) {
    return queue_of(*part.network, part.op(static_cast<Step>(step)), hardware);
  };
  for (std::size_t step = part.steps(); step-- > 1;)
    if (queue(step) != queue(step - 1))
      choices.push_back(static_cast<std::int64_t>(part.steps() - step));
  return choices;
}

}  // namespace tessera::tiling
