#include "explorer/mode_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tessera/profile.h"
#include "tests/support/paths.h"

namespace tessera::explorer {
namespace {

constexpr std::size_t modes = 6;

Profile machine() {
  std::string text =
      "tessera: hardware/1\nname: six\ninherit: ethos-u55-like\nmemories:\n  sram:\n"
      "    capacity: null\n    banks: 2\n    bank_size: 8 KiB\n    modes:\n";
  const char* roles[] = {"read, read",   "read, write", "write, read",
                         "write, write", "hold, read",  "read, hold"};
  for (std::size_t k = 0; k < modes; ++k)
    text += "      - {name: m" + std::to_string(k) + ", roles: [" + roles[k] + "]}\n";
  return Profile::from_text(text, "six.yaml", {testing::source_path("hw_profiles").string()});
}

using Chosen = std::set<std::string>;

Chosen names_of(const Hardware& hardware) {
  Chosen names;
  for (const HardwareMemory& memory : hardware.memories)
    for (const Mode& mode : memory.space.modes) names.insert(mode.name);
  return names;
}

/// Synthetic plans: fewer modes may be worse, better, or have no plan.
struct ModeScores {
  std::map<Chosen, double> scores;  ///< of the sets with a plan
  std::map<Chosen, Chosen> used;
};

ModeScores made_up(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Chosen one_of;  // without one of these there is no plan
  for (std::size_t k = 0; k < modes; ++k)
    if (below(2) == 0) one_of.insert('m' + std::to_string(k));
  const std::uint64_t steps = 1 + below(6);
  ModeScores made;
  for (unsigned bits = 1; bits < 1U << modes; ++bits) {
    Chosen in, used;
    for (std::size_t k = 0; k < modes; ++k)
      if ((bits >> k & 1U) != 0) in.insert('m' + std::to_string(k));
    if (!one_of.empty() &&
        std::ranges::none_of(in, [&](const auto& name) { return one_of.contains(name); }))
      continue;
    for (const std::string& name : in)
      if (below(3) != 0) used.insert(name);
    made.used[in] = used;
    made.scores[in] = 1 + 0.05 * static_cast<double>(below(steps) + (modes - in.size()) / 2);
  }
  return made;
}

TEST(ModeSets, AreThoseOfBruteForceWhateverPlansAreLike) {
  const Profile profile = machine();
  std::vector<SweepNetwork> networks(2);
  networks[0].name = "one";
  networks[1].name = "two";
  const Chosen all = names_of(profile.hardware());
  ASSERT_EQ(all.size(), modes);
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const ModeScores plans[] = {made_up(random), made_up(random)};
    std::set<std::pair<std::size_t, Chosen>> asked;
    ModeSetParams params{.lose = {0, 7}, .plan = {}, .budget = {}};
    params.plan = [&](std::size_t n, const Hardware& hardware, bool with_few_modes) {
      const Chosen in = names_of(hardware);
      if (!with_few_modes) {
        EXPECT_TRUE(asked.emplace(n, in).second) << "asked twice";
      }
      ModePlan plan{.known = {}, .used = {}, .made = true};
      const auto score = plans[n].scores.find(in);
      if (score == plans[n].scores.end()) {
        plan.known.status = SweepStatus::infeasible;
        return plan;
      }
      plan.known.status = SweepStatus::proved;
      plan.known.score = plan.known.bound = score->second;
      for (const std::string& name : plans[n].used.at(in)) plan.used.emplace(0, name);
      return plan;
    };
    const ExploreModes found = fewest_modes(profile, networks, params);
    ASSERT_EQ(found.reason, "");
    ASSERT_EQ(found.sets.size(), 6U);
    for (const ExploreModes::Set& set : found.sets) {
      const auto enough = [&](const Chosen& in) {
        for (std::size_t n = 0; n < 2; ++n) {
          if (set.network != "*" && set.network != networks[n].name) continue;
          const auto score = plans[n].scores.find(in);
          if (score == plans[n].scores.end() ||
              score->second > plans[n].scores.at(all) * (1 + set.lose / 100) + 1e-9)
            return false;
        }
        return true;
      };
      std::size_t fewest = modes;
      for (unsigned bits = 1; bits < 1U << modes; ++bits) {
        Chosen in;
        for (std::size_t k = 0; k < modes; ++k)
          if ((bits >> k & 1U) != 0) in.insert('m' + std::to_string(k));
        if (enough(in)) fewest = std::min(fewest, in.size());
      }
      Chosen needed;
      for (std::size_t k = 0; k < modes; ++k)
        if (set.needed[k]) needed.insert(found.modes[k].name);
      EXPECT_TRUE(enough(needed)) << set.network << ' ' << set.lose;
      EXPECT_EQ(needed.size(), fewest) << set.network << ' ' << set.lose;
      EXPECT_EQ(set.count, static_cast<std::int64_t>(fewest));
      EXPECT_EQ(set.bound, set.count);
      sizes.insert(fewest);
    }
  }
  EXPECT_GE(sizes.size(), 3U);
}

}  // namespace
}  // namespace tessera::explorer
