#include "explorer/mode_sets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "explorer/rows.h"
#include "model/derived.h"
#include "model/json_text.h"
#include "model/numeric.h"
#include "planner/modes.h"
#include "planner/smallest_set.h"

namespace tessera::explorer {
namespace {

using Set = std::vector<bool>;

/// How many further sets are tried after planning for the smallest one scored worse than known
/// plans.
constexpr int most_denials = 32;
/// How many sets are planned one by one to confirm that no smaller set is sufficient.
constexpr int most_confirmed = 1024;

struct OneMode {
  std::string memory;
  MemoryIndex index = 0;  ///< index among the on-chip memories
  Mode mode;
};

bool within(const Set& a, const Set& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] && !b[k]) return false;
  return true;
}

std::int64_t size_of(const Set& set) {
  return std::ranges::count(set, true);
}

std::vector<std::size_t> members(const Set& set) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < set.size(); ++k)
    if (set[k]) list.push_back(k);
  return list;
}

/// In the syntax of a memory's key `modes`.
std::string modes_text(const std::vector<OneMode>& modes, const Set& in,
                       const std::string& memory) {
  std::string text;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (!in[k] || modes[k].memory != memory) continue;
    std::string roles;
    for (const Role role : modes[k].mode.roles)
      roles += (roles.empty() ? "" : ", ") + std::string(to_string(role));
    text += (text.empty() ? "" : ", ") + ("{name: " + json_string(modes[k].mode.name)) +
            ", roles: [" + roles + "]}";
  }
  return '[' + text + ']';
}

/// In the syntax of a memory's key `banks`, without roles.
std::string banks_text(const Memory& memory) {
  std::string text;
  for (const Bank& bank : memory.banks)
    text += (text.empty() ? "{name: " : ", {name: ") + json_string(bank.name) +
            ", size: " + std::to_string(bank.size) + '}';
  return '[' + text + ']';
}

/// Adjacent banks with one role are merged: "0-11: data, 12-15: weight".
std::string roles_in_words(const Mode& mode) {
  std::string text;
  for (std::size_t first = 0; first < mode.roles.size();) {
    std::size_t end = first + 1;
    while (end < mode.roles.size() && mode.roles[end] == mode.roles[first]) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(first) +
            (end > first + 1 ? '-' + std::to_string(end - 1) : "") + ": " +
            std::string(to_string(mode.roles[first]));
    first = end;
  }
  return text;
}

class ModeSets {
 public:
  ModeSets(const Profile& machine, const std::vector<SweepNetwork>& networks,
           const ModeSetParams& params)
      : machine_(machine), params_(params), of_(networks.size()), names_(networks.size()) {
    for (std::size_t n = 0; n < networks.size(); ++n) names_[n] = networks[n].name;
  }

  ExploreModes run() {
    if (!find_modes() || !plan_with_all()) return std::move(found_);
    std::vector<std::size_t> all(of_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<Set> alone(of_.size(), Set(modes_.size(), true));  // with the previous loss
    Set together(modes_.size(), true);
    for (const double lose : params_.lose) {
      together = tell(lose, "*", all, together);
      for (std::size_t n = 0; n < of_.size() && of_.size() > 1; ++n) {
        const Set& start = size_of(together) < size_of(alone[n]) ? together : alone[n];
        alone[n] = tell(lose, names_[n], {n}, Set(start));
      }
    }
    evaluate_removals();
    return std::move(found_);
  }

 private:
  /// Known results of the sets with which a network was planned.
  struct Known {
    double with_all = 0;                         ///< score with all modes
    std::vector<std::pair<Set, double>> enough;  ///< modes that some plan uses, and its score
    std::map<Set, KnownPlan> planned;
  };

  bool find_modes() {
    MemoryIndex index = 0;
    for (const HardwareMemory& memory : machine_.hardware().memories) {
      if (memory.offchip) continue;
      const MemoryIndex at = index++;
      if (!has_modes(memory.space)) continue;
      const std::optional<std::vector<Mode>> modes = planner::modes_of(memory.space);
      if (!modes) {
        found_.reason = "memory " + memory.space.name +
                        " has `modes: per_bank`, which gives too many modes for this analysis";
        return false;
      }
      std::vector<std::size_t>& numbers = one_of_.emplace_back();
      for (const Mode& mode : *modes) {
        numbers.push_back(modes_.size());
        modes_.push_back({memory.space.name, at, mode});
        found_.modes.push_back({memory.space.name, mode.name, roles_in_words(mode)});
      }
    }
    if (modes_.empty()) found_.reason = "no memory of the machine has modes";
    return !modes_.empty();
  }

  [[nodiscard]] Profile with(const Set& in) const {
    Profile changed = machine_;
    std::vector<ProfileChange> changes;
    std::set<std::string> done;
    for (const OneMode& mode : modes_)
      if (done.insert(mode.memory).second)
        changes.emplace_back("memories." + mode.memory + ".modes",
                             modes_text(modes_, in, mode.memory));
    // Memories with independently switched banks get a table of modes.
    for (const HardwareMemory& memory : machine_.hardware().memories)
      if (memory.space.modes_per_bank && done.contains(memory.space.name))
        changes.emplace_back("memories." + memory.space.name + ".banks", banks_text(memory.space));
    changed.set(changes);
    return changed;
  }

  ModePlan plan(std::size_t n, const Hardware& hardware, bool with_few_modes) {
    ModePlan plan = params_.plan(n, hardware, with_few_modes);
    ++(plan.made ? found_.plans : found_.stored);
    if (plan.known.score) of_[n].enough.emplace_back(used_by(plan), *plan.known.score);
    return plan;
  }

  bool plan_with_all() {
    for (std::size_t n = 0; n < of_.size(); ++n) {
      const ModePlan first = plan(n, machine_.hardware(), false);
      if (!first.known.score) {
        found_ =
            ExploreModes{.reason = "no plan exists for " + names_[n] + " with all modes" +
                                   (first.known.reason.empty() ? "" : ": ") + first.known.reason};
        return false;
      }
      of_[n].with_all = *first.known.score;
      of_[n].planned[Set(modes_.size(), true)] = first.known;
      found_.with_all.push_back(of_[n].with_all);
      // Start from few modes that are sufficient.
      static_cast<void>(plan(n, machine_.hardware(), true));
    }
    found_.area = area_of(machine_);
    return true;
  }

  [[nodiscard]] Set used_by(const ModePlan& plan) const {
    Set used(modes_.size(), false);
    for (std::size_t k = 0; k < modes_.size(); ++k)
      used[k] = plan.used.contains({modes_[k].index, modes_[k].mode.name});
    return used;
  }

  [[nodiscard]] double most(std::size_t n, double lose) const {
    return of_[n].with_all * (1 + lose / 100) * (1 + tolerance);
  }

  /// The result of a plan with just these modes, whether or not a plan with fewer exists.
  static planner::Enough said(const KnownPlan& plan, double most) {
    if (plan.score && *plan.score <= most) return planner::Enough::yes;
    const bool refuted = plan.status == SweepStatus::infeasible ||
                         plan.status == SweepStatus::proved || plan.bound.value_or(0) > most;
    return refuted ? planner::Enough::no : planner::Enough::open;
  }

  /// The plan with just these modes.
  const KnownPlan& planned(std::size_t n, const Set& in) {
    std::map<Set, KnownPlan>& known = of_[n].planned;
    const auto at = known.find(in);
    if (at != known.end()) return at->second;
    KnownPlan answer;
    try {
      answer = plan(n, with(in).hardware(), false).known;
    } catch (const BadInput& bad) {  // without the other modes, the machine is invalid
      answer.status = SweepStatus::failed;
      answer.reason = bad.what();
    }
    return known.emplace(in, std::move(answer)).first->second;
  }

  planner::Enough ask(std::size_t n, const Set& in, double most) {
    for (const auto& [used, score] : of_[n].enough)
      if (score <= most && within(used, in)) return planner::Enough::yes;
    for (const auto& [set, plan] : of_[n].planned)
      if (within(in, set) && said(plan, most) == planner::Enough::no) return planner::Enough::no;
    return said(planned(n, in), most);
  }

  /// One rejection is sufficient; the network that rejected last is queried first.
  template <typename Ask>
  static planner::Enough ask_all(const std::vector<std::size_t>& networks, std::size_t& last_no,
                                 const Ask& ask) {
    planner::Enough all = planner::Enough::yes;
    for (std::size_t k = 0; k < networks.size() && all != planner::Enough::no; ++k) {
      const std::size_t at = (k + last_no) % networks.size();
      const planner::Enough answer = ask(networks[at]);
      if (answer == planner::Enough::no) last_no = at;
      if (answer != planner::Enough::yes) all = answer;
    }
    return all;
  }

  struct Found {
    Set set;
    std::int64_t bound = 0;
  };

  /// For these networks. require: `start` is sufficient, by plans made with it.
  Found search(double lose, const std::vector<std::size_t>& networks, const Set& start) {
    planner::SmallestSetParams search{.things = modes_.size(),
                                      .one_of = one_of_,
                                      .known = {},
                                      .enough = {},
                                      .budget = params_.budget};
    std::set<Set> denied;
    std::size_t last_no = 0;
    search.enough = [&](const Set& in) {
      if (denied.contains(in)) return planner::Enough::open;
      return ask_all(networks, last_no, [&](std::size_t n) { return ask(n, in, most(n, lose)); });
    };
    planner::SmallestSet smallest;
    for (int round = 0; round < most_denials; ++round) {
      const Set used = all_used(networks, lose);
      search.known =
          members(size_of(used) < size_of(start) && !denied.contains(used) ? used : start);
      smallest = planner::smallest_set(search);
      if (params_.budget.exhausted()) break;
      const Set in = as_set(smallest.set);
      const bool verified = std::ranges::all_of(networks, [&](std::size_t n) {
        return said(planned(n, in), most(n, lose)) == planner::Enough::yes;
      });
      if (verified) return {in, static_cast<std::int64_t>(smallest.bound)};
      // A known plan satisfies this set, but planning for it gives a worse one.
      denied.insert(in);
    }
    const Set in = as_set(smallest.set);
    return {was_planned(networks, in, lose) ? in : start,
            static_cast<std::int64_t>(smallest.bound)};
  }

  [[nodiscard]] Set as_set(const std::vector<std::size_t>& list) const {
    Set in(modes_.size(), false);
    for (const std::size_t k : list) in[k] = true;
    return in;
  }

  [[nodiscard]] bool was_planned(const std::vector<std::size_t>& networks, const Set& in,
                                 double lose) const {
    return std::ranges::all_of(networks, [&](std::size_t n) {
      const auto plan = of_[n].planned.find(in);
      return plan != of_[n].planned.end() &&
             said(plan->second, most(n, lose)) == planner::Enough::yes;
    });
  }

  /// Modes such that every network has a plan with no others.
  [[nodiscard]] Set all_used(const std::vector<std::size_t>& networks, double lose) const {
    Set all(modes_.size(), false);
    for (const std::size_t n : networks) {
      const Set* least = nullptr;
      for (const auto& [used, score] : of_[n].enough)
        if (score <= most(n, lose) && (least == nullptr || size_of(used) < size_of(*least)))
          least = &used;
      // the set of all modes is sufficient
      for (const std::size_t k : members(*least)) all[k] = true;
    }
    for (const std::vector<std::size_t>& list : one_of_)
      if (std::ranges::none_of(list, [&](std::size_t k) { return all[k]; }))
        all[list.front()] = true;
    return all;
  }

  /// The result for a set, without inference from plans with more modes.
  planner::Enough ask_itself(std::size_t n, const Set& in, double most) {
    for (const auto& [set, plan] : of_[n].planned)
      if (plan.status == SweepStatus::infeasible && within(in, set)) return planner::Enough::no;
    return said(planned(n, in), most);
  }

  /// Plans are proved optimal over tiles that depend on the available modes, so fewer modes may
  /// give a better plan (for example, with smaller tiles and less waiting). Thus insufficiency of a
  /// set does not imply that of its subsets, unless it has no plan at all. The subsets are planned
  /// as well, smallest first.
  Found confirmed(double lose, const std::vector<std::size_t>& networks, Found found) {
    const std::int64_t count = size_of(found.set);
    const std::int64_t least = static_cast<std::int64_t>(one_of_.size());
    int tried = 0;
    std::size_t last_no = 0;
    found.bound = count;
    for (std::int64_t size = least; size < count; ++size) {
      Set in(modes_.size(), false);
      std::fill(in.begin(), in.begin() + size, true);
      do {
        if (!has_all_memories(in)) continue;
        if (params_.budget.exhausted() || ++tried > most_confirmed) {
          found.bound = std::min(found.bound, size);
          return found;
        }
        const planner::Enough all = ask_all(
            networks, last_no, [&](std::size_t n) { return ask_itself(n, in, most(n, lose)); });
        if (all == planner::Enough::yes) return {in, std::min(found.bound, size)};
        if (all == planner::Enough::open) found.bound = std::min(found.bound, size);
      } while (std::prev_permutation(in.begin(), in.end()));
    }
    return found;
  }

  [[nodiscard]] bool has_all_memories(const Set& in) const {
    return std::ranges::all_of(one_of_, [&](const std::vector<std::size_t>& list) {
      return std::ranges::any_of(list, [&](std::size_t k) { return in[k]; });
    });
  }

  Set tell(double lose, const std::string& name, const std::vector<std::size_t>& networks,
           const Set& start) {
    const Found smallest = confirmed(lose, networks, search(lose, networks, start));
    ExploreModes::Set told{.lose = lose, .network = name, .needed = smallest.set};
    told.count = size_of(smallest.set);
    told.bound = std::min(told.count, smallest.bound);
    for (const std::size_t n : networks) {
      const KnownPlan& plan = of_[n].planned.at(smallest.set);
      ExploreModes::Score score{.network = names_[n], .with_all = of_[n].with_all};
      score.with_needed = plan.score.value();
      score.proved = plan.status == SweepStatus::proved;
      score.bound = score.proved ? score.with_needed : plan.bound.value_or(0);
      told.scores.push_back(score);
    }
    const Profile less = with(smallest.set);
    told.area = area_of(less);
    told.machine = less.yaml();
    found_.sets.push_back(std::move(told));
    return smallest.set;
  }

  /// The loss without each single mode. A plan that does not use the mode proves a loss of 0.
  void evaluate_removals() {
    for (const std::vector<std::size_t>& list : one_of_)
      for (const std::size_t mode : list) {
        if (list.size() == 1) continue;
        Set in(modes_.size(), true);
        in[mode] = false;
        for (std::size_t n = 0; n < of_.size(); ++n) {
          if (params_.budget.exhausted()) return;
          ExploreModes::Removal told{.mode = mode, .network = names_[n]};
          if (ask(n, in, most(n, 0)) == planner::Enough::yes) {
            told.status = SweepStatus::proved;
            told.score = told.bound = of_[n].with_all;
          } else {
            const KnownPlan& plan = planned(n, in);
            told.status = plan.status;
            told.score = plan.score;
            told.bound = plan.bound;
          }
          // A better plan that does not use it may be known.
          for (const auto& [used, score] : of_[n].enough)
            if (told.score && !used[mode] && score < *told.score) {
              told.score = score;
              told.bound = std::min(told.bound.value_or(score), score);
            }
          found_.removals.push_back(std::move(told));
        }
      }
  }

  const Profile& machine_;
  const ModeSetParams& params_;
  std::vector<OneMode> modes_;
  std::vector<std::vector<std::size_t>> one_of_;  ///< per memory: its modes
  std::vector<Known> of_;                         ///< per network
  std::vector<std::string> names_;
  ExploreModes found_;
};

}  // namespace

ExploreModes fewest_modes(const Profile& machine, const std::vector<SweepNetwork>& networks,
                          const ModeSetParams& params) {
  return ModeSets(machine, networks, params).run();
}

}  // namespace tessera::explorer
