// The choice of the level to backtrack to when a point has no candidate left.
//
//   class Mine final : public RetreatChooser {
//     std::optional<std::size_t> choose(const Impasse& impasse) override { ... }
//   };
//   auto engine = make_guided_engine({.chooser = &mine});           // asked at every impasse
//   auto learned = make_guided_engine({});                          // the forest that is shipped
//
// This is the learned backtracking of TelaMalloc (section 6). Candidates are the decisions in the
// conflict and one level per exponential range. A forest of regression trees rates them; it was
// trained against an oracle that tells whether the kept decisions are part of a placement. If no
// candidate is rated well, the search uses its default. training/backtracking.py makes the forest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/problem.h"

namespace tessera::search::guided {

/// Features of a level: of the buffer placed there, and of the search.
inline constexpr std::array<std::string_view, 16> retreat_features = {
    "size",         // divided by the largest
    "lifetime",     // divided by the longest
    "contention",   // at the fullest step of its life, divided by the capacity
    "level",        // divided by the number of buffers
    "distance",     // levels between it and the failed one, divided by the number of buffers
    "levels_back",  // logarithm of that number of levels
    "blamed",       // conflicts that contained the buffer, logarithm
    "returns",      // backtracks to this point, logarithm
    "below",        // backtracks in its subtree, logarithm
    "same_phase",   // same phase as the failed buffer
    "in_conflict",  // is its decision in this conflict?
    "rank",         // number of deeper decisions in the conflict
    "conflict",     // decisions in the conflict, divided by the failed level
    "backtracks",   // in the whole search, logarithm
    "since",        // backtracks since the last restart, logarithm
    "buffers",      // logarithm
};
using RetreatFeatures = std::array<float, retreat_features.size()>;

/// A candidate level: decisions up to it are kept.
struct Retreat {
  std::int32_t level = 0;
  RetreatFeatures features{};
};

/// A current decision.
struct Standing {
  BufferIndex buffer = 0;
  Size offset = 0;
};

struct Impasse {
  std::span<const Retreat> retreats;  ///< deepest first; the first one is the default of the search
  std::span<const Standing> decisions;  ///< by level; no_buffer for a Boolean
};

inline constexpr BufferIndex no_buffer = static_cast<BufferIndex>(-1);

class RetreatChooser {
 public:
  RetreatChooser() = default;
  RetreatChooser(const RetreatChooser&) = delete;
  RetreatChooser& operator=(const RetreatChooser&) = delete;
  virtual ~RetreatChooser() = default;
  /// A position in impasse.retreats; nothing: the default.
  virtual std::optional<std::size_t> choose(const Impasse& impasse) = 0;
};

/// Rates the candidates by a forest (engine/forest.h) over retreat_features, and chooses the best
/// one that reaches the forest's threshold. Throws BadInput if the text is not such a forest.
[[nodiscard]] std::unique_ptr<RetreatChooser> make_forest_chooser(std::string_view forest);

/// Uses the shipped forest, which is read at the first impasse, because most problems have none.
class ShippedChooser final : public RetreatChooser {
 public:
  std::optional<std::size_t> choose(const Impasse& impasse) override;
};

/// The shipped forest (search/guided/backtracking.forest).
[[nodiscard]] std::string_view shipped_backtracking();

}  // namespace tessera::search::guided
