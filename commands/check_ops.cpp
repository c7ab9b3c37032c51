#include "commands/check_ops.h"

#include <algorithm>

#include "tiling/op_region.h"

namespace tessera::commands {
namespace {

using tiling::Box;

std::string text(const Box& box) {
  std::string out = "[";
  for (std::size_t axis = 0; axis < box.rank; ++axis)
    out += (axis > 0 ? ", " : "") + std::to_string(box[axis].begin) + ":" +
           std::to_string(box[axis].end);
  return out + "]";
}

bool inside(const Box& box, const std::vector<Dim>& shape) {
  return box.rank == shape.size() && tiling::contains(tiling::whole(shape), box);
}

/// The axis of an operand along which a product sums.
std::size_t summed_axis(const Network& network, const Op& op, std::size_t position) {
  const std::size_t rank = network.tensors[op.inputs[position]].shape.size();
  if (op.kind == OpKind::matmul)
    return position == 0 ? rank - (op.transpose_a ? 2 : 1) : (op.transpose_b ? rank - 1 : rank - 2);
  return position == 0 || op.kind == OpKind::conv ? 1 : 0;
}

}  // namespace

OpRules::OpRules(const Network& network) : network_(network) {
  for (OpIndex k = 0; k < network.ops.size(); ++k) op_of_.emplace(network.ops[k].name, k);
}

std::optional<OpIndex> OpRules::find(const std::string& name) const {
  const auto found = op_of_.find(name);
  if (found == op_of_.end()) return std::nullopt;
  return found->second;
}

std::string OpRules::wrong(const Command& command) {
  const std::optional<OpIndex> index = find(command.op);
  if (!index) return "the network has no op '" + command.op + "'";
  const Op& op = network_.ops[*index];
  if (command.out.empty()) return {};  // the begin of an op of two commands
  for (const Operand& out : command.out) {
    if (std::ranges::find(op.outputs, out.tensor) == op.outputs.end())
      return "op '" + op.name + "' does not make '" + network_.tensors[out.tensor].name + "'";
    if (!inside(out.box, network_.tensors[out.tensor].shape))
      return "a part of '" + network_.tensors[out.tensor].name + "' is outside the tensor";
  }
  if (command.in.size() != tessera::operands(op).size())
    return "op '" + op.name + "' has " + std::to_string(tessera::operands(op).size()) +
           " operands, not " + std::to_string(command.in.size());
  if (std::string why = wrong_padding(op, command); !why.empty()) return why;
  if (op.kind == OpKind::concat && op.fused.empty()) return wrong_joined(op, command);
  return wrong_parts(op, command);
}

std::string OpRules::wrong_padding(const Op& op, const Command& command) const {
  std::vector<std::pair<Dim, Dim>> expected;
  if (op.kind == OpKind::conv || op.kind == OpKind::max_pool || op.kind == OpKind::average_pool) {
    const tiling::Padding pad = tiling::tile_padding(network_, op, command.out.front().box);
    for (std::size_t axis = 2; axis < network_.tensors[op.inputs[0]].shape.size(); ++axis)
      expected.emplace_back(pad.before[axis], pad.after[axis]);
  }
  return command.pad == expected ? std::string()
                                 : "`pad` of op '" + op.name + "' is not that of this part";
}

std::string OpRules::wrong_parts(const Op& op, const Command& command) {
  if (command.out.size() != op.outputs.size())
    return "op '" + op.name + "' does not make all of its outputs";
  const Box& made = command.out.front().box;
  if (tiling::widen(network_, op, made) != made)
    return "op '" + op.name + "' cannot make " + text(made) + " alone";
  if (op.kind == OpKind::opaque)
    for (const Operand& out : command.out)
      if (out.box != tiling::whole(network_.tensors[out.tensor].shape))
        return "op '" + op.name + "' makes its outputs as a whole only";
  if (const auto& sums = command.accumulate) {
    if (sums->parts < 1 || sums->part < 0 || sums->part >= sums->parts)
      return "`accumulate` has no part " + std::to_string(sums->part);
    if ((sums->part > 0) != sums->sums.has_value())
      return "the first part of a sum has no `sums`, and all others have";
    if (sums->sums && (sums->sums->tensor != command.out.front().tensor ||
                       sums->sums->box != command.out.front().box))
      return "`sums` are not those of the part of the output";
  }
  for (std::size_t position = 0; position < command.in.size(); ++position)
    if (std::string why = wrong_operand(op, command, position); !why.empty()) return why;
  return {};
}

std::string OpRules::wrong_operand(const Op& op, const Command& command, std::size_t position) {
  const std::optional<Operand>& operand = command.in[position];
  const TensorIndex named = tessera::operands(op)[position];
  Box region = tiling::operand_region(network_, op, position, command.out.front().box);
  if (const auto& sums = command.accumulate) {
    if (position >= 2 && sums->part + 1 < sums->parts)
      return operand ? "only the last part of a sum has a bias and fused operands" : std::string();
    if (position < 2 && operand)
      if (std::string why = wrong_slice(op, command, position, region); !why.empty()) return why;
  }
  const std::string name = "operand " + std::to_string(position) + " of op '" + op.name + "'";
  if (region.none) return operand ? name + " is not needed" : std::string();
  if (!operand) return name + " is missing";
  const std::string why = wrong_region(named, region, *operand);
  return why.empty() ? why : name + " " + why;
}

/// Parts of a split reduction cover the summed axis one after the other.
std::string OpRules::wrong_slice(const Op& op, const Command& command, std::size_t position,
                                 Box& region) {
  const Accumulate& sums = *command.accumulate;
  const std::size_t axis = summed_axis(network_, op, position);
  const Operand& operand = *command.in[position];
  if (operand.box.rank != region.rank) return {};  // reported by wrong_region()
  const tiling::Span given = operand.box[axis];
  std::vector<Dim>& ends = ends_[op.name];
  ends.resize(static_cast<std::size_t>(
                  std::max<std::int64_t>(sums.parts, static_cast<std::int64_t>(ends.size()))),
              0);
  const auto part = static_cast<std::size_t>(sums.part);
  const Dim begin = part == 0 ? region[axis].begin : ends[part - 1];
  if (ends[part] == 0) ends[part] = given.end;
  if (given.begin != begin || given.end != ends[part] ||
      (sums.part + 1 == sums.parts && given.end != region[axis].end))
    return "the parts of op '" + op.name + "' do not cover what it sums up";
  region[axis] = given;
  return {};
}

std::string OpRules::wrong_region(TensorIndex named, const Box& region,
                                  const Operand& operand) const {
  const TensorIndex storage = storage_of(network_, named);
  if (operand.tensor != storage)
    return "is '" + network_.tensors[operand.tensor].name + "', not '" +
           network_.tensors[storage].name + "'";
  if (!inside(operand.box, network_.tensors[storage].shape)) return "is outside its tensor";
  if (named == storage)
    return operand.box == region && !operand.as
               ? std::string()
               : "is the part " + text(operand.box) + ", not " + text(region);
  if (!operand.as || operand.as->tensor != named || operand.as->box != region)
    return "does not name the part " + text(region) + " of the view";
  const Box needed =
      tiling::reshaped(network_.tensors[named].shape, network_.tensors[storage].shape, region);
  return tiling::contains(operand.box, needed) ? std::string() : "is too small for its view";
}

std::string OpRules::wrong_joined(const Op& op, const Command& command) const {
  std::vector<Box> regions(op.inputs.size());
  for (std::size_t k = 0; k < regions.size(); ++k)
    regions[k] = tiling::nothing(network_.tensors[op.inputs[k]].shape.size());
  for (const Operand& out : command.out)
    for (std::size_t k = 0; k < regions.size(); ++k)
      regions[k] = tiling::hull(regions[k], tiling::operand_region(network_, op, k, out.box));
  for (std::size_t k = 0; k < regions.size(); ++k) {
    const std::string name = "operand " + std::to_string(k) + " of op '" + op.name + "'";
    if (regions[k].none != !command.in[k].has_value())
      return name + (regions[k].none ? " is not needed" : " is missing");
    if (regions[k].none) continue;
    const std::string why = wrong_region(op.inputs[k], regions[k], *command.in[k]);
    if (!why.empty()) return name + " " + why;
  }
  return {};
}

}  // namespace tessera::commands
