// Predicts which engine to run first: features of the problem, and a forest.
//
//   if (const auto shape = shape_of(problem)) features = *shape;
//   if (learning_goes_first(problem)) ask(learning); else ask(canonical);
//
// Canonical search decides most problems quickly, but is slow where the load is flat; the learning
// engine behaves the other way round. The forest (placer/first_choice.forest) is trained on the run
// times of both (training/first_choice.py; docs/internals/guided-search.md describes the data and
// the effect). It only changes the order of engines, never a result.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tessera/problem.h"

namespace tessera::placer {

inline constexpr std::array<std::string_view, 14> shape_features = {
    "buffers",      // logarithm
    "alive",        // logarithm of the mean number of live buffers over slices of time
    "crowd",        // maximum of live buffers, relative to the number of buffers
    "slack",        // free bytes at the peak load, relative to the capacity
    "flatness",     // mean load over time, relative to the capacity
    "flat_slices",  // the same over slices: intervals without a change of the live set
    "full",         // share of slices with a load of 99 % of the capacity or more
    "largest",      // size, relative to the capacity
    "mean",         // size, relative to the capacity
    "spread",       // of sizes: standard deviation relative to the mean
    "sizes",        // number of different sizes, relative to the number of buffers
    "life",         // mean lifetime, relative to the length of the schedule
    "slices",       // relative to the number of buffers
    "units",        // logarithm of the capacity divided by the common divisor of all sizes
};
using ShapeFeatures = std::array<float, shape_features.size()>;

/// None if the forest does not support the problem: it takes one memory with a capacity, and
/// buffers without parts and with one lifetime.
[[nodiscard]] std::optional<ShapeFeatures> shape_of(const PlacementProblem& problem);

/// Does the forest predict that the learning engine is faster? False if the forest does not support
/// the problem.
[[nodiscard]] bool learning_goes_first(const PlacementProblem& problem);

/// The shipped forest (placer/first_choice.forest).
[[nodiscard]] std::string_view shipped_first_choice();

}  // namespace tessera::placer
