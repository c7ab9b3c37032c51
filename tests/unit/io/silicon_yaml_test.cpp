#include "io/silicon_yaml.h"

#include <gtest/gtest.h>

#include <string>

#include "io/profile_edit.h"

namespace tessera::io {
namespace {

/// Area of the connections of three banks, 1 mm2 each.
double connections(const std::string& modes) {
  const EditableProfile profile(
      "tessera: hardware/1\nname: n\nmemories: {sram: {banks: 3, bank_size: 4, modes: [" + modes +
          "]}}\nsilicon: {mode_connection: {area: 1 mm2}}\n",
      "n.yaml");
  double area = 0;
  for (const SiliconPart& part : profile.silicon()) area += part.area_mm2;
  return area;
}

TEST(SiliconYaml, ABankHasThePortsThatItsModesGiveIt) {
  EXPECT_EQ(connections("{name: a, roles: [read, write, read_write]}"), 4);
  const std::string in_turn = "{name: a, roles: [read, read, write]}, {name: b, roles: ";
  EXPECT_EQ(connections(in_turn + "[write, read, write]}"), 4);
  EXPECT_EQ(connections(in_turn + "[read_write, off, hold]}"), 4)
      << "either is as much as both, and banks that rest have none";
  EXPECT_EQ(connections("{name: a, roles: [data, data, weight]}"), 6);
  EXPECT_EQ(connections("{name: a, roles: [data, data, weight]}, "
                        "{name: b, roles: [data, weight, weight]}"),
            6);
}

}  // namespace
}  // namespace tessera::io
