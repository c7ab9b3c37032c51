// Labels of ops for tables and pictures. Exporters write repetitive paths
// (/layer2/layer2.0/conv1/Conv): labels leave out the common parts.
//
//   const OpLabels names(plan);
//   table.add({names.of(plan.subgraphs[0])});          // "layer2.0/conv1/Conv .. Add"
//   shortened("layer2.0/downsample/Conv", 16);         // "layer...mple/Conv"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/network_plan.h"

namespace tessera {

/// Removes each path component that the next one begins with, and the leading slash:
/// "/layer2/layer2.0/conv1/Conv" becomes "layer2.0/conv1/Conv".
[[nodiscard]] std::string without_repeats(std::string_view name);

/// At most `width` characters. The middle is removed, and more of the end is kept than of the
/// beginning. Of a range "first .. last", both names are shortened.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t width);

/// Each text in at most `width` characters; different texts stay different, because colliding
/// labels show the position where they differ.
[[nodiscard]] std::vector<std::string> shortened_apart(const std::vector<std::string>& texts,
                                                       std::size_t width);

/// Removes the leading folders that all names share.
[[nodiscard]] std::vector<std::string> without_common_folders(std::vector<std::string> names);

/// Names for a table or a sentence: unchanged if none exceeds 60 characters. Otherwise without
/// common folders and in at most 60 characters each, and different names stay different.
[[nodiscard]] std::vector<std::string> readable_names(std::vector<std::string> names);

class OpLabels {
 public:
  explicit OpLabels(const NetworkPlan& plan);
  /// The first op, and the part of the last op's name that differs.
  [[nodiscard]] std::string of(const PlannedSubgraph& subgraph) const;
  /// One op of the plan.
  [[nodiscard]] std::string of(const std::string& name) const;

 private:
  std::size_t common_ = 0;  ///< length of the leading folders that all ops share
};

}  // namespace tessera
