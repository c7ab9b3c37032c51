#include "model/stored.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/derived.h"
#include "model/network_types.h"
#include "tessera/hardware_check.h"

namespace tessera {
namespace {

constexpr std::string_view axis_letters = "NCHW";

Size elements_of(const Tensor& tensor) {
  return element_count(tensor.shape).value_or(max_address);
}

/// The number of output channels of a product.
Dim output_channels(const Network& network, const Op& op) {
  const std::vector<Dim>& shape = network.tensors[op.outputs.at(0)].shape;
  if (op.kind == OpKind::matmul) return shape.empty() ? 1 : shape.back();
  return shape.size() < 2 ? 1 : shape[1];
}

Size coded_bytes(const Tensor& weight, Dim channels, const WeightCoding& coding) {
  const double all =
      static_cast<double>(packed_bytes(weight.type, elements_of(weight))) * coding.ratio +
      static_cast<double>(channels) * static_cast<double>(coding.per_channel);
  const double most = static_cast<double>(max_address - coding.granule);
  return align_up(std::max<Size>(1, static_cast<Size>(std::ceil(std::min(all, most)))),
                  coding.granule);
}

}  // namespace

bool is_outside(const Network& network, TensorIndex storage) {
  const auto same = [&](TensorIndex t) { return storage_of(network, t) == storage; };
  return std::ranges::any_of(network.inputs, same) || std::ranges::any_of(network.outputs, same);
}

Size stored_bytes(const Tensor& tensor, Dim brick) {
  const Size elements = elements_of(tensor);
  if (brick == 1 || !has_layout(tensor) || elements >= max_address)
    return packed_bytes(tensor.type, elements);
  return elements / tensor.shape[1] * in_bricks(tensor.shape[1], brick) *
         element_bytes(tensor.type);
}

ElementBytes bytes_of(const Tensor& tensor) {
  return {.bits = element_bits(tensor.type), .encoded = 0, .all = elements_of(tensor)};
}

std::optional<MultipliedWeight> multiplied_by(const Network& network, const Op& op,
                                              const Hardware& hardware) {
  if (!multiplies(op.kind) || op.inputs.size() < 2) return std::nullopt;
  const TensorIndex t = storage_of(network, op.inputs[1]);
  const Tensor& weight = network.tensors[t];
  if (weight.kind != TensorKind::weight) return std::nullopt;
  ElementBytes bytes = bytes_of(weight);
  if (hardware.coding)
    bytes.encoded = weight.encoded
                        ? *weight.encoded
                        : coded_bytes(weight, output_channels(network, op), *hardware.coding);
  return MultipliedWeight{t, bytes};
}

std::vector<Size> least_stored(const Network& network, const Hardware& hardware) {
  std::vector<Size> least;
  for (const Tensor& tensor : network.tensors) least.push_back(tensor_bytes(tensor));
  if (!hardware.coding) return least;
  for (const Op& op : network.ops)
    if (const std::optional<MultipliedWeight> weight = multiplied_by(network, op, hardware))
      least[weight->tensor] = std::min(least[weight->tensor], weight->bytes.whole());
  return least;
}

bool has_bricks(const Hardware& hardware) {
  return std::ranges::any_of(hardware.memories,
                             [](const HardwareMemory& each) { return each.layout.brick > 1; });
}

Layout on_chip_layout(const Hardware& hardware) {
  const auto found = std::ranges::find(hardware.memories, false, &HardwareMemory::offchip);
  return found == hardware.memories.end() ? Layout{} : found->layout;
}

std::optional<Layout> layout_from(std::string_view text) {
  Layout layout;
  if (text.size() < 4 || text.front() != 'N') return std::nullopt;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t axis = axis_letters.find(text[k]);
    if (axis == std::string_view::npos || text.substr(0, k).find(text[k]) != std::string_view::npos)
      return std::nullopt;
    layout.order[k] = static_cast<std::uint8_t>(axis);
  }
  text.remove_prefix(4);
  if (text.empty()) return layout;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layout.brick);
  if (error != std::errc() || std::string_view(end, text.data() + text.size()) != "c" ||
      layout.brick < 2 || layout.brick > hardware_limits::brick)
    return std::nullopt;
  return layout;
}

std::string to_string(const Layout& layout) {
  std::string text;
  for (const std::uint8_t axis : layout.order) text += axis_letters[axis];
  return layout.brick == 1 ? text : text + std::to_string(layout.brick) + "c";
}

}  // namespace tessera
