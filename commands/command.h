// The commands of a plan as plain values, as docs/guide/commands.md describes them.
//
//   Command load{.id = 0, .kind = CommandKind::load, .queue = "dma"};
//   load.copies.push_back({.src = off_chip, .dst = on_chip});
//   std::string line = json_line(load, names);                       // json.h
//
// Private to commands/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tessera/network.h"
#include "tessera/network_shapes.h"
#include "tessera/units.h"
#include "tiling/box.h"

namespace tessera::commands {

/// A plan that commands cannot express: the sentence says what, and in which group. `advice` says
/// which plans they can express.
class Unsupported : public std::runtime_error {
 public:
  explicit Unsupported(const std::string& what,
                       std::string advice =
                           "--commands does not support every variant of tiling "
                           "yet")
      : std::runtime_error(what), advice_(std::move(advice)) {}
  [[nodiscard]] const std::string& advice() const { return advice_; }

 private:
  std::string advice_;
};

using CommandId = std::int64_t;

enum class CommandKind : std::uint8_t { load, store, compute, mode, wait };

struct Level {
  std::int64_t count = 1;
  Size stride = 0;  ///< bytes
  friend bool operator==(const Level&, const Level&) = default;
};

/// One side of a strided copy.
struct Side {
  std::size_t memory = 0;  ///< in Hardware::memories
  Offset address = 0;
  std::vector<Level> dims;  ///< outermost first
  Size element_bytes = 1;
};

struct Copy {
  std::optional<Side> src;
  std::optional<Side> dst;
};

/// Channels in groups: channel k is in group k / channels.
struct Brick {
  Dim channels = 1;  ///< 1: no bricks
  Size stride = 0;   ///< bytes between groups
  Dim phase = 0;     ///< channels of the first group before the part
};

/// A box of a tensor with regular strides.
struct Part {
  tiling::Box box;
  std::size_t memory = 0;
  Offset address = 0;
  std::array<Size, max_rank> strides{};
  Brick brick{};
  std::string buffer{};  ///< if it is not that of the operand
};

struct Operand {
  TensorIndex tensor = 0;
  tiling::Box box;
  std::vector<Part> parts;  ///< at least one
  Size element_bytes = 1;
  Size bits = 8;
  Size encoded = 0;
  std::string buffer;
  std::optional<ElementType> dtype;  ///< if it is not that of the tensor
  struct View {
    TensorIndex tensor = 0;
    tiling::Box box;
  };
  std::optional<View> as;
};

struct Accumulate {
  std::int64_t part = 0;
  std::int64_t parts = 1;
  std::optional<Operand> sums;  ///< of the parts before
};

struct Command {
  CommandId id = 0;
  CommandKind kind = CommandKind::wait;
  std::size_t group = 0;
  std::int64_t tile = 0;
  std::string queue;  ///< empty: a barrier
  std::vector<CommandId> after;
  std::int64_t cycles = 0;
  std::optional<std::size_t> bus;
  std::int64_t bus_cycles = 0;
  // load, store
  TensorIndex tensor = 0;
  tiling::Box box;
  std::string buffer;
  std::vector<Copy> copies;
  Size bytes = 0;
  bool direct = false;
  std::optional<CommandId> rest_of;  ///< the first command of the same transfer
  // compute
  std::string op;
  std::string engine;
  std::vector<Operand> out;
  std::vector<std::optional<Operand>> in;
  std::vector<std::pair<Dim, Dim>> pad;
  std::optional<Accumulate> accumulate;
  std::optional<CommandId> begins;
  // mode
  std::string memory;
  std::string mode;
};

}  // namespace tessera::commands
