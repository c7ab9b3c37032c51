#include "io/sweep_yaml.h"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

std::string with(const std::string& vary, const std::string& more = "") {
  return "tessera: sweep/1\nnetworks: [a.onnx, {file: b.yaml, weight: 2.5, name: b2}]\n"
         "hardware:\n  base: nvdla-like\n  vary:\n    k: " +
         vary + "\n" + more;
}

std::vector<std::string> values(const std::string& vary) {
  return read_sweep_yaml(with(vary), "s.yaml").vary.at(0).values;
}

std::string said(const std::string& text) {
  try {
    static_cast<void>(read_sweep_yaml(text, "s.yaml"));
  } catch (const InputError& error) {
    return std::string(error.what()) + (error.hint.empty() ? "" : " | " + error.hint);
  }
  return "nothing";
}

using Values = std::vector<std::string>;

TEST(SweepYaml, CountsRangesOut) {
  EXPECT_EQ(values("{from: 4, to: 16, times: 2}"), (Values{"4", "8", "16"}));
  EXPECT_EQ(values("{from: 4, to: 10, step: 3}"), (Values{"4", "7", "10"}));
  EXPECT_EQ(values("{from: 16 KiB, to: 70 KiB, times: 2}"), (Values{"16 KiB", "32 KiB", "64 KiB"}));
  EXPECT_EQ(values("{from: 512, to: 1 KiB, step: 512}"), (Values{"512", "1024"}));
  EXPECT_EQ(values("{from: 0.5 GHz, to: 1 GHz, step: 0.25 GHz}"),
            (Values{"0.5 GHz", "0.75 GHz", "1 GHz"}));
  EXPECT_EQ(values("{from: 0.1, to: 0.3, step: 0.1}"), (Values{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(values("{from: 1 B/cycle, to: 8 B/cycle, times: 2}").size(), 4U);
  EXPECT_EQ(values("[{C: 4, K: 8}, null, x]"), (Values{"{C: 4, K: 8}", "null", "x"}));
}

TEST(SweepYaml, ReadsTheRest) {
  const SweepText sweep =
      read_sweep_yaml(with("[1]",
                           "  where: [\"k < 2\"]\n"
                           "dtype: int8\nobjective: {latency: 0.5, energy: 0.5}\nreference: other\n"
                           "limits: {peak_memory: 512 KiB, area: 3.5}\n"
                           "effort: {timeout: 5s, work: 100, tile_shapes: 8}\n"
                           "strategy: {random: {samples: 10, seed: 3}, prune: false}\n"),
                      "s.yaml");
  ASSERT_EQ(sweep.networks.size(), 2U);
  EXPECT_EQ(sweep.networks[1].weight, 2.5);
  EXPECT_EQ(sweep.networks[1].name, "b2");
  EXPECT_EQ(sweep.where.at(0).line, 7U);
  EXPECT_EQ(sweep.objective.size(), 2U);
  EXPECT_EQ(sweep.limits.at(0).second, 524288);
  EXPECT_EQ(sweep.most_area, 3.5);
  EXPECT_EQ(sweep.timeout, std::chrono::seconds(5));
  EXPECT_EQ(sweep.work, 100);
  EXPECT_EQ(sweep.tile_shapes, 8);
  EXPECT_EQ(sweep.samples, 10);
  EXPECT_EQ(sweep.seed, 3U);
  EXPECT_FALSE(sweep.prune);
  EXPECT_TRUE(read_sweep_yaml(with("[1]", "strategy: grid\n"), "s.yaml").prune);
}

TEST(SweepYaml, NamesTheLineThatIsWrong) {
  EXPECT_EQ(said(with("[1]", "objectiv: {latency: 1}\n")),
            "s.yaml:7: the sweep has the unknown key `objectiv` | did you mean `objective`?");
  EXPECT_TRUE(said(with("[]")).starts_with("s.yaml:6: `k` has no values"));
  EXPECT_TRUE(said(with("5")).starts_with("s.yaml:6: "));
  EXPECT_TRUE(said(with("[1, 1]")).starts_with("s.yaml:6: `k` lists `1` twice"));
  EXPECT_TRUE(said(with("{from: 8, to: 4, times: 2}")).starts_with("s.yaml:6: "));
  EXPECT_TRUE(said(with("{from: 1, to: 4}")).starts_with("s.yaml:6: "));
  EXPECT_TRUE(said(with("{from: 1, to: 4, times: 1}")).starts_with("s.yaml:6: `times`"));
  EXPECT_TRUE(said(with("{from: 0, to: 4, times: 2}")).starts_with("s.yaml:6: "));
  EXPECT_TRUE(said(with("{from: 1 GHz, to: 4 MHz, step: 1 GHz}")).starts_with("s.yaml:6: `from`"));
  EXPECT_TRUE(said(with("{from: 1, to: 1e18, step: 1}")).starts_with("s.yaml:6: "));
  EXPECT_TRUE(said(with("[1]", "effort: {timeout: 0s}\n")).starts_with("s.yaml:7: `timeout`"));
  EXPECT_TRUE(said(with("[1]", "strategy: random\n")).starts_with("s.yaml:7: `random`"));
  EXPECT_TRUE(said(with("[1]", "objective: {latency: 0}\n")).starts_with("s.yaml:7: "));
  EXPECT_TRUE(said("tessera: sweep/1\nnetworks: []\nhardware: {base: x}\n")
                  .starts_with("s.yaml:2: `networks` is empty"));
  EXPECT_TRUE(said("tessera: sweep/2\n").starts_with("s.yaml:1: "));
}

}  // namespace
}  // namespace tessera::io
