#include "io/svg.h"

#include <regex>

#include "io/svg_parts.h"
#include "model/derived.h"
#include "tests/support/random_problem.h"
#include "tests/unit/io/support.h"

namespace tessera::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

PlacementProblem small_problem() {
  PlacementProblem problem;
  problem.name = "toy";
  problem.memories.push_back(
      {.name = "sram",
       .capacity = 64,
       .banks = {{"lower", 32, {}}, {"upper", 32, {}}},
       .modes = {{"load", {Role::read, Role::write}}, {"swap", {Role::write, Role::read}}},
       .reserved = {{0, 8}}});
  problem.buffers.push_back({.id = "a<&>\"b\"", .live = {{0, 10}}, .size = 16});
  problem.buffers.push_back({.id = "parts", .live = {{0, 2}, {6, 8}}, .size = 16});
  return problem;
}

Placement placement() {
  return {{{0, 8}, {0, 40}},
          {{"load", "load", "load", "load", "load", "swap", "swap", "swap", "swap", "swap"}}};
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++n;
  return n;
}

/// Every element closed, no stray angle brackets or ampersands: enough of XML to catch escapes.
bool balanced(const std::string& text) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^<>]*?(/?)>");
  for (auto it = std::sregex_iterator(text.begin(), text.end(), tag); it != std::sregex_iterator();
       ++it) {
    const std::string name = (*it)[2];
    if ((*it)[1] == "/") {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if ((*it)[3] != "/") {
      open.push_back(name);
    }
  }
  const std::string rest = std::regex_replace(text, tag, "");
  return open.empty() && rest.find_first_of("<>") == rest.npos &&
         !std::regex_search(text, std::regex("&(?!(amp|lt|gt|quot);)"));
}

TEST(Svg, ShowsBanksReservedRangesModesAndLegend) {
  const std::string svg = placement_svg(small_problem(), placement(), {.title = "a & b"});
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr(">lower</text>"));
  EXPECT_THAT(svg, HasSubstr(">upper</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>reserved [0, 8)</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>load: steps 0 to 4</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>swap: steps 5 to 9</title>"));
  EXPECT_THAT(svg, HasSubstr(">bank border</text>"));
  EXPECT_THAT(svg, HasSubstr("height 56 of 64, 87.5 %"));
  EXPECT_TRUE(balanced(svg));
}

TEST(Svg, EscapesIds) {
  const std::string svg = placement_svg(small_problem(), placement());
  EXPECT_THAT(svg, HasSubstr("a&lt;&amp;&gt;&quot;b&quot;: size 16 at 8"));
  EXPECT_EQ(svg::escaped("\x01 \xff"), "\xEF\xBF\xBD \xEF\xBF\xBD");
}

TEST(Svg, DrawsEachPartOfABufferAndJoinsThem) {
  const std::string svg = placement_svg(small_problem(), placement());
  EXPECT_EQ(count(svg, "<title>parts: size 16 at 40</title>"), 2U);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"2 2\"/>"), 2U) << "the join and its word in the legend";
  EXPECT_EQ(count(svg, ">parts</text>"), 1U) << "one label, on the widest part";
}

TEST(Svg, PutsOffsetsUpAndStepsAcross) {
  PlacementProblem one;
  one.memories.push_back({.name = "m", .capacity = 100});
  one.buffers.push_back({.id = "x", .live = {{5, 10}}, .size = 50});
  const std::string svg =
      placement_svg(one, {{{0, 50}}, {}}, {.title = {}, .width = 1148, .height = 400});
  // Plot 1000 x 400 at (84, 72): steps 5..10 of 10 are its right half, addresses 50..100 its upper.
  EXPECT_THAT(svg, HasSubstr("<rect x=\"584\" y=\"72\" width=\"500\" height=\"200\""));
}

TEST(Svg, LabelsOnlyWhatFits) {
  PlacementProblem many;
  many.memories.push_back({.name = "m", .capacity = 1000});
  Placement placed;
  for (int k = 0; k < 500; ++k) {
    many.buffers.push_back(
        {.id = "a_rather_long_name_" + std::to_string(k), .live = {{k, k + 1}}, .size = 1000});
    placed.places.push_back({0, 0});
  }
  EXPECT_THAT(placement_svg(many, placed), Not(HasSubstr(">a_rather_long_name_7</text>")));
  EXPECT_THAT(placement_svg(many, placed), HasSubstr("<title>a_rather_long_name_7: "));
}

TEST(Svg, ColoursAreLengthsOfLives) {
  PlacementProblem few;
  few.memories.push_back({.name = "m", .capacity = 100});
  few.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 10});
  few.buffers.push_back({.id = "b", .live = {{3, 4}}, .size = 10});
  few.buffers.push_back({.id = "c", .live = {{0, 8}}, .size = 10});
  few.buffers.push_back({.id = "w", .live = {{0, 8}}, .size = 10, .kind = BufferKind::weight});
  const std::string svg = placement_svg(few, {{{0, 0}, {0, 0}, {0, 10}, {0, 20}}, {}});
  const auto fill = [&](const std::string& id) {
    const std::size_t title = svg.find("<title>" + id + ": ");
    const std::size_t at = svg.rfind("fill=\"#", title);
    return svg.substr(at + 6, 7);
  };
  EXPECT_EQ(fill("a"), fill("b"));
  EXPECT_NE(fill("a"), fill("c"));
  EXPECT_NE(fill("c"), fill("w"));
  EXPECT_THAT(svg, HasSubstr(">buffer live for 1 step</text>"));
  EXPECT_THAT(svg, HasSubstr(">8 steps</text>"));
  EXPECT_THAT(svg, HasSubstr(">weight</text>"));
}

TEST(Svg, ACrowdIsDrawnInHalfPixels) {
  PlacementProblem many;
  many.memories.push_back({.name = "m", .capacity = 1 << 20});
  Placement placed;
  for (int k = 0; k < 100'000; ++k) {
    many.buffers.push_back(
        {.id = "b" + std::to_string(k), .live = {{k % 5000, k % 5000 + 1}}, .size = 8});
    placed.places.push_back({0, Offset{k / 5000} * 8});
  }
  const std::string svg = placement_svg(many, placed);
  EXPECT_LT(svg.size(), std::size_t{4} << 20) << "a rectangle each would be 7 MiB";
  EXPECT_GT(count(svg, "<rect"), 1000U);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Svg, AThinUseOfALargeMemoryIsMagnified) {
  PlacementProblem one;
  one.memories.push_back({.name = "m", .capacity = 1 << 20});
  one.buffers.push_back({.id = "x", .live = {{0, 1}}, .size = 100});
  EXPECT_THAT(placement_svg(one, {{{0, 0}}, {}}), Not(HasSubstr(">1 MiB</text>")));
  one.buffers[0].size = 1 << 19;
  EXPECT_THAT(placement_svg(one, {{{0, 0}}, {}}), HasSubstr(">1 MiB</text>"));
}

TEST(Svg, DrawsEveryProblemEvenPlacedWrong) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    testing::Random random(seed);
    const PlacementProblem any = testing::random_problem(random, testing::Features::all());
    Placement everything_at_zero;
    everything_at_zero.places.resize(any.buffers.size());
    EXPECT_TRUE(balanced(placement_svg(any, everything_at_zero))) << seed;
  }
}

TEST(Svg, TicksAreRound) {
  EXPECT_THAT(svg::ticks(10, 5, false), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(svg::ticks(3, 8, true), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(svg::ticks(4096, 4, true), ElementsAre(0, 1024, 2048, 3072, 4096));
  EXPECT_THAT(svg::ticks(12, 4, false), ElementsAre(0, 5, 10));
  EXPECT_LE(svg::ticks(max_address, 8, true).size(), 17U);
  EXPECT_LE(svg::ticks(max_address, 12, false).size(), 30U);
}

}  // namespace
}  // namespace tessera::io
