#include "search/order/segment_search.h"

#include <algorithm>

namespace tessera::search {
namespace {

constexpr std::int64_t first_steps = 2000;  ///< of an exact search in the first round
constexpr std::size_t most_doublings = 20;
constexpr std::size_t first_window = 16;       ///< ops around a peak
constexpr std::int64_t edges_of_a_step = 200;  ///< of a flow, about the time of a step

/// Of an exact search in a round.
std::int64_t steps_in(std::size_t round) {
  return first_steps << std::min<std::size_t>(round, most_doublings);
}

void advance_to(ExactOrder& search, std::int64_t steps, const BeamWork& work) {
  while (!search.finished() && search.steps() < steps && !(work.stop && work.stop()))
    search.advance(500);
}

}  // namespace

SegmentSearch::SegmentSearch(OpGraph graph, std::vector<OpId> start, std::size_t bytes)
    : graph_(std::move(graph)),
      tables_(graph_),
      mirror_(reversed(graph_)),
      bytes_(bytes),
      order_(std::move(start)),
      peak_(peak_of(graph_, order_)) {
  // The inputs and outputs of an op are live while it runs, and with one op there is nothing to
  // search.
  if (graph_.ops == 1) bound_ = peak_;
}

bool SegmentSearch::ended() const {
  return peak_ <= bound_ ||
         (forwards_ && forwards_->full() && backwards_->full() && round_ > most_doublings);
}

void SegmentSearch::take(std::vector<OpId> order) {
  const Size peak = peak_of(graph_, order);
  if (peak >= peak_) return;
  peak_ = peak;
  order_ = std::move(order);
}

void SegmentSearch::advance(Size floor, BeamWork& work) {
  const auto open = [&] { return peak_ > std::max(floor, bound_) && !(work.stop && work.stop()); };
  if (round_ == 0) {
    greedy();
    bound_by_cuts(work);
  }
  if (open()) narrow(floor, work);
  if (open() && round_ > 0) windows(floor, work);
  if (open()) {
    if (!forwards_) {
      const ExactLimits limits{std::max(bound_, floor), peak_, bytes_ / 2};
      forwards_.emplace(graph_, limits);
      backwards_.emplace(mirror_, limits);
    }
    exact(*forwards_, false, floor, work);
    if (open()) exact(*backwards_, true, floor, work);
  }
  ++round_;
}

/// At each step the op that leaves the fewest live bytes, forwards and backwards.
void SegmentSearch::greedy() {
  for (const OpGraph* const graph : {&graph_, &mirror_}) {
    const OpTables tables(*graph, OpTables::Ancestors::no);
    Walk walk(tables);
    while (!walk.complete())
      walk.run(*std::ranges::min_element(walk.ready(), {},
                                         [&](OpId op) { return std::pair(walk.change(op), op); }));
    std::vector<OpId> order(walk.path().begin(), walk.path().end());
    if (graph == &mirror_) std::ranges::reverse(order);
    take(std::move(order));
  }
}

/// Minimum cuts at the ops that can raise the bound: those that peak above it in the best order.
void SegmentSearch::bound_by_cuts(BeamWork& work) {
  const std::vector<Size> live = live_while(graph_, order_);
  std::vector<std::size_t> at(live.size());
  for (std::size_t k = 0; k < at.size(); ++k) at[k] = k;
  std::ranges::stable_sort(at, std::greater{}, [&](std::size_t k) { return live[k]; });
  CutBounds cuts(tables_);
  std::int64_t counted = 0;
  for (const std::size_t k : at) {
    if (live[k] <= bound_ || (work.stop && work.stop())) break;
    bound_ = std::max(bound_, cuts.at(order_[k]));
    work.steps += cuts.work() / edges_of_a_step - counted;
    counted = cuts.work() / edges_of_a_step;
  }
}

/// Beams with lower and lower limits, by bisection.
void SegmentSearch::narrow(Size floor, BeamWork& work) {
  const std::size_t width = std::size_t{1} << std::min<std::size_t>(2 * round_, most_doublings);
  Size low = std::max(bound_, floor);
  bool first = true;
  while (low < peak_ && !(work.stop && work.stop())) {
    const Size limit = first ? low : low + (peak_ - 1 - low) / 2;
    first = false;
    if (auto order = beam_order(tables_, limit, width, work))
      take(std::move(*order));
    else
      low = limit + 1;
  }
}

void SegmentSearch::exact(ExactOrder& search, bool backwards, Size floor, BeamWork& work) {
  search.lower_most(peak_);
  search.raise_least(std::max(bound_, floor));
  const std::int64_t before = search.steps();
  advance_to(search, before + steps_in(round_), work);
  work.steps += search.steps() - before;
  if (search.found()) {
    std::vector<OpId> order = *search.found();
    if (backwards) std::ranges::reverse(order);
    take(std::move(order));
  }
  // The level began at the floor, which need not be a bound of this segment, but is one of the
  // graph.
  bound_ = std::max(bound_, std::min(search.bound(), peak_));
}

/// Orders the ops around each peak anew.
void SegmentSearch::windows(Size floor, BeamWork& work) {
  bool better = true;
  while (better && peak_ > std::max(bound_, floor) && !(work.stop && work.stop())) {
    better = false;
    const Size low = std::max(bound_, floor);
    for (const Size target : {low + (peak_ - low) / 2, peak_ - 1}) {
      const Size before = peak_;
      for (;;) {  // every position above the target
        const std::vector<Size> live = live_while(graph_, order_);
        const auto top = std::ranges::max_element(live);
        peak_ = *top;
        if (peak_ <= target) break;
        if (!window(static_cast<std::size_t>(top - live.begin()), target, work)) break;
      }
      if (peak_ < before) {
        better = true;
        break;
      }
    }
  }
}

/// Searches for an order of the ops around a position with a peak of at most `target`.
bool SegmentSearch::window(std::size_t at, Size target, BeamWork& work) {
  const std::size_t half = first_window << (round_ / 2);
  const std::size_t from = at - std::min(at, half);
  const std::size_t to = std::min(order_.size(), at + half);
  std::vector<bool> done(graph_.ops);
  for (std::size_t k = 0; k < from; ++k) done[order_[k]] = true;
  const std::vector<OpId> middle(order_.begin() + static_cast<std::ptrdiff_t>(from),
                                 order_.begin() + static_cast<std::ptrdiff_t>(to));
  const OpGraph part = segment(graph_, middle, done);
  ExactOrder search(part, {target, target + 1, bytes_ / 4});
  advance_to(search, steps_in(round_), work);
  work.steps += search.steps();
  if (!search.found()) return false;
  for (std::size_t k = from; k < to; ++k) order_[k] = middle[(*search.found())[k - from]];
  return true;
}

}  // namespace tessera::search
