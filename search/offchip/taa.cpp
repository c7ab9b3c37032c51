#include "search/offchip/taa.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/buffer_parts.h"
#include "model/derived.h"
#include "model/differences.h"
#include "model/poll.h"
#include "search/offchip/heuristic.h"

namespace tessera::search {
namespace {

/// The runs of a tile relative to its first one.
struct Shape {
  Size size = 0;
  std::vector<std::pair<std::int64_t, Size>> repeat;
  friend bool operator<(const Shape& a, const Shape& b) {
    return std::tie(a.size, a.repeat) < std::tie(b.size, b.repeat);
  }
};

struct Tile {
  std::vector<StepRange> live;
  Offset begin = 0;  ///< the first byte, relative to the tensor
  std::size_t shape = 0;
};

/// Two tile shapes: the differences of their first bytes at which they overlap, and a cache of the
/// steps. Tensors move past each other in the same steps repeatedly, so the cache avoids passes
/// over the runs.
struct Shapes {
  const std::vector<AddressRange>* of_a = nullptr;  ///< runs relative to the first byte
  const std::vector<AddressRange>* of_b = nullptr;
  Differences meet;
  std::unordered_map<Offset, Size> steps;
};

/// The cache for all pairs of shapes.
class Meetings {
 public:
  std::size_t number(const BufferPart& part, Poll& poll) {
    Shape shape{part.size, {}};
    for (const Repeat& each : part.repeat) shape.repeat.emplace_back(each.count, each.stride);
    const auto [at, fresh] = numbers_.try_emplace(std::move(shape), numbers_.size());
    if (fresh) {
      const auto count = run_count(part);
      if (!count) throw BudgetEnded(StopReason::memory_limit, true);
      poll.check_memory(static_cast<double>(*count) * sizeof(AddressRange));
      runs_.push_back(runs(part));
      for (AddressRange& run : runs_.back()) run = run.at(-part.offset);
    }
    return at->second;
  }
  /// Call after all shapes have numbers.
  void prepare() {
    shapes_.resize(numbers_.size());
    for (const auto& [shape, number] : numbers_) shapes_[number] = &shape;
  }

  /// First byte of b minus first byte of a. If the exact differences are too many, the whole
  /// interval in which one extends into the other. References stay valid.
  [[nodiscard]] Shapes& of(const Tile& a, const Tile& b, Poll& poll) {
    const auto [place, fresh] = known_.try_emplace({a.shape, b.shape});
    if (fresh) place->second = {&runs_[a.shape], &runs_[b.shape], differences(a, b, poll), {}};
    return place->second;
  }

 private:
  [[nodiscard]] Differences differences(const Tile& a, const Tile& b, Poll& poll) const {
    constexpr double most = 1 << 16;
    std::map<Size, double> counts;
    for (const Shape* shape : {shapes_[a.shape], shapes_[b.shape]})
      for (const auto& [count, stride] : shape->repeat)
        counts.try_emplace(stride, 1).first->second += static_cast<double>(count - 1);
    double places = 1;
    for (const auto& [stride, count] : counts) places *= count;
    if (places > most) return {{1 - runs_[b.shape].back().end, runs_[a.shape].back().end}};
    const auto alone = [](const Shape& shape) {
      BufferPart part{.live = {}, .size = shape.size};
      for (const auto& [count, stride] : shape.repeat) part.repeat.push_back({count, stride});
      return Buffer{.id = {}, .parts = {std::move(part)}};
    };
    return shared_differences(alone(*shapes_[a.shape]), alone(*shapes_[b.shape]), poll);
  }

  std::map<Shape, std::size_t> numbers_;
  std::vector<const Shape*> shapes_;
  std::vector<std::vector<AddressRange>> runs_;  ///< by shape, relative to the first byte
  std::map<std::pair<std::size_t, std::size_t>, Shapes> known_;
};

/// A tile, and a tile of a peer that is live at the same time.
struct Meeting {
  Offset apart = 0;  ///< the other's first byte minus the tile's, both relative to their tensors
  Shapes* shapes = nullptr;
  AddressRange near;  ///< all differences of the tensors at which they may overlap

  Meeting(const Tile& one, const Tile& two, Shapes& both)
      : apart(two.begin - one.begin),
        shapes(&both),
        near(AddressRange{both.meet.front().begin, both.meet.back().end}.at(-apart)) {}

  [[nodiscard]] bool is_near(Offset difference) const {
    return near.begin <= difference && difference < near.end;
  }

  /// The step for the first runs that overlap. `difference`: of the tensors.
  [[nodiscard]] Size collision(Offset difference, TaaStep step, std::size_t& room,
                               Poll& poll) const {
    const Offset d = apart + difference;
    const auto after =
        std::partition_point(shapes->meet.begin(), shapes->meet.end(),
                             [d](const AddressRange& range) { return range.end <= d; });
    if (after->begin > d) return 0;
    const auto known = shapes->steps.find(d);
    if (known != shapes->steps.end()) return known->second;
    poll(static_cast<std::int64_t>(shapes->of_a->size() + shapes->of_b->size()) / 16);
    const Size found = collision_size(*shapes->of_b, d, *shapes->of_a, 0, step);
    if (room > 0) {
      --room;
      shapes->steps.emplace(d, found);
    }
    return found;
  }
};

/// Limit on meetings in cached lists; others are computed again each time.
constexpr std::size_t most_kept = std::size_t{1} << 22U;
/// Limit on cached steps; others are computed again.
constexpr std::size_t most_steps = std::size_t{1} << 20U;

bool alive_together(const std::vector<StepRange>& a, const std::vector<StepRange>& b) {
  return std::any_of(a.begin(), a.end(), [&](const StepRange& x) {
    return std::any_of(b.begin(), b.end(), [&](const StepRange& y) { return overlaps(x, y); });
  });
}

std::vector<Tile> tiles_of(const Buffer& buffer, Meetings& meetings, Poll& poll) {
  std::vector<Tile> tiles;
  for (const BufferPart& part : buffer.parts)
    tiles.push_back({part.live, part.offset, meetings.number(part, poll)});
  if (buffer.parts.empty())
    for (const Segment& segment : segments(buffer))
      tiles.push_back({{segment.steps},
                       segment.range.begin,
                       meetings.number({.size = segment.range.size(), .repeat = {}}, poll)});
  return tiles;
}

/// The tensors of one memory.
class Allocation {
 public:
  Allocation(const PlacementProblem& problem, MemoryIndex m, TaaStep step, Poll& poll)
      : problem_(problem), memory_(problem.memories[m]), step_(step), poll_(poll) {
    for (BufferIndex b = 0; b < problem.buffers.size(); ++b)
      if (allowed_memories(problem, problem.buffers[b]).front() == m) tensors_.push_back(b);
    tiles_.reserve(tensors_.size());
    for (const BufferIndex b : tensors_)
      tiles_.push_back(tiles_of(problem.buffers[b], meetings_, poll));
    meetings_.prepare();
    const auto exempt = exempt_pairs(problem);
    peers_.resize(tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        poll_();
        const auto pair = std::minmax(tensors_[i], tensors_[j]);
        if (std::binary_search(exempt.begin(), exempt.end(), std::pair(pair.first, pair.second)) ||
            !overlaps(life(i), life(j)))
          continue;
        peers_[i].push_back(j);
        peers_[j].push_back(i);
      }
  }

  /// The lowest of three attempts.
  void run() {
    std::vector<std::size_t> order(tensors_.size());
    const auto attempt = [&](const auto& key) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t x, std::size_t y) { return key(x) > key(y); });
      allocate(order);
    };
    attempt([this](std::size_t k) { return tensor(k).size; });
    attempt([this](std::size_t k) { return life(k).upper - life(k).lower; });
    attempt([this](std::size_t k) { return peers_[k].size(); });
  }

  [[nodiscard]] Size height() const { return best_height_; }
  [[nodiscard]] const std::vector<BufferIndex>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<Offset>& offsets() const { return best_; }

 private:
  [[nodiscard]] const Buffer& tensor(std::size_t k) const { return problem_.buffers[tensors_[k]]; }
  [[nodiscard]] StepRange life(std::size_t k) const { return hull_of(tensor(k)); }

  void allocate(const std::vector<std::size_t>& order) {
    constexpr Offset nowhere = -1;
    std::vector<Offset> offsets(tensors_.size(), nowhere);
    Size height = 0;
    for (const std::size_t k : order) {
      const Size alignment = effective_alignment(tensor(k), memory_);
      Offset at = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (const std::size_t peer : peers_[k])
          if (offsets[peer] != nowhere) moved |= move_clear(k, peer, offsets[peer], alignment, at);
      }
      offsets[k] = at;
      height = std::max(height, at + tensor(k).size);
    }
    if (height > memory_.capacity || height >= best_height_) return;
    best_height_ = height;
    best_ = std::move(offsets);
  }

  /// In the order of comparison. The list is valid until the next call.
  const std::vector<Meeting>& meetings(std::size_t k, std::size_t peer) {
    const auto known = kept_.find({k, peer});
    if (known != kept_.end()) return known->second;
    list_.clear();
    for (const Tile& tile : tiles_[k])
      for (const Tile& other : tiles_[peer]) {
        poll_();
        if (alive_together(tile.live, other.live))
          list_.emplace_back(tile, other, meetings_.of(tile, other, poll_));
      }
    if (list_.size() > room_) return list_;
    room_ -= list_.size();
    return kept_[{k, peer}] = list_;
  }

  /// Moves the tensor up until none of its tiles, one after the other, overlaps the peer's tile.
  /// Earlier tiles may overlap again afterwards.
  bool move_clear(std::size_t k, std::size_t peer, Offset at_peer, Size alignment, Offset& at) {
    bool moved = false;
    if (at + tensor(k).size <= at_peer || at_peer + tensor(peer).size <= at) return false;
    const std::vector<Meeting>& list = meetings(k, peer);
    poll_(static_cast<std::int64_t>(list.size()) / 16);
    for (const Meeting& each : list)
      while (each.is_near(at_peer - at)) {
        const Size step = each.collision(at_peer - at, step_, steps_, poll_);
        if (step == 0) break;
        at = align_up(at + step, alignment);
        moved = true;
      }
    return moved;
  }

  const PlacementProblem& problem_;
  const Memory& memory_;
  const TaaStep step_;
  Poll& poll_;
  std::vector<BufferIndex> tensors_;
  Meetings meetings_;
  std::vector<std::vector<Tile>> tiles_;
  std::vector<std::vector<std::size_t>> peers_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Meeting>> kept_;
  std::vector<Meeting> list_;
  std::size_t room_ = most_kept;
  std::size_t steps_ = most_steps;
  std::vector<Offset> best_;
  Size best_height_ = unbounded;
};

}  // namespace

Size collision_size(std::span<const AddressRange> placed, Offset at_placed,
                    std::span<const AddressRange> moved, Offset at_moved, TaaStep step) {
  if (placed.empty() || moved.empty()) return 0;
  // The runs below the other tile's first one do not overlap it.
  const auto from = [](std::span<const AddressRange> runs, Offset at, Offset begin) {
    return std::partition_point(runs.begin(), runs.end(),
                                [&](const AddressRange& run) { return run.end + at <= begin; });
  };
  auto x = from(placed, at_placed, moved.front().begin + at_moved);
  auto y = from(moved, at_moved, placed.front().begin + at_placed);
  while (x != placed.end() && y != moved.end()) {
    const AddressRange one = x->at(at_placed);
    const AddressRange two = y->at(at_moved);
    if (overlaps(one, two))
      return step == TaaStep::past ? one.end - two.begin
                                   : std::min(one.end, two.end) - std::max(one.begin, two.begin);
    if (one.end < two.end)
      ++x;
    else
      ++y;
  }
  return 0;
}

facts::FeatureSet taa_features() {
  return heuristic_features;
}

TaaResult tile_aware_allocation(const PlacementProblem& problem, const TaaParams& params) {
  TaaResult result;
  Placement placement;
  placement.places.resize(problem.buffers.size());
  placement.modes.resize(problem.memories.size());
  Poll poll(params.budget);
  try {
    for (MemoryIndex m = 0; m < problem.memories.size(); ++m) {
      Allocation allocation(problem, m, params.step, poll);
      if (!allocation.tensors().empty()) {
        allocation.run();
        if (allocation.height() == unbounded) return result;
      }
      result.heights.push_back(allocation.tensors().empty() ? 0 : allocation.height());
      for (std::size_t k = 0; k < allocation.tensors().size(); ++k)
        placement.places[allocation.tensors()[k]] = {m, allocation.offsets()[k]};
    }
  } catch (const BudgetEnded& ended) {
    result.stop = ended.reason;
    return result;
  }
  result.placement = std::move(placement);
  return result;
}

std::unique_ptr<engine::PlacementEngine> make_taa_engine(TaaStep step) {
  return make_heuristic_engine(
      "taa", taa_features(),
      [step](const PlacementProblem& problem, const engine::SearchParams& search) {
        TaaResult low = tile_aware_allocation(problem, {.budget = search.budget, .step = step});
        return HeuristicResult{std::move(low.placement), low.stop, {}};
      });
}

}  // namespace tessera::search
