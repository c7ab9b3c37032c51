#include "search/order/graph.h"

#include <algorithm>

#include "search/order/walk.h"

namespace tessera::search {

std::vector<Size> live_while(const OpGraph& graph, const std::vector<OpId>& order) {
  const OpTables tables(graph, OpTables::Ancestors::no);
  Walk walk(tables);
  std::vector<Size> live;
  for (const OpId op : order) {
    live.push_back(walk.while_running(op));
    walk.run(op);
  }
  return live;
}

Size peak_of(const OpGraph& graph, const std::vector<OpId>& order) {
  Size peak = 0;
  for (const Size live : live_while(graph, order)) peak = std::max(peak, live);
  return peak;
}

bool is_order(const OpGraph& graph, const std::vector<OpId>& order) {
  if (order.size() != graph.ops) return false;
  std::vector<bool> ran(graph.ops);
  for (const OpId op : order) {
    if (op >= graph.ops || ran[op]) return false;
    if (!std::ranges::all_of(graph.before[op], [&](OpId p) { return ran[p]; })) return false;
    ran[op] = true;
  }
  return true;
}

std::vector<OpId> first_order(const OpGraph& graph) {
  return breadth_first(graph, [](const std::vector<OpId>&, std::size_t) {});
}

OpGraph reversed(const OpGraph& graph) {
  OpGraph out{.ops = graph.ops, .extra = graph.extra, .base = graph.base};
  out.before.resize(graph.ops);
  for (OpId op = 0; op < graph.ops; ++op)
    for (const OpId p : graph.before[op]) out.before[p].push_back(op);
  for (const Storage& each : graph.storages)
    out.storages.push_back({.size = each.size,
                            .begin = each.end,
                            .end = each.begin,
                            .from_start = each.stays,
                            .stays = each.from_start});
  out.in_place = graph.in_place;
  for (std::vector<InPlace>& pairs : out.in_place)
    for (InPlace& pair : pairs) std::swap(pair.dying, pair.born);
  return out;
}

namespace {

/// The ops of the list that have a number, as these numbers.
std::vector<OpId> renumbered(const std::vector<OpId>& list, const std::vector<OpId>& number,
                             OpId none) {
  std::vector<OpId> out;
  for (const OpId op : list)
    if (number[op] != none) out.push_back(number[op]);
  std::ranges::sort(out);
  return out;
}

}  // namespace

OpGraph segment(const OpGraph& graph, const std::vector<OpId>& middle,
                const std::vector<bool>& done) {
  const auto none = static_cast<OpId>(graph.ops);
  std::vector<OpId> number(graph.ops, none);
  for (std::size_t k = 0; k < middle.size(); ++k) number[middle[k]] = static_cast<OpId>(k);
  OpGraph out{.ops = middle.size(), .base = graph.base};
  for (const OpId op : middle) {
    out.before.push_back(renumbered(graph.before[op], number, none));
    if (!graph.extra.empty()) out.extra.push_back(graph.extra[op]);
  }
  std::vector<std::uint32_t> place(graph.storages.size(), UINT32_MAX);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    const Storage& each = graph.storages[s];
    const auto ran = [&](OpId op) { return done[op]; };
    const auto later = [&](OpId op) { return !done[op] && number[op] == none; };
    Storage part{.size = each.size,
                 .begin = renumbered(each.begin, number, none),
                 .end = renumbered(each.end, number, none),
                 .from_start = each.from_start || std::ranges::any_of(each.begin, ran),
                 .stays = each.stays || std::ranges::any_of(each.end, later)};
    if (!part.from_start && part.begin.empty()) continue;  // born later
    if (!part.stays && part.end.empty()) continue;         // freed before
    if (part.from_start && part.stays) {
      out.base += part.size;
      continue;
    }
    place[s] = static_cast<std::uint32_t>(out.storages.size());
    out.storages.push_back(std::move(part));
  }
  if (graph.in_place.empty()) return out;
  for (const OpId op : middle) {
    std::vector<InPlace>& pairs = out.in_place.emplace_back();
    for (const InPlace& pair : graph.in_place[op])
      if (place[pair.dying] != UINT32_MAX && place[pair.born] != UINT32_MAX)
        pairs.push_back({place[pair.dying], place[pair.born], pair.group});
  }
  return out;
}

}  // namespace tessera::search
