#include "cost/group_bound.h"

#include <algorithm>
#include <cmath>

#include "cost/compute.h"
#include "cost/group_parts.h"
#include "model/off_chip.h"
#include "model/stored.h"
#include "tiling/engine_choice.h"
#include "tiling/joined.h"
#include "tiling/op_region.h"
#include "tiling/subgraph.h"
#include "tiling/trailing.h"

namespace tessera::cost {
namespace {

/// Lower bound on the share of an operand's hull that a tiling reads along one axis. Windows of
/// `reach` elements every `stride` leave gaps that small tiles neither load nor compute.
double window_density(Dim reach, Dim stride, Dim pad) {
  const Dim inside = std::max<Dim>(0, reach - pad);
  return inside >= stride ? 1.0 : static_cast<double>(inside) / static_cast<double>(stride);
}

double use_density(const Network& network, const Op& op, std::size_t operand) {
  if (operand != 0) return 1;
  double density = 1;
  switch (op.kind) {
    case OpKind::conv:
    case OpKind::max_pool:
    case OpKind::average_pool:
      for (std::size_t s = 0; s < op.stride.size(); ++s) {
        const std::vector<Dim>& weights =
            op.kind == OpKind::conv ? network.tensors[op.inputs[1]].shape : op.kernel;
        const Dim kernel = op.kind == OpKind::conv ? weights[2 + s] : op.kernel[s];
        const Dim dilation = s < op.dilation.size() ? op.dilation[s] : 1;
        const Dim pad = std::max(s < op.pad_begin.size() ? op.pad_begin[s] : 0,
                                 s < op.pad_end.size() ? op.pad_end[s] : 0);
        const Dim reach = dilation * (kernel - 1) + 1;
        // Padding shortens only the windows at the ends, which matters only with gaps.
        density *= reach >= op.stride[s] ? 1.0 : window_density(reach, op.stride[s], pad);
      }
      return density;
    case OpKind::slice:
      for (const Dim step : op.steps) density /= static_cast<double>(step);
      return density;
    case OpKind::resize: {
      const std::vector<Dim>& in = network.tensors[op.inputs[0]].shape;
      for (std::size_t axis = 0; axis < in.size() && axis < op.extents.size(); ++axis)
        density *=
            std::min(1.0, static_cast<double>(op.extents[axis]) / static_cast<double>(in[axis]));
      return density;
    }
    default:
      return 1;
  }
}

/// `elements`: their bytes. If part of the tensor is not needed, the number of needed bricks is
/// unknown.
BurstCount thinned(BurstCount count, double density, Size elements, Size burst) {
  if (density >= 1) return count;
  const auto bytes =
      static_cast<Size>(std::floor(static_cast<double>(std::min(count.bytes, elements)) * density));
  return {.bursts = (bytes + burst - 1) / burst, .bytes = bytes, .rows = 1};
}

/// Minimum cycles in which the on-chip memory serves these bytes; 0 if there are several memories,
/// since the placement is unknown.
double least_serving(const Hardware& hardware, double read, double written) {
  const HardwareMemory* only = nullptr;
  for (const HardwareMemory& memory : hardware.memories) {
    if (memory.offchip) continue;
    if (only != nullptr) return 0;
    only = &memory;
  }
  if (only == nullptr) return 0;
  constexpr double most = 1e18;  // the simulation rejects larger values
  return std::min(most, serving_cycles(*only, hardware.clock_hz, read, written));
}

/// Does every part of the output read at least its share of the operand? A part of a concatenation
/// may read another operand, a part of a padded tensor only padding.
bool reads_evenly(const Op& op) {
  const auto none = [](const std::vector<Dim>& pads) {
    return std::ranges::all_of(pads, [](Dim pad) { return pad == 0; });
  };
  switch (op.kind) {
    case OpKind::conv:
    case OpKind::max_pool:
    case OpKind::average_pool:
      return none(op.pad_begin) && none(op.pad_end);
    case OpKind::conv_transpose:
    case OpKind::resize:
    case OpKind::pad:
    case OpKind::concat:
      return false;
    default:
      return true;
  }
}

/// Upper bound on the share of the operand's tensor that the whole output reads.
double hull_share(const Network& network, const Op& op, std::size_t operand, TensorIndex seen) {
  const Tensor& tensor = network.tensors[seen];
  if (op.outputs.empty()) return 1;
  const tiling::Box made = tiling::whole(network.tensors[op.outputs[0]].shape);
  const tiling::Box region = tiling::operand_region(network, op, operand, made);
  const auto all = static_cast<double>(tiling::volume(tiling::whole(tensor.shape)));
  return all > 0 ? static_cast<double>(tiling::volume(region)) / all : 1;
}

}  // namespace

struct GroupBounds::Growing {
  Growing(OpIndex op, std::size_t tensors)
      : first(op), end(op), made(tensors, false), loaded(tensors, 0) {}
  OpIndex first;
  OpIndex end;                          ///< the group is [first, end)
  std::vector<std::int64_t> compute{};  ///< indexed by GroupBounds::OpShare::engine
  Move moved;
  Move weights;  ///< the part of `moved` for weights
  std::int64_t weights_count = 0;
  double energy = 0;
  std::vector<bool> made;
  std::vector<double> loaded;
  std::vector<TensorIndex> leaving;
  Direct direct = Direct::none;
};

struct GroupBounds::Whole {
  OpIndex first = 0;
  OpIndex last = 0;
  const Growing* run = nullptr;      ///< run_, or the next state; null: no cost
  std::unique_ptr<Growing> alone{};  ///< of an op with direct off-chip access
  Move moved;
};

GroupBounds::GroupBounds(const Network& network, const Hardware& hardware,
                         std::span<const TensorIndex> stays, bool prefetch)
    : network_(network),
      hardware_(hardware),
      prefetch_(prefetch),
      links_(links_of(hardware)),
      stays_(network.tensors.size(), stays_on_chip(hardware)),
      least_(least_stored(network, hardware)),
      readers_(tiling::last_readers(network)),
      first_readers_(tiling::first_readers(network)),
      channel_use_(network, readers_) {
  for (const TensorIndex t : stays) stays_[t] = true;
  for (const Op& op : network.ops) {
    operands_.emplace_back();
    const std::vector<TensorIndex> used = operands(op);
    for (std::size_t k = 0; k < used.size(); ++k)
      operands_.back().push_back({storage_of(network, used[k]),
                                  use_density(network, op, k) * hull_share(network, op, k, used[k]),
                                  reads_evenly(op)});
    outputs_.emplace_back();
    for (const TensorIndex t : op.outputs) outputs_.back().push_back(storage_of(network, t));
  }
  find_densities();
  find_direct();
  find_shares();
  fetches_ = std::make_unique<FetchBound>(network, hardware, channel_use_, passing());
  for (TensorIndex t = 0; t < network.tensors.size(); ++t) stores_.push_back(move(t, 1, false));
}

GroupBounds::~GroupBounds() = default;

std::vector<TensorIndex> possible_residents(const Network& network) {
  return tiling::may_stay(network, tiling::last_readers(network));
}

/// If all readers of a tensor are in the group, tiles need at least the share of one reader.
/// Otherwise the tensor leaves the group and is made whole.
void GroupBounds::find_densities() {
  density_.assign(network_.tensors.size(), 0);
  for (TensorIndex t = 0; t < density_.size(); ++t)
    if (readers_[t] == network_.ops.size()) density_[t] = 1;
  for (OpIndex k = network_.ops.size(); k-- > 0;) {
    double made = 0;
    for (const TensorIndex t : outputs_[k]) made = std::max(made, density_[t]);
    for (const Operand& operand : operands_[k])
      density_[operand.storage] = std::max(density_[operand.storage], operand.read_for(made));
  }
}

/// By what the engine can access: an op may read all its operands there.
void GroupBounds::find_direct() {
  direct_.assign(network_.ops.size(), Direct::none);
  const HardwareMemory* const home = off_chip::reached(hardware_);
  if (home == nullptr) return;
  unsigned tried = 0;
  for (const Direct each : hardware_.tiling.direct) tried |= static_cast<unsigned>(each);
  for (OpIndex k = 0; k < network_.ops.size(); ++k) {
    const auto chosen = tiling::choose_engine(network_, network_.ops[k], hardware_);
    if (!chosen) continue;
    const auto& [input, weights, output] = hardware_.engines[chosen->engine].reach;
    const bool writes = off_chip::is_named(output, *home);
    unsigned reached = writes ? static_cast<unsigned>(Direct::outputs) : 0;
    if (writes || off_chip::is_named(input, *home))
      reached |= static_cast<unsigned>(Direct::inputs);
    direct_[k] = static_cast<Direct>(reached & tried);
  }
}

void GroupBounds::find_shares() {
  const AccessEnergy chip = cheapest_access(hardware_);
  const bool side_by_side = tiling::works_side_by_side(hardware_);
  for (OpIndex k = 0; k < network_.ops.size(); ++k) {
    const Op& op = network_.ops[k];
    OpShare share;
    OpShare direct;
    double made = 0;
    for (const TensorIndex t : outputs_[k]) made = std::max(made, density_[t]);
    // Otherwise tiles may compute less, by an amount that rounding makes hard to bound. The
    // operands of a concatenation may be in place already.
    if (made >= 1 && !tiling::joins_channels(op)) {
      const LeastCompute least = least_of_parts(network_, op, hardware_);
      share = direct = {static_cast<std::int64_t>(std::floor(least.cycles)), least.energy_pj};
      const bool reads = has(direct_[k], Direct::inputs);
      const bool writes = has(direct_[k], Direct::outputs);
      for (const TensorIndex t : outputs_[k]) {
        const double writing =
            static_cast<double>(tensor_bytes(network_.tensors[t])) * chip.write_pj;
        share.energy_pj += writing;
        if (!writes) direct.energy_pj += writing;
      }
      // One access per tensor, as in the simulation, even if the op lists it twice.
      std::vector<std::pair<TensorIndex, double>> read;
      for (const Operand& operand : operands_[k]) {
        const auto known = std::find_if(read.begin(), read.end(),
                                        [&](const auto& r) { return r.first == operand.storage; });
        if (known == read.end())
          read.emplace_back(operand.storage, operand.density);
        else
          known->second = std::max(known->second, operand.density);
      }
      double read_bytes = 0;
      double direct_bytes = 0;
      for (const auto& [t, density] : read) {
        double bytes = density * static_cast<double>(least_[t]);
        if (t == operands_[k].front().storage) bytes = std::max(bytes, least.reads.input);
        if (operands_[k].size() > 1 && t == operands_[k][1].storage)
          bytes = std::max(bytes, least.reads.weights);
        read_bytes += bytes;
        if (!reads || network_.tensors[t].kind == TensorKind::weight) direct_bytes += bytes;
      }
      share.energy_pj += read_bytes * chip.read_pj;
      direct.energy_pj += direct_bytes * chip.read_pj;
      double written_bytes = 0;
      for (const TensorIndex t : outputs_[k])
        written_bytes += static_cast<double>(tensor_bytes(network_.tensors[t]));
      share.cycles =
          std::max(share.cycles,
                   static_cast<std::int64_t>(least_serving(hardware_, read_bytes, written_bytes)));
      direct.cycles =
          std::max(direct.cycles, static_cast<std::int64_t>(least_serving(
                                      hardware_, direct_bytes, writes ? 0 : written_bytes)));
    }
    if (side_by_side) share.engine = direct.engine = tiling::queue_of(network_, op, hardware_);
    shares_.push_back(share);
    direct_shares_.push_back(direct);
  }
}

GroupBounds::Move GroupBounds::move(TensorIndex tensor, double density, bool load,
                                    bool direct) const {
  const Tensor& t = network_.tensors[tensor];
  const bool weight = t.kind == TensorKind::weight;
  direct = direct && !weight;
  Link link = links_.of(weight);
  if (direct) link = direct_link(link);
  ElementBytes stored = bytes_of(t);
  if (least_[tensor] < stored.whole()) stored.encoded = least_[tensor];
  const BurstCount count =
      thinned(moved(t, stored, is_outside(network_, tensor), tiling::whole(t.shape), link), density,
              tensor_bytes(t), link.burst);
  const TransferCost cost = transfer_cost(count, link, load);
  const bool apart = weight && links_.apart;
  return {.cycles = cost.cycles,
          .loading = load && !apart ? cost.shared : 0,
          .storing = load ? 0 : cost.shared,
          .fetching = apart ? cost.shared : 0,
          .bytes = cost.bytes,
          .energy_pj = move_energy(count, cost, load, link,
                                   direct ? AccessEnergy{} : cheapest_access(hardware_))};
}

/// Bytes on chip while an op runs, in any tiling: parts of its outputs and inputs.
std::vector<Passing> GroupBounds::passing() const {
  std::vector<Passing> bytes;
  for (OpIndex k = 0; k < network_.ops.size(); ++k) {
    Passing& passing = bytes.emplace_back();
    std::vector<TensorIndex> whole_tensors;
    double made = 0;
    for (const TensorIndex t : outputs_[k]) {
      made = std::max(made, density_[t]);
      if (density_[t] < 1) continue;
      whole_tensors.push_back(t);
      passing.made += tensor_bytes(network_.tensors[t]);
    }
    // Windows may lie in the padding; then their inputs are not needed.
    if (made < 1 || tiling::joins_channels(network_.ops[k])) continue;
    for (const auto& [t, density, even] : operands_[k]) {
      if (density < 1 || network_.tensors[t].kind == TensorKind::weight ||
          std::ranges::find(whole_tensors, t) != whole_tensors.end())
        continue;
      whole_tensors.push_back(t);
      passing.read += tensor_bytes(network_.tensors[t]);
    }
  }
  return bytes;
}

void GroupBounds::add_op(Growing& run, OpIndex op, Direct direct) const {
  const OpShare& share = (direct == Direct::none ? shares_ : direct_shares_)[op];
  const bool reads = has(direct, Direct::inputs);
  run.direct = direct;
  run.compute.resize(std::max(run.compute.size(), share.engine + 1), 0);
  run.compute[share.engine] += share.cycles;
  run.energy += share.energy_pj;
  for (const Operand& operand : operands_[op]) {
    const TensorIndex t = operand.storage;
    // The reader itself may make only part of its output.
    double of_op = 0;
    for (const TensorIndex out : outputs_[op]) of_op = std::max(of_op, density_[out]);
    const double density = operand.read_for(of_op);
    if (run.made[t] || density <= run.loaded[t]) continue;
    const bool weight = network_.tensors[t].kind == TensorKind::weight;
    if ((stays_[t] && !weight) || network_.tensors[t].pinned) continue;  // it is on-chip
    if (prefetch_ && weight && first_readers_[t] < run.first) continue;  // it may be
    if (run.loaded[t] > 0) run.moved.add(move(t, run.loaded[t], true, reads), -1);
    if (prefetch_ && weight) {
      if (run.loaded[t] > 0)
        run.weights.add(move(t, run.loaded[t], true, reads), -1);
      else
        ++run.weights_count;
      run.weights.add(move(t, density, true, reads), 1);
    }
    run.loaded[t] = density;
    run.moved.add(move(t, density, true, reads), 1);
  }
  for (const TensorIndex t : outputs_[op]) {
    run.made[t] = true;
    if (stays_[t] || !readers_[t] || *readers_[t] <= op) continue;
    run.leaving.push_back(t);
    run.moved.add(has(direct, Direct::outputs) ? move(t, 1, false, true) : stores_[t], 1);
  }
  std::erase_if(run.leaving, [&](TensorIndex t) {
    if (*readers_[t] > op) return false;
    run.moved.add(stores_[t], -1);
    return true;
  });
}

/// Subtracts the time of weights that the previous group may have prefetched, limited by the
/// on-chip capacity.
void GroupBounds::subtract_prefetch(const Growing& run, Move& moved) const {
  const Move& weights = run.weights;
  double room = 0;
  for (const HardwareMemory& memory : hardware_.memories)
    if (!memory.offchip) room += static_cast<double>(memory.space.capacity);
  const auto count = static_cast<double>(run.weights_count);
  room += count * static_cast<double>(links_.of(true).burst);
  const double share =
      weights.bytes > 0 ? std::min(1.0, room / static_cast<double>(weights.bytes)) : 1.0;
  const auto part = [&](std::int64_t cycles) {
    return std::min(
        cycles, static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) * share + count)));
  };
  const std::int64_t bus = weights.loading + weights.fetching;
  moved.cycles -=
      std::max<std::int64_t>(0, weights.cycles - bus) + std::min(weights.cycles, part(bus));
  moved.cycles = std::max<std::int64_t>(0, moved.cycles);
  moved.loading -= part(weights.loading);
  moved.fetching -= part(weights.fetching);
}

Metrics GroupBounds::metrics(const Growing& run, Move moved) const {
  Metrics m;
  if (prefetch_ && run.first > 0) subtract_prefetch(run, moved);
  m.latency_cycles = std::max({std::ranges::max(run.compute),
                               (moved.cycles + hardware_.dma.channels - 1) / hardware_.dma.channels,
                               links_.data.two_ways ? std::max(moved.loading, moved.storing)
                                                    : moved.loading + moved.storing,
                               moved.fetching});
  m.dram_bytes = moved.bytes;
  m.energy_pj = run.energy + moved.energy_pj + static_energy(hardware_, m.latency_cycles);
  return m;
}

GroupBounds::Whole GroupBounds::whole(OpIndex first, OpIndex last) {
  Whole whole{.first = first, .last = last};
  // Also if a tensor may stay on-chip, since it need not.
  if (first == last && tiling::is_in_its_place(network_, network_.ops[first])) return whole;
  if (first == last && direct_[first] != Direct::none) {
    whole.alone = std::make_unique<Growing>(first, network_.tensors.size());
    add_op(*whole.alone, first, direct_[first]);
    whole.run = whole.alone.get();
    whole.moved = whole.run->moved;
    return whole;
  }
  if (!run_ || run_->first != first || run_->end > last + 1)
    run_ = std::make_unique<Growing>(first, network_.tensors.size());
  for (; run_->end <= last; ++run_->end) add_op(*run_, run_->end);
  whole.run = run_.get();
  whole.moved = run_->moved;
  fetches_->find(first, last);
  for (const auto& [weight, times] : fetches_->times())
    if (!network_.tensors[weight].pinned) whole.moved.add(move(weight, 1, true), times - 1);
  return whole;
}

Metrics GroupBounds::of(OpIndex first, OpIndex last, std::span<const TensorIndex> kept) {
  if (!last_) last_ = std::make_unique<Whole>(whole(first, last));
  if (last_->first != first || last_->last != last) *last_ = whole(first, last);
  if (last_->run == nullptr) return {};
  const Growing& run = *last_->run;
  Move moved = last_->moved;
  for (const TensorIndex t : kept) {
    if (stays_[t]) continue;
    const bool reads = has(run.direct, Direct::inputs);
    if (run.loaded[t] > 0) moved.add(move(t, run.loaded[t], true, reads), -1);
    if (std::ranges::find(run.leaving, t) == run.leaving.end()) continue;
    moved.add(has(run.direct, Direct::outputs) ? move(t, 1, false, true) : stores_[t], -1);
  }
  return metrics(run, moved);
}

Metrics GroupBounds::of_all() const {
  Growing run(0, network_.tensors.size());
  for (; run.end < network_.ops.size(); ++run.end) {
    if (!tiling::is_in_its_place(network_, network_.ops[run.end])) {
      add_op(run, run.end, direct_[run.end]);  // the op may form a group alone
      continue;
    }
    for (const TensorIndex t : outputs_[run.end]) run.made[t] = true;  // at no cost
  }
  Move moved = run.moved;
  if (prefetch_) {
    moved.cycles -= run.weights.cycles;
    moved.loading -= run.weights.loading;
    moved.fetching -= run.weights.fetching;
  }
  return metrics(run, moved);
}

}  // namespace tessera::cost
