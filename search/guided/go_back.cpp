#include <algorithm>

#include "search/guided/levels.h"
#include "search/guided/search.h"

// Major backtracks: the target of the search when a point has no candidate left.
namespace tessera::search::guided {

using learning::no_key;

/// Candidates that failed deep in the tree are tried first at the target.
void Search::promote(const Point& failed, Point& target) const {
  if (failed.boolean != no_key || target.boolean != no_key) return;
  for (auto b = failed.tried.rbegin(); b != failed.tried.rend(); ++b) {
    if (contains(target.tried, *b) || !unplaced(*b)) continue;
    std::erase(target.waiting, *b);
    target.waiting.push_back(*b);
  }
  const auto most = static_cast<std::size_t>(params_.most_candidates);
  const std::size_t all = target.waiting.size() + target.tried.size();
  if (all <= most) return;
  const auto excess = static_cast<std::ptrdiff_t>(std::min(all - most, target.waiting.size()));
  target.waiting.erase(target.waiting.begin(), target.waiting.begin() + excess);
}

/// The deepest point above `target` with too many backtracks in its subtree; -1: none.
std::int32_t Search::stuck_above(std::int32_t target) const {
  for (std::int32_t depth = target - 1; depth >= 0; --depth)
    if (points_[static_cast<std::size_t>(depth)].inside > params_.stuck_after) return depth;
  return -1;
}

/// From a point without candidates to the backtrack target. -1: the tree is exhausted.
std::int32_t Search::go_back(std::int32_t failed) {
  ++counters_.major_backtracks;
  --turn_left_;
  Point& from = point(failed);
  // The last placement in the conflict failed here; the target is the one before it.
  std::int32_t target = params_.directed ? deepest(from.conflict, failed) - 1 : failed - 1;
  // A learned clause has the level of its fact, and not of all decisions below it.
  if (params_.learn && target < 0) target = failed - 1;
  if (target < 0) return -1;
  bool stuck_exit = false;
  if (params_.stuck) {
    for (std::int32_t depth = 0; depth < target; ++depth)
      ++points_[static_cast<std::size_t>(depth)].inside;
    if (const std::int32_t stuck = stuck_above(target); stuck >= 0) {
      ++counters_.stuck_exits;
      stuck_exit = true;
      target = stuck;
      // Points further up have seen one excursion, not a hundred backtracks.
      for (std::int32_t depth = 0; depth <= target; ++depth)
        points_[static_cast<std::size_t>(depth)].inside = 0;
    }
  }
  if (params_.directed) carry(from.conflict, target, point(target).conflict);
  deduction_.backtrack(target);
  if (!stuck_exit && chooser_ != nullptr) target = retreat(failed, target);
  if (params_.promote) promote(from, point(target));
  return target;
}

BufferIndex Search::decided_at(const Point& point) {
  return point.boolean != no_key || point.tried.empty() ? no_buffer : point.tried.back();
}

/// Candidates are the decisions of the conflict and one level per power of two (section 6.1 of the
/// paper), the deepest first.
std::int32_t Search::retreat(std::int32_t failed, std::int32_t own) {
  Point& from = point(own);
  const std::uint32_t failed_phase = point(failed).phase;
  retreats_.clear();
  standing_.clear();
  std::int32_t conflict = 0;
  for (std::int32_t at = deepest(from.conflict, own); at > 0; at = deepest(from.conflict, at - 1))
    ++conflict;
  std::int32_t rank = 0;
  const auto offer = [&](std::int32_t level, bool in_conflict) {
    const Point& there = point(level);
    retreats_.push_back(
        {level, history_->known_of(decided_at(there),
                                   {.level = level,
                                    .failed = failed,
                                    .returns = there.returns,
                                    .below = there.below,
                                    .same_phase = there.phase == failed_phase,
                                    .in_conflict = in_conflict,
                                    .rank = rank,
                                    .conflict = conflict,
                                    .backtracks = counters_.major_backtracks,
                                    .since_restart = counters_.major_backtracks - turn_began_})});
  };
  offer(own, true);
  std::int32_t next = deepest(from.conflict, own);  // the level of a decision is its point's plus 1
  std::int32_t step = 1;
  while (next > 0 || own - step >= 0) {
    const std::int32_t power = own - step;
    const bool in_conflict = next > 0 && next - 1 >= power;
    const std::int32_t level = in_conflict ? next - 1 : power;
    if (level == power) step *= 2;
    if (in_conflict) {
      next = deepest(from.conflict, next - 1);
      ++rank;
    }
    if (level < own) offer(level, in_conflict);
  }
  for (std::int32_t level = 0; level < own; ++level) {
    const BufferIndex b = decided_at(point(level));
    standing_.push_back(
        {b,
         b == no_buffer ? 0 : deduction_.state.bound(learning::key_of(build_.plan.offsets[b], 0))});
  }
  const auto chosen = chooser_->choose({retreats_, standing_});
  const std::int32_t target = chosen ? retreats_[*chosen].level : own;
  if (target < own) {
    ++counters_.retreats;
    carry(from.conflict, target, point(target).conflict);
    deduction_.backtrack(target);
  }
  ++point(target).returns;
  for (std::int32_t level = 0; level < target; ++level) ++point(level).below;
  return target;
}

}  // namespace tessera::search::guided
