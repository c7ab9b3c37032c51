#include "tiling/joined.h"

#include <algorithm>

#include "tiling/op_region.h"
#include "tiling/reach.h"

namespace tessera::tiling {
namespace {

constexpr std::size_t channel_axis = 1;

bool is_in_place(const Subgraph& part, std::size_t operand, std::size_t made) {
  return part.tensors[operand].in_place_of == made;
}

/// Can an op compute every part of its only output alone? Softmax needs whole rows, for example.
bool computes_any_part(const Subgraph& part, Step step) {
  if (part.made_at[static_cast<std::size_t>(step)].size() != 1) return false;
  const Op& op = part.op(step);
  const std::size_t rank = part.network->tensors[op.outputs.front()].shape.size();
  const Box element = whole(std::vector<Dim>(rank, 1));
  return widen(*part.network, op, element) == element;
}

/// Can an operand be produced inside the output? Only the concatenation may read it, which has no
/// place for parts that are computed and not needed.
bool may_be_in_place(const Subgraph& part, const Join& join, TensorIndex seen, std::size_t made,
                     Step step) {
  const LocalTensor& own = part.tensors[join.local];
  const Tensor& tensor = part.tensor(join.local);
  if (!own.producer || own.leaves || own.kept || own.in_place_of || seen != own.tensor)
    return false;
  if (!computes_any_part(part, *own.producer)) return false;
  if (own.consumers != std::vector<Step>{step} || tensor.type != part.tensor(made).type)
    return false;
  const auto& operands = part.operands_at[static_cast<std::size_t>(step)];
  if (std::ranges::count(operands, join.local, &LocalOperand::local) != 1) return false;
  const Dim brick = brick_of(part, made);
  return brick == brick_of(part, join.local) && join.channels.begin % brick == 0;
}

/// Does the group neither move nor compute anything?
bool nothing_to_do(const Subgraph& part) {
  return part.steps() == 1 && is_in_its_place(*part.network, part.op(0)) &&
         std::ranges::none_of(part.tensors, &LocalTensor::kept);
}

}  // namespace

bool is_in_its_place(const Network& network, const Op& op) {
  if (!joins_channels(op) || op.outputs.size() != 1) return false;
  const TensorIndex made = op.outputs.front();
  const std::optional<JoinedPlace>& own = network.tensors[made].joined;
  const TensorIndex whole = own ? own->whole : made;
  Dim begin = own ? own->begin : 0;
  for (const TensorIndex operand : op.inputs) {
    const Tensor& tensor = network.tensors[operand];
    const std::optional<JoinedPlace>& place = tensor.joined;
    if (!place || place->whole != whole || place->begin != begin) return false;
    begin += tensor.shape[channel_axis];
  }
  return true;
}

bool joins_channels(const Op& op) {
  return op.kind == OpKind::concat && op.axes.size() == 1 && op.axes.front() == channel_axis &&
         op.fused.empty();
}

std::vector<Join> joins_of(const Subgraph& part, Step step) {
  std::vector<Join> joins;
  const auto at = static_cast<std::size_t>(step);
  const std::size_t made = part.made_at[at].front();
  Dim begin = 0;
  for (const LocalOperand& operand : part.operands_at[at]) {
    const Dim end = begin + part.network->tensors[operand.seen_as].shape[channel_axis];
    joins.push_back({operand.local, {begin, end}, is_in_place(part, operand.local, made)});
    begin = end;
  }
  return joins;
}

void join_in_place(Subgraph& part, const Hardware& hardware) {
  bool any = false;
  for (std::size_t at = 0; at < part.steps(); ++at)
    any = any || joins_channels(part.op(static_cast<Step>(at)));
  if (!any) return;
  if (nothing_to_do(part)) {
    for (LocalTensor& local : part.tensors) local.in_its_place = true;
    return;
  }
  const Reachable reachable(part, hardware);
  // Backwards, because the output of a concatenation may itself be inside another one.
  for (std::size_t at = part.steps(); at-- > 0;) {
    const auto step = static_cast<Step>(at);
    if (!joins_channels(part.op(step)) || part.made_at[at].size() != 1) continue;
    const std::size_t made = part.made_at[at].front();
    // If the output is inside another tensor, its operands are copied there.
    if (part.tensors[made].in_place_of) continue;
    const std::vector<Join> joins = joins_of(part, step);
    for (std::size_t k = 0; k < joins.size(); ++k) {
      const TensorIndex seen = part.operands_at[at][k].seen_as;
      if (!may_be_in_place(part, joins[k], seen, made, step)) continue;
      const Step maker = *part.tensors[joins[k].local].producer;
      if (reachable.restricts() && reachable.output(maker) != reachable.output(step)) continue;
      part.tensors[joins[k].local].in_place_of = made;
    }
  }
}

std::vector<Step> makers_of(const Subgraph& part, std::size_t local) {
  std::vector<Step> steps;
  const std::optional<Step> last = part.tensors[local].producer;
  if (!last) return steps;
  bool copies = true;
  if (joins_channels(part.op(*last))) {
    copies = false;
    for (const Join& join : joins_of(part, *last)) {
      if (join.in_place)
        steps.push_back(*part.tensors[join.local].producer);
      else
        copies = true;
    }
  }
  if (copies) steps.push_back(*last);
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::vector<Box> copied_boxes(const Subgraph& part, const TileRegions& tile, Step step) {
  std::vector<Box> boxes;
  const Box& made = tile.fresh[part.made_at[static_cast<std::size_t>(step)].front()];
  if (made.none) return boxes;
  for (const Join& join : joins_of(part, step)) {
    Box box = made;
    box[channel_axis] = intersect(made[channel_axis], join.channels);
    if (!join.in_place && !box[channel_axis].empty()) boxes.push_back(box);
  }
  return boxes;
}

}  // namespace tessera::tiling
