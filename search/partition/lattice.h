// All partitions of a sequence of ops with all sets of resident items, as one graph.
//
//   const Lattice lattice({.ops = 3}, {{.maker = 0, .reader = 2, .bytes = 4096}}, 65536);
//   std::vector<double> costs(lattice.edges().size());         // of each edge: infinity if
//   impossible const LatticePath best = lattice.shortest(costs); for (const std::size_t edge :
//   best.edges) use(lattice.edges()[edge]);
//
// A node is a cut point with the set of items that are resident over it. An edge is a group with
// the items that are resident while it runs: those over its first cut point, and those that it
// makes for later groups. An item that crosses a cut point is resident from its producer's group to
// that of its last reader, or not at all. An item that is produced and last read in one group needs
// no decision. distinct_items() limits the number of items, since a cut point has a node for each
// set of items over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/numeric.h"

namespace tessera::search {

struct ResidentItem {
  std::size_t maker = 0;   ///< the op that produces it
  std::size_t reader = 0;  ///< the last op that reads it, after the maker
  std::int64_t bytes = 0;  ///< not negative
};

/// The permitted groups.
struct GroupsOf {
  std::size_t ops = 0;
  std::size_t max_ops = std::numeric_limits<std::size_t>::max();  ///< longest group
};

struct LatticeEdge {
  std::uint32_t from = 0;  ///< nodes
  std::uint32_t to = 0;
  std::uint32_t first = 0;  ///< ops of the group
  std::uint32_t last = 0;
  std::int64_t bytes = 0;         ///< of its resident items
  std::uint64_t items_begin = 0;  ///< of Lattice::items()
  std::uint32_t items = 0;
};

struct LatticePath {
  double cost = infinity;            ///< infinity: no path
  std::vector<std::size_t> edges{};  ///< in order
};

/// At most this many items over one cut point, which gives 64 nodes.
inline constexpr std::size_t most_items = 6;

/// The largest items, as many as possible so that there are at most `most` edges.
/// Positions in `items`, sorted.
[[nodiscard]] std::vector<std::size_t> distinct_items(std::span<const ResidentItem> items,
                                                      const GroupsOf& groups, std::int64_t most);

class Lattice {
 public:
  /// The resident items of a group have at most `capacity` bytes.
  /// require: at most most_items items over any cut point
  Lattice(const GroupsOf& groups, std::span<const ResidentItem> items, std::int64_t capacity);

  /// In the order of their first ops, then of their last ops; those of one group with equal items
  /// over its first cut point are neighbours.
  [[nodiscard]] std::span<const LatticeEdge> edges() const { return edges_; }
  /// The items that are resident while the edge's group runs, sorted.
  [[nodiscard]] std::span<const std::uint32_t> items(const LatticeEdge& edge) const {
    return std::span(items_).subspan(edge.items_begin, edge.items);
  }
  /// The edge of a group with these resident items; the number of edges if there is none.
  [[nodiscard]] std::size_t find(std::size_t first, std::size_t last,
                                 std::span<const std::uint32_t> items) const;
  /// The first edge of the groups that start with this op or a later one.
  [[nodiscard]] std::size_t edges_from(std::size_t first) const { return first_edge_[first]; }

  /// The cheapest path over edges of at most `capacity` bytes; the fewest groups of equal costs.
  /// require: a cost per edge
  [[nodiscard]] LatticePath shortest(
      std::span<const double> costs,
      std::int64_t capacity = std::numeric_limits<std::int64_t>::max()) const;
  /// Per edge: the cost of the cheapest such path with this edge; infinity: there is none.
  [[nodiscard]] std::vector<double> through(std::span<const double> costs,
                                            std::int64_t capacity) const;

 private:
  struct Group;
  void add_group(const std::vector<std::vector<std::uint32_t>>& over,
                 std::span<const ResidentItem> items, std::int64_t capacity, std::size_t first,
                 std::size_t last);
  void add_edge(const Group& group, std::span<const ResidentItem> items, std::int64_t capacity,
                std::uint32_t before, std::uint32_t made);

  std::size_t ops_;
  std::vector<std::uint32_t> first_node_;  ///< per cut point
  std::vector<std::size_t> first_edge_;    ///< per op
  std::vector<LatticeEdge> edges_;
  std::vector<std::uint32_t> items_;
};

}  // namespace tessera::search
