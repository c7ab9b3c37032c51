// Names of tiling variants in files.
//
//   object.text("weights", word(subgraph.variant.weights));    // "resident"
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/hardware.h"

namespace tessera::io {

[[nodiscard]] inline std::string_view word(WeightPolicy policy) {
  return policy == WeightPolicy::resident ? "resident" : "refetch";
}

[[nodiscard]] inline std::string_view word(HaloPolicy policy) {
  switch (policy) {
    case HaloPolicy::recompute:
      return "recompute";
    case HaloPolicy::keep_columns:
      return "keep_columns";
    case HaloPolicy::keep:
      break;
  }
  return "keep";
}

[[nodiscard]] inline std::string_view word(Stationary stationary) {
  return stationary == Stationary::none      ? "none"
         : stationary == Stationary::weights ? "weights"
                                             : "inputs";
}

inline const std::initializer_list<std::string_view> one_copy_words{
    "none", "inputs", "outputs", "inputs+outputs", "weights", "inputs+weights", "outputs+weights"};
[[nodiscard]] inline std::string_view word(OneCopy one_copy) {
  return one_copy_words.begin()[static_cast<std::size_t>(one_copy)];
}

inline const std::initializer_list<std::string_view> direct_words{"none", "inputs", "outputs",
                                                                  "inputs+outputs"};
[[nodiscard]] inline std::string_view word(Direct direct) {
  return direct_words.begin()[static_cast<std::size_t>(direct)];
}

inline constexpr std::array<std::string_view, 3> tile_axis_names{"C", "H", "W"};

/// The loops over tiles, outermost first.
[[nodiscard]] inline std::vector<std::string> order_of(Stationary stationary) {
  if (stationary == Stationary::inputs) return {"H", "W", "C"};
  return {"C", "H", "W"};
}

}  // namespace tessera::io
