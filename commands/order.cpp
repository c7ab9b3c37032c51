#include "commands/order.h"

#include <algorithm>

namespace tessera::commands {

Order::Order(const std::vector<FileQueue>& queues, std::int64_t buses)
    : bus_free_(static_cast<std::size_t>(std::max<std::int64_t>(0, buses)), 0) {
  for (const FileQueue& queue : queues) {
    Queue& own = queues_[queue.name];
    own.free.assign(static_cast<std::size_t>(std::max<std::int64_t>(1, queue.channels)), 0);
    own.staging = queue.staging;
  }
}

std::string Order::add(const Command& command) {
  std::string why = place(command);
  // Later commands find it all the same.
  if (!why.empty()) known_.push_back({.end = barrier_});
  return why;
}

std::string Order::place(const Command& command) {
  if (command.queue.empty()) {  // a barrier
    if (command.kind != CommandKind::wait) return "it names no queue";
    return end_all(command);
  }
  const auto found = queues_.find(command.queue);
  if (found == queues_.end()) return "the header has no queue '" + command.queue + "'";
  if (command.bus && *command.bus >= bus_free_.size())
    return "the header has no bus " + std::to_string(*command.bus);
  if (found->second.staging) return stage(command, found->second);
  std::vector<CommandId> before;
  for (const CommandId id : command.after) {
    if (id < 0 || id >= command.id)
      return "it waits for command " + std::to_string(id) + ", which does not come before it";
    if (id >= first_) before.push_back(id);
  }
  Queue& queue = found->second;
  if (queue.free.size() == 1 && command.cycles > 0 && queue.last >= first_)
    before.push_back(queue.last);
  Known known;
  find_beside(command, std::move(before), known);
  find_end(command, queue, known);
  last_end_ = std::max(last_end_, known.end);
  if (command.cycles > 0) queue.last = command.id;
  known_.push_back(std::move(known));
  return {};
}

std::string Order::end_all(const Command& barrier) {
  for (const CommandId id : barrier.after) {
    const auto awaited = staged_.find(id);
    if (awaited == staged_.end())
      return "it waits for command " + std::to_string(id) + ", which is not of a staging queue";
    last_end_ = std::max(last_end_, awaited->second.end);
    // The queue has one channel, so all before it have ended, too.
    for (auto& [other, staged] : staged_)
      if (other <= id && !staged.awaited) staged.awaited = barrier.id;
  }
  known_.clear();
  first_ = barrier.id + 1;
  barrier_ = barriers_[barrier.id] = last_end_;
  for (auto& [name, queue] : queues_) queue.last = -1;
  return {};
}

std::string Order::stage(const Command& command, Queue& queue) {
  Staged staged{.begin = queue.free.front(), .end = 0, .from = -1, .awaited = {}};
  for (const CommandId id : command.after) {
    const auto barrier = barriers_.find(id);
    if (barrier == barriers_.end())
      return "it waits for command " + std::to_string(id) + ", which is no barrier before it";
    staged.from = std::max(staged.from, id);
    staged.begin = std::max(staged.begin, barrier->second);
  }
  staged.end = queue.free.front() = staged.begin + command.cycles;
  staged_.emplace(command.id, staged);
  known_.push_back({.end = staged.end, .beside = {}});  // ids are indices
  return {};
}

/// A command runs beside another one unless some command that it waits for does not.
void Order::find_beside(const Command& command, std::vector<CommandId> before, Known& known) const {
  std::ranges::sort(before, std::greater<>());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  const CommandId latest = before.empty() ? first_ - 1 : before.front();
  if (!before.empty()) known.beside = this->known(latest).beside;
  for (CommandId id = latest + 1; id < command.id; ++id) known.beside.push_back(id);
  for (std::size_t k = 1; k < before.size(); ++k)
    std::erase_if(known.beside, [&](CommandId id) {
      return id == before[k] || (id < before[k] && is_before(id, before[k]));
    });
}

void Order::find_end(const Command& command, Queue& queue, Known& known) {
  std::int64_t begin = barrier_;
  for (const CommandId id : command.after)
    if (id >= first_) begin = std::max(begin, this->known(id).end);
  const auto channel = std::ranges::min_element(queue.free);
  if (command.cycles > 0) begin = std::max(begin, *channel);
  known.end = begin + command.cycles;
  if (command.bus && command.bus_cycles > 0) {
    std::int64_t& free = bus_free_[*command.bus];
    known.end += std::max<std::int64_t>(0, free - (known.end - command.bus_cycles));
    free = known.end;
  }
  if (command.cycles > 0) *channel = known.end;
}

bool Order::is_before(CommandId earlier, CommandId later) const {
  const auto first = staged_.find(earlier);
  if (const auto second = staged_.find(later); second != staged_.end())
    return first != staged_.end() || earlier <= second->second.from;
  if (first != staged_.end()) return first->second.awaited && *first->second.awaited < later;
  if (earlier < first_) return true;
  return !std::ranges::binary_search(known(later).beside, earlier);
}

}  // namespace tessera::commands
