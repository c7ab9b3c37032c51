// Many machines, judged on a set of networks: what `tessera explore` runs.
//
//   const Sweep sweep("sweep.yaml");                           // throws BadInput, file and line
//   ExploreParams params;
//   params.store = "out/store.sqlite";                         // goes on where it was
//   const ExploreResult result = explore(sweep, params);
//   write_output("out/results.csv", results_csv(result));      // files.h
//   for (const ExploreRow& row : result.pareto) std::cout << row.score.value_or(0) << '\n';
//
// A candidate is the base profile with one choice of every varied key. Each is planned for each
// network until its plan is proved or the sweep's effort is spent; what does not depend on the
// machine, or on the part of it that changed, is computed once. With pruning, a candidate that can
// be shown to be no better than a finished one in anything is not planned to the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api.h"
#include "errors.h"
#include "limits.h"
#include "network_plan.h"
#include "placement.h"
#include "profile.h"

namespace tessera {

/// `tessera: sweep/1`, read, with its networks and its base profile.
class TESSERA_API Sweep {
 public:
  /// Throws BadInput ("file:line: ...") for whatever is wrong with the file, before anything is
  /// planned, and ImportStopped (import.h).
  explicit Sweep(const std::string& path, const Limits& limits = {},
                 const std::vector<std::string>& folders = {});
  /// `file` is for messages and for what networks are relative to.
  static Sweep from_text(std::string_view text, const std::string& file, const Limits& limits = {},
                         const std::vector<std::string>& folders = {});

  /// How many machines it asks for.
  [[nodiscard]] std::size_t candidates() const;
  [[nodiscard]] const std::vector<std::string>& keys() const;  ///< what varies
  [[nodiscard]] std::vector<std::string> networks() const;     ///< names
  /// The machine of a candidate, in the order of the grid. Throws BadInput where it is none.
  [[nodiscard]] Profile machine(std::size_t candidate) const;
  /// Does it ask for the fewest modes?
  [[nodiscard]] bool wants_modes() const;
  /// Every file it was read from.
  [[nodiscard]] const std::vector<std::string>& files() const;

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  explicit Sweep(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

enum class SweepStatus : std::uint8_t {
  proved,      ///< planned, and no plan is better
  limit,       ///< a limit ended it: the plan so far, if there is one, and a bound
  infeasible,  ///< proved: there is no plan
  excluded,    ///< not planned to the end: it cannot be better than another one
  failed,      ///< there is no such machine, or it cannot be simulated
};
[[nodiscard]] TESSERA_API std::string_view to_string(SweepStatus status);

/// A candidate and a network, or a candidate and the weighted set ("*").
struct ExploreRow {
  std::size_t candidate = 0;          ///< from 0, in the order of the grid
  std::vector<std::string> values{};  ///< of the varied keys
  std::string network{};
  SweepStatus status = SweepStatus::limit;
  std::optional<double> score{};  ///< of a plan that was found
  std::optional<double> bound{};  ///< proved: no plan scores less
  /// Of that plan; of the set: weighted means, and the largest peak.
  double latency_cycles = 0;
  double latency_ms = 0;
  double energy_pj = 0;
  double dram_bytes = 0;
  double peak_bytes = 0;
  std::optional<double> area{};  ///< mm2; nothing where the profile does not say what silicon costs
  std::string reason{};          ///< where there is no proved plan: why
};

struct ExploreCounts {
  std::int64_t planned = 0;   ///< plans made now
  std::int64_t stored = 0;    ///< plans that the store had
  std::int64_t excluded = 0;  ///< plans that were not needed
  std::int64_t alike = 0;     ///< made here for a machine that no plan can tell from this one
};

struct ExplorePlan {
  std::size_t candidate = 0;
  std::string network{};
  std::string json{};  ///< a PLAN.json (plan.h)
};

/// The fewest modes of its memories that the best machine can do with: what `modes:` of a sweep
/// asks, for each share of its score that a network may lose.
struct ExploreModes {
  struct Mode {
    std::string memory{};
    std::string name{};
    std::string roles{};  ///< of the banks: "0-11: data, 12-15: weight"
  };
  struct Score {
    std::string network{};
    double with_all = 0;     ///< of the plan with every mode
    double with_needed = 0;  ///< of the plan that was made with the needed ones alone
    double bound = 0;        ///< with those no plan scores less
    bool proved = false;     ///< nor less than `with_needed`
  };
  struct Set {
    double lose = 0;               ///< percent of its score that each network may lose
    std::string network{};         ///< the one it is for; "*": all of them
    std::vector<bool> needed{};    ///< per mode
    std::int64_t count = 0;        ///< so many of them
    std::int64_t bound = 0;        ///< no fewer do
    std::vector<Score> scores{};   ///< per network that it is for
    std::optional<double> area{};  ///< mm2, of the machine without the others
    std::string machine{};         ///< that machine as a profile
  };
  /// A network without one mode, with all the others. A mode that is the only one of its memory has
  /// none.
  struct Removal {
    std::size_t mode = 0;
    std::string network{};
    SweepStatus status = SweepStatus::limit;  ///< proved, limit or infeasible
    std::optional<double> score{};            ///< the least that is known
    std::optional<double> bound{};
  };
  std::size_t candidate = 0;
  std::vector<Mode> modes{};        ///< all there are
  std::vector<Set> sets{};          ///< by `lose`; "*" first, then each of several networks
  std::vector<Removal> removals{};  ///< by mode, networks inside
  std::vector<double> with_all{};   ///< scores, per network
  std::optional<double> area{};     ///< mm2, of the machine with all modes
  std::int64_t plans = 0;           ///< made to find that out
  std::int64_t stored = 0;          ///< that were known before
  std::string reason{};             ///< why nothing is known; then the rest is empty
};

struct ExploreResult {
  std::vector<std::string> keys{};
  std::vector<ExploreRow> rows{};           ///< by candidate, networks inside, then "*"
  std::vector<ExploreRow> pareto{};         ///< rows of "*" that no other beats in everything
  std::vector<std::string> axes{};          ///< in which: latency_ms, energy_pj, ..., area
  std::optional<std::size_t> best{};        ///< candidate with the best score of the set
  std::vector<ExplorePlan> plans{};         ///< of the candidates in `pareto` and of the best one
  std::optional<ExploreModes> modes{};      ///< where the sweep asks for it
  std::vector<PlanReference> references{};  ///< per network: what scores are relative to
  StopReason stop = StopReason::completed;
  ExploreCounts counts{};
  double seconds = 0;
};

struct ExploreProgress {
  std::size_t done = 0;
  std::size_t candidates = 0;
  std::size_t proved = 0;
  std::size_t excluded = 0;
  std::optional<double> best{};  ///< score of the set
  std::int64_t mode_plans = 0;   ///< of the search for the fewest modes, which comes last
};

class PlanMemory;

struct ExploreParams {
  /// Of the whole sweep: time, memory, threads and the stop token. Plans run side by side, each in
  /// one thread.
  Limits limits{};
  /// A file of SQLite that keeps what was planned; empty: nothing is kept. Several sweeps, and
  /// several processes at once, may use one.
  std::string store{};
  /// Called before candidates are planned, with those of them that the store does not know all of
  /// and that nothing excludes. Whoever has other machines plans them there (`only`) and puts what
  /// comes back into the store; what is not there afterwards is planned here. Results are the same.
  /// Needs a store.
  std::function<void(const std::vector<std::size_t>&)> ahead{};
  /// These candidates alone are planned, each for every network, for the sake of the store: the
  /// result has no row of others, and no front. Empty: all. Throws BadInput for one that there is
  /// not.
  std::vector<std::size_t> only{};
  /// Answers shared between candidates. Without, each is planned from nothing; the results are the
  /// same.
  bool share = true;
  /// What candidates share, kept for calls to come: sweeps of one process that are called part by
  /// part (`only`), or have networks or memories in common. Nothing: of this call alone.
  std::shared_ptr<PlanMemory> memory{};
  /// Called from one thread at a time.
  std::function<void(const ExploreProgress&)> progress{};
};

/// Throws BadInput where no candidate is a machine, or the store is none, and OutputError where the
/// store cannot be written.
[[nodiscard]] TESSERA_API ExploreResult explore(const Sweep& sweep, const ExploreParams& params);

[[nodiscard]] TESSERA_API std::string results_csv(const ExploreResult& result);
[[nodiscard]] TESSERA_API std::string pareto_csv(const ExploreResult& result);
/// A row per set and mode. require: result.modes.
[[nodiscard]] TESSERA_API std::string modes_csv(const ExploreResult& result);
/// The machine and the plans of each candidate in `result.plans`, into FOLDER/plans. Throws
/// OutputError.
TESSERA_API void save_plans(const Sweep& sweep, const ExploreResult& result,
                            const std::string& folder);
/// What was asked, by fingerprint, and how it went, as JSON.
[[nodiscard]] TESSERA_API std::string summary_json(const Sweep& sweep, const ExploreResult& result);
/// All of it as a page of HTML that needs nothing beside itself, with pictures of the plans in
/// `result.plans` as far as they make no more than some MB.
[[nodiscard]] TESSERA_API std::string explore_page(const Sweep& sweep, const ExploreResult& result);

}  // namespace tessera
