// A placement problem: buffers, memories and rules.
//
//   PlacementProblem problem;
//   problem.memories.push_back({.name = "sram", .capacity = 12});
//   problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
//   problem.buffers.push_back({.id = "b", .live = {{1, 2}}, .size = 8});
//   assert(validate(problem).empty());                       // validate.h
//   PlacementResult result = place(problem, {});             // place.h
//
// Plain values without checks. validate() lists the errors of a problem. place() and explain()
// throw BadInput for them; other functions require an empty list.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rules.h"
#include "units.h"

namespace tessera {

/// Accesses that a bank permits during a step. `weight` is readable and holds only weights. `data`
/// is readable and writable and holds everything but weights.
enum class Role : std::uint8_t { read, write, read_write, weight, data, hold, off };

/// A bank of a memory.
struct Bank {
  std::string name{};
  Size size = 0;
  /// For Memory::modes_per_bank: the roles that this bank can take, independently of other banks.
  std::vector<Role> roles{};
};

/// One joint assignment of roles: roles[k] belongs to bank k.
struct Mode {
  std::string name{};
  std::vector<Role> roles{};
};

/// An address space [0, capacity). Banks are consecutive from address 0; `capacity` must equal the
/// sum of their sizes. A memory without banks behaves as one bank.
struct Memory {
  std::string name{};
  Size capacity = unbounded;
  Size alignment = 1;
  std::vector<Bank> banks{};
  bool straddle = true;       ///< may a buffer cross a bank border?
  std::vector<Mode> modes{};  ///< empty (and not modes_per_bank): accesses are not restricted
  /// Stands for all combinations of the banks' `roles`; `modes` is empty then. The name of such a
  /// mode is its roles joined by '|' in bank order (per_bank_mode_name() in names.h).
  bool modes_per_bank = false;
  std::vector<AddressRange> reserved{};  ///< addresses that no buffer may touch
  /// The machine address of offset 0. Offsets, windows and reserved ranges are relative to it.
  /// Alignment applies to (base + offset).
  Offset base = 0;
};

/// During `steps` the buffer occupies only `window` (relative to its offset); without a window it
/// occupies nothing.
struct Gap {
  StepRange steps{};
  std::optional<AddressRange> window{};
};

/// `count` copies, `stride` bytes apart, of all that the earlier entries make.
struct Repeat {
  std::int64_t count = 1;
  Size stride = 1;
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

/// Bytes of a buffer that are live together: a run of `size` bytes at `offset` (relative to the
/// buffer's offset), repeated as often as the product of the counts. Example, a tile of a tensor: 4
/// rows of 128 bytes of a matrix that is 512 wide are {.size = 128, .repeat = {{4, 512}}}.
struct BufferPart {
  std::vector<StepRange> live{};  ///< sorted, not empty, no two touch or overlap
  Offset offset = 0;
  Size size = 0;
  std::vector<Repeat> repeat{};
};

/// The kind of data, which roles of banks refer to.
enum class BufferKind : std::uint8_t { activation, weight };

/// A buffer with its lifetime and its own constraints.
struct Buffer {
  std::string id{};
  std::vector<StepRange> live{};  ///< sorted, not empty, no two touch or overlap
  Size size = 0;
  Size alignment = 1;
  std::vector<Gap> gaps{};  ///< sorted; each inside one live interval
  /// If not empty: the bytes that the buffer uses, each while its part is live. Such a buffer has
  /// no gaps. Parts may overlap each other. Windows, reserved ranges, banks and relations apply to
  /// these bytes only; capacity, height and alignment apply to the buffer as a whole.
  std::vector<BufferPart> parts{};
  std::vector<MemoryIndex> memories{};  ///< allowed memories; empty: all
  std::vector<Step> read{};             ///< steps at which it is read, sorted
  std::vector<Step> write{};            ///< steps at which it is written, sorted
  BufferKind kind = BufferKind::activation;
  std::optional<Offset> offset{};        ///< fixed offset, in any memory it gets
  std::optional<Offset> hint{};          ///< kept for other programs; no solver uses it
  std::optional<AddressRange> window{};  ///< the buffer lies entirely inside
  /// May be left out; it then lives in a slower memory outside of the problem. Only a search for
  /// Objective::benefit leaves buffers out.
  bool optional = false;
  Benefit benefit = 0;  ///< of placing it, in thousandths; only for optional buffers
  std::string group{};  ///< the optional buffers of one group are placed or left out together;
                        ///< empty: no group
};

/// docs/reference/problems.md defines each kind. For the operands of an op, a machine
/// may require the first four kinds (hardware.h).
enum class RelationKind : std::uint8_t {
  same_bank,           ///< each lies entirely in one bank, the same for all
  different_banks,     ///< no two of them touch the same bank
  same_memory,         ///< all are in one memory
  different_memories,  ///< no two are in one memory
  adjacent,            ///< each starts where the previous one ends, in one memory
  same_offset,         ///< equal memory and offset; the pairs may overlap
  may_overlap,         ///< its pairs are exempt from non-overlap
  disjoint,            ///< no two ever share an address of one memory, at any steps
  avoid_overlap,       ///< soft: each pair that shares an address of one memory costs `cost`
};

/// A constraint or cost on several buffers.
struct Relation {
  RelationKind kind = RelationKind::disjoint;
  std::vector<BufferIndex> buffers{};  ///< at least two, all different
  Cost cost = 0;                       ///< only for avoid_overlap
  friend auto operator<=>(const Relation&, const Relation&) = default;
};

/// The objective in addition to satisfying all hard rules.
enum class Objective : std::uint8_t {
  fit,       ///< none: any placement within the capacities
  height,    ///< minimise the heights of memories: the largest first, then the next
  cost,      ///< minimise the sum of avoid_overlap costs
  benefit,   ///< maximise the summed benefit of the placed optional buffers
  modes,     ///< minimise the number of distinct modes; only as a parameter of place()
  switches,  ///< minimise the changes of modes from step to step; only as a parameter of place()
};

/// A placement problem; see validate() for its invariants.
struct PlacementProblem {
  std::string name{};
  std::vector<Memory> memories{};  ///< at least one
  std::vector<Buffer> buffers{};
  std::vector<Relation> relations{};
  std::vector<ConditionRule> rules{};
  Objective objective = Objective::fit;
  /// Objectives after `objective`, in order. Each is optimised at the values reached for the
  /// earlier ones. None is `fit`, `modes` or `switches`, and none occurs twice.
  std::vector<Objective> next_objectives{};
};

}  // namespace tessera
