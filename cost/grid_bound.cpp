#include "cost/grid_bound.h"

#include <algorithm>
#include <cmath>

#include "cost/axis_needs.h"
#include "cost/compute.h"
#include "cost/group_parts.h"
#include "cost/whole_number.h"
#include "model/numeric.h"
#include "model/off_chip.h"
#include "tiling/joined.h"

namespace tessera::cost {
namespace {

/// Longer axes get no table of their rows.
constexpr Dim longest_table = 4096;

/// Share of the tensor's extent; 0 for no elements.
double share_of(Dim elements, const tiling::Subgraph& part, std::size_t tensor, std::size_t along) {
  if (elements == 0) return 0;
  return static_cast<double>(elements) / static_cast<double>(part.tensor(tensor).shape[along]);
}

/// Do tiles fetch weights again?
bool fetches_again(const TileVariant& variant) {
  return variant.weights == WeightPolicy::refetch && variant.stationary != Stationary::weights;
}

/// Does every tile fetch weights that all tiles need? With halo reuse, a tile may find a tensor
/// complete on chip, and need none of the producer's weights.
bool every_tile_fetches(const TileVariant& variant) {
  return fetches_again(variant) && variant.halo == HaloPolicy::recompute;
}

/// Along H (0) or W (1).
bool keeps_halo(const TileVariant& variant, std::size_t axis) {
  return variant.halo == HaloPolicy::keep ||
         (variant.halo == HaloPolicy::keep_columns && axis == 1);
}

}  // namespace

GridBound::GridBound(const tiling::Subgraph& part, const tiling::TileSpace& space,
                     const ChannelUse& use, const Hardware& hardware, const GridBound* like)
    : alone_(part.steps() == 1 && off_chip::reached(hardware) != nullptr),
      static_pj_per_cycle_(static_energy(hardware, 1'000'000) / 1e6) {
  // Cycles per byte of the fastest possible transfer.
  const Links links = links_of(hardware);
  const Link link = alone_ ? fastest_link(links.data) : links.data;
  dram_ = link.energy;
  chip_ = cheapest_access(hardware);
  fetch_pj_ = links.weights.energy.read_pj;
  fetch_cycles_per_byte_ = least_cycles_per_byte(links.weights, true, hardware.dma.channels);
  apart_ = links.apart && hardware.dma.channels > 1;
  read_cycles_per_byte_ = least_cycles_per_byte(link, true, hardware.dma.channels);
  write_cycles_per_byte_ = least_cycles_per_byte(link, false, hardware.dma.channels);
  two_ways_ = link.two_ways;
  steps_ = static_cast<Step>(part.steps());
  channels_of_dma_ = static_cast<double>(hardware.dma.channels);
  const auto way_of = [](const Link& of, bool load) {
    return ChannelCost{static_cast<double>(of.setup + of.way(load).latency),
                       least_cycles_per_byte(of, load, 1), static_cast<double>(of.burst)};
  };
  read_ = way_of(link, true);
  fetch_ = way_of(links.weights, true);
  write_ = way_of(link, false);
  burst_ = link.layout == Layout{} ? link.burst : 1;  // otherwise rows along W are not contiguous
  find_channels(part, space);
  if (like != nullptr && like->burst_ == burst_)
    axes_ = like->axes_;
  else
    axes_ = std::make_shared<const std::array<Axis, 2>>(
        std::array<Axis, 2>{find_axis(part, space, 1), find_axis(part, space, 2)});
  if (space.axis[0]) most_along_c_ = space.whole.extent[0];
  find_items(part, space, use, hardware);
  find_ends(part, space);
  least_latency_ = least(1, {.weights = WeightPolicy::resident}).latency_cycles;
}

void GridBound::find_channels(const tiling::Subgraph& part, const tiling::TileSpace& space) {
  const Network& network = *part.network;
  channels_.assign(part.tensors.size(), Channels::unknown);
  channels_[space.anchor] = Channels::once;
  each_read(part, 2,
            [&](const Op& op, std::size_t of, const tiling::LocalOperand& operand, Follows) {
              const Channels made = channels_[of];
              if (made == Channels::unknown) return;
              const Dim in = network.tensors[operand.seen_as].shape[channel_axis];
              const Dim out = network.tensors[op.outputs[0]].shape[channel_axis];
              Channels read = in == out ? made : Channels::unknown;
              if (in == 1) read = Channels::by_every_tile;
              if ((op.kind == OpKind::conv || op.kind == OpKind::conv_transpose) &&
                  operand.position == 0) {
                const bool by_channel = op.groups == in && in == out;
                read = op.groups == 1 || made == Channels::by_every_tile ? Channels::by_every_tile
                       : by_channel                                      ? made
                                                                         : Channels::unknown;
                // tiles along C need only some of the operands
              } else if (op.kind == OpKind::concat) {
                read = made == Channels::by_every_tile ? made : Channels::unknown;
              } else if (names_axis(op, channel_axis)) {
                read = Channels::by_every_tile;
              }
              channels_[operand.local] = std::max(channels_[operand.local], read);
            });
}

GridBound::Axis GridBound::find_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                                     std::size_t tile_axis) const {
  const std::size_t along = tile_axis + 1;
  const bool known = four_axes(part.tensor(space.anchor));
  // An axis that is not cut counts, too: windows may lie in the padding.
  const bool cut = space.axis[tile_axis].has_value();
  const bool plain = known && (!cut || *space.axis[tile_axis] == along);
  const Dim whole = cut     ? space.whole.extent[tile_axis]
                    : plain ? part.tensor(space.anchor).shape[along]
                            : 1;
  return whole > longest_table ? long_axis(part, space, along, whole, cut, plain)
                               : short_axis(part, space, along, whole, cut, plain, burst_);
}

GridBound::Axis GridBound::short_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                                      std::size_t along, Dim whole, bool cut, bool plain,
                                      Size burst) {
  Axis axis;
  const std::size_t tensors = part.tensors.size();
  const std::vector<Rows> needs =
      plain ? row_needs(part, space, along) : std::vector<Rows>(tensors);
  axis.once.assign(tensors, 0);
  if (plain) {
    const std::vector<Dim> once = needed_once(part, space, along);
    for (std::size_t k = 0; k < tensors; ++k) axis.once[k] = share_of(once[k], part, k, along);
  }
  for (const Rows& rows : needs)
    axis.always.push_back(!rows.empty() && std::ranges::none_of(rows, &tiling::Span::empty));
  for (Dim extent = whole; extent >= (cut ? 1 : whole); --extent) {
    const Dim count = (whole + extent - 1) / extent;
    if (axis.counts.empty() || axis.counts.back() != count) {
      axis.counts.push_back(count);
      axis.times.emplace_back(tensors, infinity);
      axis.loads.emplace_back(tensors, infinity);
    }
    for (std::size_t t = 0; t < tensors; ++t) {
      double times = 0;
      if (!needs[t].empty())
        times = static_cast<double>(needed_by_tiles(needs[t], extent)) /
                static_cast<double>(part.tensor(t).shape[along]);
      axis.times.back()[t] = std::min(axis.times.back()[t], times);
      const Tensor& tensor = part.tensor(t);
      if (!needs[t].empty() && along + 1 == tensor.shape.size() &&
          tiling::is_loaded(part.tensors[t])) {
        const Size element = element_bytes(tensor.type);
        const Size row = tensor.shape[along] * element;
        times = loaded_by_tiles(needs[t], extent, element, row, burst) / static_cast<double>(row);
      }
      axis.loads.back()[t] = std::min(axis.loads.back()[t], times);
    }
  }
  for (std::size_t k = axis.counts.size() - 1; k-- > 0;)
    for (std::size_t t = 0; t < tensors; ++t) {
      axis.times[k][t] = std::min(axis.times[k][t], axis.times[k + 1][t]);
      axis.loads[k][t] = std::min(axis.loads[k][t], axis.loads[k + 1][t]);
    }
  return axis;
}

GridBound::Axis GridBound::long_axis(const tiling::Subgraph& part, const tiling::TileSpace& space,
                                     std::size_t along, Dim whole, bool cut, bool plain) {
  Axis axis;
  const std::size_t tensors = part.tensors.size();
  const std::vector<Slide> needs =
      plain ? slides(part, space, along, whole) : std::vector<Slide>(tensors);
  for (std::size_t k = 0; k < tensors; ++k)
    axis.once.push_back(share_of(needed_once(needs[k]), part, k, along));
  axis.always.assign(tensors, false);
  // Small counts have entries of their own. Larger counts share the needs of the smallest count in
  // their range.
  for (Dim fewest = 1; fewest <= (cut ? whole : 1);) {
    const Dim most = std::min(fewest + fewest / 32, whole);
    axis.counts.push_back(cut ? most : 1);
    std::vector<double>& times = axis.times.emplace_back(tensors, 0.0);
    const Dim extent = fewest == 1 ? whole : (whole - 1) / (fewest - 1);
    for (std::size_t t = 0; t < tensors; ++t)
      if (needs[t].known())
        times[t] =
            needed_by_tiles(needs[t], extent) / static_cast<double>(part.tensor(t).shape[along]);
    fewest = most + 1;
  }
  axis.loads = axis.times;
  return axis;
}

void GridBound::find_items(const tiling::Subgraph& part, const tiling::TileSpace& space,
                           const ChannelUse& use, const Hardware& hardware) {
  const Network& network = *part.network;
  const std::size_t anchor = space.anchor;
  const auto bytes = [&](std::size_t t) {
    return static_cast<double>(tensor_bytes(part.tensor(t)));
  };
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const tiling::LocalTensor& local = part.tensors[t];
    if (local.weight) continue;
    Item item{.channels = channels_[t], .tensor = t};
    item.always = (*axes_)[0].always[t] && (*axes_)[1].always[t];
    if (local.producer) {
      item.made = *local.producer;
      const Op& op = part.op(item.made);
      if (op.kind == OpKind::opaque || op.outputs.size() != 1) continue;
      // The operands of a concatenation may be in place already.
      if (!tiling::joins_channels(op)) {
        const LeastCompute least = least_compute(network, op, hardware);
        const LeastCompute of_whole = least_compute(network, op, hardware, true);
        item.cycles = least.cycles;
        item.whole_cycles = of_whole.cycles;
        item.reads = least.reads;
        item.whole_reads = of_whole.reads;
        item.direct_pj = least.energy_pj;
        item.energy_pj = item.direct_pj + bytes(t) * chip_.write_pj;
        item.start = least.start;
      }
    } else if (tiling::is_loaded(local)) {
      item.bytes = bytes(t);
      item.energy_pj = bytes(t) * chip_.write_pj;
      for (std::size_t a = 0; a < item.moves.size(); ++a)
        item.moves[a] = space.moving[a + 1][t].any();
    }
    items_.push_back(item);
  }
  find_reads(part);
  if (tiling::is_stored(part.tensors[anchor])) stored_bytes_ = bytes(anchor);
  const std::optional<Step> last = part.tensors[anchor].producer;
  const OpIndex op = part.ops.first + static_cast<OpIndex>(last.value_or(0));
  const std::vector<TensorIndex> whole = use.in_every_tile(part.ops, op);
  for (const tiling::LocalTensor& local : part.tensors)
    if (tiling::is_loaded(local) && std::ranges::find(whole, local.tensor) != whole.end()) {
      weight_bytes_ += static_cast<double>(local.bytes.whole());
      ++weights_;
    }
  find_slices(part, whole, anchor);
}

/// An op that makes any element in a tile reads all that the tile holds of its operands; an array
/// may read it several times.
void GridBound::find_reads(const tiling::Subgraph& part) {
  std::vector<std::vector<Step>> readers(part.tensors.size());
  for (std::size_t t = 0; t < readers.size(); ++t)
    for (const Step step : part.tensors[t].consumers)
      if (!tiling::joins_channels(part.op(step))) readers[t].push_back(step);
  const auto once = [&](std::size_t t) {
    return static_cast<double>(tensor_bytes(part.tensor(t)));
  };
  for (Item& item : items_) {
    if (!part.tensors[item.tensor].producer) continue;
    for (const tiling::LocalOperand& operand :
         part.operands_at[static_cast<std::size_t>(item.made)]) {
      const bool weight = part.tensors[operand.local].weight;
      if (operand.position == 0 && !weight && item.reads.input > once(operand.local)) {
        item.again_pj += item.reads.input * chip_.read_pj;
        item.whole_again_pj += item.whole_reads.input * chip_.read_pj;
        std::erase(readers[operand.local], item.made);
      } else if (operand.position == 1 && weight) {
        item.again_pj += item.reads.weights * chip_.read_pj;
        item.whole_again_pj += item.whole_reads.weights * chip_.read_pj;
      }
    }
  }
  for (Item& item : items_) {
    const tiling::LocalTensor& local = part.tensors[item.tensor];
    const std::vector<Step>& others = readers[item.tensor];
    // The only reader runs wherever a tile holds some of the tensor.
    const bool alone = others.size() == 1 && local.consumers.size() == 1;
    const auto at_work = std::ranges::count_if(others, [&](Step step) {
      return always_needed(part.made_at[static_cast<std::size_t>(step)].front());
    });
    const double pj = once(item.tensor) * chip_.read_pj;
    if (alone && !tiling::is_stored(local)) item.read_once_pj = pj;
    item.read_pj = std::max(item.read_once_pj, static_cast<double>(at_work) * pj);
  }
}

/// Weight slices of convolutions whose output is the tile itself, apart from elementwise ops after
/// them.
void GridBound::find_slices(const tiling::Subgraph& part,
                            const std::vector<TensorIndex>& in_every_tile, std::size_t made) {
  const Network& network = *part.network;
  const std::optional<Step> step = part.tensors[made].producer;
  if (!step) return;
  const Op& op = part.op(*step);
  std::vector<std::size_t> seen;  // the op may read a tensor twice
  for (const tiling::LocalOperand& operand : part.operands_at[static_cast<std::size_t>(*step)]) {
    const tiling::LocalTensor& local = part.tensors[operand.local];
    if (std::ranges::find(seen, operand.local) != seen.end()) continue;
    seen.push_back(operand.local);
    if (op.kind == OpKind::conv) {
      if (operand.position == 1 && local.weight && tiling::is_loaded(local) &&
          local.consumers.size() == 1 &&
          std::ranges::find(in_every_tile, local.tensor) == in_every_tile.end()) {
        slice_bytes_ += static_cast<double>(local.bytes.whole());
        ++slices_;
      }
    } else if (op.kind == OpKind::elementwise || op.kind == OpKind::batch_norm) {
      // Both operands may come from one convolution.
      const bool alone = local.consumers.size() == 1;
      const bool alike = network.tensors[operand.seen_as].shape == part.tensor(made).shape &&
                         follows(network, op, operand, 2) == Follows::same;
      if (alone && alike) find_slices(part, in_every_tile, operand.local);
    }
  }
}

/// Computing starts after a first load, and ends before a last store.
void GridBound::find_ends(const tiling::Subgraph& part, const tiling::TileSpace& space) {
  const tiling::LocalTensor& made = part.tensors[space.anchor];
  if (tiling::is_stored(made) && static_cast<std::size_t>(*made.producer) + 1 == part.steps())
    tail_ = write_.start;
  if (!always_needed(part.made_at.front().front())) return;
  for (const tiling::LocalOperand& operand : part.operands_at.front())
    if (tiling::is_loaded(part.tensors[operand.local]) &&
        (part.tensors[operand.local].weight || always_needed(operand.local)))
      head_ = std::min(read_.start, fetch_.start);
}

bool GridBound::always_needed(std::size_t tensor) const {
  return (*axes_)[0].always[tensor] && (*axes_)[1].always[tensor] &&
         channels_[tensor] != Channels::unknown;
}

GridBound::Sums GridBound::sums(std::size_t h, std::size_t w, Dim c, double tiles,
                                const TileVariant& variant) const {
  Sums sums{.tiles = tiles};
  for (const Item& item : items_) {
    double times = 1;
    double needed = 1;
    // Loaded data may stay until all channels are done, and until tiles need another part.
    const bool stays = variant.stationary == Stationary::inputs && item.bytes > 0;
    for (std::size_t a = 0; a < axes_->size(); ++a) {
      const Axis& axis = (*axes_)[a];
      const double along =
          keeps_halo(variant, a)
              ? axis.once[item.tensor]
              : (item.bytes > 0 ? axis.loads : axis.times)[a == 0 ? h : w][item.tensor];
      times *= stays && !item.moves[a] ? std::min(1.0, along) : along;
      needed *=
          keeps_halo(variant, a) ? axis.once[item.tensor] : axis.times[a == 0 ? h : w][item.tensor];
    }
    if (c > 1 && item.channels == Channels::unknown) continue;
    if (c > 1 && item.channels == Channels::by_every_tile) {
      needed *= static_cast<double>(c);
      if (!stays) times *= static_cast<double>(c);
    }
    const bool all_channels =
        item.channels == Channels::by_every_tile || (c == 1 && item.channels == Channels::once);
    const bool by_every_tile = item.always && item.channels != Channels::unknown && !stays &&
                               variant.halo == HaloPolicy::recompute;
    const bool trails = item.made >= steps_ - variant.trailing;
    (trails ? sums.trailing : sums.cycles) +=
        times * (all_channels ? item.whole_cycles : item.cycles) +
        (by_every_tile ? tiles * item.start : 0);
    const double loads = item.bytes > 0 && by_every_tile ? tiles : 0;
    sums.loads += loads;
    sums.bytes += std::max(times * item.bytes, loads * read_.least_bytes);
    // The bytes written on chip do not exceed the bytes needed of the loaded data.
    const bool direct = has(direct_of(variant), item.bytes > 0 ? Direct::inputs : Direct::outputs);
    const bool kept = variant.halo != HaloPolicy::recompute;  // and some op may be idle
    sums.energy_pj += direct ? needed * item.direct_pj
                             : std::min(times, needed) * item.energy_pj +
                                   needed * (kept ? item.read_once_pj : item.read_pj);
    if (!has(direct_of(variant), Direct::inputs))
      sums.energy_pj +=
          std::min(times, needed) * (all_channels ? item.whole_again_pj : item.again_pj);
  }
  return sums;
}

GridBound::Fetched GridBound::fetched(double tiles, double places,
                                      const TileVariant& variant) const {
  const bool again = fetches_again(variant);
  const double of_weights = every_tile_fetches(variant) ? tiles : 1.0;
  const double times = weights_ * of_weights;
  Fetched fetched{.bytes = std::max(weight_bytes_ * of_weights, times * fetch_.least_bytes),
                  .times = times};
  fetched.written = weight_bytes_ * of_weights + slice_bytes_ * (again ? places : 1.0);
  const double slices = slices_ * (every_tile_fetches(variant) ? tiles : 1.0);
  fetched.bytes += std::max(slice_bytes_ * (again ? places : 1.0), slices * fetch_.least_bytes);
  fetched.times += slices;
  return fetched;
}

double GridBound::stored(double tiles) const {
  return stored_bytes_ > 0 ? std::max(stored_bytes_, tiles * write_.least_bytes) : 0;
}

double GridBound::computing_cycles(const Sums& sums, Direct direct) const {
  const double head = has(direct, Direct::inputs) ? 0 : head_;
  const double tail = has(direct, Direct::outputs) ? 0 : tail_;
  return sums.trailing > 0 ? std::max(sums.cycles + head, sums.trailing + tail)
                           : sums.cycles + head + tail;
}

double GridBound::moving_cycles(const Sums& sums, const Fetched& fetched, Direct direct) const {
  const double fetching = fetched.bytes * fetch_cycles_per_byte_;
  const double loading = sums.bytes * read_cycles_per_byte_ + (apart_ ? 0 : fetching);
  const double out = stored(sums.tiles);
  const double storing = out * write_cycles_per_byte_;
  // All channels together.
  const bool reads = has(direct, Direct::inputs);
  const bool writes = has(direct, Direct::outputs);
  const double busy = (reads ? 0 : sums.loads * read_.start) + sums.bytes * read_.cycles_per_byte +
                      fetched.times * fetch_.start + fetched.bytes * fetch_.cycles_per_byte +
                      (out > 0 && !writes ? sums.tiles : 0) * write_.start +
                      out * write_.cycles_per_byte;
  return std::max({busy / channels_of_dma_,
                   two_ways_ ? std::max(loading, storing) : loading + storing,
                   apart_ ? fetching : 0});
}

double GridBound::cycles_of(const Sums& sums, const Fetched& fetched, Direct direct) const {
  return std::max(computing_cycles(sums, direct), moving_cycles(sums, fetched, direct));
}

Metrics GridBound::metrics_of(const Sums& sums, double cycles, const Fetched& fetched,
                              Direct direct) const {
  Metrics m;
  const double loaded = sums.bytes + fetched.bytes;
  const double out = stored(sums.tiles);
  constexpr double safe = 1 - tolerance;
  m.latency_cycles = static_cast<std::int64_t>(std::min(cycles * safe, most_whole_number));
  m.dram_bytes = static_cast<Size>(std::min((loaded + out) * safe, most_whole_number));
  m.energy_pj = (sums.energy_pj + sums.bytes * dram_.read_pj + fetched.bytes * fetch_pj_ +
                 fetched.written * chip_.write_pj + out * dram_.write_pj +
                 (has(direct, Direct::outputs) ? 0 : stored_bytes_ * chip_.read_pj) +
                 cycles * static_pj_per_cycle_) *
                safe;
  return m;
}

GridBound::Sums GridBound::sums_of(const std::array<Dim, tiling::tile_axes>& counts,
                                   const TileVariant& variant) const {
  // One count of a long axis stands for all counts up to the next entry.
  const auto at = [](const Axis& axis, Dim count) {
    const auto found = std::ranges::lower_bound(axis.counts, count);
    return static_cast<std::size_t>(found - axis.counts.begin());
  };
  return sums(at((*axes_)[0], counts[1]), at((*axes_)[1], counts[2]), counts[0],
              static_cast<double>(counts[0] * counts[1] * counts[2]), variant);
}

GridBound::Fetched GridBound::fetched_by(const std::array<Dim, tiling::tile_axes>& counts,
                                         const TileVariant& variant) const {
  return fetched(static_cast<double>(counts[0] * counts[1] * counts[2]),
                 static_cast<double>(counts[1] * counts[2]), variant);
}

Metrics GridBound::of_counts(const std::array<Dim, tiling::tile_axes>& counts,
                             const TileVariant& variant) const {
  const Fetched again = fetched_by(counts, variant);
  const Sums one = sums_of(counts, variant);
  const Direct direct = direct_of(variant);
  return metrics_of(one, cycles_of(one, again, direct), again, direct);
}

Metrics GridBound::estimate(const std::array<Dim, tiling::tile_axes>& counts,
                            const TileVariant& variant, const Computing& computing) const {
  const Fetched again = fetched_by(counts, variant);
  Sums one = sums_of(counts, variant);
  one.cycles = std::max(one.cycles, computing.leading);
  one.trailing = std::max(one.trailing, computing.trailing);
  const Direct direct = direct_of(variant);
  const double computed = computing_cycles(one, direct);
  const double moved = moving_cycles(one, again, direct);
  // With double buffering only the first tile waits.
  const double cycles =
      variant.double_buffer ? std::max(computed, moved) + moved / one.tiles : computed + moved;
  return metrics_of(one, cycles, again, direct);
}

Metrics GridBound::least(std::int64_t tiles, const TileVariant& variant) const {
  Sums least{.bytes = infinity, .energy_pj = infinity, .tiles = static_cast<double>(tiles)};
  double cycles = infinity;
  const Fetched again = fetched(least.tiles, 1, variant);
  const auto take = [&](std::size_t h, std::size_t w, Dim c) {
    const Sums one = sums(h, w, c, least.tiles, variant);
    least.bytes = std::min(least.bytes, one.bytes);
    least.energy_pj = std::min(least.energy_pj, one.energy_pj);
    cycles = std::min(cycles, cycles_of(one, again, direct_of(variant)));
  };
  const std::vector<Dim>& rows = (*axes_)[0].counts;
  const std::vector<Dim>& columns = (*axes_)[1].counts;
  for (std::size_t h = 0; h < rows.size(); ++h) {
    // Not cut along C: the smallest column count that gives enough tiles.
    const auto enough = [&](std::int64_t wanted) {
      return static_cast<std::size_t>(
          std::ranges::lower_bound(columns, (wanted + rows[h] - 1) / rows[h]) - columns.begin());
    };
    const std::size_t one = enough(tiles);
    if (one < columns.size()) take(h, one, 1);
    // At least two parts along C, and as many more as needed.
    for (std::size_t w = 0; w < columns.size() && most_along_c_ > 1; ++w) {
      const Dim others = rows[h] * columns[w];
      const Dim c = std::max<Dim>(2, (tiles + others - 1) / others);
      if (c <= most_along_c_) take(h, w, c);
      if (c == 2) break;
    }
  }
  if (cycles == infinity) cycles = least.bytes = least.energy_pj = 1e18;  // no such tiling
  return metrics_of(least, cycles, again, direct_of(variant));
}

}  // namespace tessera::cost
