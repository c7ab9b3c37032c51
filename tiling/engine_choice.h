// The engine of a machine that computes an op, independent of the tile.
//
//   const OpLoops loops = loops_of(net, op, net.tensors[op.outputs[0]].shape);
//   if (const auto chosen = choose_engine(op, loops, hardware)) hardware.engines[chosen->engine];
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tessera/hardware.h"
#include "tessera/network.h"
#include "tiling/loops.h"

namespace tessera::tiling {

struct EngineChoice {
  std::size_t engine = 0;
  bool by_mapping = false;  ///< the engine is an array with a mapping for the op
};

/// The first array with a mapping for the op, else the first vector engine, else nothing.
[[nodiscard]] std::optional<EngineChoice> choose_engine(const Op& op, const OpLoops& loops,
                                                        const Hardware& hardware);

/// For an op of this network.
/// require: the op has an output.
[[nodiscard]] std::optional<EngineChoice> choose_engine(const Network& network, const Op& op,
                                                        const Hardware& hardware);

/// The index of the first engine with the same queue. Engines of one queue never work at the same
/// time.
[[nodiscard]] std::size_t queue_of(const Hardware& hardware, std::size_t engine);
/// The queue of the engine that computes the op.
/// require: an engine computes it.
[[nodiscard]] std::size_t queue_of(const Network& network, const Op& op, const Hardware& hardware);

[[nodiscard]] bool carries(const Mapping& mapping, std::string_view name);
/// The most specific name of the op (names_of()) that engine.maps contains; "" if none.
[[nodiscard]] std::string_view carried_name(const Op& op, const OpLoops& loops,
                                            const Engine& engine);

/// Does a mapping of the engine compute the op? A single unroll without maps computes all products.
[[nodiscard]] bool has_mapping(const Op& op, const OpLoops& loops, const Engine& engine);

}  // namespace tessera::tiling
