#include "commands/c_table.h"

#include <algorithm>
#include <utility>

#include "model/json_text.h"

namespace tessera::commands {
namespace {

constexpr std::size_t copy_dims = 8;

std::string decimal(std::int64_t value) {
  return std::to_string(value);
}

std::string name_list(const std::string& prefix, const char* what,
                      const std::vector<std::string>& names) {
  std::string out = "static const char* const " + prefix + "_" + what + "[] = {";
  for (const std::string& name : names) out += json_string(name) + ", ";
  return out + "0};\n";
}

std::string copy_row(const Copy& copy) {
  const Side& src = copy.src ? *copy.src : *copy.dst;
  const Side& dst = copy.dst ? *copy.dst : *copy.src;
  std::string counts;
  std::string from;
  std::string to;
  for (std::size_t k = 0; k < copy_dims; ++k) {
    const bool there = k < src.dims.size();
    counts += (k > 0 ? "," : "") + decimal(there ? src.dims[k].count : 1);
    from += (k > 0 ? "," : "") + decimal(there ? src.dims[k].stride : 0);
    to += (k > 0 ? "," : "") + decimal(there ? dst.dims[k].stride : 0);
  }
  return "{" + (copy.src ? decimal(static_cast<std::int64_t>(src.memory)) : "-1") + "," +
         decimal(src.address) + "," +
         (copy.dst ? decimal(static_cast<std::int64_t>(dst.memory)) : "-1") + "," +
         decimal(dst.address) + "," + decimal(src.element_bytes) + ",{" + counts + "},{" + from +
         "},{" + to + "}},\n";
}

std::int64_t rows_of(const Operand& operand) {
  return static_cast<std::int64_t>(operand.parts.size());
}

std::int64_t operand_count(const Command& command) {
  std::int64_t count = 0;
  for (const Operand& operand : command.out) count += rows_of(operand);
  for (const auto& operand : command.in) count += operand ? rows_of(*operand) : 1;
  if (command.accumulate && command.accumulate->sums) count += rows_of(*command.accumulate->sums);
  return count;
}

}  // namespace

CTable::CTable(std::string name, const Context& context, std::vector<Queue> queues)
    : name_(std::move(name)), context_(context), queues_(std::move(queues)) {}

std::string CTable::begin() const {
  std::string out =
      "/* Commands of " + name_ + "; docs/guide/commands.md describes the fields. */\n";
  out += "#pragma once\n#include <stdint.h>\n\n";
  out +=
      "enum {TESSERA_LOAD, TESSERA_STORE, TESSERA_COMPUTE, TESSERA_MODE, TESSERA_WAIT};\n"
      "typedef struct {int32_t src_memory; int64_t src_address; int32_t dst_memory; int64_t "
      "dst_address; int64_t element_bytes; int64_t count[8]; int64_t src_stride[8]; int64_t "
      "dst_stride[8];} tessera_copy;\n"
      "typedef struct {int32_t tensor; int32_t more; int32_t memory; int64_t address; int32_t "
      "element_bytes; int32_t bits; int64_t encoded; int32_t rank; int64_t begin[8]; int64_t "
      "end[8]; int64_t stride[8]; int64_t brick_channels; int64_t brick_stride; int64_t "
      "brick_phase;} tessera_operand;\n"
      "typedef struct {int32_t kind; int32_t group; int64_t tile; int32_t queue; int64_t cycles; "
      "int64_t waits; int64_t first_wait; int64_t copies; int64_t first_copy; int64_t bytes; "
      "int32_t op; int64_t outs; int64_t ins; int64_t sums; int64_t first_operand; int32_t pads; "
      "int64_t pad[6][2]; int64_t part; int64_t parts; int64_t begins; const char* memory; const "
      "char* mode;} tessera_command;\n\n";
  std::vector<std::string> names;
  for (const HardwareMemory& memory : context_.hardware.memories)
    names.push_back(memory.space.name);
  out += name_list(name_, "memory_names", std::exchange(names, {}));
  for (const Tensor& tensor : context_.network.tensors) names.push_back(tensor.name);
  out += name_list(name_, "tensor_names", std::exchange(names, {}));
  for (const Op& op : context_.network.ops) names.push_back(op.name);
  out += name_list(name_, "op_names", std::exchange(names, {}));
  for (const Queue& queue : queues_) names.push_back(queue.name);
  return out + name_list(name_, "queue_names", names) + "\n";
}

std::string CTable::open(CArray array) {
  waits_ = copies_ = operands_ = 0;
  static constexpr const char* types[] = {"int64_t", "tessera_copy", "tessera_operand",
                                          "tessera_command"};
  static constexpr const char* names[] = {"waits", "copies", "operands", "commands"};
  const auto k = static_cast<std::size_t>(array);
  return std::string("static const ") + types[k] + " " + name_ + "_" + names[k] + "[] = {\n";
}

std::string CTable::close() const {
  return "};\n\n";
}

std::string CTable::end(std::int64_t commands) const {
  return "enum {" + name_ + "_command_count = " + decimal(commands) + "};\n";
}

std::string CTable::operand_rows(const Operand& operand) const {
  std::string out;
  for (std::size_t k = 0; k < operand.parts.size(); ++k) {
    const Part& part = operand.parts[k];
    std::string begins;
    std::string ends;
    std::string strides;
    for (std::size_t axis = 0; axis < max_rank; ++axis) {
      const bool there = axis < part.box.rank;
      begins += (axis > 0 ? "," : "") + decimal(there ? part.box[axis].begin : 0);
      ends += (axis > 0 ? "," : "") + decimal(there ? part.box[axis].end : 1);
      strides += (axis > 0 ? "," : "") + decimal(there ? part.strides[axis] : 0);
    }
    out += "{" + decimal(static_cast<std::int64_t>(operand.tensor)) + "," +
           decimal(static_cast<std::int64_t>(operand.parts.size() - 1 - k)) + "," +
           decimal(static_cast<std::int64_t>(part.memory)) + "," + decimal(part.address) + "," +
           decimal(operand.element_bytes) + "," + decimal(operand.bits) + "," +
           decimal(operand.encoded) + "," + decimal(static_cast<std::int64_t>(part.box.rank)) + ",{" +
           begins + "},{" + ends + "},{" + strides + "}," + decimal(part.brick.channels) + "," +
           decimal(part.brick.stride) + "," + decimal(part.brick.phase) + "},\n";
  }
  return out;
}

std::string CTable::rows(CArray array, const Command& command) {
  std::string out;
  switch (array) {
    case CArray::waits:
      for (const CommandId id : command.after) out += decimal(id) + ",";
      return out.empty() ? out : out + "\n";
    case CArray::copies:
      for (const Copy& copy : command.copies) out += copy_row(copy);
      return out;
    case CArray::operands:
      for (const Operand& operand : command.out) out += operand_rows(operand);
      for (const auto& operand : command.in)
        out += operand ? operand_rows(*operand) : std::string("{-1},\n");
      if (command.accumulate && command.accumulate->sums)
        out += operand_rows(*command.accumulate->sums);
      return out;
    case CArray::commands:
      return command_row(command);
  }
  return out;
}

std::string CTable::command_row(const Command& c) {
  const auto queue = std::ranges::find(queues_, c.queue, &Queue::name);
  const auto op = std::ranges::find(context_.network.ops, c.op, &Op::name);
  std::string pads;
  constexpr std::size_t most_pads = 6;
  for (std::size_t k = 0; k < most_pads; ++k)
    pads += (k > 0 ? ",{" : "{") + decimal(k < c.pad.size() ? c.pad[k].first : 0) + "," +
            decimal(k < c.pad.size() ? c.pad[k].second : 0) + "}";
  const bool sums = c.accumulate && c.accumulate->sums;
  std::string out =
      "{" + decimal(static_cast<std::int64_t>(c.kind)) + "," +
      decimal(static_cast<std::int64_t>(c.group)) + "," + decimal(c.tile) + "," +
      (queue == queues_.end() ? "-1" : decimal(queue - queues_.begin())) + "," + decimal(c.cycles) +
      "," + decimal(std::ssize(c.after)) + "," + decimal(waits_) + "," +
      decimal(std::ssize(c.copies)) + "," + decimal(copies_) + "," + decimal(c.bytes) + "," +
      (op == context_.network.ops.end() || c.op.empty()
           ? "-1"
           : decimal(op - context_.network.ops.begin())) +
      "," + decimal(std::ssize(c.out)) + "," + decimal(std::ssize(c.in)) + "," +
      decimal(sums ? 1 : 0) + "," + decimal(operands_) + "," + decimal(std::ssize(c.pad)) + ",{" +
      pads + "}," + decimal(c.accumulate ? c.accumulate->part : 0) + "," +
      decimal(c.accumulate ? c.accumulate->parts : 1) + "," + decimal(c.begins.value_or(-1)) + "," +
      (c.memory.empty() ? "0" : json_string(c.memory)) + "," +
      (c.mode.empty() ? "0" : json_string(c.mode)) + "},\n";
  waits_ += std::ssize(c.after);
  copies_ += std::ssize(c.copies);
  operands_ += operand_count(c);
  return out;
}

}  // namespace tessera::commands
