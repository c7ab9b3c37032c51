// Traces have exactly the requested number of buffers, are well-formed, and reproducible.

#include "validation/generate_traces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "tessera/validate.h"

namespace tessera::validation {
namespace {

/// A digest of all relevant properties of the buffers.
std::uint64_t digest(const PlacementProblem& problem) {
  std::uint64_t hash = 1469598103934665603U;
  for (const Buffer& buffer : problem.buffers) {
    for (const std::int64_t part :
         {buffer.live.front().lower, buffer.live.front().upper, buffer.size, buffer.alignment})
      hash = (hash ^ static_cast<std::uint64_t>(part)) * 1099511628211U;
  }
  return hash;
}

TEST(GenerateTraces, AnyNumberOfBuffersWellFormed) {
  for (const TraceKind kind : {TraceKind::malloc, TraceKind::training}) {
    for (const std::int64_t count : {1, 2, 7, 100, 5000}) {
      for (const Size most : {Size{1}, Size{4096}, Size{1} << 32}) {
        const PlacementProblem problem = generate_trace(
            {.kind = kind, .buffers = count, .seed = 3, .max_size = most, .alignment = 16});
        EXPECT_EQ(static_cast<std::int64_t>(problem.buffers.size()), count);
        EXPECT_TRUE(validate(problem).empty());
        for (const Buffer& buffer : problem.buffers) EXPECT_LE(buffer.size, most);
      }
    }
  }
}

TEST(GenerateTraces, TheSeedDecides) {
  for (const TraceKind kind : {TraceKind::malloc, TraceKind::training}) {
    const TraceParams params{.kind = kind, .buffers = 2000, .seed = 8};
    EXPECT_EQ(digest(generate_trace(params)), digest(generate_trace(params)));
    TraceParams other = params;
    other.seed = 9;
    EXPECT_NE(digest(generate_trace(params)), digest(generate_trace(other)));
  }
}

TEST(GenerateTraces, TailsAreHeavy) {
  const PlacementProblem heap =
      generate_trace({.kind = TraceKind::malloc, .buffers = 20'000, .seed = 1});
  std::vector<Size> sizes;
  std::vector<Step> lives;
  for (const Buffer& buffer : heap.buffers) {
    sizes.push_back(buffer.size);
    lives.push_back(buffer.live.front().upper - buffer.live.front().lower);
  }
  std::sort(sizes.begin(), sizes.end());
  std::sort(lives.begin(), lives.end());
  EXPECT_GT(sizes.back(), 50 * sizes[sizes.size() / 2]);
  EXPECT_GT(lives.back(), 50 * lives[lives.size() / 2]);
}

TEST(GenerateTraces, ActivationsWaitForTheBackwardPass) {
  const PlacementProblem net =
      generate_trace({.kind = TraceKind::training, .buffers = 3000, .seed = 1});
  Step end = 0;
  for (const Buffer& buffer : net.buffers) end = std::max(end, buffer.live.front().upper);
  std::int64_t across = 0;
  std::int64_t always = 0;
  for (const Buffer& buffer : net.buffers) {
    const StepRange live = buffer.live.front();
    if (live.lower == 0 && live.upper == end) ++always;
    if (live.lower > 0 && live.lower < end / 2 && live.upper > end / 2) ++across;
  }
  EXPECT_GT(always, 100);  // weights
  EXPECT_GT(across, 300);  // saved activations
}

TEST(GenerateTraces, NamesRoundTrip) {
  for (const TraceKind kind : {TraceKind::malloc, TraceKind::training})
    EXPECT_EQ(trace_kind_from(to_string(kind)), kind);
  EXPECT_FALSE(trace_kind_from("heap"));
}

}  // namespace
}  // namespace tessera::validation
