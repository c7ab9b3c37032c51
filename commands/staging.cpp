#include "commands/staging.h"

#include <algorithm>
#include <utility>

#include "model/off_chip.h"

namespace tessera::commands {

std::optional<Queue> staging_queue(const Hardware& hardware) {
  const HardwareMemory* memory = off_chip::backing(hardware);
  if (memory == nullptr) return std::nullopt;
  return Queue{.name = "memory " + memory->space.name, .channels = 1, .staging = true};
}

Staging::Staging(const Context& context) : context_(context) {
  if (const std::optional<Queue> queue = staging_queue(context.hardware)) queue_ = queue->name;
}

void Staging::begin_group(std::size_t group, IssueState& state, const Sink& sink) {
  const auto barrier = [&](std::vector<CommandId> after) {
    Command wait{.id = state.next++, .kind = CommandKind::wait, .group = group};
    wait.after = std::move(after);
    sink(wait);
    return wait.id;
  };
  barriers_.push_back(group > 0 ? barrier({}) : -1);
  const std::vector<PlannedFetch>& fetches = context_.plan.behind.fetches;
  for (; next_ < fetches.size() && fetches[next_].from <= group; ++next_) {
    Command command = fetch(next_, group);
    command.id = state.next++;
    issued_.push_back(command.id);
    sink(std::move(command));
  }
  std::optional<CommandId> last;
  for (std::size_t k = 0; k < next_; ++k)
    if (fetches[k].subgraph == group) last = issued_[k];
  if (last) barrier({*last});
}

Command Staging::fetch(std::size_t number, std::size_t group) const {
  const PlannedFetch& fetch = context_.plan.behind.fetches[number];
  const auto named = std::ranges::find(context_.network.tensors, fetch.tensor, &Tensor::name);
  const auto tensor = static_cast<TensorIndex>(named - context_.network.tensors.begin());
  Command command{.kind = CommandKind::load, .group = group};
  command.queue = queue_;
  if (barriers_[fetch.from] >= 0) command.after.push_back(barriers_[fetch.from]);
  command.cycles = fetch.end - fetch.begin;
  command.tensor = tensor;
  command.box = tiling::whole(named->shape);
  const auto side = [&](const Place& place) {
    Side bytes{.memory = place.at.memory, .address = place.at.address + fetch.at, .dims = {}};
    if (fetch.room > 1) bytes.dims.push_back({fetch.room, 1});
    return bytes;
  };
  command.copies.push_back(
      {.src = side(*context_.homes.behind(tensor)), .dst = side(*context_.homes.off_chip(tensor))});
  if (fetch.at > 0) {
    const auto& fetches = context_.plan.behind.fetches;
    std::size_t first = number;
    while (fetches[first].at > 0) --first;
    command.rest_of = issued_[first];
  }
  return command;
}

}  // namespace tessera::commands
