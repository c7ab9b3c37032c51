#include "model/live_bytes.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tessera {

namespace {

/// The length of the union of a changing set of ranges: a segment tree over their ends (J. L.
/// Bentley, "Algorithms for Klee's rectangle problems", 1977).
class Union {
 public:
  /// `ends`: the sorted, unique ends of all ranges.
  explicit Union(std::vector<Offset> ends)
      : ends_(std::move(ends)), leaves_(std::bit_ceil(ends_.size())), nodes_(2 * leaves_) {}

  void change(const AddressRange& range, int by) { change(range, by, 1, 0, leaves_); }
  [[nodiscard]] Size length() const { return nodes_[1].covered; }

 private:
  struct Node {
    int whole = 0;     ///< ranges that cover the node and not its parent
    Size covered = 0;  ///< covered addresses of the node
  };

  [[nodiscard]] Offset end(std::size_t k) const { return ends_[std::min(k, ends_.size() - 1)]; }

  void change(const AddressRange& range, int by, std::size_t at, std::size_t from, std::size_t to) {
    if (range.end <= end(from) || end(to) <= range.begin) return;
    Node& node = nodes_[at];
    if (range.begin <= end(from) && end(to) <= range.end) {
      node.whole += by;
    } else {
      const std::size_t middle = (from + to) / 2;
      change(range, by, 2 * at, from, middle);
      change(range, by, 2 * at + 1, middle, to);
    }
    node.covered = node.whole > 0   ? end(to) - end(from)
                   : to - from == 1 ? 0
                                    : nodes_[2 * at].covered + nodes_[2 * at + 1].covered;
  }

  std::vector<Offset> ends_;
  std::size_t leaves_;
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<std::pair<Step, Size>> live_bytes(std::span<const Segment> occupied) {
  struct Event {
    Step step;
    int by;
    AddressRange range;
  };
  std::vector<Event> events;
  std::vector<Offset> ends;
  for (const Segment& each : occupied) {
    events.push_back({each.steps.lower, 1, each.range});
    events.push_back({each.steps.upper, -1, each.range});
    ends.push_back(each.range.begin);
    ends.push_back(each.range.end);
  }
  std::ranges::sort(events, {}, &Event::step);
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<std::pair<Step, Size>> curve;
  if (events.empty()) return curve;
  Union live(std::move(ends));
  for (std::size_t k = 0; k < events.size(); ++k) {
    live.change(events[k].range, events[k].by);
    if (k + 1 == events.size() || events[k + 1].step != events[k].step)
      curve.emplace_back(events[k].step, live.length());
  }
  return curve;
}

}  // namespace tessera
