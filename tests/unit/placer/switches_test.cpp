#include "placer/switches.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "placer/make_engine.h"
#include "tessera/errors.h"
#include "tessera/place.h"
#include "tessera/switches.h"

namespace tessera::placer {
namespace {

TEST(Switches, EachStandsForItself) {
  std::set<std::string_view> names;
  for (const Switch& each : switches_of()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(names.insert(each.name).second);
    EXPECT_FALSE(each.what.empty());
    EXPECT_EQ((each.rule != nullptr) + (each.number != nullptr) + (each.word != nullptr), 1);
    const std::string_view engine = each.name.substr(0, each.name.find('.'));
    EXPECT_NE(make_engine(engine), nullptr);
    // No two names change the same parameter.
    EngineParams defaults;
    const bool was = each.rule != nullptr && each.rule(defaults);
    const std::string value = each.word != nullptr     ? each.word->words().back()
                              : each.number != nullptr ? "12345"
                              : was                    ? "off"
                                                       : "on";
    EngineParams changed = engine_params(std::vector{std::string(each.name) + "=" + value});
    for (const Switch& other : switches_of()) {
      if (other.rule != nullptr)
        EXPECT_EQ(other.rule(changed) != other.rule(defaults), other.name == each.name)
            << other.name;
      else if (other.word != nullptr)
        EXPECT_EQ(other.word->get(changed) != other.word->get(defaults), other.name == each.name)
            << other.name;
      else
        EXPECT_EQ(other.number(changed) != other.number(defaults), other.name == each.name)
            << other.name;
    }
  }
  EXPECT_EQ(switch_list().size(), names.size());
}

TEST(Switches, OfOneEngineStandTogether) {
  std::size_t all = 0;
  for (const char* engine :
       {"canonical", "learning", "sat", "smt", "guided", "taa", "boxing", "greedy"})
    all += switches_of(engine).size();
  EXPECT_EQ(all, switches_of().size());
  EXPECT_TRUE(switches_of("weave").empty());
}

TEST(Switches, WhatIsWrongIsASentence) {
  const auto said = [](const std::string& engine, const std::string& setting) -> std::string {
    PlacementProblem problem;
    problem.memories.push_back({.name = "m", .capacity = 8});
    problem.buffers.push_back({.id = "a", .live = {{0, 1}}, .size = 4});
    try {
      static_cast<void>(place(problem, {.engine = engine, .switches = {setting}}));
    } catch (const BadInput& bad) {
      return std::string(bad.what()) + "; " + bad.hint;
    }
    return "";
  };
  EXPECT_EQ(said("learning", "learning.balance=off"), "");
  EXPECT_EQ(said("auto", "canonical.dominance=off"), "");
  EXPECT_EQ(said("learning", "learning.balanse=off"),
            "unknown switch 'learning.balanse'; did you mean `learning.balance`?");
  EXPECT_EQ(said("learning", "learning.balance"),
            "'learning.balance' has no value; write NAME=on, NAME=off, NAME=NUMBER or NAME=WORD");
  EXPECT_EQ(said("learning", "learning.balance=no"),
            "'learning.balance=no' is neither on nor off; ");
  EXPECT_EQ(said("guided", "guided.stuck_after=0"),
            "'guided.stuck_after=0': guided.stuck_after is a number from 1 to 2147483647; ");
  EXPECT_EQ(said("guided", "guided.strategy=longest"),
            "'guided.strategy=longest': guided.strategy is one of combined, lifetime, size, area, "
            "lowest; ");
  EXPECT_EQ(said("greedy", "greedy.order=skyline"), "");
  EXPECT_EQ(said("auto", "guided.learned=off"),
            "'guided.learned=off' has no effect: engine auto does not run engine guided; add "
            "--engine guided");
  EXPECT_EQ(said("canonical", "learning.balance=off"),
            "'learning.balance=off' has no effect: engine canonical does not run engine "
            "learning; add --engine learning");
}

}  // namespace
}  // namespace tessera::placer
