// The history of buffers in a guided search, from which features of a level are computed.
//
//   History history(problem, build.plan.traits, contention, phases);
//   history.blame(buffer);                                      // part of a conflict
//   RetreatFeatures known = history.known_of(buffer, moment);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/guided/retreat.h"
#include "search/learning/place.h"

namespace tessera::search::guided {

/// The state of the search when a level is rated.
struct Moment {
  std::int32_t level = 0;    ///< the level to rate
  std::int32_t failed = 0;   ///< the point without candidates
  std::int64_t returns = 0;  ///< to this point
  std::int64_t below = 0;    ///< backtracks in its subtree
  bool same_phase = false;
  bool in_conflict = false;
  std::int32_t rank = 0;      ///< number of deeper decisions in the conflict
  std::int32_t conflict = 0;  ///< number of decisions in the conflict
  std::int64_t backtracks = 0;
  std::int64_t since_restart = 0;
};

class History {
 public:
  /// `contention`: by buffer (phases.h).
  History(std::span<const learning::BufferTraits> traits, std::vector<double> contention);

  void blame(BufferIndex buffer) { ++blamed_[buffer]; }
  /// buffer: the one placed there, no_buffer for a Boolean.
  [[nodiscard]] RetreatFeatures known_of(BufferIndex buffer, const Moment& moment) const;

 private:
  struct Still {
    float size = 0;
    float lifetime = 0;
    float contention = 0;
  };
  std::vector<Still> still_;          // constant features by buffer
  std::vector<std::int64_t> blamed_;  // by buffer
};

}  // namespace tessera::search::guided
