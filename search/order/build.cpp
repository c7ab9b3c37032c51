#include "search/order/build.h"

#include "model/graph_links.h"

namespace tessera::search {
namespace {

std::vector<OpId> op_ids(const std::vector<std::size_t>& ops) {
  std::vector<OpId> out;
  out.reserve(ops.size());
  for (const std::size_t op : ops) out.push_back(static_cast<OpId>(op));
  return out;
}

}  // namespace

OpGraph op_graph(const Graph& graph) {
  const GraphLinks links(graph);
  OpGraph out{.ops = graph.ops.size()};
  for (const std::vector<std::size_t>& before : links.before) out.before.push_back(op_ids(before));
  std::vector<std::uint32_t> place(graph.tensors.size(), UINT32_MAX);
  const std::vector<StorageUse> uses = storage_uses(graph, links);
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const GraphTensor& tensor = graph.tensors[t];
    if (tensor.weight) {
      out.extra.resize(out.ops);
      for (const std::size_t op : links.readers[t]) out.extra[op] += tensor.size;
    } else if (links.storage[t] == t) {
      place[t] = static_cast<std::uint32_t>(out.storages.size());
      out.storages.push_back({.size = tensor.size,
                              .begin = op_ids(uses[t].begin),
                              .end = op_ids(uses[t].end),
                              .from_start = uses[t].from_start,
                              .stays = uses[t].stays});
    }
  }
  for (const StorageInPlace& pair : storages_in_place(graph, links)) {
    out.in_place.resize(out.ops);
    out.in_place[pair.op].push_back({place[pair.dying], place[pair.born], place[pair.born]});
  }
  return out;
}

}  // namespace tessera::search
