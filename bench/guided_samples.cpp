// Samples of impasses of the guided search. training/backtracking.py trains the forest of the
// learned backtracking on them.
//
//   bench_guided_samples SEED STEPS SECONDS [plain] [oracle] FILE... > samples.csv
//
// For every problem the guided search runs for at most STEPS steps and SECONDS, at 1.00, 1.02, 1.05
// and 1.10 times its capacity in turn. There is one row per level that the search could return to:
// the problem, the impasse, the label, whether the search itself chose it, a weight, and the
// features. The weight is the level of the impasse divided by the number of buffers.
//
// Labels are those of TelaMalloc (ASPLOS 2023, section 6), from runs that place everything. The
// deepest level whose decisions all are on the path finally taken has 10; deeper ones fall linearly
// towards the level that the search itself chose; levels further back have 0. At every other
// impasse a random level is taken, so that there are samples of several paths.
//
// With `oracle`, other engines decide whether the remaining decisions are part of a placement (see
// Oracle). Impasses that the oracle could not decide are omitted.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "model/random.h"
#include "search/guided/engine.h"
#include "tessera/check.h"
#include "tessera/files.h"
#include "tessera/place.h"

namespace {

using namespace tessera;
using search::guided::Impasse;
using search::guided::Retreat;
using search::guided::RetreatChooser;

constexpr auto patience = std::chrono::milliseconds(250);  // of one oracle query
constexpr int most_samples = 60;                           // impasses per problem

/// Prints the rows of an impasse. label: by position in impasse.retreats.
template <typename Label>
void print_rows(const std::string& name, int number, const std::vector<Retreat>& retreats,
                std::size_t buffers, const Label& label) {
  for (std::size_t k = 0; k < retreats.size(); ++k) {
    std::printf("%s,%d,%.4f,%d,%.4f", name.c_str(), number, label(k), k == 0 ? 1 : 0,
                static_cast<double>(retreats[0].level) / static_cast<double>(buffers));
    for (const float feature : retreats[k].features)
      std::printf(",%.5g", static_cast<double>(feature));
    std::printf("\n");
  }
}

/// Remembers impasses until the path finally taken is known.
class FinalPath final : public RetreatChooser {
 public:
  explicit FinalPath(std::uint64_t seed) : random_(seed) {}

  std::optional<std::size_t> choose(const Impasse& impasse) override {
    ++impasses_;
    const bool wanted = impasses_ <= 10 || random_.between(0, impasses_ / 10) == 0;
    if (wanted && samples_.size() < most_samples)
      samples_.push_back({impasses_,
                          {impasse.retreats.begin(), impasse.retreats.end()},
                          {impasse.decisions.begin(), impasse.decisions.end()}});
    if (!random_.chance(50)) return std::nullopt;
    return static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(impasse.retreats.size()) - 1));
  }

  void print(const std::string& name, const Placement& placed) const {
    for (const Sample& sample : samples_) {
      std::int32_t common = 0;
      for (const search::guided::Standing& decision : sample.decisions) {
        if (decision.buffer == search::guided::no_buffer ||
            placed.places[decision.buffer].offset != decision.offset)
          break;
        ++common;
      }
      const std::vector<Retreat>& retreats = sample.retreats;
      const auto best = std::find_if(retreats.begin(), retreats.end(),
                                     [&](const Retreat& each) { return each.level <= common; });
      if (best == retreats.end()) continue;
      const std::int32_t own = retreats[0].level;
      print_rows(name, sample.number, retreats, placed.places.size(), [&](std::size_t k) {
        const std::int32_t level = retreats[k].level;
        if (level < best->level) return 0.0;
        return 10.0 * (own - level + 1) / (own - best->level + 1);
      });
    }
  }

 private:
  struct Sample {
    int number = 0;
    std::vector<Retreat> retreats;
    std::vector<search::guided::Standing> decisions;
  };
  Random random_;
  int impasses_ = 0;
  std::vector<Sample> samples_;
};

/// Labels: 0 if the remaining decisions are part of no placement, otherwise 10 - 5 (x - best) /
/// (most - best + 1) for x levels back, with the minimum `best` and the maximum `most`. At every
/// other sampled impasse the search follows the oracle.
class Oracle final : public search::guided::RetreatChooser {
 public:
  Oracle(std::string name, PlacementProblem problem, std::uint64_t seed)
      : name_(std::move(name)), problem_(std::move(problem)), random_(seed) {}

  std::optional<std::size_t> choose(const Impasse& impasse) override {
    ++impasses_;
    // All of the first ones, later ones with decreasing probability: long searches repeat
    // themselves.
    const bool wanted = impasses_ <= 10 || random_.between(0, impasses_ / 10) == 0;
    if (!wanted || asked_ >= most_samples) return std::nullopt;
    ++asked_;
    const auto& retreats = impasse.retreats;
    // Going further back keeps fewer decisions, so the property of being part of a placement is
    // monotonic.
    std::size_t good = retreats.size();  // the deepest level known to be part of a placement
    std::size_t low = 0;
    while (low < good) {
      const std::size_t middle = (low + good) / 2;
      const auto placed = part_of_a_placement(impasse, retreats[middle].level);
      if (!placed) return std::nullopt;
      if (*placed)
        good = middle;
      else
        low = middle + 1;
    }
    print_rows(name_, impasses_, {retreats.begin(), retreats.end()}, problem_.buffers.size(),
               [&](std::size_t k) {
                 if (k < good) return 0.0;
                 const double best = retreats[0].level - retreats[good].level;
                 const double most = retreats[0].level - retreats.back().level;
                 const double back = retreats[0].level - retreats[k].level;
                 return 10 - 5 * (back - best) / (most - best + 1);
               });
    if (asked_ % 2 == 0 || good == retreats.size()) return std::nullopt;
    return good;
  }

 private:
  std::optional<bool> part_of_a_placement(const Impasse& impasse, std::int32_t level) {
    PlacementProblem kept = problem_;
    for (std::int32_t k = 0; k < level; ++k) {
      const search::guided::Standing& decision = impasse.decisions[static_cast<std::size_t>(k)];
      if (decision.buffer != search::guided::no_buffer)
        kept.buffers[decision.buffer].offset = decision.offset;
    }
    const PlacementResult found = place(kept, {.limits = {.timeout = patience, .threads = 1}});
    if (found.status == Status::unknown) return std::nullopt;
    return found.status == Status::feasible;
  }

  std::string name_;
  PlacementProblem problem_;
  Random random_;
  int impasses_ = 0;
  int asked_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::printf("bench_guided_samples SEED STEPS SECONDS [plain] [oracle] FILE...\n");
    return 0;
  }
  const auto seed = static_cast<std::uint64_t>(std::atoll(argv[1]));
  int first = 4;
  const auto word = [&](const char* wanted) {
    const bool there = first < argc && std::strcmp(argv[first], wanted) == 0;
    first += there ? 1 : 0;
    return there;
  };
  const bool plain = word("plain");
  const bool by_oracle = word("oracle");
  std::printf("problem,impasse,label,own,weight");
  for (const std::string_view feature : search::guided::retreat_features)
    std::printf(",%.*s", static_cast<int>(feature.size()), feature.data());
  std::printf("\n");
  constexpr std::array<double, 4> factors = {1.0, 1.02, 1.05, 1.1};
  for (int k = first; k < argc; ++k) {
    PlacementProblem problem = load_input(argv[k], {}).problem;
    const double factor = factors[static_cast<std::size_t>(k - first) % factors.size()];
    for (Memory& memory : problem.memories)
      if (memory.capacity < unbounded)
        memory.capacity = static_cast<Size>(static_cast<double>(memory.capacity) * factor);
    const std::uint64_t own = mix(seed, static_cast<std::uint64_t>(k));
    Oracle oracle(argv[k], problem, own);
    FinalPath path(own);
    search::GuidedParams params;
    if (plain) params = {.restarts = false, .learn = false, .sections = false};
    params.chooser = by_oracle ? static_cast<RetreatChooser*>(&oracle) : &path;
    const auto engine = search::make_guided_engine(params);
    if (engine->unsupported(problem, Objective::fit)) continue;
    engine::SearchParams search;
    search.seed = seed;
    search.budget.max_nodes = std::atoll(argv[2]);
    search.budget.deadline =
        std::chrono::steady_clock::now() +
        std::chrono::milliseconds(static_cast<std::int64_t>(std::atof(argv[3]) * 1000));
    const engine::SearchResult found = engine->solve(problem, search);
    if (found.placement && !by_oracle) path.print(argv[k], *found.placement);
    std::fprintf(stderr, "%s: %s\n", argv[k],
                 found.status == Status::feasible ? "placed" : "not placed");
    std::fflush(stdout);
  }
  return 0;
}
