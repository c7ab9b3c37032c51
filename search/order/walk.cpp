#include "search/order/walk.h"

#include <algorithm>

namespace tessera::search {

OpTables::OpTables(const OpGraph& of, Ancestors wanted) : graph(of) {
  const std::size_t ops = graph.ops;
  after.resize(ops);
  begins.resize(ops);
  ends.resize(ops);
  words = (ops + 63) / 64;
  for (OpId op = 0; op < ops; ++op)
    for (const OpId p : graph.before[op]) after[p].push_back(op);
  for (std::uint32_t s = 0; s < graph.storages.size(); ++s) {
    for (const OpId op : graph.storages[s].begin) begins[op].push_back(s);
    for (const OpId op : graph.storages[s].end) ends[op].push_back(s);
  }
  if (wanted == Ancestors::no) return;
  earlier.assign(ops * words, 0);
  for (const OpId op : first_order(graph)) {
    std::uint64_t* const mine = earlier.data() + op * words;
    for (const OpId p : graph.before[op]) {
      mine[p / 64] |= std::uint64_t{1} << (p % 64);
      for (std::size_t w = 0; w < words; ++w) mine[w] |= earlier[p * words + w];
    }
  }
}

Walk::Walk(const OpTables& tables) : tables_(&tables) {
  const OpGraph& graph = tables.graph;
  set_.assign(tables.words, 0);
  slot_.resize(graph.ops);
  path_.reserve(graph.ops);
  ready_.reserve(graph.ops);
  live_ = graph.base;
  for (const Storage& each : graph.storages) {
    begun_.push_back(each.from_start ? 1 : 0);
    left_.push_back(static_cast<std::uint32_t>(each.end.size()) + (each.stays ? 1 : 0));
    if (each.from_start && left_.back() != 0) live_ += each.size;
  }
  for (OpId op = 0; op < graph.ops; ++op) {
    missing_.push_back(static_cast<std::uint32_t>(graph.before[op].size()));
    if (missing_[op] == 0) add_ready(op);
  }
}

Size Walk::while_running(OpId op) const {
  const OpGraph& graph = tables_->graph;
  Size live = live_;
  if (!graph.extra.empty()) live += graph.extra[op];
  for (const std::uint32_t s : tables_->begins[op])
    if (begun_[s] == 0) live += graph.storages[s].size;
  return live - saved_in_place(graph, op, [&](const InPlace& pair) {
           return begun_[pair.born] == 0 && left_[pair.dying] == 1 &&
                  std::ranges::binary_search(graph.storages[pair.dying].end, op);
         });
}

Size Walk::change(OpId op) const {
  const std::vector<Storage>& storages = tables_->graph.storages;
  Size change = 0;
  for (const std::uint32_t s : tables_->begins[op])
    if (begun_[s] == 0) change += storages[s].size;
  for (const std::uint32_t s : tables_->ends[op])
    if (left_[s] == 1) change -= storages[s].size;
  return change;
}

void Walk::add_ready(OpId op) {
  slot_[op] = static_cast<std::uint32_t>(ready_.size());
  ready_.push_back(op);
}

void Walk::drop_ready(OpId op) {
  const OpId last = ready_.back();
  ready_[slot_[op]] = last;
  slot_[last] = slot_[op];
  ready_.pop_back();
}

void Walk::run(OpId op) {
  const std::vector<Storage>& storages = tables_->graph.storages;
  for (const std::uint32_t s : tables_->begins[op])
    if (begun_[s]++ == 0) live_ += storages[s].size;
  for (const std::uint32_t s : tables_->ends[op])
    if (--left_[s] == 0) live_ -= storages[s].size;
  set_[op / 64] |= std::uint64_t{1} << (op % 64);
  drop_ready(op);
  for (const OpId next : tables_->after[op])
    if (--missing_[next] == 0) add_ready(next);
  path_.push_back(op);
}

void Walk::back() {
  const std::vector<Storage>& storages = tables_->graph.storages;
  const OpId op = path_.back();
  path_.pop_back();
  for (const OpId next : tables_->after[op])
    if (missing_[next]++ == 0) drop_ready(next);
  add_ready(op);
  set_[op / 64] &= ~(std::uint64_t{1} << (op % 64));
  for (const std::uint32_t s : tables_->ends[op])
    if (left_[s]++ == 0) live_ += storages[s].size;
  for (const std::uint32_t s : tables_->begins[op])
    if (--begun_[s] == 0) live_ -= storages[s].size;
}

void Walk::move_to(std::span<const OpId> path) {
  std::size_t same = 0;
  while (same < path.size() && same < path_.size() && path[same] == path_[same]) ++same;
  back_to(same);
  for (std::size_t k = same; k < path.size(); ++k) run(path[k]);
}

}  // namespace tessera::search
