// Time of one evaluation of a shipped forest.
//
//   bench_forest
#include "engine/forest.h"

#include <chrono>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "model/random.h"
#include "placer/first_choice.h"
#include "search/guided/retreat.h"

namespace {

using namespace tessera;

void measure(const char* name, std::string_view text, std::span<const std::string_view> features) {
  const engine::Forest forest = engine::Forest::read(text, features);
  constexpr std::size_t rows = 4096;
  Random random(1);
  std::vector<float> values(rows * features.size());
  for (float& value : values) value = static_cast<float>(random.unit() * 8);
  double sum = 0;
  constexpr int rounds = 50;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t row = 0; row < rows; ++row)
      sum += forest.value(std::span(values).subspan(row * features.size(), features.size()));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%s: %zu trees, %.2f us a look (mean value %.3f)\n", name, forest.trees(),
              took.count() / (rounds * static_cast<double>(rows)) * 1e6,
              sum / (rounds * static_cast<double>(rows)));
}

}  // namespace

int main() {
  measure("backtracking", search::guided::shipped_backtracking(), search::guided::retreat_features);
  measure("first choice", placer::shipped_first_choice(), placer::shape_features);
  return 0;
}
