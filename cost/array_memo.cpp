#include "cost/array_memo.h"

#include <mutex>
#include <optional>

namespace tessera::cost {

std::int64_t ArrayMemo::number_of(const std::string& name) {
  {
    const std::shared_lock guard(lock_);
    const auto known = names_.find(name);
    if (known != names_.end()) return known->second;
  }
  const std::unique_lock guard(lock_);
  return names_.try_emplace(name, static_cast<std::int64_t>(names_.size())).first->second;
}

ArrayWays ArrayMemo::ways(const Op& op, const tiling::OpLoops& loops, std::size_t engine) {
  // Every member by its name: one that is added does not compile until it is part of the key.
  const auto& [op_class, nest, per_channel, has_weights, stride, dilation, upscale, input, folds,
               fold_offset, input_element, weight_element, output_element] = loops;
  const auto& [n, g, k, c, h, w, r, s] = nest;
  Key key{static_cast<std::int64_t>(engine) * 256 + static_cast<std::int64_t>(op.kind),
          static_cast<std::int64_t>(op_class) * 4 + (per_channel ? 2 : 0) + (has_weights ? 1 : 0),
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
          input[0],
          input[1],
          input_element,
          weight_element,
          output_element,
          number_of(op.function),
          folds,
          fold_offset};
  if (const std::optional<ArrayWays> known = known_.find(key)) return *known;
  const ArrayWays made = array_ways(op, loops, hardware_.engines[engine], port_);
  known_.keep(key, made);
  return made;
}

}  // namespace tessera::cost
