#include "tests/support/brute_force.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/derived.h"
#include "tests/support/literal_rules.h"
#include "tests/support/rule_oracle.h"

namespace tessera::testing {
namespace {

constexpr std::size_t max_places = 256;
constexpr std::size_t most_states = 200'000;  ///< of problems with rules
using Domain = std::bitset<max_places>;
using ModeSet = std::uint64_t;  ///< bit k: mode k is possible

/// Enumerates places depth first. Choosing a place for one buffer removes the places of others that
/// a rule about both forbids, and the modes that its accesses forbid.
class Enumeration {
 public:
  Enumeration(const PlacementProblem& problem, OracleGoal goal)
      : problem_(problem), goal_(goal), count_(problem.buffers.size()) {
    for (const Buffer& buffer : problem.buffers) {
      steps_ = std::max(steps_, buffer.live.back().upper);
    }
    for (const Memory& memory : problem.memories) {
      modes_.push_back(all_modes(memory));
      if (modes_.back().size() > 64) throw std::length_error("too many modes for the oracle");
      const ModeSet every =
          modes_.back().size() == 64 ? ~ModeSet{0} : (ModeSet{1} << modes_.back().size()) - 1;
      possible_.emplace_back(static_cast<std::size_t>(steps_), every);
    }
    for (BufferIndex b = 0; b < count_; ++b) list_places(b);
    compare_places();
    rule_buffers_ = buffers_of_rules(problem);
    chosen_.resize(count_);
    placed_.assign(count_, false);
    heights_.assign(problem.memories.size(), 0);
    weights_.assign(count_, 1);
  }

  std::optional<OracleAnswer> run() {
    std::vector<Domain> domains;
    for (const auto& places : places_) {
      Domain all;
      for (std::size_t p = 0; p < places.size(); ++p)
        if (fits_alone(domains.size(), p)) all.set(p);
      domains.push_back(all);
    }
    descend(0, 0, domains);
    return std::move(best_);
  }

 private:
  /// By the rules about this buffer alone, and modes.
  bool fits_alone(BufferIndex b, std::size_t p) {
    if (problem_.rules.empty()) return true;
    const Place& place = places_[b][p];
    const std::vector<ModeSet> before = possible_[place.at.memory];
    chosen_[b] = p;
    placed_[b] = true;
    const bool fits = keeps_rules_with(b, place);
    placed_[b] = false;
    possible_[place.at.memory] = before;
    return fits;
  }

  struct Place {
    BufferPlace at;
    std::vector<ModeSet> modes;  ///< per step: modes this place allows; empty without modes
  };

  void finish_with_rules(std::int64_t value) {
    Placement found = placement();
    auto modes = possible_modes(found.places);
    if (!modes) return;
    if (goal_ == OracleGoal::modes || goal_ == OracleGoal::switches) {
      value = 0;
      for (const auto& names : *modes)
        value += goal_ == OracleGoal::modes
                     ? static_cast<std::int64_t>(std::set(names.begin(), names.end()).size())
                     : switches_of(names);
      if (best_ && value >= best_->value) return;
    }
    found.modes = std::move(*modes);
    best_ = OracleAnswer{std::move(found), value};
  }

  static std::int64_t switches_of(const std::vector<std::string>& names) {
    std::int64_t switches = 0;
    for (std::size_t t = 1; t < names.size(); ++t) switches += names[t] != names[t - 1] ? 1 : 0;
    return switches;
  }

  using ModeNames = std::vector<std::vector<std::string>>;

  /// By the rules whose buffers are all placed. Computed once for equal possible modes and places
  /// of these buffers.
  std::optional<ModeNames> possible_modes(const std::vector<BufferPlace>& places) {
    const ModeWish wish = !std::ranges::all_of(placed_, std::identity{}) ? ModeWish::any
                          : goal_ == OracleGoal::modes                   ? ModeWish::fewest
                          : goal_ == OracleGoal::switches                ? ModeWish::least_switches
                                                                         : ModeWish::any;
    std::vector<std::size_t> named;
    for (const auto& [buffers, about_modes] : rule_buffers_)
      for (const BufferIndex b : buffers)
        if (about_modes) named.push_back(placed_[b] ? chosen_[b] : max_places);
    named.push_back(static_cast<std::size_t>(wish));
    const std::pair key(possible_, std::move(named));
    if (const auto known = modes_of_.find(key); known != modes_of_.end()) return known->second;
    std::vector<ModeNames> allowed(modes_.size());
    for (MemoryIndex m = 0; m < modes_.size(); ++m)
      for (const ModeSet possible : modes_[m].empty() ? std::vector<ModeSet>{} : possible_[m]) {
        auto& names = allowed[m].emplace_back();
        for (std::size_t k = 0; k < modes_[m].size(); ++k)
          if ((possible >> k & 1) != 0) names.push_back(modes_[m][k].name);
      }
    auto found = modes_by_rules(problem_, places, placed_, allowed, wish);
    modes_of_.emplace(key, found);
    return found;
  }

  void list_places(BufferIndex b) {
    const Buffer& buffer = problem_.buffers[b];
    std::vector<Place>& places = places_.emplace_back();
    for (MemoryIndex m = 0; m < problem_.memories.size(); ++m) {
      const Memory& memory = problem_.memories[m];
      for (Offset offset = 0; offset + buffer.size <= memory.capacity; ++offset) {
        const BufferPlace at{m, offset};
        if (!literal::alone(problem_, b, at)) continue;
        Place place{at, {}};
        if (!modes_[m].empty()) {
          for (Step t = 0; t < steps_; ++t) {
            ModeSet set = 0;
            for (std::size_t k = 0; k < modes_[m].size(); ++k) {
              if (literal::mode_serves(problem_, b, at, t, modes_[m][k])) set |= ModeSet{1} << k;
            }
            place.modes.push_back(set);
          }
        }
        if (places.size() == max_places) throw std::length_error("too many places for the oracle");
        places.push_back(std::move(place));
      }
    }
  }

  void compare_places() {
    compatible_.resize(count_ * count_);
    costs_.resize(count_ * count_);
    for (BufferIndex a = 0; a < count_; ++a) {
      for (BufferIndex b = a + 1; b < count_; ++b) {
        const literal::Pair pair(problem_, a, b);
        auto& of_a = compatible_[a * count_ + b];
        auto& of_b = compatible_[b * count_ + a];
        of_a.resize(places_[a].size());
        of_b.resize(places_[b].size());
        costs_[a * count_ + b] = costs_[b * count_ + a] = pair.cost();
        for (std::size_t p = 0; p < places_[a].size(); ++p) {
          for (std::size_t q = 0; q < places_[b].size(); ++q) {
            if (!pair.allows(places_[a][p].at, places_[b][q].at)) continue;
            of_a[p].set(q);
            of_b[q].set(p);
          }
        }
      }
    }
  }

  void descend(std::size_t depth, std::int64_t value, const std::vector<Domain>& domains) {
    if (best_ && (goal_ == OracleGoal::any || value >= best_->value)) return;
    if (depth == count_) {
      if (problem_.rules.empty())
        best_ = OracleAnswer{placement(), value};
      else
        finish_with_rules(value);
      return;
    }
    if (!problem_.rules.empty() && was_searched(value, domains)) return;
    const BufferIndex next = next_buffer(domains);
    placed_[next] = true;
    for (std::size_t p = domains[next]._Find_first(); p < max_places;
         p = domains[next]._Find_next(p)) {
      try_place(depth, next, p, domains);
    }
    placed_[next] = false;
  }

  /// Few places, and buffers of rules that failed often (Boussemart et al.: Boosting systematic
  /// search by weighting constraints, 2004).
  [[nodiscard]] BufferIndex next_buffer(const std::vector<Domain>& domains) const {
    BufferIndex next = count_;
    double least = 0;
    for (BufferIndex b = 0; b < count_; ++b) {
      if (placed_[b]) continue;
      const double ratio = static_cast<double>(domains[b].count()) / weights_[b];
      if (next != count_ && ratio >= least) continue;
      next = b;
      least = ratio;
    }
    return next;
  }

  void try_place(std::size_t depth, BufferIndex b, std::size_t p,
                 const std::vector<Domain>& domains) {
    const Place& place = places_[b][p];
    const MemoryIndex m = place.at.memory;
    std::vector<Domain> narrowed = domains;
    for (BufferIndex other = 0; other < count_; ++other) {
      if (placed_[other]) continue;
      narrowed[other] &= compatible_[b * count_ + other][p];
      if (narrowed[other].none()) return;
    }
    chosen_[b] = p;
    const std::vector<ModeSet> modes_before = possible_[m];
    const Size height_before = heights_[m];
    const bool alive = keeps_rules_with(b, place);
    heights_[m] = std::max(heights_[m], place.at.offset + problem_.buffers[b].size);
    if (alive) descend(depth + 1, value_so_far(), narrowed);
    heights_[m] = height_before;
    possible_[m] = modes_before;
  }

  /// Did the search reach this state before, with at most this value? The state is everything that
  /// decides which places the remaining buffers may have, and which value results.
  bool was_searched(std::int64_t value, const std::vector<Domain>& domains) {
    std::string state;
    const auto add = [&](std::uint64_t number) {
      state.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    std::vector<bool> matters = placed_in_open_rules();
    for (BufferIndex b = 0; b < count_; ++b) {
      if (placed_[b]) {
        for (BufferIndex other = 0; goal_ == OracleGoal::cost && other < count_; ++other)
          matters[b] = matters[b] || (!placed_[other] && costs_[b * count_ + other] != 0);
        add(matters[b] ? chosen_[b] + 1 : 0);
        continue;
      }
      add(max_places + 1);
      const Domain low_bits(~std::uint64_t{0});
      for (std::size_t at = 0; at < places_[b].size(); at += 64)
        add(((domains[b] >> at) & low_bits).to_ullong());
    }
    for (MemoryIndex m = 0; m < modes_.size(); ++m)
      if (!modes_[m].empty())
        for (const ModeSet possible : possible_[m]) add(possible);
    if (goal_ == OracleGoal::height || goal_ == OracleGoal::top || goal_ == OracleGoal::heights)
      for (const Size height : heights_) add(static_cast<std::uint64_t>(height));
    if (searched_.size() >= most_states) throw std::length_error("too many states for the oracle");
    const auto [known, is_new] = searched_.try_emplace(std::move(state), value);
    if (is_new) return false;
    if (known->second <= value) return true;
    known->second = value;
    return false;
  }

  [[nodiscard]] bool are_placed(const std::set<BufferIndex>& buffers) const {
    return std::ranges::all_of(buffers, [&](BufferIndex b) { return placed_[b]; });
  }

  /// The placed buffers that a rule names which is not checked so far.
  [[nodiscard]] std::vector<bool> placed_in_open_rules() const {
    std::vector<bool> found(count_, false);
    for (const auto& [buffers, about_modes] : rule_buffers_) {
      if (!about_modes && are_placed(buffers)) continue;
      for (const BufferIndex b : buffers) found[b] = placed_[b];
    }
    return found;
  }

  /// The rules that the places so far decide. Narrows the possible modes.
  bool keeps_rules_with(BufferIndex b, const Place& place) {
    const MemoryIndex m = place.at.memory;
    bool alive = true;
    const std::vector<BufferPlace> places =
        problem_.rules.empty() ? std::vector<BufferPlace>{} : places_so_far();
    for (std::size_t r = 0; r < rule_buffers_.size() && alive; ++r) {
      const auto& [buffers, about_modes] = rule_buffers_[r];
      if (about_modes || (!buffers.empty() && !buffers.contains(b))) continue;
      alive = keeps_rule(problem_, problem_.rules[r].that, places, placed_).value_or(true);
      for (const BufferIndex each : buffers) weights_[each] += alive ? 0 : 1;
    }
    for (std::size_t t = 0; t < place.modes.size(); ++t) {
      possible_[m][t] &= place.modes[t];
      alive = alive && possible_[m][t] != 0;
    }
    const auto about_modes = [](const auto& rule) { return rule.second; };
    if (alive && std::ranges::any_of(rule_buffers_, about_modes))
      alive = possible_modes(places).has_value();
    return alive;
  }

  /// Of buffers that are not placed: anything.
  [[nodiscard]] std::vector<BufferPlace> places_so_far() const {
    std::vector<BufferPlace> places(count_);
    for (BufferIndex b = 0; b < count_; ++b)
      if (placed_[b]) places[b] = places_[b][chosen_[b]].at;
    return places;
  }

  /// Monotonic: it never decreases when another buffer is placed.
  [[nodiscard]] std::int64_t value_so_far() const {
    switch (goal_) {
      case OracleGoal::any:
        return 0;
      case OracleGoal::height:
        return std::accumulate(heights_.begin(), heights_.end(), Size{0});
      case OracleGoal::top:
        return *std::max_element(heights_.begin(), heights_.end());
      case OracleGoal::heights:
        return heights_so_far();
      case OracleGoal::cost:
        return cost_so_far();
      case OracleGoal::switches:
        return least_switches();
      case OracleGoal::modes:
        break;
    }
    std::int64_t total = 0;
    for (MemoryIndex m = 0; m < modes_.size(); ++m) total += std::popcount(fewest_modes(m));
    return total;
  }

  /// As digits, the largest height first.
  [[nodiscard]] std::int64_t heights_so_far() const {
    constexpr std::int64_t base = 1000;
    std::vector<Size> falling = heights_;
    std::sort(falling.rbegin(), falling.rend());
    std::int64_t total = 0;
    for (const Size height : falling) total = total * base + height;
    return total;
  }

  [[nodiscard]] Cost cost_so_far() const {
    Cost total = 0;
    for (BufferIndex a = 0; a < count_; ++a) {
      for (BufferIndex b = a + 1; b < count_; ++b) {
        const Cost cost = costs_[a * count_ + b];
        if (cost == 0 || !placed_[a] || !placed_[b]) continue;
        if (literal::share_an_address(problem_, a, places_[a][chosen_[a]].at, b,
                                      places_[b][chosen_[b]].at)) {
          total += cost;
        }
      }
    }
    return total;
  }

  /// A minimum set of modes that intersects the possible modes of every step.
  [[nodiscard]] ModeSet fewest_modes(MemoryIndex m) const {
    if (modes_[m].empty()) return 0;
    if (modes_[m].size() > 16) throw std::length_error("too many modes to count the fewest");
    const ModeSet all = (ModeSet{1} << modes_[m].size()) - 1;
    ModeSet best = all;
    for (ModeSet set = 0; set < all; ++set) {
      if (std::popcount(set) >= std::popcount(best)) continue;
      if (std::all_of(possible_[m].begin(), possible_[m].end(),
                      [&](ModeSet possible) { return (possible & set) != 0; })) {
        best = set;
      }
    }
    return best;
  }

  /// The modes with the fewest switches: for each step and mode, the switches up to there.
  [[nodiscard]] std::vector<std::size_t> steadiest(MemoryIndex m) const {
    constexpr std::int64_t never = 1'000'000;
    const std::size_t count = modes_[m].size();
    std::vector<std::vector<std::int64_t>> least;
    for (const ModeSet possible : possible_[m]) {
      std::vector<std::int64_t>& now = least.emplace_back(count, never);
      for (std::size_t k = 0; k < count; ++k) {
        if ((possible >> k & 1) == 0) continue;
        if (least.size() == 1) now[k] = 0;
        for (std::size_t from = 0; least.size() > 1 && from < count; ++from)
          now[k] = std::min(now[k], least[least.size() - 2][from] + (from == k ? 0 : 1));
      }
    }
    std::vector<std::size_t> chosen(least.size());
    for (std::size_t t = least.size(); t-- > 0;)
      for (std::size_t k = 0, best = count; k < count; ++k) {
        const bool last = t + 1 == least.size();
        const auto value = [&](std::size_t mode) {
          return least[t][mode] + (last || mode == chosen[t + 1] ? 0 : 1);
        };
        if (best == count || value(k) < value(best)) chosen[t] = best = k;
      }
    return chosen;
  }

  [[nodiscard]] std::int64_t least_switches() const {
    std::int64_t total = 0;
    for (MemoryIndex m = 0; m < modes_.size(); ++m) {
      if (modes_[m].empty()) continue;
      const std::vector<std::size_t> chosen = steadiest(m);
      for (std::size_t t = 1; t < chosen.size(); ++t) total += chosen[t] != chosen[t - 1] ? 1 : 0;
    }
    return total;
  }

  [[nodiscard]] Placement placement() const {
    Placement result;
    for (BufferIndex b = 0; b < count_; ++b) {
      result.places.push_back(places_[b][chosen_[b]].at);
    }
    result.modes.resize(modes_.size());
    for (MemoryIndex m = 0; m < modes_.size(); ++m) {
      if (modes_[m].empty()) continue;
      if (goal_ == OracleGoal::switches) {
        for (const std::size_t k : steadiest(m)) result.modes[m].push_back(modes_[m][k].name);
        continue;
      }
      const ModeSet wanted = goal_ == OracleGoal::modes ? fewest_modes(m) : ~ModeSet{0};
      for (const ModeSet possible : possible_[m]) {
        const int k = std::countr_zero(possible & wanted);
        result.modes[m].push_back(modes_[m][static_cast<std::size_t>(k)].name);
      }
    }
    return result;
  }

  const PlacementProblem& problem_;
  OracleGoal goal_;
  std::size_t count_;
  Step steps_ = 0;
  std::vector<std::vector<Mode>> modes_;         ///< per memory
  std::vector<std::vector<Place>> places_;       ///< per buffer
  std::vector<std::vector<Domain>> compatible_;  ///< [a * n + b][place of a]
  std::vector<Cost> costs_;                      ///< [a * n + b]
  std::vector<std::vector<ModeSet>> possible_;   ///< [memory][step]
  std::map<std::pair<std::vector<std::vector<ModeSet>>, std::vector<std::size_t>>,
           std::optional<ModeNames>>
      modes_of_;
  std::vector<std::pair<std::set<BufferIndex>, bool>> rule_buffers_;  ///< of each rule; about modes
  std::unordered_map<std::string, std::int64_t>
      searched_;  ///< states, and the value they began with
  std::vector<std::size_t> chosen_;
  std::vector<bool> placed_;
  std::vector<Size> heights_;
  std::vector<double> weights_;  ///< of buffers: how often rules about them failed
  std::optional<OracleAnswer> best_;
};

}  // namespace

std::vector<Mode> all_modes(const Memory& memory) {
  if (!memory.modes_per_bank) return memory.modes;
  std::vector<Mode> result(1);
  for (const Bank& bank : memory.banks) {
    std::vector<Mode> longer;
    for (const Mode& mode : result) {
      for (const Role role : bank.roles) {
        longer.push_back(mode);
        longer.back().roles.push_back(role);
      }
    }
    result = std::move(longer);
  }
  for (Mode& mode : result) mode.name = per_bank_mode_name(mode.roles);
  return result;
}

std::optional<OracleAnswer> brute_force(const PlacementProblem& problem, OracleGoal goal) {
  return Enumeration(problem, goal).run();
}

}  // namespace tessera::testing
