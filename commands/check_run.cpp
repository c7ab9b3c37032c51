#include "commands/check_run.h"

#include <algorithm>
#include <utility>

#include "model/off_chip.h"
#include "model/pinned.h"
#include "model/stored.h"
#include "tessera/names.h"
#include "tiling/ceil_div.h"

namespace tessera::commands {
namespace {

/// The next index of nested loops, the last one fastest. False after the last index.
bool advance(std::vector<std::int64_t>& at, const std::vector<Level>& loops) {
  for (std::size_t k = at.size(); k-- > 0;) {
    if (++at[k] < loops[k].count) return true;
    at[k] = 0;
  }
  return false;
}

Offset offset_of(const std::vector<std::int64_t>& at, const std::vector<Level>& loops) {
  Offset offset = 0;
  for (std::size_t k = 0; k < at.size(); ++k) offset += at[k] * loops[k].stride;
  return offset;
}

}  // namespace

SymbolicRun::SymbolicRun(const Network& network, const Hardware& hardware, const NetworkPlan& plan,
                         const FileHeader& header, Report report)
    : network_(network),
      hardware_(hardware),
      plan_(plan),
      header_(header),
      report_(std::move(report)),
      canonical_(network, on_chip_layout(hardware)),
      contents_(hardware.memories.size()),
      order_(header.queues, header.buses),
      rules_(network),
      modes_(hardware, order_),
      buffers_(network, hardware, plan) {
  place_constants();
  buffers_.enter(0);
}

void SymbolicRun::wrong(const Command& command, const std::string& what) {
  report_("command " + std::to_string(command.id) + ": " + what);
}

/// Inputs and weights are in their places before the first command.
void SymbolicRun::place_constants() {
  std::vector<bool> given(network_.tensors.size(), false);
  for (const TensorIndex t : network_.inputs) given[storage_of(network_, t)] = true;
  for (TensorIndex t = 0; t < network_.tensors.size(); ++t) {
    const Tensor& tensor = network_.tensors[t];
    if ((tensor.kind != TensorKind::weight && !given[t]) || tensor.view_of) continue;
    const auto put = [&](std::size_t memory, AddressRange range, std::int64_t first) {
      bool taken = false;
      contents_.visit(memory, range, [&](Stored& stored) {
        taken = taken || (stored.meaning.defined && stored.meaning.tensor != t);
      });
      if (taken) report_("the header places '" + tensor.name + "' over another tensor");
      contents_.write(memory, range, {.tensor = t, .first = first, .sums = 0, .defined = true}, -1);
    };
    for (const Operand& place : header_.tensors[t].places) {
      const Part& part = place.parts.front();
      if (place.encoded > 0)
        put(part.memory, {part.address, part.address + place.encoded}, 0);
      else
        canonical_.each_run(place, part, [&](AddressRange range, std::int64_t first) {
          put(part.memory, range, first);
        });
    }
  }
}

bool SymbolicRun::in_memory(const Command& command, std::size_t memory, AddressRange range,
                            const std::string& buffer) {
  const HardwareMemory& of = hardware_.memories[memory];
  const Offset begin = range.begin - of.space.base;
  const Size size = of.offchip ? header_.sizes[memory] : of.space.capacity;
  if (begin < 0 || range.end - of.space.base > size) {
    wrong(command, "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                       " are outside memory '" + of.space.name + "'");
    return false;
  }
  if (of.offchip) return true;
  if (buffers_.contain(memory, range, buffer)) return true;
  wrong(command, "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                     " of memory '" + of.space.name + "' are outside the buffer" +
                     (buffer.empty() ? "s of the group" : " '" + buffer + "'"));
  return false;
}

/// On-chip, operands and loads name a buffer of their tensor.
bool SymbolicRun::names_buffer(const Command& command, const std::string& buffer,
                               TensorIndex tensor) {
  if (buffers_.are_for(buffer, tensor)) return true;
  wrong(command, (buffer.empty() ? "names no buffer of '"
                                 : "names the buffer '" + buffer + "', which is not one of '") +
                     network_.tensors[tensor].name + "'");
  return false;
}

void SymbolicRun::race(const Command& command, const Stored& stored, bool writes, CommandId from) {
  const auto where = [&](const Stored& run) {
    return " (" +
           (run.meaning.defined ? "'" + network_.tensors[run.meaning.tensor].name + "' at "
                                : std::string()) +
           std::to_string(run.bytes.begin) + ")";
  };
  const auto apart = [&](CommandId other) {
    return other < 0 || other == command.id || other == from || order_.is_before(other, from);
  };
  if (!apart(stored.writer))
    return wrong(command, "does not wait for command " + std::to_string(stored.writer) +
                              ", which writes bytes that it touches" + where(stored));
  if (!writes) return;
  for (const CommandId reader : stored.readers)
    if (!apart(reader))
      return wrong(command, "does not wait for command " + std::to_string(reader) +
                                ", which reads bytes that it overwrites" + where(stored));
}

void SymbolicRun::add(const Command& command) {
  if (command.id != next_)
    return wrong(command, "its id is not " + std::to_string(next_) + ", the next one");
  ++next_;
  if (std::string why = order_.add(command); !why.empty()) return wrong(command, why);
  if (command.queue.empty()) return barrier(command);
  if (command.group != group_)
    wrong(command, "is of group " + std::to_string(command.group) + " without a barrier before");
  else if (group_ < plan_.subgraphs.size() &&
           (command.tile < 0 || command.tile >= plan_.subgraphs[group_].tile_count()))
    wrong(command, "is of tile " + std::to_string(command.tile) + ", and the group has " +
                       std::to_string(plan_.subgraphs[group_].tile_count()));
  if (order_.staged().contains(command.id)) return fetch(command);
  inside_group_ = true;
  switch (command.kind) {
    case CommandKind::load:
    case CommandKind::store:
      transfer(command);
      break;
    case CommandKind::compute:
      compute(command);
      break;
    case CommandKind::mode:
      if (const std::string why = modes_.switch_to(command); !why.empty()) wrong(command, why);
      break;
    case CommandKind::wait:
      break;
  }
}

/// A second barrier of a group waits for what it needs from a backing memory.
void SymbolicRun::barrier(const Command& command) {
  if (command.group != group_)
    end_group(command.group);
  else if (inside_group_)
    wrong(command, "is a barrier inside group " + std::to_string(group_));
  inside_group_ = false;
  group_begin_ = order_.barrier();
}

void SymbolicRun::end_group(std::size_t next) {
  for (const auto& [id, transfer] : transfers_) {
    std::vector<Size> expected = transfer.expected;
    if (transfer.burst > 0)
      expected = {tiling::ceil_div(transfer.moved, transfer.burst) * transfer.burst};
    if (expected.empty()) expected = {0};
    if (std::ranges::find(expected, transfer.counted) == expected.end())
      report_("command " + std::to_string(id) + ": its transfer counts " +
              std::to_string(transfer.counted) + " bytes, the bus moves " +
              std::to_string(expected.back()));
  }
  counted_.clear();
  transfers_.clear();
  begun_.clear();
  if (group_ < plan_.subgraphs.size()) {
    const Metrics& planned = plan_.subgraphs[group_].metrics;
    const std::int64_t cycles = order_.last_end() - group_begin_;
    const std::string of = "group " + std::to_string(group_) + " takes ";
    if (cycles != planned.latency_cycles)
      report_(of + std::to_string(cycles) + " cycles, in the plan " +
              std::to_string(planned.latency_cycles));
    if (group_bytes_ != planned.dram_bytes)
      report_(of + std::to_string(group_bytes_) + " off-chip bytes, in the plan " +
              std::to_string(planned.dram_bytes));
  }
  if (next != group_ + 1) report_("group " + std::to_string(group_ + 1) + " is missing");
  group_ = next;
  group_bytes_ = 0;
  buffers_.enter(group_);
}

void SymbolicRun::transfer(const Command& command) {
  bytes_ += command.bytes;
  group_bytes_ += command.bytes;
  if (command.direct) return;  // the op accesses the bytes itself, perhaps several times
  if (command.copies.empty()) return wrong(command, "has no `src` and no `dst`");
  count_bytes(command);
  const bool loads = command.kind == CommandKind::load &&
                     std::ranges::any_of(command.copies, [&](const Copy& copy) {
                       return hardware_.memories[copy.src->memory].offchip;
                     });
  if ((loads || !command.buffer.empty()) && !names_buffer(command, command.buffer, command.tensor))
    return;
  // All is read before anything is written.
  std::vector<Piece> pieces;
  for (const Copy& each : command.copies)
    if (!take(command, each, pieces)) return;
  for (const Piece& piece : pieces) put(command, piece);
}

/// A fetch from a backing memory is the next one of the plan.
void SymbolicRun::fetch(const Command& command) {
  const std::vector<PlannedFetch>& planned = plan_.behind.fetches;
  const std::size_t number = order_.staged().size() - 1;
  if (number >= planned.size()) return wrong(command, "is a fetch that the plan does not have");
  const PlannedFetch& fetch = planned[number];
  const Order::Staged& staged = order_.staged().at(command.id);
  Size moved = 0;
  std::vector<Piece> pieces;
  for (const Copy& each : command.copies) {
    if (!each.src || !each.dst || !take(command, each, pieces)) return;
    Size bytes = each.src->element_bytes;
    for (const Level& level : each.src->dims) bytes *= level.count;
    moved += bytes;
  }
  if (command.kind != CommandKind::load || network_.tensors[command.tensor].name != fetch.tensor ||
      staged.begin != fetch.begin || staged.end != fetch.end || moved != fetch.room ||
      command.bytes != 0)
    wrong(command, "is not the plan's fetch of '" + fetch.tensor + "' from cycle " +
                       std::to_string(fetch.begin) + " to " + std::to_string(fetch.end));
  for (const Piece& piece : pieces) put(command, piece);
}

/// Reads the source of a copy. False if something is wrong with the copy.
bool SymbolicRun::take(const Command& command, const Copy& copy, std::vector<Piece>& pieces) {
  const Side& src = *copy.src;
  const Side& dst = *copy.dst;
  if (src.element_bytes != dst.element_bytes ||
      !std::ranges::equal(src.dims, dst.dims, {}, &Level::count, &Level::count)) {
    wrong(command, "`src` and `dst` have different shapes");
    return false;
  }
  Size run = src.element_bytes;
  std::size_t inner = src.dims.size();
  if (inner > 0 && src.dims[inner - 1].stride == run && dst.dims[inner - 1].stride == run)
    run *= src.dims[--inner].count;
  // Rows that are resident or reused are in buffers of their own.
  const std::string none;
  const bool loads = command.kind == CommandKind::load;
  std::vector<std::int64_t> at(inner, 0);
  do {
    const Offset from = src.address + offset_of(at, src.dims);
    const Offset to = dst.address + offset_of(at, dst.dims);
    const AddressRange bytes{from, from + run};
    if (!in_memory(command, src.memory, bytes, loads ? none : command.buffer) ||
        !in_memory(command, dst.memory, {to, to + run}, loads ? command.buffer : none))
      return false;
    contents_.visit(src.memory, bytes, [&](Stored& stored) {
      race(command, stored, false, command.id);
      stored.readers.push_back(command.id);
      const Offset begin = to + stored.bytes.begin - from;
      pieces.push_back(
          {dst.memory, {begin, begin + stored.bytes.end - stored.bytes.begin}, stored.meaning});
    });
  } while (advance(at, src.dims));
  return true;
}

/// A store may write bytes again that a concatenation has in common with its operands: that changes
/// nothing, so others may access them meanwhile.
void SymbolicRun::put(const Command& command, const Piece& piece) {
  bool again = false;
  std::vector<Piece> changed;
  contents_.visit(piece.memory, piece.to, [&](Stored& stored) {
    Piece part{piece.memory, stored.bytes, piece.meaning};
    part.meaning.first += stored.bytes.begin - piece.to.begin;
    const Meaning& there = stored.meaning;
    const bool same = there.defined && command.kind == CommandKind::store &&
                      canonical_.same(part.meaning, there, stored.bytes.size(),
                                      element_bytes(network_.tensors[there.tensor].type));
    again = again || (same && there.tensor == command.tensor);
    if (same) return;
    race(command, stored, true, command.id);
    changed.push_back(part);
  });
  if (again) wrong(command, "stores elements that are there already");
  for (const Piece& part : changed) contents_.write(part.memory, part.to, part.meaning, command.id);
}

/// Bytes on the bus follow from the part that is moved.
void SymbolicRun::count_bytes(const Command& command) {
  const HardwareMemory* far = nullptr;
  Size moved = 0;
  for (const Copy& copy : command.copies)
    for (const Side* side : {&*copy.src, &*copy.dst})
      if (hardware_.memories[side->memory].offchip) {
        far = &hardware_.memories[side->memory];
        Size bytes = side->element_bytes;
        for (const Level& level : side->dims) bytes *= level.count;
        moved += bytes;
      }
  if (command.rest_of) {
    const auto begun = transfers_.find(*command.rest_of);
    if (begun == transfers_.end())
      return wrong(command, "`rest_of` names no transfer of the group");
    begun->second.counted += command.bytes;
    begun->second.moved += moved;
    return;
  }
  Transfer& transfer = transfers_[command.id];
  transfer.counted = command.bytes;
  transfer.moved = moved;
  if (far == nullptr) return;
  const std::vector<Operand>& places = header_.tensors[command.tensor].places;
  if (!places.empty() && places.front().encoded > 0)
    transfer.burst = far->burst;
  else
    transfer.expected = possible_bytes(command.tensor, command.box, far->burst);
}

/// A tile counts the bursts of the first tile that is like it, so those of an earlier part with
/// these extents are right, too.
const std::vector<Size>& SymbolicRun::possible_bytes(TensorIndex tensor, const tiling::Box& box,
                                                     Size burst) {
  std::vector<Dim> extents;
  for (std::size_t axis = 0; axis < box.rank; ++axis) extents.push_back(box[axis].size());
  std::vector<Size>& known = counted_[{tensor, std::move(extents)}];
  const Size own = bursts(tensor, box, burst) * burst;
  if (std::ranges::find(known, own) == known.end()) known.push_back(own);
  return known;
}

Size SymbolicRun::bursts(TensorIndex tensor, const tiling::Box& box, Size burst) const {
  Size count = 0;
  for (const Operand& place : header_.tensors[tensor].places) {
    const tiling::Box inside = tiling::intersect(box, place.box);
    if (!inside.none) count += bursts_of(place, inside, home_of(tensor, place), burst);
  }
  return count;
}

/// The begin of the tensor, or of the concatenation that it is a part of.
Offset SymbolicRun::home_of(TensorIndex tensor, const Operand& place) const {
  for (const PlannedJoin& join : plan_.joined)
    if (join.tensor == network_.tensors[tensor].name)
      for (TensorIndex t = 0; t < network_.tensors.size(); ++t)
        if (network_.tensors[t].name == join.whole && !header_.tensors[t].places.empty())
          return header_.tensors[t].places.front().parts.front().address;
  return place.parts.front().address;
}

/// Bursts of all contiguous runs of a part of a place.
Size SymbolicRun::bursts_of(const Operand& place, const tiling::Box& inside, Offset home,
                            Size burst) {
  const Part& whole = place.parts.front();
  Offset first = whole.address - home;
  const bool packed = place.bits < 8;
  const Size unit = packed ? 1 : place.element_bytes;
  std::vector<Level> loops;
  for (std::size_t axis = 0; axis < inside.rank; ++axis) {
    const Dim begin = inside[axis].begin - place.box[axis].begin;
    if (axis == 1 && whole.brick.channels > 1) {
      first += begin / whole.brick.channels * whole.brick.stride;
      loops.push_back(
          {tiling::ceil_div(inside[axis].size(), whole.brick.channels), whole.brick.stride});
      loops.push_back({whole.brick.channels, whole.strides[1]});
    } else {
      first += begin * whole.strides[axis];
      loops.push_back({inside[axis].size(), whole.strides[axis]});
    }
  }
  std::ranges::stable_sort(loops, std::greater<>(), &Level::stride);
  std::vector<Level> merged;
  for (const Level& loop : loops) {
    if (loop.count == 1) continue;
    if (!merged.empty() && merged.back().stride == loop.count * loop.stride)
      merged.back() = {merged.back().count * loop.count, loop.stride};
    else
      merged.push_back(loop);
  }
  Size run = unit;
  if (!merged.empty() && merged.back().stride == unit) {
    run *= merged.back().count;
    merged.pop_back();
  }
  const Size length = packed ? 2 * burst : burst;
  Size count = 0;
  std::vector<std::int64_t> at(merged.size(), 0);
  do {
    count += tiling::ceil_div((first + offset_of(at, merged)) % length + run, length);
  } while (advance(at, merged));
  return count;
}

void SymbolicRun::compute(const Command& command) {
  if (std::string why = rules_.wrong(command); !why.empty()) return wrong(command, why);
  if (command.out.empty()) {
    begun_[command.id] = command.op;
    return;
  }
  if (command.begins) {
    const auto begun = begun_.find(*command.begins);
    if (begun == begun_.end() || begun->second != command.op)
      return wrong(command, "`begins` names no command that begins its op");
  }
  ++computed_[*rules_.find(command.op)];
  for (const std::optional<Operand>& operand : command.in)
    if (operand) read(command, *operand, 0);
  const auto& sums = command.accumulate;
  if (sums && sums->sums) read(command, *sums->sums, sums->part);
  for (const Operand& operand : command.out)
    write(command, operand, sums && sums->part + 1 < sums->parts ? sums->part + 1 : 0);
}

/// Calls see() with the parts of an operand. They lie inside its box and cover it, on-chip in
/// buffers of its tensor.
void SymbolicRun::each_part(const Command& command, const Operand& operand,
                            const std::function<void(const Part&)>& see) {
  const std::string& name = network_.tensors[operand.tensor].name;
  std::int64_t covered = 0;
  for (const Part& part : operand.parts) {
    if (!tiling::contains(operand.box, part.box))
      return wrong(command, "a part of '" + name + "' lies outside its box");
    covered += tiling::volume(part.box);
    if (hardware_.memories[part.memory].offchip ||
        names_buffer(command, part.buffer, operand.tensor))
      see(part);
  }
  if (covered != tiling::volume(operand.box))
    wrong(command, "the parts of '" + name + "' do not cover it");
}

void SymbolicRun::read(const Command& command, const Operand& operand, std::int64_t sums) {
  const Tensor& tensor = network_.tensors[operand.tensor];
  const bool weight = tensor.kind == TensorKind::weight;
  // Weights may arrive while an op of two commands runs.
  const CommandId from = command.begins && !weight ? *command.begins : command.id;
  bool right = true;
  each_part(command, operand, [&](const Part& part) {
    const auto see = [&](AddressRange range, std::int64_t first) {
      right = right && in_memory(command, part.memory, range, part.buffer) &&
              in_mode(command, {part.memory, range, true, weight, from, command.id});
      if (!right) return;
      contents_.visit(part.memory, range, [&](Stored& stored) {
        const Meaning wanted{.tensor = operand.tensor,
                             .first = first + stored.bytes.begin - range.begin,
                             .sums = sums,
                             .defined = true};
        const Meaning& held = stored.meaning;
        const Size length = stored.bytes.size();
        bool there = held.defined && held.tensor == operand.tensor;
        if (operand.encoded == 0)
          there = operand.bits < 8 ? canonical_.same_halves(wanted, held, length)
                                   : canonical_.same(wanted, held, length, operand.element_bytes);
        if (!there && right) {
          right = false;
          wrong(command,
                "reads '" + tensor.name + "' at " + std::to_string(stored.bytes.begin) +
                    " of memory '" + hardware_.memories[part.memory].space.name +
                    "', which holds " +
                    (stored.meaning.defined
                         ? "other data ('" + network_.tensors[stored.meaning.tensor].name + "')"
                         : "nothing"));
        }
        race(command, stored, false, from);
        std::erase_if(stored.readers, [&](CommandId reader) {
          return reader == command.id || order_.is_before(reader, from);
        });
        stored.readers.push_back(command.id);
      });
    };
    if (operand.encoded > 0)
      see({part.address, part.address + operand.encoded}, 0);
    else
      canonical_.each_run(operand, part, see);
  });
}

void SymbolicRun::write(const Command& command, const Operand& operand, std::int64_t sums) {
  const CommandId from = command.begins.value_or(command.id);
  bool right = true;
  each_part(command, operand, [&](const Part& part) {
    canonical_.each_run(operand, part, [&](AddressRange range, std::int64_t first) {
      right = right && in_memory(command, part.memory, range, part.buffer) &&
              in_mode(command, {part.memory, range, false, false, from, command.id});
      if (!right) return;
      contents_.visit(part.memory, range,
                      [&](Stored& stored) { race(command, stored, true, from); });
      contents_.write(part.memory, range,
                      {.tensor = operand.tensor, .first = first, .sums = sums, .defined = true},
                      command.id);
    });
  });
}

bool SymbolicRun::in_mode(const Command& command, const BankModes::Access& access) {
  const std::string why = modes_.permit(access);
  if (!why.empty()) wrong(command, why);
  return why.empty();
}

void SymbolicRun::finish() {
  end_group(group_ + 1);
  if (order_.staged().size() < plan_.behind.fetches.size())
    report_("the file has " + std::to_string(order_.staged().size()) + " of " +
            std::to_string(plan_.behind.fetches.size()) + " fetches of the plan");
  if (group_ != plan_.subgraphs.size())
    report_("the file has " + std::to_string(group_) + " of " +
            std::to_string(plan_.subgraphs.size()) + " groups");
  for (const TensorIndex named : network_.outputs) {
    const TensorIndex t = storage_of(network_, named);
    bool there = !header_.tensors[t].places.empty();
    for (const Operand& place : header_.tensors[t].places)
      canonical_.each_run(place, place.parts.front(), [&](AddressRange range, std::int64_t first) {
        contents_.visit(place.parts.front().memory, range, [&](Stored& stored) {
          const Meaning wanted{.tensor = t,
                               .first = first + stored.bytes.begin - range.begin,
                               .sums = 0,
                               .defined = true};
          there = there &&
                  canonical_.same(wanted, stored.meaning, stored.bytes.size(), place.element_bytes);
        });
      });
    if (!there) report_("the output '" + network_.tensors[t].name + "' is not complete at the end");
  }
}

}  // namespace tessera::commands
