// Time, memory and size of the commands of a plan, apart from planning.
//
//   tessera plan resnet50.onnx --dtype int8 -p gap9-like -o plan.json
//   bench_plan_commands resnet50.onnx gap9-like plan.json
//
// Prints processor time and peak of the resident memory (Linux), for plain and folded commands.
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "tessera/commands.h"
#include "tessera/files.h"
#include "tessera/import.h"
#include "tessera/plan.h"

namespace {

using namespace tessera;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// "VmHWM" is the peak since forget_peak(), "VmRSS" the present use. In MB.
double resident(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) / 1000;
  return 0;
}

void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

void measure(const Network& network, const Hardware& hardware, const NetworkPlan& plan, bool fold) {
  forget_peak();
  const double before = resident("VmRSS");
  const double begin = processor_seconds();
  std::size_t bytes = 0;
  write_commands(network, hardware, plan, {.fold = fold},
                 [&](std::string_view piece) { bytes += piece.size(); });
  std::printf("%s: %zu bytes, %.2f s, peak %.0f MB, %.0f MB before\n", fold ? "folded" : "plain",
              bytes, processor_seconds() - begin, resident("VmHWM"), before);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) {
    std::fprintf(stderr, "usage: bench_plan_commands NETWORK PROFILE PLAN.json\n");
    return 2;
  }
  const Network network = read_network(arguments[1], {.dtype = ElementType::int8}).network;
  const Hardware hardware = load_profile(arguments[2]);
  const NetworkPlan plan = load_plan(arguments[3], network, hardware);
  measure(network, hardware, plan, false);
  measure(network, hardware, plan, true);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
