// All complete engines at once: each solves the same problem, and is compared with brute force.
//
//   AllEngines engines;
//   const auto wrong = engines.wrong(problem, goal);
//   ASSERT_FALSE(wrong) << "seed " << seed << ", " << *wrong;
//   std::cout << engines.answered() << '\n';                     // " sat 12 sat (chains) 12 ..."
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "encoder/sat_engine.h"
#include "encoder/smt_engine.h"
#include "search/learning/engine.h"
#include "search/placement/canonical.h"
#include "tests/support/engine_agreement.h"
#include "tests/support/problem_text.h"

namespace tessera::testing {

class AllEngines {
 public:
  /// The first wrong result, with its engine and the problem. Engines that do not support the
  /// problem are skipped.
  [[nodiscard]] std::optional<std::string> wrong(const PlacementProblem& problem, Objective goal) {
    for (Entry& each : entries_) {
      if (!each.engine || each.engine->unsupported(problem, goal)) continue;
      ++each.answered;
      if (const auto why = wrong_answer(*each.engine, problem, goal, std::chrono::seconds(20)))
        return "engine " + name(each) + ": " + *why + '\n' + to_yaml(problem);
    }
    return std::nullopt;
  }

  /// Number of results per engine.
  [[nodiscard]] std::string answered() const {
    std::string text;
    for (const Entry& each : entries_)
      if (each.engine) text += ' ' + name(each) + ' ' + std::to_string(each.answered);
    return text;
  }

 private:
  struct Entry {
    std::unique_ptr<engine::PlacementEngine> engine;  ///< null for smt in a build without Z3
    std::string_view variant{};
    std::size_t answered = 0;
  };
  [[nodiscard]] static std::string name(const Entry& entry) {
    return std::string(entry.engine->name()) + std::string(entry.variant);
  }

  std::array<Entry, 5> entries_{
      Entry{encoder::make_sat_engine({})},
      Entry{encoder::make_sat_engine({.encoding = encoder::OffsetEncoding::chains}), " (chains)"},
      Entry{encoder::make_smt_engine({})}, Entry{search::make_canonical_engine()},
      Entry{search::make_learning_engine({})}};
};

}  // namespace tessera::testing
