// Mixed into a BadInput that is the first of several errors.
//
//   if (const auto* several = dynamic_cast<const MoreErrors*>(&bad))
//     for (const BadInput& other : several->more) std::cerr << other.what() << '\n';
#pragma once

#include <vector>

#include "tessera/errors.h"

namespace tessera {

class MoreErrors {
 public:
  explicit MoreErrors(std::vector<BadInput> others) : more(std::move(others)) {}
  MoreErrors(const MoreErrors&) = default;
  MoreErrors(MoreErrors&&) = default;
  MoreErrors& operator=(const MoreErrors&) = default;
  MoreErrors& operator=(MoreErrors&&) = default;
  virtual ~MoreErrors() = default;

  std::vector<BadInput> more;  ///< in the order of the file
};

}  // namespace tessera
