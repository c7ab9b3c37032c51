// A search over machines in C++: one network, a thousand variants of a profile.
//
//   g++ -std=c++20 -O2 has_loop.cpp -ltessera -o has_loop
//   ./has_loop fsrcnn_x2_360p.onnx ethos-u65-like 1000
//
// Draws capacity, burst and bandwidth of the memories at random, and later close to good machines.
// All plans share one cache: results for a part of the network on one machine are reused on the
// next. Prints the Pareto front of capacity and latency.
#include <tessera/tessera.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>

namespace {

struct Candidate {
  std::int64_t capacity_kib = 128;
  std::int64_t bandwidth = 4;  ///< GB/s
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

struct Cost {
  double milliseconds = 0;
  bool proved = false;
};

std::int64_t clamped(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value < least ? least : value > most ? most : value;
}

}  // namespace

int main(int count, char** words) {
  const std::string file = count > 1 ? words[1] : "fsrcnn_x2_360p.onnx";
  const std::string profile_name = count > 2 ? words[2] : "ethos-u65-like";
  const int candidates = count > 3 ? std::atoi(words[3]) : 1000;
  try {
    const tessera::Network network =
        tessera::read_network(file, {.dtype = tessera::ElementType::int8}).network;
    tessera::Profile profile(profile_name);
    tessera::PlanParams params;
    params.memory = tessera::make_plan_memory();
    params.max_ops = 4;
    params.tile_shapes = 8;
    params.proof_shapes = 0;                     // machines are compared by their explored plans
    params.effort = tessera::quick_plan_effort;  // work, not seconds: reproducible

    std::mt19937_64 random(0);
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    std::map<Candidate, Cost> seen;
    std::map<std::int64_t, std::pair<double, Candidate>> front;  // by capacity: the lowest latency
    int planned = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < candidates; ++k) {
      Candidate now{32 * between(2, 32), between(1, 16)};
      if (!front.empty() && k % 2 == 1) {  // a neighbour of a machine on the front
        auto near = front.begin();
        std::advance(near, between(0, static_cast<std::int64_t>(front.size()) - 1));
        now = near->second.second;
        now.capacity_kib = clamped(now.capacity_kib + 32 * between(-2, 1), 64, 1024);
        now.bandwidth = clamped(now.bandwidth + between(-1, 2), 1, 16);
      }
      if (seen.contains(now)) continue;
      profile.set({{"memories.sram.capacity", std::to_string(now.capacity_kib) + " KiB"},
                   {"memories.dram.bandwidth", std::to_string(now.bandwidth) + " GB/s"}});
      const tessera::NetworkPlan plan = tessera::plan_network(network, profile.hardware(), params);
      ++planned;
      if (plan.status != tessera::Status::feasible) continue;  // the plan contains the reason
      const Cost cost{
          1e3 * static_cast<double>(plan.totals.latency_cycles) / profile.hardware().clock_hz,
          plan.explored.optimal};
      seen.emplace(now, cost);
      // Kept if no machine of at most its capacity is as fast; removes slower and larger ones.
      const auto above = front.upper_bound(now.capacity_kib);
      if (above != front.begin() && std::prev(above)->second.first <= cost.milliseconds) continue;
      for (auto it = front.lower_bound(now.capacity_kib);
           it != front.end() && it->second.first >= cost.milliseconds;)
        it = front.erase(it);
      front[now.capacity_kib] = {cost.milliseconds, now};
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << planned << " machines planned, " << seconds / std::max(planned, 1)
              << " s each\n\n  KiB   GB/s   ms\n";
    for (const auto& [kib, best] : front)
      std::cout << "  " << kib << "   " << best.second.bandwidth << "   " << best.first
                << (seen.at(best.second).proved ? "" : "   (not proved to be the best plan)")
                << '\n';
    return front.empty() ? 1 : 0;
  } catch (const tessera::BadInput& bad) {
    std::cerr << bad.what() << (bad.hint.empty() ? "" : "; " + bad.hint) << '\n';
    return 2;
  }
}
