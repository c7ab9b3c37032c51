#include "search/order/beam.h"

#include <algorithm>
#include <unordered_set>

#include "model/random.h"
#include "search/order/safe_moves.h"

namespace tessera::search {
namespace {

/// A down-set of the beam.
struct BeamNode {
  std::size_t last = 0;  ///< in links
  Size live = 0;
  std::uint64_t hash = 0;
};

/// The end of a path.
struct BeamLink {
  std::size_t before = 0;
  OpId op = 0;
};

class Beam {
 public:
  Beam(const OpTables& tables, Size limit, std::size_t width)
      : walk_(tables), safe_(tables), limit_(limit), width_(width), levels_(tables.graph.ops + 1) {
    Random random(tables.graph.ops);
    for (std::size_t op = 0; op < tables.graph.ops; ++op) keys_.push_back(random.next());
    links_.push_back({});
  }

  std::optional<std::vector<OpId>> search(BeamWork& work) {
    keep(0, 0, 0);
    for (std::vector<BeamNode>& level : levels_) {
      if (&level == &levels_.back()) break;
      if (work.stop && work.stop()) return std::nullopt;
      choose(level);
      for (const BeamNode& node : level) {
        go_to(node.last);
        ++work.steps;
        ready_.assign(walk_.ready().begin(), walk_.ready().end());
        const std::size_t length = walk_.path().size();
        for (const OpId op : ready_) {
          if (walk_.while_running(op) > limit_) continue;
          walk_.run(op);
          ++work.steps;
          keep(node.last, length, node.hash);
          walk_.back_to(length);
        }
      }
      level = {};
    }
    if (levels_.back().empty()) return std::nullopt;
    go_to(levels_.back().front().last);
    return std::vector<OpId>(walk_.path().begin(), walk_.path().end());
  }

 private:
  /// The best of a level, without repetitions, in an order in which paths share prefixes.
  void choose(std::vector<BeamNode>& level) {
    std::ranges::sort(level, [](const BeamNode& a, const BeamNode& b) {
      return a.live != b.live ? a.live < b.live : a.last < b.last;
    });
    seen_.clear();
    std::erase_if(level, [&](const BeamNode& node) {
      return seen_.size() >= width_ || !seen_.insert(node.hash).second;
    });
    std::ranges::sort(level, {}, &BeamNode::last);
  }

  void keep(std::size_t last, std::size_t from, std::uint64_t hash) {
    safe_.apply(walk_, limit_);
    const std::span<const OpId> path = walk_.path();
    for (std::size_t k = from; k < path.size(); ++k) {
      links_.push_back({last, path[k]});
      last = links_.size() - 1;
      hash ^= keys_[path[k]];
    }
    levels_[path.size()].push_back({last, walk_.live(), hash});
  }

  void go_to(std::size_t last) {
    path_.clear();
    for (; last != 0; last = links_[last].before) path_.push_back(links_[last].op);
    std::ranges::reverse(path_);
    walk_.move_to(path_);
  }

  Walk walk_;
  SafeMoves safe_;
  Size limit_;
  std::size_t width_;
  std::vector<std::vector<BeamNode>> levels_;  ///< per number of ops that ran
  std::vector<BeamLink> links_;
  std::vector<std::uint64_t> keys_;
  std::vector<OpId> path_;
  std::vector<OpId> ready_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::optional<std::vector<OpId>> beam_order(const OpTables& tables, Size limit, std::size_t width,
                                            BeamWork& work) {
  return Beam(tables, limit, width).search(work);
}

}  // namespace tessera::search
