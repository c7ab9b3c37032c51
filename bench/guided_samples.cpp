// Samples of impasses of the guided search, labelled by an oracle. training/backtracking.py trains
// the forest of the learned backtracking on them.
//
//   bench_guided_samples SEED STEPS SECONDS [plain] FILE... > samples.csv
//
// For every problem the guided search runs for at most STEPS steps and SECONDS. At some impasses an
// oracle decides how far back the search has to go until the remaining decisions are part of a
// placement. The oracle is the other engines, with the remaining buffers fixed. There is one row
// per possible level: the problem, the impasse, the label, whether the search itself chose it, and
// the features. The label is 0 if the remaining decisions are part of no placement, otherwise 10 -
// 5 (x - best) / (most - best + 1) for x levels back, with the minimum `best` and the maximum
// `most`. TelaMalloc (ASPLOS 2023) labels differently: 10 for the deepest decision that the path
// finally taken has, less towards the minimum, 0 further back. Impasses that the oracle could not
// fully decide are omitted. At every other sampled impasse the search follows the oracle, so that
// there are samples from good paths as well.
#include <algorithm>
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

constexpr auto patience = std::chrono::milliseconds(250);  // of one oracle query
constexpr int most_samples = 60;                           // impasses per problem

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
    for (std::size_t k = 0; k < retreats.size(); ++k) {
      double label = 0;
      if (k >= good) {
        const double best = retreats[0].level - retreats[good].level;
        const double most = retreats[0].level - retreats.back().level;
        label = 10 - 5 * (retreats[0].level - retreats[k].level - best) / (most - best + 1);
      }
      std::printf("%s,%d,%.4f,%d", name_.c_str(), impasses_, label, k == 0 ? 1 : 0);
      for (const float feature : retreats[k].features)
        std::printf(",%.5g", static_cast<double>(feature));
      std::printf("\n");
    }
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
    std::printf("bench_guided_samples SEED STEPS SECONDS [plain] FILE...\n");
    return 0;
  }
  const auto seed = static_cast<std::uint64_t>(std::atoll(argv[1]));
  const bool plain = std::strcmp(argv[4], "plain") == 0;
  std::printf("problem,impasse,label,own");
  for (const std::string_view feature : search::guided::retreat_features)
    std::printf(",%.*s", static_cast<int>(feature.size()), feature.data());
  std::printf("\n");
  for (int k = plain ? 5 : 4; k < argc; ++k) {
    const PlacementProblem problem = load_input(argv[k], {}).problem;
    Oracle oracle(argv[k], problem, mix(seed, static_cast<std::uint64_t>(k)));
    search::GuidedParams params;
    if (plain) params = {.restarts = false, .learn = false, .sections = false};
    params.chooser = &oracle;
    const auto engine = search::make_guided_engine(params);
    if (engine->unsupported(problem, Objective::fit)) continue;
    engine::SearchParams search;
    search.seed = seed;
    search.budget.max_nodes = std::atoll(argv[2]);
    search.budget.deadline =
        std::chrono::steady_clock::now() +
        std::chrono::milliseconds(static_cast<std::int64_t>(std::atof(argv[3]) * 1000));
    const engine::SearchResult found = engine->solve(problem, search);
    std::fprintf(stderr, "%s: %s\n", argv[k],
                 found.status == Status::feasible ? "placed" : "not placed");
    std::fflush(stdout);
  }
  return 0;
}
