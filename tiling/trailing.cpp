#include "tiling/trailing.h"

#include "tiling/engine_choice.h"
#include "tiling/loops.h"

namespace tessera::tiling {

bool works_side_by_side(const Hardware& hardware) {
  return hardware.tiling.engines == EngineOrder::side_by_side;
}

std::vector<std::int64_t> trailing_choices(const Subgraph& part, const Hardware& hardware) {
  std::vector<std::int64_t> choices;
  if (!works_side_by_side(hardware) || part.own) return choices;
  const auto engine_of = [&](std::size_t step) {
    const Op& op = part.op(static_cast<Step>(step));
    const OpLoops loops =
        loops_of(*part.network, op, part.network->tensors[op.outputs.at(0)].shape);
    return choose_engine(op, loops, hardware).value_or(EngineChoice{}).engine;
  };
  for (std::size_t step = part.steps(); step-- > 1;)
    if (engine_of(step) != engine_of(step - 1))
      choices.push_back(static_cast<std::int64_t>(part.steps() - step));
  return choices;
}

}  // namespace tessera::tiling
