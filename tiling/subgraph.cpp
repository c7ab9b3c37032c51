#include "tiling/subgraph.h"

#include <algorithm>
#include <unordered_map>

#include "tiling/joined.h"
#include "tiling/reach.h"

namespace tessera::tiling {

std::vector<std::optional<OpIndex>> last_readers(const Network& network) {
  std::vector<std::optional<OpIndex>> readers(network.tensors.size());
  for (OpIndex k = 0; k < network.ops.size(); ++k)
    for (const TensorIndex tensor : operands(network.ops[k]))
      readers[storage_of(network, tensor)] = k;
  for (const TensorIndex tensor : network.outputs)
    readers[storage_of(network, tensor)] = network.ops.size();
  return readers;
}

std::vector<OpIndex> first_readers(const Network& network) {
  std::vector<OpIndex> readers(network.tensors.size(), network.ops.size());
  for (OpIndex k = network.ops.size(); k-- > 0;)
    for (const TensorIndex tensor : operands(network.ops[k]))
      readers[storage_of(network, tensor)] = k;
  return readers;
}

Subgraph make_subgraph(const Network& network, OpRange range,
                       const std::vector<std::optional<OpIndex>>& readers) {
  Subgraph subgraph{
      .network = &network, .ops = range, .tensors = {}, .operands_at = {}, .made_at = {}};
  std::unordered_map<TensorIndex, std::size_t> local;
  const auto find = [&](TensorIndex tensor) {
    const TensorIndex storage = storage_of(network, tensor);
    const auto [at, added] = local.try_emplace(storage, subgraph.tensors.size());
    if (added) {
      subgraph.tensors.push_back({.tensor = storage,
                                  .weight = network.tensors[storage].kind == TensorKind::weight,
                                  .producer = std::nullopt,
                                  .consumers = {},
                                  .leaves = false,
                                  .bytes = bytes_of(network.tensors[storage]),
                                  .pinned = network.tensors[storage].pinned});
    }
    return at->second;
  };
  for (OpIndex k = range.first; k <= range.last; ++k) {
    const Step step = static_cast<Step>(k - range.first);
    const std::vector<TensorIndex> all = operands(network.ops[k]);
    subgraph.operands_at.emplace_back();
    for (std::size_t position = 0; position < all.size(); ++position) {
      const std::size_t t = find(all[position]);
      subgraph.operands_at.back().push_back({position, t, all[position]});
      std::vector<Step>& consumers = subgraph.tensors[t].consumers;
      if (consumers.empty() || consumers.back() != step) consumers.push_back(step);
    }
    subgraph.made_at.emplace_back();
    for (const TensorIndex output : network.ops[k].outputs) {
      const std::size_t t = find(output);
      subgraph.tensors[t].producer = step;
      subgraph.made_at.back().push_back(t);
    }
  }
  for (LocalTensor& t : subgraph.tensors)
    t.leaves = t.producer && readers[t.tensor] && *readers[t.tensor] > range.last;
  // A group without readers still has to produce something.
  if (std::ranges::none_of(subgraph.tensors, &LocalTensor::leaves))
    for (const TensorIndex output : network.ops[range.last].outputs)
      subgraph.tensors[local.at(output)].leaves = true;
  return subgraph;
}

namespace {

/// Weights of products in this group are encoded, even if other ops read them too.
void encode(Subgraph& part, const Hardware& hardware) {
  for (std::size_t step = 0; step < part.steps(); ++step) {
    const auto weight = multiplied_by(*part.network, part.op(static_cast<Step>(step)), hardware);
    if (!weight) continue;
    for (const LocalOperand& operand : part.operands_at[step])
      if (part.tensors[operand.local].tensor == weight->tensor)
        part.tensors[operand.local].bytes = weight->bytes;
  }
}

/// For resident tensors from earlier groups. Inputs of the network may be in any memory.
void find_where_made(Subgraph& part, const Hardware& hardware) {
  part.passing_in = made_in(*part.network, part.passing, hardware);
  std::vector<LocalTensor*> kept;
  std::vector<TensorIndex> tensors;
  for (LocalTensor& local : part.tensors)
    if (local.kept && !local.producer) {
      kept.push_back(&local);
      tensors.push_back(local.tensor);
    }
  std::vector<Memories> found = made_in(*part.network, tensors, hardware);
  for (std::size_t k = 0; k < kept.size(); ++k) kept[k]->made_in = std::move(found[k]);
}

/// Marks resident tensors: those of the group, and those that only pass it.
void keep_on_chip(Subgraph& part, const std::vector<std::optional<OpIndex>>& readers,
                  const Hardware& hardware, std::span<const TensorIndex> stays) {
  const Network& network = *part.network;
  const bool all = stays_on_chip(hardware);
  const auto stay = [&](TensorIndex t) { return all || std::ranges::binary_search(stays, t); };
  for (LocalTensor& local : part.tensors)
    local.kept = !local.weight && (!local.producer || local.leaves) && stay(local.tensor);
  std::vector<bool> there(network.tensors.size(), false);
  for (const TensorIndex tensor : network.inputs) there[storage_of(network, tensor)] = true;
  for (OpIndex k = 0; k < part.ops.first; ++k)
    for (const TensorIndex tensor : network.ops[k].outputs)
      there[storage_of(network, tensor)] = true;
  for (const LocalTensor& own : part.tensors) there[own.tensor] = false;
  for (TensorIndex t = 0; t < network.tensors.size(); ++t)
    if (there[t] && network.tensors[t].kind != TensorKind::weight && readers[t] &&
        *readers[t] > part.ops.last && stay(t))
      part.passing.push_back(t);
  if (keeps(part) && restricts_reach(hardware)) find_where_made(part, hardware);
}

}  // namespace

Subgraph make_subgraph(const Network& network, OpRange range,
                       const std::vector<std::optional<OpIndex>>& readers, const Hardware& hardware,
                       std::span<const TensorIndex> stays) {
  Subgraph part = make_subgraph(network, range, readers);
  part.brick = on_chip_layout(hardware).brick;
  if (hardware.coding) encode(part, hardware);
  // Without bricks, equal groups are equal at every position of the network.
  if (has_bricks(hardware))
    for (LocalTensor& local : part.tensors) local.outside = is_outside(network, local.tensor);
  if (stays_on_chip(hardware) || !stays.empty()) keep_on_chip(part, readers, hardware, stays);
  join_in_place(part, hardware);
  return part;
}

void set_prefetched(Subgraph& part, const Hardware& hardware, const PrefetchedWeights& weights) {
  const Network& network = *part.network;
  for (LocalTensor& local : part.tensors)
    local.early = local.weight && std::ranges::binary_search(weights.early, local.tensor);
  const auto add = [&](TensorIndex t, bool early) {
    LocalTensor& local = part.tensors.emplace_back();
    local.tensor = t;
    local.weight = local.ahead = true;
    local.early = early;
    local.bytes = bytes_of(network.tensors[t]);
    if (!hardware.coding) return;
    for (const Op& op : network.ops)
      if (const auto weight = multiplied_by(network, op, hardware); weight && weight->tensor == t)
        local.bytes = weight->bytes;
  };
  for (const TensorIndex t : weights.passing) add(t, true);
  for (const TensorIndex t : weights.ahead) {
    const auto own = std::ranges::find(part.tensors, t, &LocalTensor::tensor);
    if (own == part.tensors.end())
      add(t, false);
    else
      own->left = true;
  }
}

std::vector<TensorIndex> may_stay(const Network& network,
                                  const std::vector<std::optional<OpIndex>>& readers) {
  std::vector<TensorIndex> found;
  for (OpIndex k = 0; k < network.ops.size(); ++k)
    for (const TensorIndex t : network.ops[k].outputs)
      if (const std::optional<OpIndex> reader = readers[t];
          storage_of(network, t) == t && reader && *reader > k && *reader < network.ops.size())
        found.push_back(t);
  std::ranges::sort(found);
  return found;
}

Subgraph make_subgraph(const Network& network, OpRange range) {
  return make_subgraph(network, range, last_readers(network));
}

}  // namespace tessera::tiling
