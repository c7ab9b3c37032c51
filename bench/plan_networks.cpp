// Plans of whole networks on whole machines: gain, proof, time, and reuse of results between
// capacities.
//
//   bench_plan_networks table MODELS_DIR SECONDS [PROFILE...]     every network on every profile
//   bench_plan_networks capacity MODELS_DIR SECONDS PROFILE...    and again with 3/4 and 4/3 of it
//   bench_plan_networks sweep MODELS_DIR SECONDS PROFILE...       with 1/2 .. 2 of it, in 12 steps
//
// int8, two threads. `capacity` plans each capacity twice, with the cache of the first plan and
// without, alternating; `sweep` plans all of them with the caches of previous plans and then
// without. Times of `sweep` are processor time of both threads, which is more reliable on a busy
// machine, and wall time in brackets.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "tessera/files.h"
#include "tessera/import.h"
#include "tessera/plan.h"

namespace {

using namespace tessera;

std::vector<std::filesystem::path> models(const std::string& directory) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".onnx" || entry.path().extension() == ".yaml")
      found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

double ratio(Size a, Size b) {
  return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

std::string verdict(const NetworkPlan& plan) {
  if (plan.status == Status::infeasible) return "none: " + plan.reason;
  if (plan.status == Status::unknown) return "open";
  if (plan.optimal) return "proved";
  const std::string least = "at least " + std::to_string(plan.bound).substr(0, 6);
  return plan.explored.optimal ? "optimal within the explored space, " + least : least;
}

void print(const std::string& network, const std::string& profile, const NetworkPlan& plan) {
  std::printf(
      "| %s | %s | %.4f | %s | %.1f x | %lld | %lld | %lld | %lld | %lld | %.1f |\n",
      network.c_str(), profile.c_str(), plan.score, verdict(plan).c_str(),
      ratio(plan.baseline.dram_bytes, plan.totals.dram_bytes),
      static_cast<long long>(plan.search.candidates), static_cast<long long>(plan.search.solved),
      static_cast<long long>(plan.search.reused), static_cast<long long>(plan.search.pruned),
      static_cast<long long>(plan.search.unknown), plan.search.seconds);
  std::fflush(stdout);
}

Hardware scaled(Hardware hardware, Size numerator, Size denominator) {
  for (HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    const Size granule = std::max<Size>(memory.space.alignment, 1024);
    memory.space.capacity = memory.space.capacity * numerator / denominator / granule * granule;
  }
  return hardware;
}

struct Timed {
  NetworkPlan plan;
  double seconds = 0;  ///< processor seconds
};

Timed timed(const Network& network, const Hardware& hardware, const PlanParams& params) {
  const std::clock_t begin = std::clock();
  NetworkPlan plan = plan_network(network, hardware, params);
  const std::clock_t end = std::clock();
  return {std::move(plan), static_cast<double>(end - begin) / CLOCKS_PER_SEC};
}

void capacities(const std::string& name, const Network& network, const std::string& profile,
                const PlanParams& params) {
  const Hardware hardware = load_profile(profile);
  for (const auto& [numerator, denominator] : {std::pair<Size, Size>{3, 4}, {4, 3}}) {
    const Hardware other = scaled(hardware, numerator, denominator);
    PlanParams with = params;
    with.memory = make_plan_memory();
    const Timed first = timed(network, hardware, with);
    const Timed again = timed(network, other, with);
    const Timed fresh = timed(network, other, params);
    const PlanSearch& search = again.plan.search;
    std::printf(
        "| %s | %s | %lld/%lld | %.2f (%.2f) | %.2f (%.2f) | %.2f (%.2f) | %.2f | %.2f | %lld of "
        "%lld | %.4f | %.4f |\n",
        name.c_str(), profile.c_str(), static_cast<long long>(numerator),
        static_cast<long long>(denominator), first.seconds, first.plan.search.seconds,
        fresh.seconds, fresh.plan.search.seconds, again.seconds, search.seconds,
        again.seconds / first.seconds, again.seconds / fresh.seconds,
        static_cast<long long>(search.reused),
        static_cast<long long>(search.reused + search.solved), again.plan.score, fresh.plan.score);
    std::fflush(stdout);
  }
}

/// A search over capacities: the first plan, then the others in order.
void sweep(const std::string& name, const Network& network, const std::string& profile,
           const PlanParams& params) {
  const Hardware hardware = load_profile(profile);
  PlanParams with = params;
  with.memory = make_plan_memory();
  const double first = timed(network, hardware, with).seconds;
  double carried = 0;
  double fresh = 0;
  double slowest = 0;
  int other = 0;
  constexpr int steps = 12;
  for (int step = 0; step < steps; ++step) {
    const Hardware machine = scaled(hardware, 16 + 48 * step / (steps - 1), 32);
    const Timed again = timed(network, machine, with);
    const Timed alone = timed(network, machine, params);
    carried += again.seconds;
    fresh += alone.seconds;
    slowest = std::max(slowest, again.seconds / first);
    other += again.plan.score != alone.plan.score ? 1 : 0;
  }
  std::printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %d |\n", name.c_str(),
              profile.c_str(), first, carried / steps, fresh / steps, carried / steps / first,
              slowest, other);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::printf(
        "usage: bench_plan_networks table|capacity|sweep MODELS_DIR SECONDS [PROFILE...]\n");
    return 0;
  }
  const bool table = std::string(argv[1]) == "table";
  const bool sweeping = std::string(argv[1]) == "sweep";
  std::vector<std::string> profiles(argv + 4, argv + argc);
  if (profiles.empty()) profiles = profile_list();
  PlanParams params;
  params.limits.timeout = std::chrono::seconds(std::atoi(argv[3]));
  if (table)
    std::printf(
        "| network | profile | score | verdict | DRAM less | runs | solved | reused | pruned | "
        "undecided | s |\n| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | "
        "---: |\n");
  else if (sweeping)
    std::printf(
        "| network | profile | first plan, s | then, on average | fresh, on average | of first | "
        "slowest, of first | other scores |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | "
        "---: |\n");
  else
    std::printf(
        "| network | profile | capacity | first plan, s | other, fresh | other, carried | of first "
        "| of fresh | reused | score | fresh |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | "
        "---: | ---: | ---: | ---: |\n");
  for (const std::string& profile : profiles)
    for (const std::filesystem::path& path : models(argv[2])) {
      ImportOptions options;
      options.dtype = ElementType::int8;
      const Network network = read_network(path.string(), options).network;
      try {
        if (table)
          print(path.stem().string(), profile,
                plan_network(network, load_profile(profile), params));
        else if (sweeping)
          sweep(path.stem().string(), network, profile, params);
        else
          capacities(path.stem().string(), network, profile, params);
      } catch (const std::exception& error) {
        std::printf("| %s | %s | %s |\n", path.stem().c_str(), profile.c_str(), error.what());
      }
    }
  return 0;
}
