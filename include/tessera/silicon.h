// What a machine costs on the chip, part by part.
//
//   double area = 0;
//   for (const SiliconPart& part : Profile("nvdla-like").silicon()) area += part.area_mm2;  //
//   profile.h
#pragma once

#include <string>

namespace tessera {

struct SiliconPart {
  std::string name{};  ///< "memory sram", "banks of sram", "engine mac", ...
  double area_mm2 = 0;
  double leakage_mw = 0;  ///< always on
};

}  // namespace tessera
