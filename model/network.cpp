#include "tessera/network.h"

#include <array>
#include <utility>

namespace tessera {
namespace {

struct TypeFacts {
  ElementType type;
  std::string_view name;
  Size bits;
  bool floating;
};

constexpr std::array<TypeFacts, 15> type_facts{{
    {ElementType::float64, "float64", 64, true},
    {ElementType::float32, "float32", 32, true},
    {ElementType::float16, "float16", 16, true},
    {ElementType::bfloat16, "bfloat16", 16, true},
    {ElementType::int64, "int64", 64, false},
    {ElementType::int32, "int32", 32, false},
    {ElementType::int16, "int16", 16, false},
    {ElementType::int8, "int8", 8, false},
    {ElementType::int4, "int4", 4, false},
    {ElementType::uint64, "uint64", 64, false},
    {ElementType::uint32, "uint32", 32, false},
    {ElementType::uint16, "uint16", 16, false},
    {ElementType::uint8, "uint8", 8, false},
    {ElementType::uint4, "uint4", 4, false},
    {ElementType::boolean, "bool", 8, false},
}};

constexpr std::array<std::pair<OpKind, std::string_view>, 18> kind_names{{
    {OpKind::conv, "conv"},
    {OpKind::conv_transpose, "conv_transpose"},
    {OpKind::max_pool, "max_pool"},
    {OpKind::average_pool, "average_pool"},
    {OpKind::reduce, "reduce"},
    {OpKind::matmul, "matmul"},
    {OpKind::elementwise, "elementwise"},
    {OpKind::softmax, "softmax"},
    {OpKind::normalize, "normalize"},
    {OpKind::batch_norm, "batch_norm"},
    {OpKind::concat, "concat"},
    {OpKind::slice, "slice"},
    {OpKind::pad, "pad"},
    {OpKind::resize, "resize"},
    {OpKind::reshape, "reshape"},
    {OpKind::transpose, "transpose"},
    {OpKind::depth_to_space, "depth_to_space"},
    {OpKind::space_to_depth, "space_to_depth"},
}};

const TypeFacts& facts(ElementType type) {
  for (const TypeFacts& entry : type_facts)
    if (entry.type == type) return entry;
  __builtin_unreachable();
}

}  // namespace

Size element_bits(ElementType type) {
  return facts(type).bits;
}
Size element_bytes(ElementType type) {
  return packed_bytes(type, 1);
}
Size packed_bytes(ElementType type, std::int64_t elements) {
  const Size bits = element_bits(type);
  return bits < 8 ? (elements * bits + 7) / 8 : elements * (bits / 8);
}

ElementType unpacked(ElementType type) {
  if (type == ElementType::int4) return ElementType::int8;
  return type == ElementType::uint4 ? ElementType::uint8 : type;
}

ElementType bias_type(ElementType type) {
  const bool sums = !is_floating(type) && type != ElementType::boolean && element_bits(type) <= 16;
  return sums ? ElementType::int32 : type;
}

bool is_floating(ElementType type) {
  return facts(type).floating;
}
std::string_view to_string(ElementType type) {
  return facts(type).name;
}

std::optional<ElementType> element_type_from(std::string_view text) {
  for (const TypeFacts& entry : type_facts)
    if (entry.name == text) return entry.type;
  return std::nullopt;
}

std::string_view to_string(OpKind kind) {
  for (const auto& [value, name] : kind_names)
    if (value == kind) return name;
  return "opaque";
}

std::optional<OpKind> op_kind_from(std::string_view text) {
  for (const auto& [value, name] : kind_names)
    if (name == text) return value;
  if (text == "opaque") return OpKind::opaque;
  return std::nullopt;
}

std::optional<std::int64_t> element_count(const std::vector<Dim>& shape) {
  std::int64_t count = 1;
  for (const Dim extent : shape) {
    const std::optional<std::int64_t> product = checked_mul(count, extent);
    if (!product || *product > max_address) return std::nullopt;
    count = *product;
  }
  return count;
}

Size tensor_bytes(const Tensor& tensor) {
  return packed_bytes(tensor.type, element_count(tensor.shape).value_or(max_address));
}

TensorIndex storage_of(const Network& network, TensorIndex tensor) {
  while (network.tensors[tensor].view_of) tensor = *network.tensors[tensor].view_of;
  return tensor;
}

std::vector<TensorIndex> operands(const Op& op) {
  std::vector<TensorIndex> all = op.inputs;
  for (const Fused& fused : op.fused)
    all.insert(all.end(), fused.operands.begin(), fused.operands.end());
  return all;
}

}  // namespace tessera
