#include "commands/homes.h"

#include <algorithm>

#include "model/derived.h"
#include "model/off_chip.h"
#include "model/pinned.h"
#include "model/stored.h"

namespace tessera::commands {
namespace {

const OffchipMemory* memory_of(const NetworkPlan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.offchip, name, &OffchipMemory::memory);
  return found == plan.offchip.end() ? nullptr : &*found;
}

/// Bytes of the tensor with this layout.
Size bytes_of_place(const Tensor& tensor, const Place& place) {
  if (place.encoded > 0) return place.encoded;
  return stored_bytes(tensor, place.brick.channels);
}

}  // namespace

Homes::Homes(const Network& network, const Hardware& hardware, const NetworkPlan& plan)
    : network_(network),
      hardware_(hardware),
      off_chip_(network.tensors.size()),
      behind_(network.tensors.size()),
      pinned_(network.tensors.size()),
      resident_(network.tensors.size()),
      parts_(network.tensors.size()),
      whole_(network.tensors.size(), false),
      heights_(hardware.memories.size(), 0) {
  place_weights(plan);
  place_activations(plan);
  place_joined();
  pin(plan);
}

Layout Homes::layout_of(TensorIndex tensor) const {
  const HardwareMemory* home = off_chip::activations(hardware_);
  if (home == nullptr) return {};
  return is_outside(network_, tensor) ? unbricked(home->layout) : home->layout;
}

void Homes::put(TensorIndex tensor, const Spot& spot, const Layout& layout) {
  const Tensor& of = network_.tensors[tensor];
  off_chip_[tensor] = laid_out(spot, of, tiling::whole(of.shape), layout);
  const Offset base = hardware_.memories[spot.memory].space.base;
  heights_[spot.memory] =
      std::max(heights_[spot.memory], spot.address - base + bytes_of_place(of, *off_chip_[tensor]));
}

void Homes::put_weight(TensorIndex tensor, const Spot& spot, std::optional<Place>& place) {
  const Tensor& of = network_.tensors[tensor];
  place = laid_out(spot, of, tiling::whole(of.shape), {});
  if (const auto found = encoded_.find(tensor); found != encoded_.end())
    place->encoded = found->second;
  Size& height = heights_[spot.memory];
  height = std::max(height, spot.address - hardware_.memories[spot.memory].space.base +
                                bytes_of_place(of, *place));
}

/// Weights one after the other in the order of the network's tensors, each aligned.
void Homes::place_weights(const NetworkPlan& plan) {
  const HardwareMemory* home = off_chip::weights(hardware_);
  if (home == nullptr) return;
  for (const Op& op : network_.ops)
    if (const auto weight = multiplied_by(network_, op, hardware_))
      encoded_[weight->tensor] = weight->bytes.encoded;
  if (off_chip::backing(hardware_) != nullptr) return place_staged_weights(plan);
  Offset next = home->space.base;
  if (const OffchipMemory* placed = memory_of(plan, home->space.name))
    for (const OffchipBuffer& buffer : placed->buffers)
      if (buffer.weights) next = placed->base + buffer.offset;
  for (TensorIndex t = 0; t < network_.tensors.size(); ++t) {
    const Tensor& tensor = network_.tensors[t];
    if (tensor.kind != TensorKind::weight || tensor.view_of) continue;
    put_weight(t, {off_chip::index_of(hardware_, *home), next}, off_chip_[t]);
    next += align_up(bytes_of_place(tensor, *off_chip_[t]), home->space.alignment);
  }
}

/// Each weight has a place of the plan in front. In the backing memory, fetched ones lie one after
/// the other.
void Homes::place_staged_weights(const NetworkPlan& plan) {
  const HardwareMemory& front = *off_chip::weights(hardware_);
  const HardwareMemory& back = *off_chip::backing(hardware_);
  // The plan bounds the time of a stream from its largest piece. No order of fetches of pieces, and
  // of loads that wait for them, is certain to take that time.
  if (const auto streamed = std::ranges::find_if(plan.behind.fetches, &PlannedFetch::passes);
      streamed != plan.behind.fetches.end())
    throw Unsupported("group " + std::to_string(streamed->subgraph) + " streams '" +
                          streamed->tensor + "' through memory '" + front.space.name +
                          "' piece by piece",
                      "--commands does not support streams; with a larger memories." +
                          front.space.name + ".capacity tensors lie there as a whole");
  const OffchipMemory* placed = memory_of(plan, front.space.name);
  if (placed == nullptr) throw Unsupported("the plan has no places of weights");
  Offsets offsets;
  for (const OffchipBuffer& buffer : placed->buffers)
    offsets[buffer.id] = placed->base + buffer.offset;
  Offset next = back.space.base;
  for (TensorIndex t = 0; t < network_.tensors.size(); ++t) {
    const Tensor& tensor = network_.tensors[t];
    if (tensor.kind != TensorKind::weight || tensor.view_of) continue;
    const std::optional<Offset> at = found(offsets, t);
    if (!at) continue;
    put_weight(t, {off_chip::index_of(hardware_, front), *at}, off_chip_[t]);
    if (std::ranges::find(plan.behind.fetches, tensor.name, &PlannedFetch::tensor) ==
        plan.behind.fetches.end())
      continue;
    put_weight(t, {off_chip::index_of(hardware_, back), next}, behind_[t]);
    next += align_up(bytes_of_place(tensor, *behind_[t]), back.space.alignment);
  }
}

std::optional<Offset> Homes::found(const Offsets& offsets, TensorIndex tensor) const {
  const std::string& name = network_.tensors[tensor].name;
  const std::string number = std::to_string(tensor);
  for (const std::string& id : {name, name + " (" + number + ")", "tensor " + number})
    if (const auto found = offsets.find(id); found != offsets.end()) return found->second;
  return std::nullopt;
}

void Homes::place_activations(const NetworkPlan& plan) {
  const HardwareMemory* home = off_chip::activations(hardware_);
  if (home == nullptr) return;
  const std::size_t memory = off_chip::index_of(hardware_, *home);
  const OffchipMemory* placed = memory_of(plan, home->space.name);
  if (placed == nullptr && !plan.offchip.empty()) return;
  Offsets offsets;
  if (placed != nullptr)
    for (const OffchipBuffer& buffer : placed->buffers)
      if (!buffer.weights) offsets[buffer.id] = placed->base + buffer.offset;
  Offset next = home->space.base + heights_[memory];
  for (TensorIndex t = 0; t < network_.tensors.size(); ++t) {
    const Tensor& tensor = network_.tensors[t];
    if (tensor.kind == TensorKind::weight || tensor.view_of || tensor.joined) continue;
    if (placed == nullptr) {  // the plan's search ended before the off-chip placement
      next = align_up(align_up(next, home->space.alignment), home->burst);
      put(t, {memory, next}, layout_of(t));
      next += bytes_of_place(tensor, *off_chip_[t]);
    } else if (const std::optional<Offset> at = found(offsets, t)) {
      put(t, {memory, *at}, layout_of(t));
    }
  }
}

void Homes::place_joined() {
  for (TensorIndex t = 0; t < network_.tensors.size(); ++t) {
    const std::optional<JoinedPlace>& joined = network_.tensors[t].joined;
    if (!joined || !off_chip_[joined->whole]) continue;
    Place place = *off_chip_[joined->whole];
    // In the coordinates of the part; channels begin before its first one.
    place.content[1].begin -= joined->begin;
    place.content[1].end -= joined->begin;
    off_chip_[t] = place;
  }
}

void Homes::pin(const NetworkPlan& plan) {
  for (const PlannedPin& pin : plan.pinned) {
    const auto found = std::ranges::find(network_.tensors, pin.weight, &Tensor::name);
    const auto t = static_cast<TensorIndex>(found - network_.tensors.begin());
    const auto memory = std::ranges::find_if(hardware_.memories, [&](const HardwareMemory& each) {
      return each.space.name == pin.memory;
    });
    Place place = laid_out({static_cast<std::size_t>(memory - hardware_.memories.begin()),
                            memory->space.base + pin.offset},
                           *found, tiling::whole(found->shape), {});
    place.encoded = off_chip_[t] ? off_chip_[t]->encoded : 0;
    place.buffer = pin.weight;
    pinned_[t] = std::move(place);
  }
}

void Homes::set_resident(TensorIndex tensor, const Place& place) {
  std::optional<Place>& known = resident_[tensor];
  if (known && (known->at.memory != place.at.memory || known->at.address != place.at.address))
    throw Unsupported("tensor '" + network_.tensors[tensor].name +
                      "' is resident at different addresses in two groups");
  known = place;
}

void Homes::set_parts(TensorIndex weight, const std::vector<tiling::Box>& parts) {
  const Tensor& tensor = network_.tensors[weight];
  std::vector<Place>& known = parts_[weight];
  if (whole_[weight])
    throw Unsupported("weight '" + tensor.name + "' is loaded whole and in parts");
  if (!off_chip_[weight]) throw Unsupported("weight '" + tensor.name + "' is not off-chip");
  std::vector<Place> places;
  Spot next = off_chip_[weight]->at;
  for (const tiling::Box& box : parts) {
    places.push_back(laid_out(next, tensor, box, {}));
    next.address += packed_bytes(tensor.type, tiling::volume(box));
  }
  if (!known.empty() && !std::ranges::equal(known, parts, {}, &Place::content))
    throw Unsupported("weight '" + tensor.name + "' is loaded in different parts by two groups");
  known = std::move(places);
}

void Homes::set_whole(TensorIndex weight) {
  if (!parts_[weight].empty())
    throw Unsupported("weight '" + network_.tensors[weight].name +
                      "' is loaded whole and in parts");
  whole_[weight] = true;
}

}  // namespace tessera::commands
