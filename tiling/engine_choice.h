// Which engine of a machine computes an op, whatever part of it is computed.
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
  bool by_mapping = false;  ///< the engine is an array that says how it computes such ops
};

/// The first array with a mapping for the op, else the first vector engine; nothing if there is
/// neither.
[[nodiscard]] std::optional<EngineChoice> choose_engine(const Op& op, const OpLoops& loops,
                                                        const Hardware& hardware);

/// Of an op of this network. require: it makes something.
[[nodiscard]] std::optional<EngineChoice> choose_engine(const Network& network, const Op& op,
                                                        const Hardware& hardware);

/// Engines with one queue are never at work together: the first of them, for all of these.
/// require: such an engine
[[nodiscard]] std::size_t queue_of(const Hardware& hardware, std::size_t engine);
/// That of the engine that computes the op. require: one does; as choose_engine()
[[nodiscard]] std::size_t queue_of(const Network& network, const Op& op, const Hardware& hardware);

[[nodiscard]] bool carries(const Mapping& mapping, std::string_view name);
/// The most special of the op's names (names_of()) that one of engine.maps carries; "" if none
/// does.
[[nodiscard]] std::string_view carried_name(const Op& op, const OpLoops& loops,
                                            const Engine& engine);

/// Does a mapping of the engine compute the op? One unroll without maps computes all products.
[[nodiscard]] bool has_mapping(const Op& op, const OpLoops& loops, const Engine& engine);

}  // namespace tessera::tiling
