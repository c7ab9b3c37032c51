#include "cost/array_memo.h"

namespace tessera::cost {

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
          0,
          folds,
          fold_offset};
  {
    const std::lock_guard guard(lock_);
    key[21] =
        names_.try_emplace(op.function, static_cast<std::int64_t>(names_.size())).first->second;
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
  }
  const ArrayWays made = array_ways(op, loops, hardware_.engines[engine], port_);
  const std::lock_guard guard(lock_);
  if (known_.size() < most) known_.emplace(key, made);
  return made;
}

}  // namespace tessera::cost
