// Which level the search goes back to when a point has no candidate left, and who may choose it.
//
//   class Mine final : public RetreatChooser {
//     std::optional<std::size_t> choose(const Impasse& impasse) override { ... }
//   };
//   auto engine = make_guided_engine({.chooser = &mine});           // asked at every impasse
//   auto learned = make_guided_engine({});                          // the forest that is shipped
//
// This is the learned backtracking of TelaMalloc (section 6): candidates are the decisions in the
// conflict and one level per exponential range; a forest of trees trained against an oracle (is
// what would be kept still part of a placement?) rates them, and where none is rated well the
// search goes where it always went. training/backtracking.py makes the forest.
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

/// What is known of a level: about the buffer that was put there, and about the search.
inline constexpr std::array<std::string_view, 16> retreat_features = {
    "size",         // by the largest there is
    "lifetime",     // by the longest there is
    "contention",   // the fullest step of its life, by the capacity
    "level",        // by the number of buffers
    "distance",     // levels between it and the one that failed, by the number of buffers
    "levels_back",  // the same as a logarithm of the number
    "blamed",       // how often the buffer was part of a conflict, a logarithm
    "returns",      // how often the search came back to this point, a logarithm
    "below",        // backtracks in its subtree, a logarithm
    "same_phase",   // as the buffer that failed
    "in_conflict",  // is its decision part of this conflict?
    "rank",         // how many decisions of the conflict are deeper
    "conflict",     // decisions in the conflict, by the level that failed
    "backtracks",   // of the whole search, a logarithm
    "since",        // since the last restart, a logarithm
    "buffers",      // a logarithm
};
using RetreatFeatures = std::array<float, retreat_features.size()>;

/// A level the search may go back to: whatever was decided below it stays.
struct Retreat {
  std::int32_t level = 0;
  RetreatFeatures features{};
};

/// A decision that stands.
struct Standing {
  BufferIndex buffer = 0;
  Size offset = 0;
};

struct Impasse {
  std::span<const Retreat> retreats;    ///< deepest first; the search's own choice is the first
  std::span<const Standing> decisions;  ///< by level; no_buffer for a Boolean
};

inline constexpr BufferIndex no_buffer = static_cast<BufferIndex>(-1);

class RetreatChooser {
 public:
  RetreatChooser() = default;
  RetreatChooser(const RetreatChooser&) = delete;
  RetreatChooser& operator=(const RetreatChooser&) = delete;
  virtual ~RetreatChooser() = default;
  /// Its position in impasse.retreats; nothing: the search's own choice.
  virtual std::optional<std::size_t> choose(const Impasse& impasse) = 0;
};

/// Rates by a forest (engine/forest.h) over retreat_features, and chooses the best rated from the
/// forest's threshold on. Throws BadInput where the text is no such forest.
[[nodiscard]] std::unique_ptr<RetreatChooser> make_forest_chooser(std::string_view forest);

/// By the forest that is shipped, which is read once, and not before the first impasse: most
/// problems have none.
class ShippedChooser final : public RetreatChooser {
 public:
  std::optional<std::size_t> choose(const Impasse& impasse) override;
};

/// That forest (search/guided/backtracking.forest).
[[nodiscard]] std::string_view shipped_backtracking();

}  // namespace tessera::search::guided
