#include "planner/joined.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "cost/group_parts.h"
#include "cost/transfer.h"
#include "model/off_chip.h"
#include "model/stored.h"
#include "tiling/joined.h"
#include "tiling/subgraph.h"

namespace tessera::planner {
namespace {

class Joiner {
 public:
  Joiner(const Network& network, const Hardware& hardware)
      : network_(network),
        hardware_(hardware),
        uses_(network.tensors.size(), 0),
        made_(network.tensors.size(), false),
        fixed_(network.tensors.size(), false) {
    for (const Op& op : network.ops) {
      for (const TensorIndex t : operands(op)) ++uses_[storage_of(network, t)];
      for (const TensorIndex t : op.outputs) made_[t] = true;
    }
    // Callers choose the addresses of inputs and outputs.
    for (const TensorIndex t : network.inputs) fixed_[storage_of(network, t)] = true;
    for (const TensorIndex t : network.outputs) fixed_[storage_of(network, t)] = true;
    brick_ = on_chip_layout(hardware).brick;
    if (const HardwareMemory* home = off_chip::activations(hardware))
      brick_ = std::max(brick_, home->layout.brick);
  }

  Network run() {
    if (hardware_.tiling.concat == Concat::copied || stays_on_chip(hardware_) ||
        off_chip::activations(hardware_) == nullptr || off_chip::backing(hardware_) != nullptr ||
        hardware_.clock_hz <= 0)
      return std::move(network_);
    link_ = cost::links_of(hardware_).data;
    // Last op first: a tensor that is joined repeatedly lies where the last concatenation wants it.
    for (OpIndex k = network_.ops.size(); k-- > 0;)
      if (tiling::joins_channels(network_.ops[k])) join(network_.ops[k]);
    return std::move(network_);
  }

 private:
  struct Change {
    TensorIndex tensor = 0;
    JoinedPlace place;
  };

  void join(const Op& op) {
    if (op.outputs.size() != 1 || op.inputs.size() < 2) return;
    const std::optional<JoinedPlace> place = place_of(op);
    if (!place || !all_may_lie_there(op, *place)) return;
    std::vector<Change> changes;
    const TensorIndex made = op.outputs.front();
    if (place->whole != made) changes.push_back({made, *place});
    Dim begin = place->begin;
    for (const TensorIndex t : op.inputs) {
      changes.push_back({t, {place->whole, begin, place->channels}});
      begin += network_.tensors[t].shape[1];
    }
    if (!pays(op, changes)) return;
    for (Change& each : changes) {
      each.place.alike = begins_at_a_burst(network_.tensors[each.tensor], each.place);
      network_.tensors[each.tensor].joined = each.place;
    }
  }

  /// Channels move slowest off chip, and the channels before its own are whole bursts.
  [[nodiscard]] bool begins_at_a_burst(const Tensor& tensor, const JoinedPlace& place) const {
    const std::vector<Dim>& shape = tensor.shape;
    if (has_layout(shape))
      for (const std::uint8_t axis : link_->layout.order) {
        if (axis == 1) break;
        if (axis < shape.size() && shape[axis] > 1) return false;
      }
    Size before = element_bytes(tensor.type) * place.begin;
    for (std::size_t axis = 2; axis < shape.size(); ++axis) before *= shape[axis];
    return shape[0] == 1 && before % link_->burst == 0;
  }

  /// The place of the result: its own if it is joined, or the one implied by joined operands, or a
  /// new one.
  [[nodiscard]] std::optional<JoinedPlace> place_of(const Op& op) const {
    const TensorIndex made = op.outputs.front();
    const Tensor& tensor = network_.tensors[made];
    if (tensor.joined) return tensor.joined;
    Dim before = 0;
    for (const TensorIndex t : op.inputs) {
      const std::optional<JoinedPlace>& place = network_.tensors[t].joined;
      if (place) {
        if (fixed_[made] || place->begin < before ||
            place->begin - before + tensor.shape[1] > place->channels)
          return std::nullopt;
        return JoinedPlace{place->whole, place->begin - before, place->channels};
      }
      before += network_.tensors[t].shape[1];
    }
    return JoinedPlace{made, 0, tensor.shape[1]};
  }

  [[nodiscard]] bool all_may_lie_there(const Op& op, const JoinedPlace& place) const {
    const Tensor& whole = network_.tensors[place.whole];
    // A result of the network has no bricks; its operands have.
    if (brick_ > 1 && fixed_[place.whole]) return false;
    const bool shared = std::ranges::any_of(
        op.inputs, [&](TensorIndex t) { return network_.tensors[t].joined.has_value(); });
    Dim begin = place.begin;
    for (const TensorIndex t : op.inputs) {
      const Tensor& tensor = network_.tensors[t];
      const bool once = std::ranges::count(op.inputs, t) == 1;
      if (tensor.view_of || !made_[t] || fixed_[t] || !once || tensor.type != whole.type ||
          tensor.kind != TensorKind::activation || begin % brick_ != 0)
        return false;
      // A place made by another concatenation holds all of that one's operands.
      if (shared &&
          !(tensor.joined && tensor.joined->whole == place.whole && tensor.joined->begin == begin))
        return false;
      begin += tensor.shape[1];
    }
    return true;
  }

  /// True if the additional bytes on the bus do not exceed those of a copy.
  [[nodiscard]] bool pays(const Op& op, const std::vector<Change>& changes) const {
    Size copied = bus_bytes(network_.tensors[op.outputs.front()]);
    for (const TensorIndex t : op.inputs) copied += bus_bytes(network_.tensors[t]);
    Size more = 0;
    for (const Change& each : changes) {
      Tensor there = network_.tensors[each.tensor];
      const Size before = bus_bytes(there);
      there.joined = each.place;
      more += (bus_bytes(there) - before) * static_cast<Size>(1 + uses_[each.tensor]);
    }
    return more < copied;
  }
  [[nodiscard]] Size bus_bytes(const Tensor& tensor) const {
    return cost::moved(tensor, bytes_of(tensor), false, tiling::whole(tensor.shape), *link_)
               .bursts *
           link_->burst;
  }

  Network network_;
  const Hardware& hardware_;
  std::optional<cost::Link> link_;
  std::vector<std::size_t> uses_;
  std::vector<bool> made_;   ///< written by an op
  std::vector<bool> fixed_;  ///< inputs and outputs of the network
  Dim brick_ = 1;
};

}  // namespace

Network not_joined(const Network& network) {
  Network same = network;
  for (Tensor& tensor : same.tensors) tensor.joined.reset();
  return same;
}

Network joined_off_chip(const Network& network, const Hardware& hardware) {
  return Joiner(network, hardware).run();
}

Network planned_network(const Network& network, const Hardware& hardware,
                        const PlanParams& params) {
  return params.tile_shapes > 0 ? joined_off_chip(network, hardware) : network;
}

std::vector<PlannedJoin> joined_of(const Network& network) {
  std::vector<PlannedJoin> list;
  for (const Tensor& tensor : network.tensors)
    if (tensor.joined)
      list.push_back({tensor.name, network.tensors[tensor.joined->whole].name, tensor.joined->begin,
                      tensor.joined->begin + tensor.shape[1]});
  return list;
}

Network network_of(const Network& network, const Hardware& hardware,
                   const std::vector<PlannedJoin>& joined) {
  if (joined.empty()) return network;
  Network own = joined_off_chip(network, hardware);
  const std::vector<PlannedJoin> right = joined_of(own);
  if (right == joined) return own;
  const auto [said, is] = std::ranges::mismatch(joined, right);
  if (said != joined.end())
    throw std::invalid_argument("`joined` states that '" + said->tensor + "' lies in '" +
                                said->whole + "' from channel " + std::to_string(said->begin) +
                                " on, which does not hold on this machine");
  throw std::invalid_argument("`joined` does not state that '" + is->tensor + "' lies in '" +
                              is->whole + "'");
}

}  // namespace tessera::planner
