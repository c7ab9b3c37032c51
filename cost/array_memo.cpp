#include "cost/array_memo.h"

#include <bit>
#include <cstring>
#include <optional>

namespace tessera::cost {

/// Short names are encoded in the number itself, which needs no lock.
std::array<std::int64_t, 2> ArrayMemo::number_of(const std::string& name) {
  std::array<std::int64_t, 2> number{};
  if (name.size() < sizeof number) {  // the last byte holds the length
    std::memcpy(number.data(), name.data(), name.size());
    number[1] |= static_cast<std::int64_t>(name.size()) << 56;
    return number;
  }
  const std::lock_guard guard(lock_);
  const auto known =
      long_names_.try_emplace(name, static_cast<std::int64_t>(long_names_.size())).first;
  return {known->second, -1};
}

ArrayChoices ArrayMemo::choices(const Op& op, const tiling::OpLoops& loops, std::size_t engine,
                                OffChipOperands off_chip) {
  // The structured binding names every member: a new member does not compile until the key has it.
  const auto& [op_class, nest, per_channel, has_weights, stride, dilation, upscale, taps, spread,
               input, folds, fold_offset, input_element, weight_bits, output_element] = loops;
  const auto& [n, g, k, c, h, w, r, s] = nest;
  const std::array<std::int64_t, 2> name = number_of(op.function);
  const Key key{static_cast<std::int64_t>(engine) * 256 + static_cast<std::int64_t>(op.kind),
                static_cast<std::int64_t>(op_class) * 4 + (spread ? 4096 : 0) +
                    (per_channel ? 2 : 0) + (has_weights ? 1 : 0),
                n,
                g,
                k,
                c,
                h,
                w,
                r,
                s,
                stride[0],
                stride[1],
                dilation[0],
                dilation[1],
                upscale[0],
                upscale[1],
                taps[0],
                taps[1],
                input[0],
                input[1],
                input_element,
                weight_bits,
                output_element,
                name[0],
                name[1],
                folds,
                op.fused.empty() ? 1 : 0,
                fold_offset,
                std::bit_cast<std::int64_t>(off_chip.input),
                std::bit_cast<std::int64_t>(off_chip.output)};
  if (const std::optional<ArrayChoices> known = known_.find(key)) return *known;
  const bool on_chip = off_chip.input <= 0 && off_chip.output <= 0;
  const ArrayChoices made = array_choices(op, loops, hardware_.engines[engine],
                                          on_chip ? port_ : port_of(hardware_, off_chip));
  known_.keep(key, made);
  return made;
}

}  // namespace tessera::cost
