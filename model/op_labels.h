// Names of ops in a column of a table or in a picture. Exporters write paths that repeat themselves
// (/layer2/layer2.0/conv1/Conv): what is the same everywhere goes, what differs stays.
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

/// A path without what its next part begins with, and without the slash in front:
/// "/layer2/layer2.0/conv1/Conv" is "layer2.0/conv1/Conv".
[[nodiscard]] std::string without_repeats(std::string_view name);

/// At most `width` characters; the middle goes, more of the end stays than of the beginning. Of the
/// ops of a run, "first .. last", both keep theirs.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t width);

/// Each of these in at most `width` characters, so that different ones stay different: names that
/// would look alike show the place where they differ.
[[nodiscard]] std::vector<std::string> shortened_apart(const std::vector<std::string>& texts,
                                                       std::size_t width);

/// Without the folders in front that all have in common.
[[nodiscard]] std::vector<std::string> without_common_folders(std::vector<std::string> names);

/// Names for a table or a sentence: as they are if none is longer than 60 characters, else without
/// common folders and in 60 characters each, so that different ones stay different.
[[nodiscard]] std::vector<std::string> readable_names(std::vector<std::string> names);

class OpLabels {
 public:
  explicit OpLabels(const NetworkPlan& plan);
  /// The first op and, of the last, what differs from it.
  [[nodiscard]] std::string of(const PlannedSubgraph& subgraph) const;
  /// One op of the plan.
  [[nodiscard]] std::string of(const std::string& name) const;

 private:
  std::size_t common_ = 0;  ///< characters of folders in front that all ops share
};

}  // namespace tessera
