#include "commands/canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tessera::commands {
namespace {

using ::testing::ElementsAre;

/// Weights of 4 bits: 2 filters of 6 x 1 x 3.
Network half_bytes() {
  Network net;
  net.tensors = {
      {.name = "w", .shape = {2, 6, 1, 3}, .type = ElementType::int4, .kind = TensorKind::weight}};
  return net;
}

struct Byte {
  Offset at;
  std::int64_t number;
};

/// Packed: `rows` filters of `channels` channels, from address 100 on.
std::vector<Byte> bytes(Canonical& canonical, Dim rows, tiling::Span channels) {
  Operand operand;
  operand.bits = 4;
  operand.box = tiling::whole({rows, 6, 1, 3});
  operand.box[1] = channels;
  const Size filter = channels.size() * 3;
  operand.parts = {{.box = operand.box, .address = 100, .strides = {filter, 3, 3, 1}}};
  std::vector<Byte> all;
  canonical.each_run(operand, operand.parts.front(), [&](AddressRange range, std::int64_t first) {
    for (Offset at = range.begin; at < range.end; ++at)
      all.push_back({at, first + at - range.begin});
  });
  return all;
}

std::vector<Offset> addresses(const std::vector<Byte>& all) {
  std::vector<Offset> list;
  for (const Byte& byte : all) list.push_back(byte.at);
  return list;
}

TEST(Canonical, BytesOfTwoElementsOccurOnce) {
  const Network net = half_bytes();
  Canonical canonical(net, {});
  const std::vector<Byte> part = bytes(canonical, 2, {0, 1});  // 3 weights per filter
  EXPECT_THAT(addresses(part), ElementsAre(100, 101, 102));
  const auto same = [&](const Byte& a, const Byte& b) {
    return canonical.same_halves({.tensor = 0, .first = a.number, .defined = true},
                                 {.tensor = 0, .first = b.number, .defined = true}, 1);
  };
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t other = 0; other < 3; ++other)
      EXPECT_EQ(same(part[k], part[other]), k == other);
  // The first filter alone ends inside a byte, whose other half does not matter.
  const std::vector<Byte> filter = bytes(canonical, 1, {0, 1});
  EXPECT_THAT(addresses(filter), ElementsAre(100, 101));
  EXPECT_TRUE(same(filter[1], part[1]));
  // In the whole tensor, that byte has another second element.
  const std::vector<Byte> all = bytes(canonical, 2, {0, 6});
  EXPECT_THAT(all, ::testing::SizeIs(18));
  EXPECT_TRUE(same(all[0], part[0]));
  EXPECT_FALSE(same(all[1], part[1]));
  EXPECT_TRUE(same(all[1], filter[1]));
}

}  // namespace
}  // namespace tessera::commands
