#include <tessera/planner/place.h>

#include <iostream>

int main() {
  tessera::PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 12});
  problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
  problem.buffers.push_back({.id = "b", .live = {{1, 2}}, .size = 8});
  const tessera::PlacementResult result = tessera::place(problem, {});
  if (result.status != tessera::Status::feasible) return 1;
  std::cout << "a at " << result.placement->places[0].offset << '\n';
}
