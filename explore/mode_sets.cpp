#include "explore/mode_sets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "explore/rows.h"
#include "model/derived.h"
#include "model/json_text.h"
#include "planner/plan_modes.h"
#include "planner/smallest_set.h"

namespace tessera {
namespace {

using Set = std::vector<bool>;

/// Scores are sums of rounded parts.
constexpr double slack = 1 + 1e-9;
/// So often another set is looked for where planning for the smallest did worse than was known.
constexpr int most_denials = 32;

struct OneMode {
  std::string memory;
  MemoryIndex index = 0;  ///< of those on the chip
  Mode mode;
};

bool within(const Set& a, const Set& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] && !b[k]) return false;
  return true;
}

/// As the value of a memory's key `modes`.
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

class ModeSets {
 public:
  ModeSets(const Profile& machine, const std::vector<SweepNetwork>& networks,
           const ModeSetParams& params)
      : machine_(machine), params_(params), of_(networks.size()), names_(networks.size()) {
    for (std::size_t n = 0; n < networks.size(); ++n) names_[n] = networks[n].name;
  }

  ExploreModes run() {
    found_.lose = params_.lose;
    if (!find_modes() || !plan_with_all()) return std::move(found_);
    const SmallestSet smallest = search();
    tell(smallest);
    return std::move(found_);
  }

 private:
  /// What is known of the sets with which a network was planned.
  struct Known {
    double most = 0;  ///< score
    double with_all = 0;
    std::vector<Set> good;  ///< modes that some plan uses which scores no more
    std::vector<Set> bad;   ///< sets with which none does
    std::map<Set, std::pair<Enough, double>> planned;
  };

  bool find_modes() {
    MemoryIndex index = 0;
    for (const HardwareMemory& memory : machine_.hardware().memories) {
      if (memory.offchip) continue;
      const MemoryIndex at = index++;
      if (!has_modes(memory.space)) continue;
      const std::optional<std::vector<Mode>> modes = modes_of(memory.space);
      if (!modes) {
        found_.reason = "memory " + memory.space.name +
                        " has banks with roles of their own, which make too many modes";
        return false;
      }
      std::vector<std::size_t>& numbers = one_of_.emplace_back();
      for (const Mode& mode : *modes) {
        numbers.push_back(modes_.size());
        modes_.push_back({memory.space.name, at, mode});
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
    changed.set(changes);
    return changed;
  }

  bool plan_with_all() {
    const Set all(modes_.size(), true);
    for (std::size_t n = 0; n < of_.size(); ++n) {
      of_[n].most = std::numeric_limits<double>::infinity();
      ++found_.plans;
      const NetworkPlan plan = params_.plan(n, machine_.hardware(), false);
      if (plan.status != Status::feasible) {
        found_.reason = "there is no plan of " + names_[n] + " with all modes" +
                        (plan.reason.empty() ? "" : ": " + plan.reason);
        return false;
      }
      Known& known = of_[n];
      known.with_all = plan.score;
      known.most = plan.score * (1 + params_.lose / 100) * slack;
      known.planned[all] = {Enough::yes, plan.score};
      // To begin with: few modes that are enough.
      ++found_.plans;
      const NetworkPlan few = params_.plan(n, machine_.hardware(), true);
      known.good.push_back(
          used_by(few.status == Status::feasible && few.score <= known.most ? few : plan));
    }
    return true;
  }

  [[nodiscard]] Set used_by(const NetworkPlan& plan) const {
    Set used(modes_.size(), false);
    for (const PlannedSubgraph& run : plan.subgraphs)
      for (const PlannedPlacement& placed : run.placements)
        for (std::size_t k = 0; k < modes_.size(); ++k) {
          const auto& names = placed.placement.modes[modes_[k].index];
          if (std::ranges::find(names, modes_[k].mode.name) != names.end()) used[k] = true;
        }
    return used;
  }

  /// By a plan with just these modes.
  Enough planned(std::size_t n, const Set& in) {
    Known& known = of_[n];
    if (const auto before = known.planned.find(in); before != known.planned.end())
      return before->second.first;
    ++found_.plans;
    const NetworkPlan plan = params_.plan(n, with(in).hardware(), false);
    Enough answer = Enough::open;
    double score = std::numeric_limits<double>::infinity();
    if (plan.status == Status::feasible) score = plan.score;
    if (score <= known.most) {
      answer = Enough::yes;
      known.good.push_back(used_by(plan));
    } else if (plan.status == Status::infeasible || plan.optimal || plan.bound > known.most) {
      answer = Enough::no;
      known.bad.push_back(in);
    }
    known.planned[in] = {answer, score};
    return answer;
  }

  Enough ask(std::size_t n, const Set& in) {
    const Known& known = of_[n];
    for (const Set& used : known.good)
      if (within(used, in)) return Enough::yes;
    for (const Set& bad : known.bad)
      if (within(in, bad)) return Enough::no;
    return planned(n, in);
  }

  SmallestSet search() {
    SmallestSetParams search{.things = modes_.size(),
                             .one_of = one_of_,
                             .known = {},
                             .enough = {},
                             .budget = params_.budget};
    search.enough = [this](const Set& in) {
      if (denied_.contains(in)) return Enough::open;
      Enough all = Enough::yes;
      for (std::size_t k = 0; k < of_.size(); ++k) {
        const std::size_t n = (k + last_no_) % of_.size();
        const Enough answer = ask(n, in);
        if (answer == Enough::no) {
          last_no_ = n;
          return answer;
        }
        if (answer == Enough::open) all = answer;
      }
      return all;
    };
    SmallestSet found;
    for (int round = 0; round < most_denials; ++round) {
      search.known = all_used();
      found = smallest_set(search);
      const Set in = members(found.set);
      if (params_.budget.exhausted()) break;
      bool verified = true;
      for (std::size_t n = 0; n < of_.size() && verified; ++n)
        verified = planned(n, in) == Enough::yes;
      if (verified) return found;
      // A plan that is known would do, but planning takes another way there.
      denied_.insert(in);
    }
    // All modes were planned with at the beginning.
    if (const Set in = members(found.set); !was_planned(in)) {
      found.set.clear();
      for (std::size_t k = 0; k < modes_.size(); ++k) found.set.push_back(k);
    }
    return found;
  }

  [[nodiscard]] bool was_planned(const Set& in) const {
    return std::ranges::all_of(of_, [&](const Known& known) {
      const auto planned = known.planned.find(in);
      return planned != known.planned.end() && planned->second.first == Enough::yes;
    });
  }

  /// Every network has a plan that uses no others; what was denied is not among them.
  [[nodiscard]] std::vector<std::size_t> all_used() const {
    Set used(modes_.size(), false);
    for (const Known& known : of_)
      for (std::size_t k = 0; k < used.size(); ++k)
        if (known.good.front()[k]) used[k] = true;
    for (const std::vector<std::size_t>& list : one_of_)
      if (std::ranges::none_of(list, [&](std::size_t k) { return used[k]; }))
        used[list.front()] = true;
    if (denied_.contains(used)) used.assign(used.size(), true);
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < used.size(); ++k)
      if (used[k]) list.push_back(k);
    return list;
  }

  [[nodiscard]] Set members(const std::vector<std::size_t>& list) const {
    Set in(modes_.size(), false);
    for (const std::size_t k : list) in[k] = true;
    return in;
  }

  void tell(const SmallestSet& smallest) {
    const Set in = members(smallest.set);
    for (std::size_t k = 0; k < modes_.size(); ++k)
      found_.modes.push_back({modes_[k].memory, modes_[k].mode.name, in[k]});
    found_.needed = static_cast<std::int64_t>(smallest.set.size());
    found_.bound = std::min(found_.needed, static_cast<std::int64_t>(smallest.bound));
    for (std::size_t n = 0; n < of_.size(); ++n) {
      const auto planned = of_[n].planned.find(in);
      found_.scores.push_back(
          {names_[n], of_[n].with_all,
           planned == of_[n].planned.end() ? of_[n].with_all : planned->second.second});
    }
    const Profile less = with(in);
    found_.before = area_of(machine_);
    found_.area = area_of(less);
    found_.machine = less.yaml();
  }

  const Profile& machine_;
  const ModeSetParams& params_;
  std::vector<OneMode> modes_;
  std::vector<std::vector<std::size_t>> one_of_;  ///< modes of each memory
  std::vector<Known> of_;                         ///< per network
  std::vector<std::string> names_;
  std::set<Set> denied_;
  std::size_t last_no_ = 0;
  ExploreModes found_;
};

}  // namespace

ExploreModes fewest_modes(const Profile& machine, const std::vector<SweepNetwork>& networks,
                          const ModeSetParams& params) {
  return ModeSets(machine, networks, params).run();
}

}  // namespace tessera
