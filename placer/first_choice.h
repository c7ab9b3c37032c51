// Which engine is asked first: what a problem looks like, in a few numbers, and what a forest says
// of it.
//
//   if (const auto shape = shape_of(problem)) features = *shape;
//   if (learning_goes_first(problem)) ask(learning); else ask(canonical);
//
// Canonical search decides most problems in no time, and drowns where the load is flat; the
// learning engine is the other way round. The forest (placer/first_choice.forest) was trained on
// how long each of them took (training/first_choice.py; docs/guided.md says on what, and what it
// changes). Only the order in which they are asked depends on it, never an answer.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tessera/problem.h"

namespace tessera::placer {

inline constexpr std::array<std::string_view, 14> shape_features = {
    "buffers",      // a logarithm
    "alive",        // buffers that live at one step, a logarithm of the mean over slices of time
    "crowd",        // the most of them, by the number of buffers
    "slack",        // what the fullest step leaves free, by the capacity
    "flatness",     // mean load by capacity, over time
    "flat_slices",  // the same over slices: stretches in which nothing comes or goes
    "full",         // slices at 99 % of the capacity or more
    "largest",      // size, by the capacity
    "mean",         // size, by the capacity
    "spread",       // of sizes: deviation by mean
    "sizes",        // different ones, by the number of buffers
    "life",         // mean, by the length of the schedule
    "slices",       // by the number of buffers
    "units",        // capacity in units of what divides all sizes, a logarithm
};
using ShapeFeatures = std::array<float, shape_features.size()>;

/// Nothing where the problem has not the shape that the forest knows: one memory with a capacity,
/// whole buffers with one life each.
[[nodiscard]] std::optional<ShapeFeatures> shape_of(const PlacementProblem& problem);

/// Does the learning engine promise more than canonical search? False where nobody knows.
[[nodiscard]] bool learning_goes_first(const PlacementProblem& problem);

/// The forest that is shipped (placer/first_choice.forest).
[[nodiscard]] std::string_view shipped_first_choice();

}  // namespace tessera::placer
