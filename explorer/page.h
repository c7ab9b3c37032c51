// Data of the page of a sweep, as JSON (io/sweep_page.h describes the layout).
//
//   write(sweep_page("machines.yaml",
//                    page_json({"machines.yaml", "ethos-u55-like"}, result, plans)));
//
// Private to explorer/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/explore.h"

namespace tessera::explorer {

struct PageFacts {
  std::string file;     ///< file of the sweep
  std::string base;     ///< name of the base profile
  std::string weights;  ///< description of the objective's weights
  /// The metric, if the score consists of a single one: then bounds of scores are bounds of it.
  std::string only;
  std::vector<double> shares;  ///< weights of the networks
};

struct PagePlan {
  std::size_t candidate = 0;
  NetworkPlan plan;
  std::string network;
  std::string picture;  ///< SVG
};

[[nodiscard]] std::string page_json(const PageFacts& facts, const ExploreResult& result,
                                    const std::vector<PagePlan>& plans);

}  // namespace tessera::explorer
