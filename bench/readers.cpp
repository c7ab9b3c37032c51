// Times of readers and writers. One line per format for a generated problem.
//
//   readers 28526 1000000
//
// Each argument is a number of buffers. Times are thread times, independent of other load. Every
// reading includes validate().

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "io/buffer_csv.h"
#include "io/placement_json.h"
#include "io/problem_yaml.h"

namespace {

using namespace tessera;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Random lifetimes and sizes from a multiplicative generator.
std::string generated_csv(std::size_t buffers) {
  std::string text = "id,lower,upper,size\n";
  std::uint64_t state = 1;
  const auto next = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  for (std::size_t k = 0; k < buffers; ++k) {
    const std::uint64_t lower = next(1000000);
    text += std::to_string(k) + ',' + std::to_string(lower) + ',' +
            std::to_string(lower + 1 + next(1000)) + ',' + std::to_string(1 + next(1000000)) + '\n';
  }
  return text;
}

void line(const char* what, const std::string& text, double time) {
  std::printf("  %-22s %8.1f MB %8.3f s\n", what, static_cast<double>(text.size()) * 1e-6, time);
}

void measure(std::size_t buffers) {
  std::printf("%zu buffers\n", buffers);
  const std::string csv = generated_csv(buffers);
  double begin = seconds();
  const io::BufferCsv read = io::read_buffer_csv(csv, "generated");
  line("read CSV", csv, seconds() - begin);

  begin = seconds();
  const std::string yaml = io::write_problem_yaml(read.problem);
  line("write problem YAML", yaml, seconds() - begin);
  begin = seconds();
  const io::ProblemYaml again = io::read_problem_yaml(yaml, "written");
  line("read problem YAML", yaml, seconds() - begin);

  PlacementResult result;
  result.status = Status::feasible;
  result.placement = Placement{std::vector<BufferPlace>(buffers), {{}}};
  begin = seconds();
  const std::string json = io::write_placement_json(read.problem, result);
  line("write placement JSON", json, seconds() - begin);
  begin = seconds();
  const PlacementResult back = io::read_placement_json(json, "written", read.problem);
  line("read placement JSON", json, seconds() - begin);
  if (again.problem.buffers.size() != buffers || back.placement->places.size() != buffers) {
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) measure(static_cast<std::size_t>(std::atoll(argv[k])));
  return 0;
}
