#include "search/guided/rigid.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/derived.h"

namespace tessera::search::guided {
namespace {

using Pair = std::pair<BufferIndex, BufferIndex>;

/// Sets of buffers with fixed distances: a buffer begins `distance` after the root of its set.
class Distances {
 public:
  explicit Distances(std::size_t buffers) : roots_(buffers), members_(buffers), distance_(buffers) {
    for (BufferIndex b = 0; b < buffers; ++b) {
      roots_[b] = b;
      members_[b] = {b};
    }
  }

  /// b begins `by` after a. False: the two have another distance.
  bool join(BufferIndex a, BufferIndex b, Offset by) {
    const BufferIndex root = roots_[a];
    const BufferIndex other = roots_[b];
    const Offset shift = distance_[a] + by - distance_[b];
    if (root == other) return shift == 0;
    for (const BufferIndex each : members_[other]) {
      roots_[each] = root;
      distance_[each] += shift;
      members_[root].push_back(each);
    }
    members_[other].clear();
    return true;
  }

  [[nodiscard]] const std::vector<BufferIndex>& set(BufferIndex root) const {
    return members_[root];
  }
  [[nodiscard]] Offset between(BufferIndex a, BufferIndex b) const {
    return distance_[b] - distance_[a];
  }

 private:
  std::vector<BufferIndex> roots_;
  std::vector<std::vector<BufferIndex>> members_;  // by root
  std::vector<Offset> distance_;
};

/// b begins `by` after a. Do they share a byte at one step, or at any steps if `always`?
bool overlap(const Buffer& a, const Buffer& b, Offset by, bool always) {
  if (always) return overlaps(AddressRange{0, a.size}, AddressRange{by, by + b.size});
  const std::vector<Segment> of_b = segments(b);
  for (const Segment& x : segments(a))
    for (const Segment& y : of_b)
      if (overlaps(x.steps, y.steps) && overlaps(x.range, y.range.at(by))) return true;
  return false;
}

std::optional<Distances> fixed_distances(const PlacementProblem& problem) {
  Distances distances(problem.buffers.size());
  for (const Relation& relation : problem.relations) {
    const bool adjacent = relation.kind == RelationKind::adjacent;
    if (!adjacent && relation.kind != RelationKind::same_offset) continue;
    for (std::size_t k = 1; k < relation.buffers.size(); ++k) {
      const BufferIndex before = relation.buffers[k - 1];
      if (!distances.join(before, relation.buffers[k], adjacent ? problem.buffers[before].size : 0))
        return std::nullopt;
    }
  }
  return distances;
}

}  // namespace

bool rigid_clash(const PlacementProblem& problem, Poll& poll) {
  const bool any = std::ranges::any_of(problem.relations, [](const Relation& relation) {
    return relation.kind == RelationKind::adjacent || relation.kind == RelationKind::same_offset;
  });
  if (!any) return false;
  const std::optional<Distances> distances = fixed_distances(problem);
  if (!distances) return true;
  std::set<Pair> disjoint;
  for (const Relation& relation : problem.relations) {
    if (relation.kind != RelationKind::disjoint) continue;
    for (const BufferIndex a : relation.buffers)
      for (const BufferIndex b : relation.buffers)
        if (a < b) disjoint.emplace(a, b);
    poll(static_cast<std::int64_t>(relation.buffers.size() * relation.buffers.size()));
  }
  const std::vector<Pair> exempt = exempt_pairs(problem);
  for (BufferIndex root = 0; root < problem.buffers.size(); ++root)
    for (const BufferIndex a : distances->set(root))
      for (const BufferIndex b : distances->set(root)) {
        if (a >= b) continue;
        poll();
        const bool always = disjoint.contains({a, b});
        if (!always && std::binary_search(exempt.begin(), exempt.end(), Pair(a, b))) continue;
        if (overlap(problem.buffers[a], problem.buffers[b], distances->between(a, b), always))
          return true;
      }
  return false;
}

}  // namespace tessera::search::guided
