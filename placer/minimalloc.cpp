#include "placer/minimalloc.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "io/files.h"
#include "io/minimalloc_csv.h"

namespace tessera::placer {

namespace {

/// Also for capacities that no memory can have.
MinimallocResult nothing_fits(std::int64_t capacity, const std::string& id) {
  MinimallocResult answer;
  answer.status = Status::infeasible;
  answer.reason =
      "the capacity is " + std::to_string(capacity) + ", in which '" + id + "' does not fit";
  return answer;
}

MinimallocResult place_bytes(const io::MinimallocProblem& asked, const MinimallocQuery& question,
                             Placement& placement) {
  MinimallocResult answer;
  if (asked.problem.buffers.empty()) {
    answer.status = Status::feasible;
    return answer;
  }
  PlaceParams params = question.params;
  params.minimize = question.minimize ? Objective::height : Objective::fit;
  const auto begin = std::chrono::steady_clock::now();
  const PlacementResult result = place(asked.problem, params);
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  answer.status = result.status;
  answer.stop = result.stop;
  answer.reason = result.reason;
  answer.height = result.height;
  if (result.placement) placement = *result.placement;
  return answer;
}

}  // namespace

MinimallocResult solve_minimalloc(const MinimallocQuery& question) {
  const io::MinimallocTable table =
      io::read_minimalloc_csv(io::read_file(question.path), question.path);
  const Size capacity = std::max<Size>(1, question.capacity);
  const io::MinimallocProblem asked = io::minimalloc_problem(table, capacity, question.path);
  for (const io::MinimallocBuffer& row : table.buffers) {
    const Size least_end = row.size == 0 ? row.offset.value_or(0) : row.size;
    if (least_end <= question.capacity) continue;
    MinimallocResult answer = nothing_fits(question.capacity, row.id);
    answer.notes = table.notes;
    return answer;
  }
  Placement placement;
  MinimallocResult answer = place_bytes(asked, question, placement);
  answer.notes = table.notes;
  if (answer.status != Status::feasible) return answer;
  const std::vector<Offset> offsets = io::offsets_of(asked, placement);
  for (const Offset other : asked.others) answer.height = std::max(answer.height, other);
  answer.csv = io::write_minimalloc_csv(table, offsets);
  if (question.picture) answer.picture = io::minimalloc_tikz(table, capacity, offsets);
  return answer;
}

}  // namespace tessera::placer
