// What happened to buffers in a guided search so far, and what is therefore known of a level.
//
//   History history(problem, build.plan.looks, contention, phases);
//   history.blame(buffer);                                      // part of a conflict
//   RetreatFeatures known = history.known_of(buffer, moment);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/guided/retreat.h"
#include "search/learning/place.h"

namespace tessera::search::guided {

/// The moment at which a level is looked at.
struct Moment {
  std::int32_t level = 0;    ///< the one in question
  std::int32_t failed = 0;   ///< the point that has no candidate left
  std::int64_t returns = 0;  ///< to this point
  std::int64_t below = 0;    ///< backtracks in its subtree
  bool same_phase = false;
  bool in_conflict = false;
  std::int32_t rank = 0;      ///< decisions of the conflict that are deeper
  std::int32_t conflict = 0;  ///< decisions in the conflict
  std::int64_t backtracks = 0;
  std::int64_t since_restart = 0;
};

class History {
 public:
  /// `contention`: by buffer (phases.h).
  History(std::span<const learning::Looks> looks, std::vector<double> contention);

  void blame(BufferIndex buffer) { ++blamed_[buffer]; }
  /// buffer: what was put there, no_buffer for a Boolean.
  [[nodiscard]] RetreatFeatures known_of(BufferIndex buffer, const Moment& moment) const;

 private:
  struct Still {
    float size = 0;
    float lifetime = 0;
    float contention = 0;
  };
  std::vector<Still> still_;          // what never changes, by buffer
  std::vector<std::int64_t> blamed_;  // by buffer
};

}  // namespace tessera::search::guided
