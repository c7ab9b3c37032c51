// The silicon cost of a machine, part by part.
//
//   double area = 0;
//   const Profile profile("nvdla-like");  // profile.h
//   for (const SiliconPart& part : profile.silicon()) area += part.area_mm2;
#pragma once

#include <string>

namespace tessera {

/// Area and static power of a part.
struct SiliconPart {
  std::string name{};  ///< "memory sram", "banks of sram", "engine mac", ...
  double area_mm2 = 0;
  double leakage_mw = 0;  ///< static power
};

}  // namespace tessera
