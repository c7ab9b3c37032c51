// Answers: where everything lies, and how sure that is.
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

struct BufferPlace {
  MemoryIndex memory = 0;
  Offset offset = 0;
  friend bool operator==(const BufferPlace&, const BufferPlace&) = default;
};

struct Placement {
  std::vector<BufferPlace> places{};  ///< one per buffer, in the problem's order
  /// modes[m][t] is the name of the mode of memory m at step t; modes[m] is empty where memory m
  /// has no modes, else it has an entry for each step until the last placed buffer ends.
  std::vector<std::vector<std::string>> modes{};
  /// Optional buffers that are not placed, ascending. Their entries of `places` mean nothing.
  std::vector<BufferIndex> left_out{};
};

enum class Status : std::uint8_t { feasible, infeasible, unknown };
enum class StopReason : std::uint8_t {
  completed,
  time_limit,
  node_limit,
  memory_limit,
  interrupted
};

[[nodiscard]] TESSERA_API std::string_view to_string(Status status);
[[nodiscard]] TESSERA_API std::string_view to_string(StopReason reason);

/// What an engine did: ordered name/value pairs, printed with --stats and written into JSON.
struct Stat {
  std::string name{};
  std::variant<std::int64_t, double, std::string> value{};
};
using Stats = std::vector<Stat>;

/// One of the quantities that were minimised (the benefit: maximised), in their order.
struct ObjectiveValue {
  std::string name{};      ///< "height", "cost", "modes", "benefit" (in thousandths)
  std::int64_t value = 0;  ///< of the placement
  /// Proved: no placement has less (of the benefit: has more); of a later one of several: none that
  /// has the values of those before.
  std::int64_t bound = 0;
  bool proved = false;  ///< value == bound
  friend bool operator==(const ObjectiveValue&, const ObjectiveValue&) = default;
};
/// Every name once, where it stood first: an engine that was asked twice did both. Numbers are
/// added; different texts stand one after the other.
[[nodiscard]] TESSERA_API Stats added_up(const Stats& stats);

/// The answer to a placement question, after the checker of check.h has accepted it.
struct PlacementResult {
  Status status = Status::unknown;
  StopReason stop = StopReason::completed;
  std::optional<Placement> placement{};  ///< present iff status is feasible
  std::vector<Size> heights{};           ///< per memory: largest offset + size (0 if unused)
  std::vector<Size> lower_bounds{};      ///< per memory, proved
  Size height = 0;                       ///< the largest of `heights`
  Size lower_bound = 0;                  ///< proved bound on `height`
  bool proven_minimum = false;           ///< height == lower_bound, whatever was asked for
  Cost cost = 0;                         ///< of the soft relations
  Cost cost_bound = 0;                   ///< proved
  Benefit benefit = 0;                   ///< of the optional buffers that are placed
  Benefit benefit_bound = 0;             ///< proved: no placement has more
  bool proven_optimal = false;  ///< of what was asked for beside the height: it meets its bound
  std::vector<ObjectiveValue> objectives{};
  /// Of a result that was read from a file: the modes it calls unused, per memory.
  std::optional<std::vector<std::vector<std::string>>> unused_modes{};
  std::vector<Claim> certified{};   ///< what the certificate that was asked for proves
  std::string certificate_error{};  ///< why it could not be written; empty: it could, or need not
  std::string engine{};             ///< which engine found it or proved there is none
  std::string reason{};             ///< for infeasible / unknown: one sentence
  double seconds = 0;
  std::uint64_t seed = 0;
  Stats stats{};
};

}  // namespace tessera
