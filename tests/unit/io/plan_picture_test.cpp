#include "io/plan_picture/plan_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PlanChart chart(std::size_t ops, std::size_t buffers_of_op) {
  PlanChart chart;
  chart.title = "net on machine";
  chart.cycles = 1000.0 * static_cast<double>(ops);
  chart.ops_of_network = ops;
  ChartMemory sram;
  sram.space = {.name = "sram", .capacity = 1 << 20};
  for (std::size_t k = 0; k < ops; ++k) {
    const double begin = 1000.0 * static_cast<double>(k);
    const double end = begin + 1000;
    chart.runs.push_back({.about = "run", .begin = begin, .end = end});
    chart.ops.push_back({.name = "op" + std::to_string(k), .index = k, .begin = begin, .end = end});
    for (std::size_t b = 0; b < buffers_of_op; ++b) {
      const Offset at = static_cast<Offset>(b) * 4096;
      sram.buffers.push_back({"t" + std::to_string(k) + "_" + std::to_string(b),
                              b % 2 == 0 ? ChartKind::weights : ChartKind::input,
                              {at, at + 4096},
                              begin,
                              end});
      sram.height = std::max(sram.height, at + 4096);
    }
  }
  chart.memories.push_back(std::move(sram));
  chart.traffic = {.memory = "dram",
                   .window = chart.cycles / 10,
                   .read = std::vector<double>(10, 100),
                   .written = std::vector<double>(10, 0),
                   .limit = 4};
  return chart;
}

TEST(PlanPicture, BoxesAreWhereTheirAddressesAndCyclesAre) {
  PlanChart one = chart(2, 1);
  one.memories[0].space.capacity = 8192;
  const std::string svg = plan_picture_svg(one);
  // Of 1104 pixels from 96 on, the second half; the lower half of 320 pixels.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"648\" y="));
  EXPECT_THAT(svg, HasSubstr("width=\"552\" height=\"160\" fill=\"#edb95a\""));
  EXPECT_THAT(svg, HasSubstr("t1_0, weights\n4 KiB at 0\ncycles 1000 to 2000"));
}

TEST(PlanPicture, TheLegendHasWhatIsThereAlone) {
  const std::string svg = plan_picture_svg(chart(2, 1));
  EXPECT_THAT(svg, HasSubstr(">weights</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">input</text>")));
  EXPECT_THAT(svg, Not(HasSubstr(">DRAM write</text>")));
  EXPECT_THAT(svg, Not(HasSubstr("reserved</text>")));
  EXPECT_THAT(plan_picture_svg(chart(2, 2)), HasSubstr(">input</text>"));
}

TEST(PlanPicture, NamesAreEscaped) {
  PlanChart one = chart(1, 1);
  one.title = "a<b>&";
  one.ops[0].name = "<&>";
  one.memories[0].buffers[0].name = "\"w\"<";
  const std::string svg = plan_picture_svg(one);
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt;&amp;"));
  EXPECT_THAT(svg, HasSubstr(">&lt;&amp;&gt;</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("\"w\"<")));
}

TEST(PlanPicture, WhatIsNarrowerThanAPixelIsDrawnTogether) {
  const std::string svg = plan_picture_svg(chart(20'000, 10));
  EXPECT_LT(svg.size(), std::size_t{3} << 20);
  EXPECT_THAT(svg, HasSubstr("of 20000 ops are named"));
  EXPECT_THAT(svg, HasSubstr("#7fb5e6")) << "both kinds are still there";
  EXPECT_THAT(svg, HasSubstr("#edb95a"));
  // Lines between runs narrower than lines would be all there is to be seen.
  EXPECT_THAT(svg, Not(HasSubstr("cut point")));
  EXPECT_THAT(plan_picture_svg(chart(20, 10)), HasSubstr("cut point"));
}

TEST(PlanPicture, WeightsThatDwarfAllElseAreCutOff) {
  PlanChart one = chart(1, 1);
  ChartMemory dram;
  dram.offchip = true;
  dram.space.name = "dram";
  dram.height = 1'100'000;
  dram.buffers.push_back({"weights", ChartKind::weights, {0, 1'000'000}, 0, 1000});
  dram.buffers.push_back({"x", ChartKind::between, {1'000'000, 1'100'000}, 0, 1000});
  one.memories.push_back(dram);
  EXPECT_THAT(plan_picture_svg(one), HasSubstr("weights are clipped"));
  one.memories.back().buffers.pop_back();
  EXPECT_THAT(plan_picture_svg(one), Not(HasSubstr("cut off")));
}

}  // namespace
}  // namespace tessera::io
