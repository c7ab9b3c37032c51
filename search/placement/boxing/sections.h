// Numbers the sections of time: see instance.h.
//
//   Sections sections;
//   for (const StepRange& live : lives) sections.add(live);
//   sections.close(poll);
//   Job job{.lower = sections.lower(live.lower), .upper = sections.upper(live.upper)};
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/polled_sort.h"
#include "search/placement/boxing/instance.h"
#include "tessera/units.h"

namespace tessera::search::boxing {

/// Births and deaths in order of time, deaths first; a birth after a death begins a new section.
class Sections {
 public:
  void add(StepRange steps) {
    births_.push_back(steps.lower);
    deaths_.push_back(steps.upper);
  }
  /// Throws BudgetEnded.
  void close(Poll& poll) {
    for (auto* steps : {&births_, &deaths_}) {
      sort_polled(*steps, poll);
      steps->erase(std::unique(steps->begin(), steps->end()), steps->end());
    }
    std::size_t death = 0;
    bool died = false;
    for (const Step birth : births_) {
      while (death < deaths_.size() && deaths_[death] <= birth) {
        death_section_.push_back(count_);
        died = true;
        ++death;
      }
      if (died) ++count_;
      died = false;
      birth_section_.push_back(count_);
    }
    death_section_.resize(deaths_.size(), count_);
    if (!births_.empty()) ++count_;
  }
  [[nodiscard]] Section count() const { return count_; }
  /// The sections of an added birth and an added death; [lower, upper) is never empty.
  [[nodiscard]] Section lower(Step birth) const { return birth_section_[find(births_, birth)]; }
  [[nodiscard]] Section upper(Step death) const { return death_section_[find(deaths_, death)] + 1; }

 private:
  static std::size_t find(const std::vector<Step>& steps, Step step) {
    return static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), step) -
                                    steps.begin());
  }
  std::vector<Step> births_;
  std::vector<Step> deaths_;
  std::vector<Section> birth_section_;
  std::vector<Section> death_section_;
  Section count_ = 0;
};

}  // namespace tessera::search::boxing
