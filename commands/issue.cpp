#include "commands/issue.h"

#include <algorithm>
#include <utility>

#include "commands/operands.h"
#include "tiling/joined.h"

namespace tessera::commands {

using cost::TaskMeaning;
using tiling::Box;

Issuer::Issuer(const Group& group, IssueState& state, Sink sink)
    : group_(group), state_(state), sink_(std::move(sink)) {
  const std::vector<cost::PipelineTask>& tasks = group.schedule().pipeline.tasks;
  for (const cost::PipelineTask& task : tasks) max_lead_ = std::max(max_lead_, task.lead);
  for (const cost::PipelineTask& task : tasks)
    for (const cost::PipelineDependency& d : task.after)
      window_ = std::max<std::int64_t>(window_, d.tiles_back + 1 + tasks[d.task].lead);
  window_ += max_lead_ + 1;
  ends_.resize(static_cast<std::size_t>(window_) * tasks.size());
  begun_.resize(static_cast<std::size_t>(window_), std::vector<CommandId>(tasks.size(), -1));
}

void Issuer::run() {
  const std::vector<cost::PipelineTask>& tasks = group_.schedule().pipeline.tasks;
  for (std::int64_t slot = -max_lead_; slot < group_.tiles(); ++slot) {
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const std::int64_t tile = slot + tasks[task].lead;
      if (tile >= 0 && tile < group_.tiles()) issue(task, tile);
    }
    forget_before(slot);
  }
}

Issuer::Ids& Issuer::ends(std::size_t task, std::int64_t tile) {
  const std::size_t tasks = group_.schedule().pipeline.tasks.size();
  return ends_[static_cast<std::size_t>(tile % window_) * tasks + task];
}

const TileAt& Issuer::tile(std::int64_t index) {
  const auto [at, fresh] = known_.try_emplace(index);
  if (fresh) at->second = group_.tile(index);
  return at->second;
}

void Issuer::forget_before(std::int64_t tile) {
  known_.erase(known_.begin(), known_.lower_bound(tile));
}

/// The commands that have to end before the task begins. A task without commands passes on what it
/// waits for itself. `for_moves`: for transfers, too.
Issuer::Ids Issuer::waits(std::size_t task, std::int64_t tile, bool for_moves) const {
  const std::vector<cost::PipelineTask>& tasks = group_.schedule().pipeline.tasks;
  Ids ids;
  for (const cost::PipelineDependency& d : tasks[task].after) {
    const std::int64_t of = tile - d.tiles_back;
    if (of < 0) continue;
    if (!for_moves && group_.schedule().meanings[d.task].kind == TaskMeaning::Kind::move) continue;
    const Ids& more = ends_[static_cast<std::size_t>(of % window_) * tasks.size() + d.task];
    ids.insert(ids.end(), more.begin(), more.end());
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void Issuer::issue(std::size_t task, std::int64_t index) {
  const TileAt& at = tile(index);
  after_ = waits(task, index);
  current_ = task;
  begun_[static_cast<std::size_t>(index % window_)][task] = -1;
  switch (group_.schedule().meanings[task].kind) {
    case TaskMeaning::Kind::move:
      issue_move(task, at);
      break;
    case TaskMeaning::Kind::op:
      issue_op(task, at);
      break;
    case TaskMeaning::Kind::service:
      issue_service(task, at);
      break;
  }
  ends(task, index) = std::move(after_);
}

CommandId Issuer::put(Command command) {
  command.id = state_.next++;
  command.after = std::exchange(after_, Ids{command.id});
  begun_[static_cast<std::size_t>(command.tile % window_)][current_] = command.id;
  const CommandId id = command.id;
  sink_(std::move(command));
  return id;
}

std::int64_t Issuer::cycles(std::size_t task, const TileAt& tile) const {
  return group_.schedule().pipeline.classes[tile.visit][task];
}

Command Issuer::begin(CommandKind kind, std::size_t task, const TileAt& tile) const {
  const cost::Pipeline& pipeline = group_.schedule().pipeline;
  Command command;
  command.kind = kind;
  command.group = group_.index();
  command.tile = tile.index;
  const std::size_t resource = pipeline.tasks[task].resource;
  command.queue = resource < group_.schedule().commanded
                      ? pipeline.resources[resource].name
                      : "memory " + pipeline.resources[resource].name;
  return command;
}

void Issuer::issue_service(std::size_t task, const TileAt& tile) {
  if (cycles(task, tile) == 0) return;
  Command command = begin(CommandKind::wait, task, tile);
  command.cycles = cycles(task, tile);
  put(std::move(command));
}

void Issuer::issue_move(std::size_t task, const TileAt& tile) {
  const TaskMeaning& meaning = group_.schedule().meanings[task];
  const cost::Move& move = group_.tasks().moves[meaning.index];
  if (move.load && !move.direct &&
      !group_.walk().loads(move.local, group_.walk().level_at(tile.position)))
    return;
  const Box box = move.resident ? tiling::whole(group_.part().tensor(move.local).shape)
                  : move.load   ? tile.regions.fresh[move.local]
                                : tile.regions.stored[move.local];
  if (box.none) return;
  Command command = begin(move.load ? CommandKind::load : CommandKind::store, task, tile);
  command.tensor = group_.tensor(move.local);
  command.box = group_.own(move.local, box);
  command.cycles = cycles(task, tile);
  command.bytes = group_.schedule().flows[tile.visit][task].bytes;
  const cost::Pipeline& pipeline = group_.schedule().pipeline;
  if (pipeline.tasks[task].bus && !pipeline.bus_cycles.empty() &&
      pipeline.bus_cycles[tile.visit][task] > 0) {
    command.bus = pipeline.tasks[task].bus;
    command.bus_cycles = pipeline.bus_cycles[tile.visit][task];
  }
  if (move.direct) {
    command.direct = true;
    const Side side = side_of(group_.off_chip_place(move.local), command.box);
    command.copies.push_back(move.load ? Copy{side, std::nullopt} : Copy{std::nullopt, side});
  } else {
    add_copies(move, tile, command.box, command);
    if (meaning.two) take_share(move, tile, meaning.rest, command);
  }
  if (meaning.rest) {
    const std::vector<CommandId>& begun = begun_[static_cast<std::size_t>(tile.index % window_)];
    for (std::size_t k = 0; k < task; ++k)
      if (group_.schedule().meanings[k].kind == TaskMeaning::Kind::move &&
          group_.schedule().meanings[k].index == meaning.index && begun[k] >= 0)
        command.rest_of = begun[k];
    if (command.cycles == 0 && command.copies.empty()) return;
    if (command.copies.empty()) {  // the first part was all; the rest takes time alone
      Command left = begin(CommandKind::wait, task, tile);
      left.cycles = command.cycles;
      left.bus = command.bus;
      left.bus_cycles = command.bus_cycles;
      command = std::move(left);
    }
  }
  put(std::move(command));
}

void Issuer::add_copies(const cost::Move& move, const TileAt& tile, const Box& box,
                        Command& command) const {
  const Place chip = group_.chip_place(tile, move.local, move.share);
  if (move.load || !group_.reuses_halo(move.local, move.share)) command.buffer = chip.buffer;
  const auto between = [&](const Box& part, const Place& far) {
    if (part.none) return;
    if (move.load) {
      for (Copy& copy : transfer(far, chip, part)) command.copies.push_back(std::move(copy));
      return;
    }
    for (const Part& from : group_.chip_parts(tile, move.local, move.share, part)) {
      Place near = chip;
      near.at = {from.memory, from.address};
      near.content = from.box;
      near.strides = from.strides;
      near.brick = from.brick;
      for (Copy& copy : transfer(near, far, from.box)) command.copies.push_back(std::move(copy));
    }
  };
  if (!box.none) between(box, group_.off_chip_place(move.local));
}

/// The first output channels, whose weights arrive first, or the rest.
void Issuer::take_share(const cost::Move& move, const TileAt& tile, bool rest,
                        Command& command) const {
  const std::vector<cost::TaskFlow>& flows = group_.schedule().flows[tile.visit];
  Size first = 0;
  Size all = 0;
  for (std::size_t k = 0; k < flows.size(); ++k) {
    const TaskMeaning& meaning = group_.schedule().meanings[k];
    if (meaning.kind != TaskMeaning::Kind::move || &group_.tasks().moves[meaning.index] != &move)
      continue;
    all += flows[k].bytes;
    if (!meaning.rest) first += flows[k].bytes;
  }
  // The outermost dimension of the copies has the output channels, or is all there is.
  bool divided = false;
  std::vector<Copy> taken;
  for (const Copy& copy : command.copies) {
    Copy part = copy;
    for (Side* side : {&*part.src, &*part.dst})
      if (side->dims.empty() && side->element_bytes > 1)
        side->dims = {{std::exchange(side->element_bytes, 1), 1}};
    if (part.src->dims.empty()) {  // a single byte comes first
      if (!rest) taken.push_back(std::move(part));
      continue;
    }
    const std::int64_t count = part.src->dims.front().count;
    const auto begins = std::clamp<std::int64_t>(all > 0 ? count * first / all : count,
                                                 std::min<std::int64_t>(1, count), count);
    for (Side* side : {&*part.src, &*part.dst}) {
      if (rest) side->address += begins * side->dims.front().stride;
      side->dims.front().count = rest ? count - begins : begins;
    }
    if (begins < count) divided = true;
    if (part.src->dims.front().count > 0) taken.push_back(std::move(part));
  }
  command.copies = std::move(taken);
  if (!divided) command.bytes = rest ? 0 : all;
}

void Issuer::issue_op(std::size_t task, const TileAt& tile) {
  const TaskMeaning& meaning = group_.schedule().meanings[task];
  const auto step = static_cast<Step>(meaning.index);
  std::int64_t left = cycles(task, tile);
  if (!meaning.rest) {
    const std::int64_t switching =
        std::min(left, group_.schedule().switching[tile.visit][meaning.index]);
    issue_switching(tile, step, switching);
    left -= switching;
    issue_copies(tile, step);
  }
  std::optional<Command> compute = compute_of(group_, tile, step);
  Command command = begin(compute ? CommandKind::compute : CommandKind::wait, task, tile);
  command.cycles = left;
  if (compute) {
    const std::size_t engine = group_.schedule().engines[tile.visit][meaning.index];
    compute->queue = command.queue;
    compute->cycles = left;
    compute->engine = group_.context().hardware.engines[engine].name;
    if (meaning.two && !meaning.rest) {
      compute->out.clear();
      compute->in.clear();
      compute->pad.clear();
      compute->accumulate.reset();
    }
    if (meaning.rest) {
      const std::vector<CommandId>& begun = begun_[static_cast<std::size_t>(tile.index % window_)];
      for (std::size_t k = 0; k < task; ++k)
        if (group_.schedule().meanings[k].kind == TaskMeaning::Kind::op &&
            group_.schedule().meanings[k].index == meaning.index)
          compute->begins = begun[k];
    }
    command = *std::move(compute);
  }
  if (command.kind == CommandKind::compute || left > 0) put(std::move(command));
  if (!meaning.two || meaning.rest) issue_halos(tile, step);
}

/// Mode switches before an op, and the cycles that it waits for them. In a pipelined group, those
/// at the begin of a slot wait for the slot before and for no transfer, because the first trailing
/// op needs these modes as soon as the first leading op does.
void Issuer::issue_switching(const TileAt& tile, Step step, std::int64_t cycles) {
  const tiling::Timeline line = group_.lowering().timeline();
  const auto add = [&](const Ids& more) { after_.insert(after_.end(), more.begin(), more.end()); };
  const bool last = tile.index + 1 == group_.tiles();
  if (line.any_trails() && step == 0) {
    const Ids own = std::exchange(after_, waits(current_, tile.index, false));
    const CommandId first = state_.next;
    std::int64_t none = 0;
    issue_modes(tile, step, none);
    slot_modes_ = state_.next > first ? after_ : Ids{};
    after_ = own;
    add(slot_modes_);
  } else {
    if (line.any_trails() && step == line.leading && !last) add(slot_modes_);
    issue_modes(tile, step, cycles);
  }
  if (cycles == 0) return;
  Command wait = begin(CommandKind::wait, current_, tile);
  wait.cycles = cycles;
  put(std::move(wait));
}

/// Trailing ops run in the modes of the leading ops beside them. Those of the last tile have none
/// beside them: their slot begins in the modes of its first step.
void Issuer::issue_modes(const TileAt& tile, Step step, std::int64_t& cycles) {
  const tiling::Timeline line = group_.lowering().timeline();
  const bool last = tile.index + 1 == group_.tiles();
  if (line.trails(step) && !(last && step == line.leading)) return;
  const Placement& placement = group_.placement(tile);
  const Step at = line.trails(step) ? (1 - group_.parity(tile)) * line.steps
                                    : group_.parity(tile) * line.steps + step;
  state_.modes.resize(std::max(state_.modes.size(), placement.modes.size()));
  for (std::size_t m = 0; m < placement.modes.size(); ++m) {
    const std::vector<std::string>& modes = placement.modes[m];
    if (static_cast<std::size_t>(at) >= modes.size()) continue;
    const std::string& mode = modes[static_cast<std::size_t>(at)];
    if (mode.empty() || mode == state_.modes[m]) continue;
    Command command = begin(CommandKind::mode, current_, tile);
    command.memory = group_.lowering().problem.memories[m].name;
    command.mode = state_.modes[m] = mode;
    command.cycles = std::exchange(cycles, 0);
    put(std::move(command));
  }
}

/// Copies for ops whose engine does not reach the place of the producer.
void Issuer::issue_copies(const TileAt& tile, Step step) {
  for (const cost::ChipCopy& copy : group_.tasks().copies) {
    const Box& box = tile.regions.fresh[copy.local];
    if (copy.before != step || box.none) continue;
    Command command = begin(CommandKind::load, current_, tile);
    const Place to = group_.chip_place(tile, copy.local, copy.share);
    command.tensor = group_.tensor(copy.local);
    command.box = group_.own(copy.local, box);
    command.buffer = to.buffer;
    command.copies = transfer(group_.chip_place(tile, copy.local, 0), to, command.box);
    put(std::move(command));
  }
}

/// After the last op that reads a tensor in a place.
void Issuer::issue_halos(const TileAt& tile, Step step) {
  const tiling::Subgraph& part = group_.part();
  for (std::size_t t = 0; t < part.tensors.size(); ++t) {
    for (std::size_t share = 0; share < group_.lowering().most_shares; ++share) {
      if (!group_.reuses_halo(t, share)) continue;
      std::optional<Step> last;
      for (const Step reads : part.tensors[t].consumers)
        if (group_.lowering().share_of(t, reads) == share) last = reads;
      if (last != step) continue;
      Command command = begin(CommandKind::load, current_, tile);
      command.copies = halo_copies(group_, tile, t, share);
      if (command.copies.empty()) continue;
      command.tensor = group_.tensor(t);
      command.box = group_.own(t, tile.regions.needed[t]);
      put(std::move(command));
    }
  }
}

}  // namespace tessera::commands
