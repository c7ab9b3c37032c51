// Typical calls of a search loop: changing sizes, a plan, a call stopped from another thread.
#include <tessera/tessera.h>

#include <chrono>
#include <iostream>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

int main(int count, char** arguments) {
  tessera::PlacementProblem problem;
  problem.memories.push_back({.name = "sram", .capacity = 12});
  problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
  problem.buffers.push_back({.id = "b", .live = {{1, 2}}, .size = 8});
  const tessera::PlacementResult result = tessera::place(problem, {});
  if (result.status != tessera::Status::feasible) return 1;
  std::cout << "Tessera " << tessera::version() << ": a at " << result.placement->places[0].offset;

  tessera::Session session(problem);
  int fits = 0;
  for (tessera::Size size = 1; size <= 16; ++size) {
    session.set_size(1, size);
    if (session.place({.timeout = 1s}).status == tessera::Status::feasible) ++fits;
  }
  std::cout << ", " << fits << " of 16 sizes fit, no more because\n"
            << tessera::explain(session.problem()).text;

  if (count < 3) return 0;
  const tessera::Network network =
      tessera::read_network(arguments[1], {.dtype = tessera::ElementType::int8}).network;
  const tessera::Hardware hardware = tessera::load_profile(arguments[2]);
  std::stop_source stop;
  const std::jthread other([&] { stop.request_stop(); });
  tessera::PlanParams params;
  params.limits.stop = stop.get_token();
  const tessera::NetworkPlan plan = tessera::plan_network(network, hardware, params);
  std::cout << "a plan that was ended: " << to_string(plan.stop) << '\n';
}
