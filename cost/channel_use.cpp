#include "cost/channel_use.h"

#include <algorithm>
#include <span>

#include "cost/group_parts.h"

namespace tessera::cost {
namespace {

void unite(std::vector<bool>& set, const std::vector<bool>& other) {
  for (std::size_t k = 0; k < set.size(); ++k) set[k] = set[k] || other[k];
}
void intersect(std::vector<bool>& set, const std::vector<bool>& other) {
  for (std::size_t k = 0; k < set.size(); ++k) set[k] = set[k] && other[k];
}

/// Does every window overlap the input (none lies entirely in the padding)?
bool windows_meet_input(const Op& op, std::span<const Dim> kernel, std::span<const Dim> in,
                        std::span<const Dim> out) {
  for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
    const Dim dilation = axis < op.dilation.size() ? op.dilation[axis] : 1;
    const Dim stride = axis < op.stride.size() ? op.stride[axis] : 1;
    const Dim pad = axis < op.pad_begin.size() ? op.pad_begin[axis] : 0;
    // The first window ends inside the input, the last one begins inside, no gap skips the input.
    if (pad > dilation * (kernel[axis] - 1) || (out[axis] - 1) * stride - pad >= in[axis] ||
        in[axis] < dilation)
      return false;
  }
  return true;
}

}  // namespace

ChannelUse::ChannelUse(const Network& network, const std::vector<std::optional<OpIndex>>& readers)
    : network_(network),
      last_readers_(readers),
      weights_(network.ops.size()),
      all_weights_(network.ops.size()),
      uses_(network.ops.size()),
      reads_(network.ops.size()),
      one_of_(network.ops.size()) {
  std::vector<std::optional<OpIndex>> maker(network.tensors.size());
  for (OpIndex k = 0; k < network.ops.size(); ++k) {
    const Op& op = network.ops[k];
    const std::vector<TensorIndex> read = operands(op);
    for (std::size_t position = 0; position < read.size(); ++position) {
      const TensorIndex t = storage_of(network, read[position]);
      if (network.tensors[t].kind == TensorKind::weight) {
        const bool by_channel = op.kind == OpKind::conv || op.kind == OpKind::conv_transpose ||
                                op.kind == OpKind::batch_norm;
        all_weights_[k].push_back(t);
        if (by_channel && position > 0 && position < op.inputs.size() && read[position] == t)
          weights_[k].push_back(t);
      } else if (maker[t]) {
        uses_[*maker[t]].push_back(use_of(k, position));
        reads_[k].emplace_back(*maker[t], uses_[*maker[t]].back());
      }
      if (op.kind == OpKind::concat && position < op.inputs.size()) one_of_[k].push_back(maker[t]);
    }
    for (auto* list : {&weights_[k], &all_weights_[k]}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    for (const TensorIndex t : op.outputs) maker[storage_of(network, t)] = k;
  }
}

/// How op `reader` uses the operand at `position`; channels are axis 1.
ChannelUse::Use ChannelUse::use_of(OpIndex reader, std::size_t position) const {
  const Op& op = network_.ops[reader];
  const TensorIndex seen = operands(op)[position];
  Use use{.reader = reader};
  const std::vector<Dim>& in = network_.tensors[seen].shape;
  const std::vector<Dim>& out = network_.tensors[op.outputs[0]].shape;
  const auto spatial = [](const std::vector<Dim>& shape) { return std::span(shape).subspan(2); };
  if (network_.tensors[seen].view_of || in.size() != out.size() || in.size() < 2) return use;
  if (position >= op.inputs.size()) {
    use.same_channels = use.something = op.kind != OpKind::opaque;
    return use;
  }
  switch (op.kind) {
    case OpKind::conv:
      if (position != 0) return use;
      use.all_channels = op.groups == 1;
      use.same_channels = true;
      use.something =
          windows_meet_input(op, std::span(network_.tensors[op.inputs[1]].shape).subspan(2),
                             spatial(in), spatial(out));
      return use;
    case OpKind::max_pool:
    case OpKind::average_pool:
      use.same_channels = true;
      use.something = windows_meet_input(op, op.kernel, spatial(in), spatial(out));
      return use;
    case OpKind::elementwise:
      use.same_channels = use.something = true;
      return use;
    case OpKind::batch_norm:
      use.same_channels = use.something = position == 0;
      return use;
    case OpKind::softmax:
    case OpKind::normalize:
    case OpKind::reduce:
      use.all_channels = names_axis(op, 1);
      use.same_channels = use.something = true;
      return use;
    case OpKind::concat:
      use.same_channels = true;
      use.something_for_all = names_axis(op, 1);
      return use;
    default:
      return use;
  }
}

bool ChannelUse::leaves(OpIndex op, OpIndex last) const {
  return std::ranges::any_of(network_.ops[op].outputs, [&](TensorIndex t) {
    const std::optional<OpIndex>& reader = last_readers_[storage_of(network_, t)];
    return !reader || *reader > last;
  });
}

void ChannelUse::find_all_channels(OpRange run, std::vector<bool>& all_channels) const {
  all_channels.assign(run.size(), false);
  for (OpIndex k = run.last + 1; k-- > run.first;) {
    if (network_.ops[k].outputs.size() != 1 || leaves(k, run.last)) continue;
    all_channels[k - run.first] = std::ranges::all_of(uses_[k], [&](const Use& use) {
      return use.all_channels || (use.same_channels && all_channels[use.reader - run.first]);
    });
  }
}

std::vector<TensorIndex> ChannelUse::in_every_tile(OpRange run, OpIndex anchor) const {
  std::vector<bool> all_channels;
  find_all_channels(run, all_channels);
  // Per op: the ops that run whenever it runs. These are the producers it always reads from,
  // transitively; for a concatenation, the ops common to all operands, since it reads at least one
  // of them.
  std::vector<std::vector<bool>> implied;
  for (OpIndex k = run.first; k <= anchor; ++k) {
    std::vector<bool> of_op(run.size(), false);
    for (const auto& [maker, use] : reads_[k])
      if (maker >= run.first && use.is_read(all_channels[k - run.first]))
        unite(of_op, implied[maker - run.first]);
    if (!one_of_[k].empty() && std::ranges::all_of(one_of_[k], [&](const auto& maker) {
          return maker && *maker >= run.first;
        })) {
      std::vector<bool> common(run.size(), true);
      for (const std::optional<OpIndex>& maker : one_of_[k])
        intersect(common, implied[*maker - run.first]);
      unite(of_op, common);
    }
    of_op[k - run.first] = true;
    implied.push_back(std::move(of_op));
  }
  std::vector<TensorIndex> found;
  for (OpIndex k = run.first; k <= anchor; ++k)
    if (implied.back()[k - run.first] && all_channels[k - run.first])
      found.insert(found.end(), weights_[k].begin(), weights_[k].end());
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace tessera::cost
