#include "tessera/graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "model/graph_links.h"
#include "model/say.h"

namespace tessera {
namespace {

void sort_once(std::vector<std::size_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

std::string named_op(const Graph& graph, std::size_t op) {
  return "op '" + graph.ops[op].id + "'";
}

std::string named_tensor(const Graph& graph, std::size_t tensor) {
  return "tensor '" + graph.tensors[tensor].id + "'";
}

/// Errors of indices: nothing else can be checked if there is one.
std::vector<std::string> wrong_indices(const Graph& graph) {
  std::vector<std::string> wrong;
  const auto tensor_there = [&](std::size_t t) { return t < graph.tensors.size(); };
  for (const GraphOp& op : graph.ops)
    for (const auto* list : {&op.inputs, &op.outputs})
      if (!std::ranges::all_of(*list, tensor_there))
        wrong.push_back("op '" + op.id + "' has a tensor that is not in the graph");
  for (const auto& [x, y] : graph.in_place)
    if (!tensor_there(x) || !tensor_there(y))
      wrong.emplace_back("`in_place` has a tensor that is not in the graph");
  for (const auto& [a, b] : graph.before)
    if (a >= graph.ops.size() || b >= graph.ops.size())
      wrong.emplace_back("`before` has an op that is not in the graph");
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    std::size_t at = t;
    for (std::size_t steps = 0; graph.tensors[at].inside; ++steps) {
      at = *graph.tensors[at].inside;
      if (!tensor_there(at)) {
        wrong.push_back(named_tensor(graph, t) + " is inside a tensor that is not in the graph");
        break;
      }
      if (steps == graph.tensors.size()) {
        wrong.push_back(named_tensor(graph, t) + " is inside itself");
        break;
      }
    }
  }
  return wrong;
}

void check_ids(const Graph& graph, std::vector<std::string>& wrong) {
  std::unordered_set<std::string> tensors;
  for (const GraphTensor& tensor : graph.tensors)
    if (tensor.id.empty())
      wrong.emplace_back("a tensor has no id");
    else if (!is_printable(tensor.id))
      wrong.push_back("the id '" + tensor.id + "' has unprintable characters");
    else if (!tensors.insert(tensor.id).second)
      wrong.push_back("two tensors have the id '" + tensor.id + "'");
  std::unordered_set<std::string> ops;
  for (const GraphOp& op : graph.ops)
    if (op.id.empty())
      wrong.emplace_back("an op has no id");
    else if (!is_printable(op.id))
      wrong.push_back("the id '" + op.id + "' has unprintable characters");
    else if (!ops.insert(op.id).second)
      wrong.push_back("two ops have the id '" + op.id + "'");
}

void check_tensors(const Graph& graph, std::vector<std::string>& wrong) {
  if (graph.alignment < 1 || graph.alignment > max_address)
    wrong.push_back("the alignment is " + std::to_string(graph.alignment));
  Size total = 0;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const GraphTensor& tensor = graph.tensors[t];
    if (tensor.size < 0)
      wrong.push_back(named_tensor(graph, t) + " has the size " + std::to_string(tensor.size));
    total += std::clamp<Size>(tensor.size, 0, max_address - total);
    if (total >= max_address - static_cast<Size>(graph.tensors.size()) * graph.alignment) {
      wrong.emplace_back("the sizes add up to more than 2^60");
      return;
    }
    if (!tensor.inside) continue;
    const GraphTensor& whole = graph.tensors[*tensor.inside];
    if (whole.size < tensor.size)
      wrong.push_back(named_tensor(graph, t) + " is larger than the tensor it lies in");
    if (tensor.weight || whole.weight)
      wrong.push_back(named_tensor(graph, t) + ": a weight shares no bytes with other tensors");
  }
}

void check_ops(const Graph& graph, const GraphLinks& links, std::vector<std::string>& wrong) {
  std::vector<std::size_t> maker(graph.tensors.size(), GraphLinks::none);
  for (std::size_t op = 0; op < graph.ops.size(); ++op)
    for (const std::size_t t : graph.ops[op].outputs) {
      const std::string what = named_op(graph, op) + " makes " + named_tensor(graph, t);
      if (graph.tensors[t].weight) wrong.push_back(what + ", which is a weight");
      if (std::ranges::find(graph.ops[op].inputs, t) != graph.ops[op].inputs.end())
        wrong.push_back(what + " and reads it");
      if (maker[t] != GraphLinks::none)
        wrong.push_back(what + ", and " + named_op(graph, maker[t]) + " makes it as well");
      maker[t] = op;
    }
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> taken;  // (input, op) -> output
  for (const auto& [x, y] : graph.in_place) {
    const std::size_t op = maker[y];
    const std::string what =
        "in place: " + named_tensor(graph, x) + " and " + named_tensor(graph, y) + ": ";
    if (op == GraphLinks::none ||
        std::ranges::find(graph.ops[op].inputs, x) == graph.ops[op].inputs.end())
      wrong.push_back(what + "no op reads the first and makes the second");
    else if (graph.tensors[x].weight)
      wrong.push_back(what + "the first is a weight");
    else if (taken.try_emplace({links.storage[x], op}, links.storage[y]).first->second !=
             links.storage[y])
      wrong.push_back(what + "the op has another output in place of the first");
  }
}

/// Names of a network may be empty or repeated.
void make_ids_unique(Graph& graph) {
  std::unordered_set<std::string> taken;
  const auto rename = [&](std::string& id, const char* what, std::size_t number) {
    if (!id.empty() && taken.insert(id).second) return;
    id = (id.empty() ? std::string(what) : id) + "#" + std::to_string(number);
    while (!taken.insert(id).second) id += '#';
  };
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) rename(graph.tensors[t].id, "tensor", t);
  taken.clear();
  for (std::size_t op = 0; op < graph.ops.size(); ++op) rename(graph.ops[op].id, "op", op);
}

}  // namespace

GraphLinks::GraphLinks(const Graph& graph)
    : maker(graph.tensors.size(), none),
      readers(graph.tensors.size()),
      divided(graph.tensors.size()),
      before(graph.ops.size()) {
  for (std::size_t op = 0; op < graph.ops.size(); ++op) {
    for (const std::size_t t : graph.ops[op].outputs) maker[t] = op;
    for (const std::size_t t : graph.ops[op].inputs) readers[t].push_back(op);
  }
  for (std::vector<std::size_t>& list : readers) sort_once(list);
  // The reader of a tensor follows its maker; that of a tensor made in parts follows the makers of
  // all parts. An op may read a tensor and make a part of it, such as a view.
  const auto follow = [&](std::size_t read, std::size_t made) {
    for (const std::size_t op : readers[read])
      if (op != made || maker[read] == made) before[op].push_back(made);
  };
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (maker[t] != none) follow(t, maker[t]);
    std::size_t at = t;
    while (graph.tensors[at].inside) {
      at = *graph.tensors[at].inside;
      divided[at] = true;
      if (maker[t] != none && maker[at] == none) follow(at, maker[t]);
    }
    storage.push_back(at);
  }
  for (const auto& [a, b] : graph.before) before[b].push_back(a);
  for (std::vector<std::size_t>& list : before) sort_once(list);
}

std::vector<StorageUse> storage_uses(const Graph& graph, const GraphLinks& links) {
  std::vector<StorageUse> uses(graph.tensors.size());
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const GraphTensor& tensor = graph.tensors[t];
    if (tensor.weight) continue;
    StorageUse& use = uses[links.storage[t]];
    const bool made = links.maker[t] != GraphLinks::none;
    if (made) {
      use.begin.push_back(links.maker[t]);
      use.end.push_back(links.maker[t]);
    } else if (!links.divided[t]) {
      use.from_start = true;
    }
    use.end.insert(use.end.end(), links.readers[t].begin(), links.readers[t].end());
    if (tensor.stays || (!tensor.inside && links.readers[t].empty())) use.stays = true;
  }
  for (StorageUse& use : uses) {
    sort_once(use.begin);
    sort_once(use.end);
  }
  return uses;
}

std::vector<StorageInPlace> storages_in_place(const Graph& graph, const GraphLinks& links) {
  std::vector<StorageInPlace> out;
  for (const auto& [x, y] : graph.in_place)
    if (links.storage[x] != links.storage[y])
      out.push_back({links.maker[y], links.storage[x], links.storage[y]});
  std::ranges::sort(out, {}, [](const StorageInPlace& pair) {
    return std::tuple(pair.op, pair.born, pair.dying);
  });
  return out;
}

std::vector<std::size_t> any_order(const GraphLinks& links) {
  const std::size_t ops = links.before.size();
  std::vector<std::vector<std::size_t>> after(ops);
  std::vector<std::size_t> missing(ops);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t op = 0; op < ops; ++op) {
    for (const std::size_t p : links.before[op]) after[p].push_back(op);
    missing[op] = links.before[op].size();
    if (missing[op] == 0) ready.push(op);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t next : after[order.back()])
      if (--missing[next] == 0) ready.push(next);
  }
  return order;
}

std::vector<std::string> check_graph(const Graph& graph) {
  std::vector<std::string> wrong = wrong_indices(graph);
  if (!wrong.empty()) return wrong;
  check_ids(graph, wrong);
  check_tensors(graph, wrong);
  const GraphLinks links(graph);
  check_ops(graph, links, wrong);
  const std::vector<std::size_t> order = any_order(links);
  if (order.size() == graph.ops.size()) return wrong;
  std::vector<bool> ran(graph.ops.size());
  for (const std::size_t op : order) ran[op] = true;
  // From an op that cannot run backwards along predecessors that cannot either: a repetition is on
  // a cycle.
  std::size_t at = static_cast<std::size_t>(std::ranges::find(ran, false) - ran.begin());
  for (std::size_t steps = 0; steps < ran.size(); ++steps)
    at = *std::ranges::find_if(links.before[at], [&](std::size_t p) { return !ran[p]; });
  wrong.push_back(named_op(graph, at) + " is on a cycle: it can run only after itself");
  return wrong;
}

Graph graph_of(const Network& network) {
  Graph graph{.name = network.name};
  std::vector<std::size_t> place(network.tensors.size(), GraphLinks::none);
  const auto use = [&](TensorIndex tensor) {
    const TensorIndex t = storage_of(network, tensor);
    if (network.tensors[t].kind == TensorKind::weight) return GraphLinks::none;
    if (place[t] == GraphLinks::none) {
      place[t] = graph.tensors.size();
      graph.tensors.push_back(
          {.id = network.tensors[t].name, .size = tensor_bytes(network.tensors[t])});
    }
    return place[t];
  };
  for (const TensorIndex t : network.inputs) use(t);
  for (const Op& op : network.ops) {
    GraphOp out{.id = op.name};
    for (const TensorIndex t : operands(op))
      if (const std::size_t at = use(t); at != GraphLinks::none) out.inputs.push_back(at);
    for (const TensorIndex t : op.outputs) out.outputs.push_back(use(t));
    graph.ops.push_back(std::move(out));
  }
  for (const TensorIndex t : network.outputs)
    if (const std::size_t at = use(t); at != GraphLinks::none) graph.tensors[at].stays = true;
  make_ids_unique(graph);
  return graph;
}

bool is_order_of(const Graph& graph, const std::vector<std::size_t>& order) {
  const GraphLinks links(graph);
  if (order.size() != graph.ops.size()) return false;
  std::vector<bool> ran(graph.ops.size());
  for (const std::size_t op : order) {
    if (op >= ran.size() || ran[op]) return false;
    if (!std::ranges::all_of(links.before[op], [&](std::size_t p) { return ran[p]; })) return false;
    ran[op] = true;
  }
  return true;
}

Network reordered(const Network& network, const std::vector<std::size_t>& order) {
  Network out = network;
  for (std::size_t k = 0; k < order.size(); ++k) out.ops[k] = network.ops[order[k]];
  return out;
}

}  // namespace tessera
