// One problem, loaded once and asked many times: the loop of a tiling compiler or a search.
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
// Only numbers change between questions: sizes of buffers and capacities of memories. Everything
// else was looked at once, and what earlier answers say of the new numbers is known without a
// search: what did not fit at some sizes fits at no larger ones, and where all lay for some sizes
// it still may. `statistics` of a result counts what was reused.
//
// A session is used by one thread at a time; different sessions share nothing.
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

struct SessionParams {
  /// "auto", or a name of engine_list() (engines.h).
  std::string engine = "auto";
};

class TESSERA_API Session {
 public:
  /// Throws BadInput if validate(problem) is not empty, or the engine is not known or cannot take
  /// the problem.
  explicit Session(PlacementProblem problem, const SessionParams& params = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// The problem with the numbers it has now: for place(), explain(), write_problem() and the like.
  [[nodiscard]] const PlacementProblem& problem() const;

  /// Each throws BadInput for a buffer or memory that does not exist, a number that no valid
  /// problem has, and the capacity of a memory with banks, which is the sum of theirs. Then nothing
  /// has changed.
  void set_size(BufferIndex buffer, Size size);
  void set_sizes(std::span<const Size> sizes);  ///< one per buffer
  void set_capacity(MemoryIndex memory, Size capacity);

  /// Is there a placement now? With the engine "auto" the answer is that of place(problem(), {}),
  /// if not the placement.
  /// ensure: as place().
  [[nodiscard]] PlacementResult place(const Limits& limits = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
