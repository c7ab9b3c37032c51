#include "placer/choose.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/optional.h"
#include "placer/make_engine.h"
#include "search/choice/choice.h"
#include "tessera/check.h"

namespace tessera::placer {

namespace {

using Clock = std::chrono::steady_clock;
using Unit = std::uint32_t;
using Units = std::vector<Unit>;
/// How hard a question is tried.
enum class Effort : std::uint8_t { greedy, quick, whole };

/// Nodes for one question of the first round, and how many times as many for each next round.
constexpr std::int64_t first_nodes = 100'000;
constexpr std::int64_t more_nodes = 8;
/// Nodes for a question on the way to a good answer, of which many are asked.
constexpr std::int64_t quick_nodes = 4'000;
/// Looks with less room than there is, each halving what is not known of how much less it takes.
constexpr int roomy_looks = 5;
constexpr double least_room = 0.75;
/// Greedy placements before anything is added up.
constexpr std::int64_t first_placements = 400;
/// Nodes of the first look at the sums; each look that was cut short doubles them.
constexpr std::int64_t first_sums = 500;
/// Sets without a placement for which a least one is looked for, of each look at the sums.
constexpr int least_sets = 4;

class Chooser {
 public:
  Chooser(const PlacementProblem& problem, const ChooseParams& params)
      : problem_(problem), params_(params), units_(optional_units(problem)) {
    for (const OptionalUnit& unit : units_) total_ += unit.benefit;
  }

  ChooseResult run() {
    result_.bound = total_;
    Decision first = place({});
    if (first.found.status != Status::feasible) {
      result_.answer = std::move(first);
      return std::move(result_);
    }
    accept({}, std::move(first));
    begin_somewhere();
    packing_ = search::packing_of(problem_, units_, params_.search.budget);
    sum_rows_ = packing_.rows.size();
    improve();
    keep_refuted();
    const bool proved = result_.benefit == result_.bound;
    result_.answer.found.stop = proved ? StopReason::completed : stop_;
    Stats& stats = result_.answer.found.stats;
    stats.push_back({"choice.placements", placements_});
    stats.push_back({"choice.sums", sums_});
    stats.push_back({"choice.nodes", nodes_});
    stats.push_back({"choice.least_sets", least_});
    return std::move(result_);
  }

 private:
  /// By unit: is it one of these?
  [[nodiscard]] std::vector<char> members(const Units& some) const {
    std::vector<char> is(units_.size(), 0);
    for (const Unit u : some) is[u] = 1;
    return is;
  }

  /// What an answer of the sums says is in; nothing where there is no answer.
  [[nodiscard]] Units in_of(const search::PackingResult& sums) const {
    Units in;
    for (Unit u = 0; u < sums.in.size(); ++u)
      if (sums.in[u] != 0 && units_[u].benefit > 0) in.push_back(u);
    return in;
  }

  /// What is left out where exactly these are in.
  [[nodiscard]] std::vector<BufferIndex> without(const Units& in) const {
    const std::vector<char> placed = members(in);
    std::vector<BufferIndex> out;
    for (Unit u = 0; u < units_.size(); ++u)
      if (placed[u] == 0) out.insert(out.end(), units_[u].buffers.begin(), units_[u].buffers.end());
    std::sort(out.begin(), out.end());
    return out;
  }

  [[nodiscard]] Benefit worth(const Units& in) const {
    Benefit sum = 0;
    for (const Unit u : in) sum += units_[u].benefit;
    return sum;
  }

  [[nodiscard]] bool search_limits_cost() const { return params_.search.at_most.has_value(); }
  [[nodiscard]] Objective goal() const {
    return search_limits_cost() ? Objective::cost : Objective::fit;
  }

  /// What pays too much is no placement; that there is none was proved if its bound says so.
  void judge_cost(const PlacementProblem& now, Decision& answer) const {
    const Cost most = *params_.search.at_most;
    if (!answer.found.placement || soft_cost(now, *answer.found.placement) <= most) return;
    answer.found.status = answer.found.bound > most ? Status::infeasible : Status::unknown;
    answer.found.placement.reset();
  }

  /// Asks for a placement of all that is required and these; of the whole problem if there is one.
  Decision place(const Units& in, Effort effort = Effort::whole) {
    ++placements_;
    std::vector<BufferIndex> out = without(in);
    const Restricted now = chosen(problem_, out);
    Decision answer;
    answer.engine = "choice";
    if (now.problem.buffers.empty()) {
      answer.found.status = Status::feasible;
      answer.found.placement = Placement{};
      answer.found.placement->modes.resize(problem_.memories.size());
    } else {
      engine::SearchParams search = params_.search;
      search.goal = goal();
      if (placements_ > 1)
        search.budget.max_nodes =
            std::min(nodes_left(), effort == Effort::whole ? slice_ : quick_nodes);
      if (search.budget.deadline != Clock::time_point::max() && placements_ > 1) {
        // The rest of the time is for more than one hard question.
        const auto left = search.budget.deadline - Clock::now();
        search.budget.deadline -= left - left / 8;
      }
      DecideParams settings = params_.settings;
      if (effort == Effort::greedy) settings.engine = "greedy";
      answer = decide(now.problem, search, settings);
      nodes_ += answer.found.stop == StopReason::node_limit
                    ? search.budget.max_nodes
                    : static_cast<std::int64_t>(now.problem.buffers.size());
    }
    if (search_limits_cost()) judge_cost(now.problem, answer);
    if (answer.found.placement)
      answer.found.placement = spread(problem_, now, std::move(out), *answer.found.placement);
    return answer;
  }

  /// The rows of sets, but for those that could not be decided.
  void keep_refuted() {
    for (std::size_t r = sum_rows_; r < packing_.rows.size(); ++r) {
      if (std::binary_search(open_rows_.begin(), open_rows_.end(), r)) continue;
      Units& together = result_.refuted.emplace_back();
      for (const auto& [unit, amount] : packing_.rows[r].terms) together.push_back(unit);
    }
  }

  void accept(const Units& in, Decision answer) {
    result_.benefit = worth(in);
    best_ = in;
    result_.answer = std::move(answer);
    tell();
  }

  void tell() const {
    if (params_.progress) params_.progress(result_.benefit, result_.bound);
  }

  [[nodiscard]] std::int64_t nodes_left() const {
    return std::max<std::int64_t>(1, params_.search.budget.max_nodes - nodes_);
  }

  [[nodiscard]] bool stopped() {
    if (stop_ != StopReason::completed) return true;
    if (nodes_ >= params_.search.budget.max_nodes)
      stop_ = StopReason::node_limit;
    else
      stop_ = params_.search.budget.exhausted().value_or(StopReason::completed);
    return stop_ != StopReason::completed;
  }

  void improve() {
    std::int64_t looks = first_sums;
    const Benefit enough = params_.enough.value_or(std::numeric_limits<Benefit>::max());
    const Benefit needed = params_.enough.value_or(0);
    while (result_.benefit < std::min(enough, result_.bound) && result_.bound >= needed &&
           !stopped()) {
      Budget budget = params_.search.budget;
      budget.max_nodes = std::min(looks, nodes_left());
      const search::PackingResult sums = search::best_packing(packing_, result_.benefit, budget);
      ++sums_;
      nodes_ += sums.nodes;
      result_.bound = std::min(result_.bound, std::max(sums.bound, undecided_));
      tell();
      if (sums.stop != StopReason::completed) looks *= 2;
      if (!sums.in.empty()) {
        // Of a set that could not be decided no larger one is asked for, either.
        attempt(in_of(sums), sums.bound);
      } else if (sums.stop == StopReason::completed && !next_round()) {
        return;
      }
    }
  }

  /// The sums know of nothing better: then what could not be decided is asked again, for longer.
  bool next_round() {
    if (undecided_ <= result_.benefit) {
      result_.bound = std::min(result_.bound, result_.benefit);
      return false;
    }
    for (; !open_rows_.empty(); open_rows_.pop_back())
      packing_.rows.erase(packing_.rows.begin() + static_cast<std::ptrdiff_t>(open_rows_.back()));
    undecided_ = 0;
    slice_ = slice_ > nodes_left() / more_nodes ? nodes_left() : slice_ * more_nodes;
    return true;
  }

  void attempt(Units in, Benefit most) {
    Decision answer = place(in);
    if (answer.found.status == Status::feasible) {
      accept(in, std::move(answer));
      return;
    }
    if (answer.found.status == Status::unknown) {
      if (stopped()) return;
      undecided_ = std::max(undecided_, most);
      open_rows_.push_back(packing_.rows.size());
      forbid(in);
      if (!roomy_) look_with_less_room();
      return;
    }
    if (!roomy_) look_with_less_room();
    // Most worth for what it takes goes first: what is refused then is worth least.
    by_density(in);
    const std::size_t before = packing_.rows.size();
    repair(in);
    if (packing_.rows.size() == before && !stopped()) forbid(least_of(std::move(in), {}));
  }

  /// What fills a memory to the last byte may be hard to place, or have no placement: what fills a
  /// little less of it is easier, and nearly as good. How much less is found by halving.
  void look_with_less_room() {
    roomy_ = true;
    double low = least_room;
    double high = 1;
    for (int look = 0; look < roomy_looks && !stopped(); ++look) {
      const double part = (low + high) / 2;
      search::PackingProblem less = packing_;
      for (std::size_t r = 0; r < sum_rows_; ++r)
        less.rows[r].capacity =
            static_cast<std::int64_t>(part * static_cast<double>(less.rows[r].capacity));
      Budget budget = params_.search.budget;
      budget.max_nodes = std::min(first_sums, nodes_left());
      const search::PackingResult sums = search::best_packing(less, 0, budget);
      nodes_ += sums.nodes;
      const Units in = in_of(sums);
      Decision answer = place(in, Effort::quick);
      if (answer.found.status != Status::feasible) {
        high = part;
        continue;
      }
      low = part;
      if (worth(in) > result_.benefit) accept(in, std::move(answer));
    }
    if (!best_.empty()) repair(best_);
  }

  [[nodiscard]] double density(Unit u) const {
    double area = 1;
    for (const BufferIndex b : units_[u].buffers)
      for (const StepRange& live : problem_.buffers[b].live)
        area += static_cast<double>(live.upper - live.lower) *
                static_cast<double>(problem_.buffers[b].size);
    return static_cast<double>(units_[u].benefit) / area;
  }

  /// These are never all in.
  void forbid(const Units& together) {
    search::PackingRow row{.terms = {}, .capacity = static_cast<std::int64_t>(together.size()) - 1};
    for (const Unit u : together) row.terms.emplace_back(u, 1);
    packing_.rows.push_back(std::move(row));
  }

  void by_density(Units& units) const {
    std::vector<double> densities(units_.size(), 0);
    for (const Unit u : units) densities[u] = density(u);
    std::sort(units.begin(), units.end(), [&](Unit a, Unit b) {
      return densities[a] != densities[b] ? densities[a] > densities[b] : a < b;
    });
  }

  [[nodiscard]] Units all_but(const Units& some) const {
    const std::vector<char> among = members(some);
    Units others;
    for (Unit u = 0; u < units_.size(); ++u)
      if (among[u] == 0 && units_[u].benefit > 0) others.push_back(u);
    return others;
  }

  /// An answer before anything is added up, from greedy placements alone.
  void begin_somewhere() {
    const bool known = params_.settings.engine == "auto" &&
                       !make_known_engine("greedy")->unsupported(problem_, goal());
    effort_ = known ? Effort::greedy : Effort::quick;
    const std::int64_t before = placements_;
    most_placements_ = before + first_placements;
    if (params_.search.budget.deadline != Clock::time_point::max())
      until_ = Clock::now() + (params_.search.budget.deadline - Clock::now()) / 4;
    repair({});
    effort_ = Effort::quick;
    most_placements_ = std::numeric_limits<std::int64_t>::max();
    until_ = Clock::time_point::max();
  }

  /// As many of a set without a placement as can be placed, then as many of the others: an answer
  /// on the way, and small sets that have none.
  void repair(const Units& in) {
    Units placed;
    std::optional<Decision> answer;
    int refused = 0;
    add(placed, in, answer, refused);
    Units others = all_but(in);
    by_density(others);
    add(placed, others, answer, refused);
    if (!answer || worth(placed) <= result_.benefit) return;
    std::sort(placed.begin(), placed.end());
    accept(placed, std::move(*answer));
  }

  void add(Units& placed, const Units& more, std::optional<Decision>& answer, int& refused) {
    if (more.empty() || stopped()) return;
    if (placements_ >= most_placements_ || Clock::now() >= until_) return;
    Units all = placed;
    all.insert(all.end(), more.begin(), more.end());
    if (!ruled_out(all)) {
      Decision found = place(all, effort_);
      if (found.found.status == Status::feasible) {
        placed = std::move(all);
        answer = std::move(found);
        return;
      }
      if (more.size() == 1) {
        if (found.found.status == Status::infeasible && effort_ != Effort::greedy &&
            ++refused <= least_sets)
          forbid(least_of(placed, more));
        return;
      }
    } else if (more.size() == 1) {
      return;
    }
    const auto middle = more.begin() + static_cast<std::ptrdiff_t>(more.size() / 2);
    add(placed, {more.begin(), middle}, answer, refused);
    add(placed, {middle, more.end()}, answer, refused);
  }

  /// Do the sums say that these are too many?
  [[nodiscard]] bool ruled_out(const Units& in) const {
    const std::vector<char> placed = members(in);
    return std::any_of(packing_.rows.begin(), packing_.rows.end(),
                       [&](const search::PackingRow& row) {
                         std::int64_t sum = 0;
                         for (const auto& [unit, amount] : row.terms)
                           sum += placed[unit] != 0 ? amount : 0;
                         return sum > row.capacity;
                       });
  }

  /// QuickXplain: of `from`, a part that with `kept` has no placement, and without any one of it
  /// might have (a question that was not decided counts as a placement).
  /// require: all of both have none.
  Units least_of(Units from, const Units& kept) {
    ++least_;
    Units least = explain(kept, false, std::move(from));
    least.insert(least.end(), kept.begin(), kept.end());
    std::sort(least.begin(), least.end());
    return least;
  }

  Units explain(const Units& kept, bool changed, Units from) {
    if (changed && !stopped() && place(kept).found.status == Status::infeasible) return {};
    if (from.size() <= 1 || stopped()) return from;
    const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
    const Units first(from.begin(), middle);
    Units with = kept;
    with.insert(with.end(), first.begin(), first.end());
    Units second = explain(with, !first.empty(), {middle, from.end()});
    with = kept;
    with.insert(with.end(), second.begin(), second.end());
    Units both = explain(with, !second.empty(), first);
    both.insert(both.end(), second.begin(), second.end());
    return both;
  }

  const PlacementProblem& problem_;
  const ChooseParams& params_;
  std::vector<OptionalUnit> units_;
  Benefit total_ = 0;
  search::PackingProblem packing_;
  std::size_t sum_rows_ = 0;       ///< the first rows of it; those of small sets follow
  Effort effort_ = Effort::quick;  ///< of questions on the way
  std::int64_t most_placements_ = std::numeric_limits<std::int64_t>::max();
  Clock::time_point until_ = Clock::time_point::max();
  bool roomy_ = false;                  ///< looked with less room
  Units best_;                          ///< what is in
  std::vector<std::size_t> open_rows_;  ///< of sets that were not decided, ascending
  Benefit undecided_ = 0;               ///< the largest benefit of such a set, in this round
  std::int64_t slice_ = first_nodes;
  ChooseResult result_;
  StopReason stop_ = StopReason::completed;
  std::int64_t placements_ = 0;
  std::int64_t sums_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t least_ = 0;
};

}  // namespace

ChooseResult choose(const PlacementProblem& problem, const ChooseParams& params) {
  return Chooser(problem, params).run();
}

}  // namespace tessera::placer
