#include "planner/tile_engine.h"

#include <stdexcept>

#include "planner/engines.h"

namespace tessera {

std::unique_ptr<PlacementEngine> tile_engine(const Hardware& hardware) {
  // Two buffers that share a step, with an access each and every restriction between them.
  PlacementProblem probe;
  probe.memories = placement_memories(hardware);
  if (probe.memories.empty())
    throw std::invalid_argument("profile " + hardware.name +
                                " has no on-chip memory: there is nowhere to place buffers");
  for (const char* id : {"a", "b"})
    probe.buffers.push_back({.id = id, .live = {{0, 2}}, .size = 1, .read = {1}, .write = {0}});
  for (const OperandRestriction& rule : hardware.restrictions)
    probe.relations.push_back({rule.kind, {0, 1}, 0});
  for (const char* name : {"canonical", "learning", "sat"}) {
    std::unique_ptr<PlacementEngine> engine = make_engine(name);
    if (engine && !engine->unsupported(probe, Goal::fit)) return engine;
  }
  throw std::invalid_argument("no engine supports the memories of profile " + hardware.name);
}

}  // namespace tessera
