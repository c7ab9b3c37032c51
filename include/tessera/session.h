// A problem that is solved repeatedly with changed sizes, as in a tiling compiler or a search.
//
//   Session session(problem);
//   for (const std::vector<Size>& sizes : candidates) {
//     session.set_sizes(sizes);
//     PlacementResult now = session.place({.timeout = 50ms});
//     if (now.status == Status::feasible) use(now.placement->places);
//   }
//
//   session.set_capacity(0, 192 << 10);          // what if the memory were smaller?
//   if (session.place().status == Status::infeasible)
//     std::cout << explain(session.problem(), {}).text;          // explain.h
//
// Between queries only numbers change: sizes of buffers and capacities of memories. Everything else
// is analysed once. Earlier results are reused without a search: if no placement exists for some
// sizes, none exists for larger ones, and a placement for some sizes holds for smaller ones.
// A result is reused for other sizes only if buffers of a relation `adjacent` keep theirs.
// PlacementResult::stats counts the reuse.
//
// A session may be used by one thread at a time; different sessions share no state.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "api.h"
#include "errors.h"
#include "limits.h"
#include "placement.h"
#include "problem.h"

namespace tessera {

/// Parameters of a session.
struct SessionParams {
  /// "auto" or a name from engine_list() (engines.h).
  std::string engine = "auto";
};

/// A loaded problem; movable, not copyable.
class TESSERA_API Session {
 public:
  /// throws: BadInput if validate(problem) is not empty, or if the engine is unknown or does not
  /// support the problem.
  explicit Session(PlacementProblem problem, const SessionParams& params = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// The problem with its current numbers, for place(), explain(), write_problem() and others.
  [[nodiscard]] const PlacementProblem& problem() const;

  /// Change numbers of the problem.
  /// throws: BadInput for an unknown buffer or memory, for a number that no valid problem has, and
  /// for the capacity of a memory with banks, which is the sum of theirs. The session is unchanged
  /// then.
  void set_size(BufferIndex buffer, Size size);
  void set_sizes(std::span<const Size> sizes);  ///< one per buffer
  void set_capacity(MemoryIndex memory, Size capacity);

  /// Searches for any placement of all buffers for the current numbers; objectives are ignored.
  /// With the engine "auto" the status equals that of place(problem(), {}); the placement may
  /// differ.
  /// ensure: as place().
  [[nodiscard]] PlacementResult place(const Limits& limits = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
