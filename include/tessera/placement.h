// Results: where buffers are placed, and what is proved about it.
//
//   if (result.status == Status::feasible) use(result.placement->places[b].offset);
//   if (result.status == Status::unknown) std::cout << to_string(result.stop);
//   // a limit is never a "no"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api.h"
#include "claim.h"
#include "problem.h"

namespace tessera {

/// The place of a buffer.
struct BufferPlace {
  MemoryIndex memory = 0;
  Offset offset = 0;
  friend bool operator==(const BufferPlace&, const BufferPlace&) = default;
};

/// Places for all buffers and modes for all steps.
struct Placement {
  std::vector<BufferPlace> places{};  ///< one per buffer, in the problem's order
  /// modes[m][t] is the name of the mode of memory m at step t. modes[m] is empty if memory m has
  /// no modes; else it has an entry for each step until the last placed buffer ends.
  std::vector<std::vector<std::string>> modes{};
  /// Optional buffers that are not placed, ascending. Their entries in `places` are meaningless.
  std::vector<BufferIndex> left_out{};
};

/// infeasible is always proved; unknown means that a limit or the solver ended the search.
enum class Status : std::uint8_t { feasible, infeasible, unknown };
/// Why a search ended; completed: no limit was reached.
enum class StopReason : std::uint8_t {
  completed,
  time_limit,
  node_limit,
  memory_limit,
  interrupted
};

/// The names in JSON and messages.
[[nodiscard]] TESSERA_API std::string_view to_string(Status status);
[[nodiscard]] TESSERA_API std::string_view to_string(StopReason reason);

/// Solver statistics: ordered name/value pairs for --stats and JSON.
struct Stat {
  std::string name{};
  std::variant<std::int64_t, double, std::string> value{};
};
using Stats = std::vector<Stat>;

/// The value of one objective (benefit is maximised, others are minimised).
struct ObjectiveValue {
  std::string name{};      ///< "height", "cost", "modes", "switches", "benefit" (in thousandths)
  std::int64_t value = 0;  ///< of the placement
  /// Proved: no placement has a smaller value (for the benefit: a larger one). For a later
  /// objective: no placement with the values of the earlier ones.
  std::int64_t bound = 0;
  bool proved = false;  ///< value == bound
  friend bool operator==(const ObjectiveValue&, const ObjectiveValue&) = default;
};
/// Merges statistics of several solver runs: each name once, at its first position. Numbers are
/// added, and different texts are joined.
[[nodiscard]] TESSERA_API Stats added_up(const Stats& stats);

/// The result of a placement query. The checker of check.h has accepted its placement.
struct PlacementResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::optional<Placement> placement{};  ///< present if and only if the status is feasible
  std::vector<Size> heights{};           ///< per memory: largest offset + size (0 if unused)
  std::vector<Size> lower_bounds{};      ///< per memory, proved
  Size height = 0;                       ///< the largest of `heights`
  Size lower_bound = 0;                  ///< proved bound on `height`
  bool proven_minimum = false;           ///< height == lower_bound
  Cost cost = 0;                         ///< of the soft relations
  Cost cost_bound = 0;                   ///< proved
  Benefit benefit = 0;                   ///< of the placed optional buffers
  Benefit benefit_bound = 0;             ///< proved: no placement has a larger benefit
  bool proven_optimal = false;           ///< all objectives but the height meet their bounds
  std::vector<ObjectiveValue> objectives{};
  /// In a result read from a file: the modes it calls unused, per memory.
  std::optional<std::vector<std::vector<std::string>>> unused_modes{};
  std::vector<Claim> certified{};   ///< claims that the requested certificate proves
  std::string certificate_error{};  ///< why it was not written; empty: no error
  std::string engine{};             ///< the solver that found it or proved infeasibility
  std::string reason{};             ///< why a placement or a proof is missing
  double seconds = 0;
  std::uint64_t seed = 0;
  Stats stats{};
};

}  // namespace tessera
