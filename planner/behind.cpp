#include "planner/behind.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "cost/transfer.h"
#include "model/off_chip.h"
#include "model/stored.h"
#include "planner/piece.h"
#include "tiling/geometry.h"
#include "tiling/lower.h"
#include "tiling/walk.h"

namespace tessera::planner {
namespace {

/// Of what is left beside the runs themselves residents may have so much at most; the rest is for
/// fetching ahead.
constexpr double shares[] = {1, 0.75, 0.5, 0.25, 0};
/// Weights come in so many parts at most, of so many bursts at least: a part may come as soon as
/// there is room for it.
constexpr Size most_parts = 16;
constexpr Size least_bursts = 64;

/// As machines keep them: products multiply by encoded ones.
std::vector<Size> weight_sizes(const Network& network, const Hardware& hardware) {
  std::vector<Size> sizes;
  for (const Tensor& tensor : network.tensors)
    sizes.push_back(tensor.kind == TensorKind::weight && !tensor.view_of ? tensor_bytes(tensor)
                                                                         : 0);
  for (const Op& op : network.ops)
    if (const auto weight = multiplied_by(network, op, hardware))
      sizes[weight->tensor] = weight->bytes.whole();
  return sizes;
}

/// Fetches wait for each other in this order.
std::pair<std::size_t, bool> order_of(const PlannedFetch& fetch) {
  return {fetch.subgraph, fetch.passes};
}

Size whole_bursts(Size bytes, Size burst) {
  return (bytes + burst - 1) / burst * burst;
}

/// The parts that a weight comes in, but for the last.
Size part_of(Size weight, Size burst) {
  return align_up(std::max((weight + most_parts - 1) / most_parts, least_bursts * burst), burst);
}

std::int64_t cycles_of(Size bytes, const cost::Link& link) {
  const Size bursts = (bytes + link.burst - 1) / link.burst;
  return cost::transfer_cost({.bursts = bursts, .bytes = bytes, .rows = 1}, link, true).cycles;
}

/// What tiles of a run load of each of its weights.
void add_passes(const Network& network, const Hardware& hardware, const PlannedSubgraph& planned,
                const std::vector<std::optional<OpIndex>>& readers, std::size_t run, Size burst,
                std::vector<WeightUse>& use_of) {
  const tiling::Subgraph part = tiling::make_subgraph(network, planned.ops, readers, hardware,
                                                      kept_tensors(network, planned));
  tiling::TileGeometry geometry(part, planned.variant.halo);
  const tiling::TileGrid grid = geometry.grid(tiling::TileShape{planned.extent});
  const tiling::TileWalk walk(grid,
                              tiling::lower(part, geometry.space(), hardware, planned.variant));
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const tiling::LocalTensor& local = part.tensors[t];
    if (!local.weight) continue;
    WeightUse::Pass pass{.run = run};
    if (planned.variant.weights == WeightPolicy::resident) {
      pass.piece = local.bytes.whole();
      pass.bytes = whole_bursts(pass.piece, burst);
    } else {
      for (const tiling::TileVisit& visit : walk.visits()) {
        const tiling::Box& box = grid.tiles[visit.tile].fresh[t];
        if (box.none || !walk.loads(t, visit.level)) continue;
        std::int64_t elements = 1;
        for (std::size_t axis = 0; axis < part.tensor(t).shape.size(); ++axis)
          elements *= box[axis].size();
        const Size piece = local.bytes.of(elements);
        pass.piece = std::max(pass.piece, piece);
        pass.bytes += visit.times * whole_bursts(piece, burst);
      }
    }
    use_of[local.tensor].passes.push_back(pass);
  }
}

}  // namespace

Size weight_bytes(const Network& network, const Hardware& hardware, const Memory& memory) {
  Size bytes = 0;
  for (const Size size : weight_sizes(network, hardware)) bytes += align_up(size, memory.alignment);
  return bytes;
}

std::vector<WeightUse> weight_uses(const Network& network, const Hardware& hardware,
                                   const std::vector<PlannedSubgraph>& runs) {
  const std::vector<std::optional<OpIndex>> readers = tiling::last_readers(network);
  const std::vector<Size> sizes = weight_sizes(network, hardware);
  const Size burst = off_chip::behind(hardware)->burst;
  std::vector<WeightUse> use_of(network.tensors.size());
  for (std::size_t run = 0; run < runs.size(); ++run)
    add_passes(network, hardware, runs[run], readers, run, burst, use_of);
  std::vector<WeightUse> uses;
  for (TensorIndex t = 0; t < use_of.size(); ++t) {
    if (use_of[t].passes.empty()) continue;
    use_of[t].tensor = t;
    use_of[t].size = sizes[t];
    uses.push_back(std::move(use_of[t]));
  }
  std::ranges::stable_sort(uses, {}, &WeightUse::first);
  return uses;
}

namespace {

/// Two pieces, or two parts of one.
Size room_of(const WeightUse& use, const WeightUse::Pass& pass, Size burst) {
  return 2 * std::min(pass.piece, part_of(use.size, burst));
}

/// When everything comes, run by run.
class Timeline {
 public:
  Timeline(const Network& network, const cost::Link& link, const std::vector<PlannedSubgraph>& runs,
           const std::vector<WeightUse>& uses)
      : link_(link), runs_(runs) {
    for (const WeightUse& use : uses)
      for (const WeightUse::Pass& pass : use.passes)
        first_pieces_[{network.tensors[use.tensor].name, pass.run}] = pass.piece;
  }

  /// Fills in when each fetch is. Before a whole one is timed `see` may say from where it has room:
  /// it is told when the run before each run ended, up to the one that waits, and when the channel
  /// is free.
  using See = std::function<void(PlannedFetch& fetch, const std::vector<std::int64_t>& ended,
                                 std::int64_t free)>;
  void follow(std::vector<PlannedFetch>& fetches, const See& see = {}) {
    std::vector<std::int64_t> ended{0};
    std::int64_t free = 0;  // the channel
    begins_.clear();
    auto fetch = fetches.begin();
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      std::int64_t start = ended.back();
      for (; fetch != fetches.end() && fetch->subgraph == run && !fetch->passes; ++fetch) {
        if (see) see(*fetch, ended, free);
        fetch->begin = std::max(free, ended[fetch->from]);
        free = fetch->end = fetch->begin + cycles_of(fetch->bytes, link_);
        start = std::max(start, fetch->end);
      }
      begins_.push_back(start);
      std::int64_t end = start + runs_[run].metrics.latency_cycles;
      std::int64_t passed = 0;
      for (; fetch != fetches.end() && fetch->subgraph == run; ++fetch) {
        fetch->begin = std::max(free, start);
        passed = free = fetch->end = fetch->begin + cycles_of(fetch->bytes, link_);
        // Nothing works before the first tile has its piece.
        end += cycles_of(first_pieces_.at({fetch->tensor, run}), link_);
      }
      ended.push_back(std::max(end, passed));
    }
    end_ = ended.back();
  }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] const std::vector<std::int64_t>& begins() const { return begins_; }

 private:
  const cost::Link& link_;
  const std::vector<PlannedSubgraph>& runs_;
  std::map<std::pair<std::string, std::size_t>, Size> first_pieces_;
  std::vector<std::int64_t> begins_;
  std::int64_t end_ = 0;
};

}  // namespace

void complete(const Network& network, const Hardware& hardware,
              const std::vector<PlannedSubgraph>& runs, const std::vector<WeightUse>& uses,
              PlannedBehind& way) {
  const cost::Link link = cost::link_from_behind(hardware);
  std::map<std::string, const WeightUse*> use_of;
  for (const WeightUse& use : uses) use_of[network.tensors[use.tensor].name] = &use;
  way.bytes = 0;
  for (PlannedFetch& fetch : way.fetches) {
    fetch.bytes = whole_bursts(fetch.room, link.burst);
    if (fetch.passes) {
      const WeightUse& use = *use_of.at(fetch.tensor);
      const auto pass = std::ranges::find(use.passes, fetch.subgraph, &WeightUse::Pass::run);
      fetch.room = room_of(use, *pass, link.burst);
      fetch.bytes = pass->bytes;
    }
    way.bytes += fetch.bytes;
  }
  Timeline timeline(network, link, runs, uses);
  timeline.follow(way.fetches);
  way.begins = timeline.begins();
  way.waiting_cycles = timeline.end();
  for (const PlannedSubgraph& run : runs) way.waiting_cycles -= run.metrics.latency_cycles;
  way.energy_pj = static_cast<double>(way.bytes) * link.energy.read_pj;
  way.memory = off_chip::behind(hardware)->space.name;
}

namespace {

/// One way in the making.
class Way {
 public:
  Way(const Network& network, const std::vector<WeightUse>& uses, std::vector<Size> room,
      Size alignment, Size burst)
      : network_(network),
        uses_(uses),
        left_(std::move(room)),
        alignment_(alignment),
        burst_(burst) {
    resident_.assign(uses.size(), 0);
    passes_.assign(uses.size(), 0);
  }

  /// False: not even piece by piece is there room for what runs read.
  bool let_large_ones_pass() {
    for (std::size_t w = 0; w < uses_.size(); ++w)
      take(uses_[w].first(), uses_[w].last(), whole(w));
    for (std::size_t run = 0; run < left_.size(); ++run)
      while (left_[run] < 0) {
        std::optional<std::size_t> largest;
        for (std::size_t w = 0; w < uses_.size(); ++w)
          if (passes_[w] == 0 && uses_[w].first() <= run && run <= uses_[w].last() &&
              saved(w, run) > 0 && (!largest || saved(w, run) > saved(*largest, run)))
            largest = w;
        if (!largest) return false;
        passes_[*largest] = 1;
        take(uses_[*largest].first(), uses_[*largest].last(), -whole(*largest));
        for (const WeightUse::Pass& pass : uses_[*largest].passes)
          take(pass.run, pass.run, pieces(uses_[*largest], pass));
      }
    // Pieces that a later one made room for are of runs before it.
    return std::ranges::none_of(left_, [](Size size) { return size < 0; });
  }

  /// The largest first, as long as so much of what was left in each run is left for others.
  void let_stay(double share) {
    std::vector<Size> others = left_;
    for (Size& each : others) each = static_cast<Size>(static_cast<double>(each) * (1 - share));
    std::vector<std::size_t> order(uses_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t w) { return uses_[w].size; });
    for (const std::size_t w : order) {
      if (passes_[w] != 0) continue;
      const auto fits = [&](std::size_t run) {
        return (uses_[w].first() <= run && run <= uses_[w].last()) ||
               left_[run] - whole(w) >= others[run];
      };
      bool all = true;
      for (std::size_t run = 0; run < left_.size() && all; ++run) all = fits(run);
      if (!all) continue;
      resident_[w] = 1;
      if (uses_[w].first() > 0) take(0, uses_[w].first() - 1, whole(w));
      take(uses_[w].last() + 1, left_.size() - 1, whole(w));
    }
  }

  /// Everything as early as the queue and the room allow: to be earlier than that would take room
  /// for nothing.
  void fetch_ahead(const cost::Link& link, const std::vector<PlannedSubgraph>& runs,
                   std::vector<PlannedFetch>& fetches) {
    Timeline(network_, link, runs, uses_)
        .follow(fetches, [&](PlannedFetch& fetch, const std::vector<std::int64_t>& ended,
                             std::int64_t free) {
          while (fetch.from > 0 && left_[fetch.from - 1] >= fetch.room) --fetch.from;
          while (fetch.from < fetch.subgraph && ended[fetch.from + 1] <= free) ++fetch.from;
          if (fetch.from < fetch.subgraph) take(fetch.from, fetch.subgraph - 1, fetch.room);
        });
    // Parts that come one right after the other are one.
    std::vector<PlannedFetch> merged;
    for (const PlannedFetch& fetch : fetches) {
      PlannedFetch* const last = merged.empty() ? nullptr : &merged.back();
      if (last != nullptr && !fetch.passes && !last->passes && last->tensor == fetch.tensor &&
          last->from == fetch.from && last->end == fetch.begin) {
        last->room += fetch.room;
        last->end = fetch.end;
      } else {
        merged.push_back(fetch);
      }
    }
    fetches = std::move(merged);
  }

  /// Each weight in its parts, when its run begins.
  [[nodiscard]] PlannedBehind made() const {
    PlannedBehind way;
    for (std::size_t w = 0; w < uses_.size(); ++w) {
      const std::string& name = network_.tensors[uses_[w].tensor].name;
      if (resident_[w] != 0) {
        way.resident.push_back(name);
      } else if (passes_[w] != 0) {
        for (const WeightUse::Pass& pass : uses_[w].passes)
          way.fetches.push_back(
              {.tensor = name, .from = pass.run, .subgraph = pass.run, .passes = true});
      } else {
        const Size size = uses_[w].size;
        const Size part = part_of(size, burst_);
        for (Offset at = 0; at < size; at += part)
          way.fetches.push_back({.tensor = name,
                                 .at = at,
                                 .from = uses_[w].first(),
                                 .subgraph = uses_[w].first(),
                                 .room = std::min(part, size - at)});
      }
    }
    std::ranges::stable_sort(way.fetches, {}, order_of);
    return way;
  }

 private:
  [[nodiscard]] Size whole(std::size_t w) const { return align_up(uses_[w].size, alignment_); }
  [[nodiscard]] Size pieces(const WeightUse& use, const WeightUse::Pass& pass) const {
    return align_up(room_of(use, pass, burst_), alignment_);
  }
  /// Bytes of a run that passing would save.
  [[nodiscard]] Size saved(std::size_t w, std::size_t run) const {
    const auto pass = std::ranges::find(uses_[w].passes, run, &WeightUse::Pass::run);
    return whole(w) - (pass == uses_[w].passes.end() ? 0 : pieces(uses_[w], *pass));
  }
  void take(std::size_t from, std::size_t to, Size bytes) {
    for (std::size_t run = from; run <= to && run < left_.size(); ++run) left_[run] -= bytes;
  }

  const Network& network_;
  const std::vector<WeightUse>& uses_;
  std::vector<Size> left_;  ///< of each run
  Size alignment_;
  Size burst_;
  std::vector<char> resident_;
  std::vector<char> passes_;
};

}  // namespace

std::vector<PlannedBehind> ways_behind(const Network& network, const Hardware& hardware,
                                       const std::vector<PlannedSubgraph>& runs,
                                       const std::vector<WeightUse>& uses,
                                       const std::vector<Size>& room) {
  const cost::Link link = cost::link_from_behind(hardware);
  std::vector<PlannedBehind> ways;
  for (const double share : shares) {
    Way way(network, uses, room, off_chip::weights(hardware)->space.alignment, link.burst);
    if (!way.let_large_ones_pass()) return {};
    way.let_stay(share);
    PlannedBehind made = way.made();
    complete(network, hardware, runs, uses, made);
    way.fetch_ahead(link, runs, made.fetches);
    complete(network, hardware, runs, uses, made);
    if (std::ranges::find(ways, made) == ways.end()) ways.push_back(std::move(made));
  }
  std::ranges::stable_sort(
      ways, {}, [](const PlannedBehind& way) { return std::pair(way.waiting_cycles, way.bytes); });
  return ways;
}

std::vector<FrontWeight> in_front(const Network& network, const std::vector<WeightUse>& uses,
                                  const PlannedBehind& way) {
  std::map<std::string, const WeightUse*> use_of;
  for (const WeightUse& use : uses) use_of[network.tensors[use.tensor].name] = &use;
  std::vector<FrontWeight> weights;
  for (const std::string& name : way.resident) {
    const WeightUse& use = *use_of.at(name);
    weights.push_back({.tensor = use.tensor, .size = use.size, .resident = true});
  }
  for (const PlannedFetch& fetch : way.fetches) {
    const WeightUse& use = *use_of.at(fetch.tensor);
    if (fetch.passes) {
      weights.push_back({.tensor = use.tensor,
                         .size = fetch.room,
                         .to = fetch.subgraph,
                         .parts = {{0, fetch.room, fetch.subgraph}}});
      continue;
    }
    if (fetch.at == 0)
      weights.push_back({.tensor = use.tensor, .size = use.size, .to = use.last()});
    weights.back().parts.push_back({fetch.at, fetch.room, fetch.from});
  }
  return weights;
}

Metrics with_fetches(Metrics runs, const PlannedBehind& way) {
  runs.latency_cycles += way.waiting_cycles;
  runs.energy_pj += way.energy_pj;
  return runs;
}

Metrics with_single_fetches(const Network& network, const Hardware& hardware, Metrics layers) {
  if (off_chip::behind(hardware) == nullptr) return layers;
  const Memory& front = off_chip::weights(hardware)->space;
  const cost::Link link = cost::link_from_behind(hardware);
  const std::vector<Size> sizes = weight_sizes(network, hardware);
  const Dim brick = off_chip::weights(hardware)->layout.brick;
  Size largest = 0;
  Metrics fetched = layers;
  for (const Op& op : network.ops) {
    std::vector<TensorIndex> touched = operands(op);
    touched.insert(touched.end(), op.outputs.begin(), op.outputs.end());
    for (TensorIndex& t : touched) t = storage_of(network, t);
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    Size activations = 0;
    for (const TensorIndex t : touched) {
      if (network.tensors[t].kind != TensorKind::weight) {
        activations += align_up(stored_bytes(network.tensors[t], brick), front.alignment);
      } else {
        fetched.latency_cycles += cycles_of(sizes[t], link);
        fetched.energy_pj +=
            static_cast<double>(whole_bursts(sizes[t], link.burst)) * link.energy.read_pj;
      }
    }
    largest = std::max(largest, activations);
  }
  return weight_bytes(network, hardware, front) + largest <= front.capacity ? layers : fetched;
}

namespace {

std::string fetch_wrong(const PlannedFetch& fetch, const WeightUse* use, std::size_t runs) {
  const std::string who = "`behind` fetches '" + fetch.tensor + "'";
  if (use == nullptr) return who + ", which is no weight that an op reads";
  if (fetch.subgraph >= runs || fetch.from > fetch.subgraph)
    return who + " from subgraph " + std::to_string(fetch.from) + " for subgraph " +
           std::to_string(fetch.subgraph) + ", which cannot be";
  if (!fetch.passes && (fetch.room > use->size || fetch.at > use->size))
    return who + ", but that has " + std::to_string(use->size) + " bytes, and not those from " +
           std::to_string(fetch.at) + " on";
  if (!fetch.passes && fetch.subgraph != use->first())
    return who + " for subgraph " + std::to_string(fetch.subgraph) + ", but subgraph " +
           std::to_string(use->first()) + " reads it first";
  if (fetch.passes &&
      (fetch.from != fetch.subgraph ||
       std::ranges::find(use->passes, fetch.subgraph, &WeightUse::Pass::run) == use->passes.end()))
    return who + " piece by piece while subgraph " + std::to_string(fetch.subgraph) +
           " works, which does not read it";
  return {};
}

}  // namespace

std::vector<std::string> behind_wrong(const Network& network, const Hardware& hardware,
                                      const NetworkPlan& plan) {
  const HardwareMemory* const memory = off_chip::behind(hardware);
  const PlannedBehind& said = plan.behind;
  if (memory == nullptr) {
    if (said == PlannedBehind{}) return {};
    return {"`behind` speaks of memory '" + said.memory + "', but the machine has none behind"};
  }
  if (said.memory != memory->space.name)
    return {"`behind` does not say what comes from memory '" + memory->space.name + "'"};
  const std::vector<WeightUse> uses = weight_uses(network, hardware, plan.subgraphs);
  std::map<std::string, const WeightUse*> use_of;
  for (const WeightUse& use : uses) use_of[network.tensors[use.tensor].name] = &use;
  struct Named {
    std::size_t resident = 0;
    Size fetched = 0;
    bool in_order = true;
    std::vector<std::size_t> passes;
  };
  std::map<std::string, Named> named;
  std::string last;
  std::vector<std::string> wrong;
  for (const std::string& name : said.resident) {
    if (!use_of.contains(name))
      wrong.push_back("`behind` keeps '" + name + "', which is no weight that an op reads");
    ++named[name].resident;
  }
  for (const PlannedFetch& fetch : said.fetches) {
    const auto found = use_of.find(fetch.tensor);
    std::string sentence =
        fetch_wrong(fetch, found == use_of.end() ? nullptr : found->second, plan.subgraphs.size());
    if (!sentence.empty()) wrong.push_back(std::move(sentence));
    Named& each = named[fetch.tensor];
    if (fetch.passes) {
      each.passes.push_back(fetch.subgraph);
    } else {
      each.in_order = each.in_order && fetch.at == each.fetched && fetch.room > 0 &&
                      (fetch.at == 0 || last == fetch.tensor);
      each.fetched += fetch.room;
    }
    last = fetch.tensor;
  }
  if (!wrong.empty()) return wrong;
  if (!std::ranges::is_sorted(said.fetches, {}, order_of))
    return {"`behind` does not list fetches in the order of the subgraphs that wait for them"};
  for (const auto& [name, use] : use_of) {
    const Named& each = named[name];
    const bool once = each.passes.empty() && each.resident + (each.fetched > 0 ? 1 : 0) == 1 &&
                      (each.resident == 1 || (each.in_order && each.fetched == use->size));
    const bool in_all = each.resident == 0 && each.fetched == 0 &&
                        std::ranges::equal(each.passes, use->passes, {}, {}, &WeightUse::Pass::run);
    if (!once && !in_all)
      wrong.push_back(
          "`behind` has to say of weight '" + name +
          "' that it is resident, or fetch each of its bytes once and in their order, or "
          "let it pass in each subgraph that reads it");
  }
  if (!wrong.empty()) return wrong;
  PlannedBehind right = said;
  complete(network, hardware, plan.subgraphs, uses, right);
  for (std::size_t k = 0; k < right.fetches.size(); ++k) {
    const PlannedFetch& a = right.fetches[k];
    if (const PlannedFetch& b = said.fetches[k]; a != b)
      wrong.push_back("`behind`: the fetch of '" + a.tensor + "' moves " + std::to_string(a.bytes) +
                      " bytes into a room of " + std::to_string(a.room) + " from cycle " +
                      std::to_string(a.begin) + " to " + std::to_string(a.end) + ", not " +
                      std::to_string(b.bytes) + " into " + std::to_string(b.room) + " from " +
                      std::to_string(b.begin) + " to " + std::to_string(b.end));
  }
  if (right.begins != said.begins)
    wrong.push_back("`behind`: `begins` does not follow from what the subgraphs wait for");
  if (right.bytes != said.bytes || right.waiting_cycles != said.waiting_cycles ||
      std::abs(right.energy_pj - said.energy_pj) > 1e-9 * std::max(1.0, right.energy_pj))
    wrong.push_back("`behind`: " + std::to_string(right.bytes) + " bytes come, and runs wait " +
                    std::to_string(right.waiting_cycles) + " cycles for them, not " +
                    std::to_string(said.bytes) + " and " + std::to_string(said.waiting_cycles));
  return wrong;
}

}  // namespace tessera::planner
