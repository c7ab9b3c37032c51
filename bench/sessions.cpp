// Compares a Session with place() from scratch, on sizes that walk at random around the capacity.
//
//   bench_sessions FILE...              -> files (CSV, YAML, JSON), 300 questions each
//
// Both answer every query, alternating; their results have to be equal. The capacity is chosen so
// that about half of the walk fits: slightly above the minimum height of the initial sizes.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "model/random.h"
#include "model/size_layer.h"
#include "tessera/files.h"
#include "tessera/place.h"
#include "tessera/session.h"

namespace tessera {
namespace {

constexpr int questions = 300;
constexpr std::int64_t work = 200'000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Three buffers grow or shrink by up to a tenth, none by more than a quarter in total.
void step(Random& random, const std::vector<Size>& begin, std::vector<Size>& sizes) {
  for (int k = 0; k < 3; ++k) {
    const auto b = static_cast<std::size_t>(random.below(sizes.size()));
    const Size most = std::max<Size>(1, begin[b] / 4);
    const Size change = std::max<Size>(1, begin[b] / 10);
    sizes[b] = std::clamp(sizes[b] + random.between(-change, change),
                          std::max<Size>(1, begin[b] - most), begin[b] + most);
  }
}

bool measure(const std::string& path) {
  PlacementProblem problem = load_input(path, {}).problem;
  PlaceParams least;
  least.minimize = Objective::height;
  least.limits.timeout = std::chrono::seconds(2);
  const PlacementResult lowest = place(problem, least);
  if (lowest.status != Status::feasible || problem.memories.size() != 1) return true;
  problem.memories[0].capacity = lowest.height + lowest.height / 50;
  const SizeLayer begin = size_layer(problem);
  Session session(problem);
  Random random(1);
  std::vector<Size> sizes = begin.sizes;
  double fresh = 0;
  double kept = 0;
  int feasible = 0;
  int open = 0;
  for (int k = 0; k < questions; ++k) {
    step(random, begin.sizes, sizes);
    PlacementProblem now = problem;
    replace_sizes(now, {.sizes = sizes, .capacities = begin.capacities});
    auto start = std::chrono::steady_clock::now();
    const PlacementResult one = place(now, {.limits = {.work = work}});
    fresh += seconds_since(start);
    start = std::chrono::steady_clock::now();
    session.set_sizes(sizes);
    const PlacementResult other = session.place({.work = work});
    kept += seconds_since(start);
    if (one.status == Status::unknown || other.status == Status::unknown) {
      ++open;
      continue;
    }
    if (one.status != other.status) {
      std::printf("%s: question %d has two answers\n", path.c_str(), k);
      return false;
    }
    if (one.status == Status::feasible) ++feasible;
  }
  std::printf(
      "%-40s %6zu buffers, %3d of %d fit, %2d open: place %8.1f us, session %8.1f us, %5.1f x\n",
      path.substr(path.find_last_of('/') + 1).c_str(), sizes.size(), feasible, questions, open,
      fresh / questions * 1e6, kept / questions * 1e6, fresh / kept);
  return true;
}

}  // namespace
}  // namespace tessera

int main(int count, char** arguments) {
  bool right = true;
  for (int k = 1; k < count; ++k) right = tessera::measure(arguments[k]) && right;
  return right ? 0 : 1;
}
