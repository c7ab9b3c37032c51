#include "planner/pinned.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/off_chip.h"
#include "model/pinned.h"
#include "planner/joined.h"
#include "tessera/pinnable.h"
#include "tiling/reach.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

/// Number of weight sets tried, each half as large as the one before.
constexpr int most_choices = 4;

/// Bytes per tensor in that memory; 0: not allowed there.
std::vector<Size> bytes_in(const Network& network, const Hardware& hardware, MemoryIndex memory) {
  std::vector<Size> bytes = pinned_bytes(network, hardware);
  if (network.ops.empty()) return bytes;
  const tiling::Subgraph all = tiling::make_subgraph(network, {0, network.ops.size() - 1});
  const tiling::Reachable reachable(all, hardware);
  if (!reachable.restricts()) return bytes;
  for (OpIndex k = 0; k < network.ops.size(); ++k)
    if (!std::ranges::binary_search(reachable.weights(static_cast<Step>(k)), memory))
      for (const TensorIndex t : operands(network.ops[k])) bytes[storage_of(network, t)] = 0;
  return bytes;
}

Size align_up(Size bytes, Size alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

[[noreturn]] void refuse(const PlannedPin& pin, const std::string& what) {
  throw std::invalid_argument("`pinned` states that '" + pin.weight + "' lies in '" + pin.memory +
                              "', " + what);
}

/// Returns the weight's index.
TensorIndex check_pin(const Network& network, const Memory& space, const std::vector<Size>& bytes,
                      const PlannedPin& pin) {
  if (pin.memory != space.name)
    refuse(pin, "but pinned weights are stored in '" + space.name + "' on this machine");
  const auto found = std::ranges::find(network.tensors, pin.weight, &Tensor::name);
  const auto t = static_cast<TensorIndex>(found - network.tensors.begin());
  if (found == network.tensors.end() || bytes[t] == 0)
    refuse(pin, "which is not a weight whose readers reach that memory");
  if (pin.bytes != bytes[t])
    refuse(pin, "and takes " + std::to_string(pin.bytes) + " bytes, which are " +
                    std::to_string(bytes[t]));
  if (pin.offset < 0 || pin.offset % space.alignment != 0 || pin.offset > space.capacity ||
      pin.bytes > space.capacity - pin.offset)
    refuse(pin,
           "at " + std::to_string(pin.offset) + ", which is not aligned or not inside the memory");
  return t;
}

/// Adjacent weights from the begin of the memory on.
class Block {
 public:
  Block(const Network& network, const Hardware& hardware)
      : network_(network),
        memory_(*pin_memory(hardware)),
        space_(hardware.memories[memory_on_chip(hardware, memory_)].space),
        bytes_(bytes_in(network, hardware, memory_)) {}

  [[nodiscard]] Size capacity() const { return space_.capacity; }
  [[nodiscard]] Size size_of(TensorIndex t) const { return align_up(bytes_[t], space_.alignment); }
  [[nodiscard]] std::vector<TensorIndex> weights() const {
    std::vector<TensorIndex> found;
    for (TensorIndex t = 0; t < bytes_.size(); ++t)
      if (bytes_[t] > 0) found.push_back(t);
    return found;
  }
  [[nodiscard]] std::vector<PlannedPin> pins(std::vector<TensorIndex> weights) const {
    std::ranges::sort(weights);
    std::vector<PlannedPin> pins;
    Offset next = 0;
    for (const TensorIndex t : weights) {
      pins.push_back({network_.tensors[t].name, space_.name, next, bytes_[t]});
      next += size_of(t);
    }
    return pins;
  }

 private:
  const Network& network_;
  MemoryIndex memory_;
  const Memory& space_;
  std::vector<Size> bytes_;
};

/// Estimated loads per tensor; tiles that refetch may share a load.
std::vector<std::int64_t> times_loaded(const Network& network, const NetworkPlan& plan) {
  std::vector<std::int64_t> times(network.tensors.size(), 0);
  for (const PlannedSubgraph& run : plan.subgraphs) {
    const bool once = run.variant.weights == WeightPolicy::resident ||
                      run.variant.stationary == Stationary::weights;
    std::vector<TensorIndex> seen;
    for (OpIndex k = run.ops.first; k <= run.ops.last; ++k)
      for (const TensorIndex t : operands(network.ops[k])) seen.push_back(storage_of(network, t));
    std::ranges::sort(seen);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const TensorIndex t : seen) times[t] += once ? 1 : run.tile_count();
  }
  return times;
}

}  // namespace

bool may_pin(const Network& network, const Hardware& hardware) {
  return hardware.tiling.pinned == Pinned::weights && pin_memory(hardware) &&
         !Block(network, hardware).weights().empty();
}

PinnedMachine with_pins(const Network& network, const Hardware& hardware,
                        const std::vector<PlannedPin>& pins) {
  PinnedMachine own{network, hardware};
  if (pins.empty()) return own;
  const std::optional<MemoryIndex> memory = pin_memory(hardware);
  if (!memory) refuse(pins.front(), "but no memory of this machine can hold pinned weights");
  if (hardware.tiling.pinned == Pinned::none)
    refuse(pins.front(), "which the profile's `tiling` does not allow");
  Memory& space = own.hardware.memories[memory_on_chip(hardware, *memory)].space;
  const std::vector<Size> bytes = bytes_in(network, hardware, *memory);
  std::vector<AddressRange> taken;
  for (const PlannedPin& pin : pins) {
    const TensorIndex t = check_pin(network, space, bytes, pin);
    if (own.network.tensors[t].pinned) refuse(pin, "twice");
    own.network.tensors[t].pinned = *memory;
    taken.push_back({pin.offset, pin.offset + pin.bytes});
  }
  std::ranges::sort(taken, {}, &AddressRange::begin);
  for (std::size_t k = 1; k < taken.size(); ++k)
    if (taken[k].begin < taken[k - 1].end)
      throw std::invalid_argument("`pinned` has two weights at " + std::to_string(taken[k].begin) +
                                  " of '" + space.name + "'");
  space.reserved.push_back({taken.front().begin, taken.back().end});
  return own;
}

PinnedMachine as_planned(const Network& network, const Hardware& hardware,
                         const std::vector<PlannedJoin>& joined,
                         const std::vector<PlannedPin>& pins) {
  return with_pins(network_of(network, hardware, joined), hardware, pins);
}

Network with_all_pinned(const Network& network, const Hardware& hardware) {
  Network own = network;
  const std::optional<MemoryIndex> memory = pin_memory(hardware);
  if (!memory || hardware.tiling.pinned == Pinned::none) return own;
  const std::vector<Size> bytes = bytes_in(network, hardware, *memory);
  for (TensorIndex t = 0; t < bytes.size(); ++t)
    if (bytes[t] > 0) own.tensors[t].pinned = *memory;
  return own;
}

std::vector<PlannedPin> pins_of(const Network& network, const Hardware& hardware,
                                const std::vector<TensorIndex>& weights) {
  return Block(network, hardware).pins(weights);
}

std::vector<std::vector<PlannedPin>> pin_choices(const Network& network, const Hardware& hardware,
                                                 const NetworkPlan& plan) {
  const Block block(network, hardware);
  std::vector<TensorIndex> weights = block.weights();
  const std::vector<std::int64_t> times = times_loaded(network, plan);
  std::ranges::stable_sort(weights, std::greater<>(),
                           [&](TensorIndex t) { return std::pair(times[t], block.size_of(t)); });
  Size all = 0;
  for (const TensorIndex t : weights) all += block.size_of(t);
  // If not all fit, leave space for those that are fetched.
  Size most = all < block.capacity() ? all : block.capacity() / 4 * 3;
  std::vector<std::vector<PlannedPin>> choices;
  for (int halved = 0; halved < most_choices; ++halved, most /= 2) {
    std::vector<TensorIndex> some;
    Size room = most;
    for (const TensorIndex t : weights)
      if (block.size_of(t) <= room) {
        some.push_back(t);
        room -= block.size_of(t);
      }
    std::vector<PlannedPin> pins = block.pins(std::move(some));
    if (!pins.empty() && std::ranges::find(choices, pins) == choices.end())
      choices.push_back(std::move(pins));
  }
  return choices;
}

}  // namespace tessera::planner

namespace tessera {

std::optional<PinnableWeights> pinnable_weights(const Network& network, const Hardware& hardware,
                                                const NetworkPlan& plan) {
  const std::optional<MemoryIndex> memory = pin_memory(hardware);
  if (plan.status != Status::feasible || hardware.tiling.pinned == Pinned::weights || !memory ||
      off_chip::backing(hardware) != nullptr)
    return std::nullopt;
  const planner::Block block(network, hardware);
  const std::vector<TensorIndex> weights = block.weights();
  const auto all =
      std::ranges::count_if(pinned_bytes(network, hardware), [](Size bytes) { return bytes > 0; });
  if (all == 0 || std::ssize(weights) != all) return std::nullopt;
  Size bytes = 0;
  for (const TensorIndex t : weights) bytes += block.size_of(t);
  if (bytes > block.capacity() - plan.totals.peak_bytes) return std::nullopt;
  return PinnableWeights{hardware.memories[memory_on_chip(hardware, *memory)].space.name, bytes};
}

}  // namespace tessera
