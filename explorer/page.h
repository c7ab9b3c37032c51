// What the page of a sweep shows, as JSON (io/sweep_page.h says how it is laid out).
//
//   write(sweep_page("machines.yaml", page_json({"machines.yaml", "ethos-u55-like"}, result,
//   plans)));
//
// Private to explorer/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/explore.h"

namespace tessera::explorer {

struct PageFacts {
  std::string file;     ///< of the sweep
  std::string base;     ///< the profile that varies
  std::string weights;  ///< of the objective, in words
  /// The metric that scores are made of, where it is one alone: then a bound of a score is one of
  /// it.
  std::string only;
  std::vector<double> shares;  ///< of the networks
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
