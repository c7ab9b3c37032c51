#include "tiling/kept_rows.h"

#include <algorithm>
#include <utility>

#include "model/derived.h"
#include "model/stored.h"
#include "tiling/direct.h"

namespace tessera::tiling {
namespace {

/// Is the local tensor this one, or the part of it whose sums are computed separately?
bool is_of(const Subgraph& part, const LocalTensor& local, TensorIndex tensor) {
  return !local.weight && part.planned(local.tensor) == tensor;
}

}  // namespace

Dim rows_in_all(const Tensor& tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape[row_axis(tensor.shape.size())];
}

Box among_rows(Box box, Dim rows) {
  if (box.rank == 0) return rows > 0 ? box : nothing(0);
  Span& span = box[row_axis(box.rank)];
  span.end = std::min(span.end, rows);
  return tidy(box);
}

Box past_rows(Box box, Dim rows) {
  if (box.rank == 0) return rows > 0 ? nothing(0) : box;
  Span& span = box[row_axis(box.rank)];
  span.begin = std::max(span.begin, rows);
  return tidy(box);
}

std::vector<TensorIndex> may_stay_in_part(const Network& network,
                                          const std::vector<std::optional<OpIndex>>& readers) {
  std::vector<TensorIndex> may = may_stay(network, readers);
  std::vector<bool> joins(network.tensors.size(), false);
  for (TensorIndex t = 0; t < network.tensors.size(); ++t)
    if (const std::optional<JoinedPlace>& place = network.tensors[t].joined)
      joins[t] = joins[place->whole] = true;
  std::erase_if(may, [&](TensorIndex t) { return joins[t]; });
  return may;
}

KeptRows kept_rows_of(const Network& network, const Hardware& hardware, TensorIndex tensor,
                      Dim rows) {
  const Tensor& whole = network.tensors[tensor];
  Tensor part = whole;
  if (!part.shape.empty()) part.shape[row_axis(part.shape.size())] = rows;
  const Dim brick = is_outside(network, tensor) ? 1 : on_chip_layout(hardware).brick;
  return {.tensor = tensor,
          .name = whole.name,
          .rows = rows,
          .bytes = std::max<Size>(1, stored_bytes(part, brick))};
}

std::string refuses_rows(const Subgraph& part, const TileSpace& space, const Hardware& hardware,
                         const TileVariant& variant, TensorIndex tensor) {
  const std::vector<DirectAccess> direct = direct_accesses(part, hardware, variant.direct);
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    const LocalTensor& local = part.tensors[t];
    if (!is_of(part, local, tensor)) continue;
    if (std::ranges::find(direct, t, &DirectAccess::tensor) != direct.end())
      return "its engine has direct off-chip access";
    const std::size_t rank = part.tensor(t).shape.size();
    if (local.slice && local.slice->axis == row_axis(rank))
      return "it splits a reduction along them";
    if (rank > 0 && space.entangled[t][row_axis(rank)])
      return "its tiles split the tensor along several axes";
  }
  return {};
}

void set_kept_rows(Subgraph& part, std::vector<KeptRows> kept) {
  for (const KeptRows& each : kept)
    for (LocalTensor& local : part.tensors)
      if (is_of(part, local, each.tensor)) local.kept_rows = each.rows;
  part.kept_rows = std::move(kept);
}

}  // namespace tessera::tiling
