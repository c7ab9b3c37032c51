// Knees of synthetic curves, which can be read off directly.
#include "explorer/knees.h"

#include <gtest/gtest.h>

#include "explorer/page.h"
#include "io/sweep_page.h"

namespace tessera::explorer {
namespace {

using enum SweepStatus;

struct Made {
  std::string value;
  SweepStatus status = proved;
  std::optional<double> score;
  std::optional<double> bound;
};

/// One network, one key; the candidate with the lowest score is the best.
ExploreResult made(const std::vector<Made>& all, const std::string& key = "memories.m.capacity") {
  ExploreResult result;
  result.keys = {key};
  for (std::size_t c = 0; c < all.size(); ++c) {
    for (const char* network : {"net", "*"}) {
      ExploreRow row;
      row.candidate = c;
      row.values = {all[c].value};
      row.network = network;
      row.status = all[c].status;
      row.score = all[c].score;
      row.bound = all[c].status == proved ? all[c].score : all[c].bound;
      result.rows.push_back(row);
    }
    if (all[c].score && (!result.best || *all[c].score < *all[*result.best].score)) result.best = c;
  }
  return result;
}

std::string at(const Curve& curve, const std::optional<Knee>& knee) {
  return knee ? curve.points[knee->point].value : "none";
}

TEST(Knees, OfAProvedCurve) {
  const std::vector<Curve> all = curves(made({{"64 KiB", proved, 0.5},
                                              {"8 KiB", infeasible},
                                              {"16 KiB", proved, 0.9},
                                              {"32 KiB", proved, 0.504},
                                              {"1 MiB", proved, 0.5}}));
  ASSERT_EQ(all.size(), 2U);  // the network, and the set
  const Curve& curve = all[0];
  EXPECT_EQ(curve.network, "net");
  EXPECT_EQ(all[1].network, "*");
  ASSERT_EQ(curve.points.size(), 5U);
  EXPECT_EQ(curve.points[0].value, "8 KiB");  // ordered by value, not by text
  EXPECT_EQ(curve.points[4].value, "1 MiB");
  EXPECT_EQ(at(curve, curve.fits), "16 KiB");
  EXPECT_TRUE(curve.fits->proved);
  EXPECT_EQ(at(curve, curve.enough), "64 KiB");
  EXPECT_TRUE(curve.enough->proved);
  EXPECT_EQ(at(curve, curve.suffers), "16 KiB");  // 0.504 is within one percent
  EXPECT_TRUE(curve.suffers->proved);
}

TEST(Knees, WhatIsNotProvedHasAGap) {
  // 32 KiB is not proved to be worse than 0.5, and 128 KiB may gain a tenth.
  const Curve curve = curves(made({{"8 KiB", limit},
                                   {"16 KiB", infeasible},
                                   {"32 KiB", limit, 0.8, 0.4},
                                   {"64 KiB", proved, 0.5},
                                   {"128 KiB", limit, 0.5, 0.45}}))[0];
  EXPECT_EQ(at(curve, curve.fits), "32 KiB");
  EXPECT_FALSE(curve.fits->proved);
  EXPECT_EQ(curve.fits->open, std::vector<std::string>{"8 KiB"});
  EXPECT_EQ(at(curve, curve.enough), "64 KiB");
  EXPECT_FALSE(curve.enough->proved);
  EXPECT_NEAR(curve.enough->gap, 0.1, 1e-12);
  EXPECT_EQ(at(curve, curve.suffers), "32 KiB");
  EXPECT_FALSE(curve.suffers->proved);
  EXPECT_NEAR(curve.suffers->gap, (0.5 * 1.01 - 0.4) / 0.5, 1e-12);
}

TEST(Knees, ABoundOfWhatIsExcludedProves) {
  const Curve curve =
      curves(made({{"1", excluded, {}, 0.7}, {"2", proved, 0.5}, {"4", excluded, {}, 0.6}}))[0];
  EXPECT_EQ(at(curve, curve.suffers), "1");
  EXPECT_TRUE(curve.suffers->proved);
  EXPECT_EQ(at(curve, curve.enough), "2");
  EXPECT_TRUE(curve.enough->proved);
  EXPECT_FALSE(curve.fits->proved);  // it is unknown whether 1 has a plan
}

TEST(Knees, MoreMayBeWorse) {
  const Curve curve = curves(made({{"1 GHz", proved, 0.5}, {"2 GHz", proved, 0.9}}, "clock"))[0];
  EXPECT_EQ(at(curve, curve.enough), "1 GHz");
  EXPECT_EQ(at(curve, curve.suffers), "none");
}

TEST(Knees, OnlyOfNumbersBesideTheBest) {
  EXPECT_TRUE(curves(made({{"flat", proved, 1}, {"split", proved, 2}})).empty());
  EXPECT_TRUE(curves(made({{"8 KiB", proved, 1}, {"16 KiB", failed}})).empty());
  EXPECT_TRUE(curves(made({{"8 KiB", infeasible}, {"16 KiB", infeasible}})).empty());
  // Bytes per second and bytes per cycle cannot share an axis.
  EXPECT_FALSE(numbers_of({"1 B/cycle", "1 GB/s"}));
  EXPECT_EQ(numbers_of({"1 kB/s", "2 kB/s"}), (std::vector<double>{1000, 2000}));
  // Two keys: a row that differs from the best in both is on neither curve.
  ExploreResult two = made({{"1", proved, 0.5}, {"2", proved, 0.6}, {"3", proved, 0.7}});
  two.keys.emplace_back("other");
  for (ExploreRow& row : two.rows) row.values.emplace_back(row.candidate == 2 ? "9" : "8");
  const std::vector<Curve> all = curves(two);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].key, 0U);
  EXPECT_EQ(all[0].points.size(), 2U);
}

TEST(Page, NamesEndNothing) {
  const std::string evil = "</script><script>alert('\"&\\')</script><!--\n";
  ExploreResult result = made({{"8 KiB", proved, 0.5}, {"16 KiB", limit, 0.6, 0.4}}, evil);
  for (ExploreRow& row : result.rows) {
    if (row.network != "*") row.network = evil;
    row.reason = evil;
    row.values[0] += evil;
  }
  result.axes = {evil};
  NetworkPlan plan;
  plan.layers.push_back({.op = evil, .kind = evil, .bound_by = evil});
  const std::string page = io::sweep_page(
      evil, page_json({evil, evil, evil}, result, {{0, plan, evil, "<svg>" + evil}}));
  const auto count = [&page](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t k = page.find(text); k != std::string::npos; k = page.find(text, k + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("<script"), 2U);  // the data, and the script
  EXPECT_EQ(count("</script"), 2U);
  EXPECT_EQ(count("<!--"), 0U);
  EXPECT_EQ(count("<svg"), 0U);
  EXPECT_GT(count("\\u003c/script>"), 8U);
}

TEST(Page, ALargeSweepStaysSmall) {
  ExploreResult result;
  result.keys = {"memories.sram.capacity", "engines.mac.cores"};
  for (std::size_t c = 0; c < 5000; ++c)
    for (const char* network : {"resnet50", "mobilenet_v2", "*"}) {
      ExploreRow row;
      row.candidate = c;
      row.values = {std::to_string(c / 50 + 1) + " KiB", std::to_string(c % 50)};
      row.network = network;
      row.status = c % 2 == 0 ? proved : excluded;
      row.score = row.bound = 1.0 / static_cast<double>(c + 1);
      row.latency_cycles = row.energy_pj = row.dram_bytes = 1e6 + static_cast<double>(c);
      row.reason = "memories.sram.capacity=1 KiB dominates the bounds of this one in every metric";
      result.rows.push_back(row);
    }
  result.best = 4999;
  EXPECT_LT(page_json({"sweep.yaml", "base", "latency"}, result, {}).size(), 3U << 20U);
}

}  // namespace
}  // namespace tessera::explorer
