// Evaluates many machines on a set of networks: the library side of `tessera explore`.
//
//   const Sweep sweep("sweep.yaml");                           // throws BadInput, file and line
//   ExploreParams params;
//   params.store = "out/store.sqlite";                         // goes on where it was
//   const ExploreResult result = explore(sweep, params);
//   write_output("out/results.csv", results_csv(result));      // files.h
//   for (const ExploreRow& row : result.pareto) std::cout << row.score.value_or(0) << '\n';
//
// A candidate is the base profile with one choice of every varied key. Each candidate is planned
// for each network until its plan is proved optimal or the sweep's effort is spent. Results that do
// not depend on the changed keys are computed once. With pruning, a candidate is skipped as soon as
// a finished one is proved at least as good in every objective.
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

/// A parsed `tessera: sweep/1` file with its networks and base profile.
class TESSERA_API Sweep {
 public:
  /// ensure: throws BadInput ("file:line: ...") for any error in the file before anything is
  /// planned, and ImportStopped (import.h) if a limit ends the reading of a network.
  explicit Sweep(const std::string& path, const Limits& limits = {},
                 const std::vector<std::string>& folders = {});
  /// `file` is used in messages, and network paths are relative to it.
  static Sweep from_text(std::string_view text, const std::string& file, const Limits& limits = {},
                         const std::vector<std::string>& folders = {});

  /// The number of candidates.
  [[nodiscard]] std::size_t candidates() const;
  [[nodiscard]] const std::vector<std::string>& keys() const;  ///< the varied keys
  [[nodiscard]] std::vector<std::string> networks() const;     ///< names
  /// The profile of a candidate, in the order of the grid.
  /// ensure: throws BadInput if the candidate is not a valid machine.
  [[nodiscard]] Profile machine(std::size_t candidate) const;
  /// Does the sweep ask for the fewest modes?
  [[nodiscard]] bool wants_modes() const;
  /// All files it was read from.
  [[nodiscard]] const std::vector<std::string>& files() const;

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  explicit Sweep(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// The outcome for one candidate and network.
enum class SweepStatus : std::uint8_t {
  proved,      ///< planned and proved optimal
  limit,       ///< a limit ended it: the best plan so far, if any, and a bound
  infeasible,  ///< proved: no plan exists
  excluded,    ///< skipped: proved not better than another candidate
  failed,      ///< the machine is invalid or cannot be simulated
};
/// The name of the status in tables.
[[nodiscard]] TESSERA_API std::string_view to_string(SweepStatus status);

/// A candidate and a network, or a candidate and the weighted set ("*").
struct ExploreRow {
  std::size_t candidate = 0;          ///< from 0, in the order of the grid
  std::vector<std::string> values{};  ///< of the varied keys, in the order of Sweep::keys()
  std::string network{};
  SweepStatus status = SweepStatus::limit;
  std::optional<double> score{};  ///< of the plan found
  std::optional<double> bound{};  ///< proved lower bound
  /// Metrics of that plan. For the set: weighted means, and the largest peak.
  double latency_cycles = 0;
  double latency_ms = 0;
  double energy_pj = 0;
  double dram_bytes = 0;
  double peak_bytes = 0;
  std::optional<double> area{};  ///< mm2; empty if the profile states no silicon costs
  std::string reason{};          ///< why there is no optimal plan; may be empty
};

/// Counters of a sweep.
struct ExploreCounts {
  std::int64_t planned = 0;   ///< plans made in this call
  std::int64_t stored = 0;    ///< plans found in the store
  std::int64_t excluded = 0;  ///< plans skipped
  std::int64_t alike = 0;     ///< plans shared between machines that are equal for planning
};

/// A plan of the result.
struct ExplorePlan {
  std::size_t candidate = 0;
  std::string network{};
  std::string json{};  ///< a PLAN.json (plan.h)
};

/// The fewest memory modes that the best machine needs: the result of `modes:` of a sweep, for each
/// permitted loss of score.
struct ExploreModes {
  struct Mode {
    std::string memory{};
    std::string name{};
    std::string roles{};  ///< roles of the banks: "0-11: data, 12-15: weight"
  };
  struct Score {
    std::string network{};
    double with_all = 0;     ///< score with all modes
    double with_needed = 0;  ///< score of the plan with the needed modes only
    double bound = 0;        ///< lower bound of the score with the needed modes
    bool proved = false;     ///< `with_needed` is proved optimal
  };
  struct Set {
    double lose = 0;               ///< permitted loss of score of each network, in percent
    std::string network{};         ///< name of the network; "*": all networks
    std::vector<bool> needed{};    ///< per mode
    std::int64_t count = 0;        ///< number of needed modes
    std::int64_t bound = 0;        ///< proved: no set has fewer modes
    std::vector<Score> scores{};   ///< per network
    std::optional<double> area{};  ///< mm2, of the machine with the needed modes only
    std::string machine{};         ///< that machine as a profile
  };
  /// The effect of removing one mode and keeping all others. The only mode of a memory cannot be
  /// removed.
  struct Removal {
    std::size_t mode = 0;
    std::string network{};
    SweepStatus status = SweepStatus::limit;  ///< proved, limit or infeasible
    std::optional<double> score{};            ///< the lowest known score
    std::optional<double> bound{};
  };
  std::size_t candidate = 0;
  std::vector<Mode> modes{};  ///< all modes of the machine
  std::vector<Set> sets{};    ///< by `lose`; "*" first, then each network if there are several
  std::vector<Removal> removals{};  ///< by mode, then by network
  std::vector<double> with_all{};   ///< scores with all modes, per network
  std::optional<double> area{};     ///< mm2, of the machine with all modes
  std::int64_t plans = 0;           ///< plans made for this
  std::int64_t stored = 0;          ///< plans that were already known
  std::string reason{};             ///< why there is no result; then the rest is empty
};

/// The result of explore().
struct ExploreResult {
  std::vector<std::string> keys{};
  std::vector<ExploreRow> rows{};     ///< by candidate, then by network, then "*"
  std::vector<ExploreRow> pareto{};   ///< rows of "*" that no other row dominates
  std::vector<std::string> axes{};    ///< objectives of `pareto`: latency_ms, energy_pj, ..., area
  std::optional<std::size_t> best{};  ///< candidate with the best score of the set
  std::vector<ExplorePlan> plans{};   ///< of the candidates in `pareto` and of the best one
  std::optional<ExploreModes> modes{};      ///< if the sweep asks for it
  std::vector<PlanReference> references{};  ///< per network: the reference of its scores
  StopReason stop = StopReason::completed;
  ExploreCounts counts{};
  double seconds = 0;
};

/// The state of a running sweep.
struct ExploreProgress {
  std::size_t done = 0;
  std::size_t candidates = 0;
  std::size_t proved = 0;
  std::size_t excluded = 0;
  std::optional<double> best{};  ///< best score of the set so far
  std::int64_t mode_plans = 0;   ///< plans of the search for the fewest modes, the last phase
};

class PlanMemory;

/// Parameters of explore().
struct ExploreParams {
  /// Time, memory, threads and stop token of the whole sweep. Plans run concurrently, in one thread
  /// each.
  Limits limits{};
  /// SQLite file that keeps finished plans; empty: none. Several sweeps and processes may share
  /// one.
  std::string store{};
  /// Called before planning, with the candidates that are not fully in the store and not excluded.
  /// A caller with other machines may plan them there (`only`) and merge the results into the
  /// store; this call plans the rest. The results are the same. Requires a store.
  std::function<void(const std::vector<std::size_t>&)> ahead{};
  /// If not empty, plan only these candidates, each for every network, and store the plans. The
  /// result has no rows of other candidates and no Pareto front.
  /// ensure: throws BadInput for an unknown candidate.
  std::vector<std::size_t> only{};
  /// Share intermediate results between candidates. The results do not depend on it.
  bool share = true;
  /// Cache that calls of one process share: calls for parts of a sweep (`only`), or sweeps with
  /// common networks or memories. Null: a cache for this call only.
  std::shared_ptr<PlanMemory> memory{};
  /// Called from one thread at a time.
  std::function<void(const ExploreProgress&)> progress{};
};

/// Runs the sweep.
/// ensure: throws BadInput if no candidate is a valid machine or the store is not a store, and
/// OutputError if the store cannot be written.
[[nodiscard]] TESSERA_API ExploreResult explore(const Sweep& sweep, const ExploreParams& params);

/// All rows, or the rows of the Pareto front, as CSV.
[[nodiscard]] TESSERA_API std::string results_csv(const ExploreResult& result);
[[nodiscard]] TESSERA_API std::string pareto_csv(const ExploreResult& result);
/// One row per set and mode.
/// require: result.modes.
[[nodiscard]] TESSERA_API std::string modes_csv(const ExploreResult& result);
/// Writes the machine and the plans of each candidate in `result.plans` to FOLDER/plans.
/// ensure: throws OutputError.
TESSERA_API void save_plans(const Sweep& sweep, const ExploreResult& result,
                            const std::string& folder);
/// The input, by fingerprint, and a summary of the run, as JSON.
[[nodiscard]] TESSERA_API std::string summary_json(const Sweep& sweep, const ExploreResult& result);
/// The result as a self-contained HTML page, with pictures of the plans in `result.plans` up to
/// some MB.
[[nodiscard]] TESSERA_API std::string explore_page(const Sweep& sweep, const ExploreResult& result);

}  // namespace tessera
