// What is to be placed, and where it may go.
//
//   PlacementProblem problem;
//   problem.memories.push_back({.name = "sram", .capacity = 12});
//   problem.buffers.push_back({.id = "a", .live = {{0, 3}}, .size = 4});
//   problem.buffers.push_back({.id = "b", .live = {{1, 2}}, .size = 8});
//   assert(validate(problem).empty());                       // validate.h
//   PlacementResult result = place(problem, {});             // place.h
//
// Plain values: nothing here checks itself. validate() lists what is wrong with a problem; every
// engine, the checker and the planner require a problem for which that list is empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "units.h"

namespace tessera {

using BufferIndex = std::size_t;  ///< position in PlacementProblem::buffers
using MemoryIndex = std::size_t;  ///< position in PlacementProblem::memories

/// What a bank may do during one step. `weight` is read and holds weights alone, `data` is read and
/// written and holds anything but weights.
enum class Role : std::uint8_t { read, write, read_write, weight, data, hold, off };

struct Bank {
  std::string name{};
  Size size = 0;
  /// Only for Memory::modes_per_bank: the roles this bank can take, independent of other banks.
  std::vector<Role> roles{};
};

/// One joint assignment of roles: roles[k] belongs to bank k.
struct Mode {
  std::string name{};
  std::vector<Role> roles{};
};

/// An address space [0, capacity). Banks, where there are any, lie one after the other from 0 and
/// their sizes add up to the capacity; a memory without banks behaves as one bank.
struct Memory {
  std::string name{};
  Size capacity = unbounded;
  Size alignment = 1;
  std::vector<Bank> banks{};
  bool straddle = true;       ///< may a buffer cross a bank border?
  std::vector<Mode> modes{};  ///< empty (and not modes_per_bank): accesses are not restricted
  /// Short for every combination of the banks' own `roles`; then `modes` is empty. Such a mode is
  /// named by its roles joined by '|', in bank order (see per_bank_mode_name in derived.h).
  bool modes_per_bank = false;
  std::vector<AddressRange> reserved{};  ///< no buffer may touch these
  /// The machine's address of offset 0. Offsets, windows and reserved ranges stay relative to it;
  /// what has to be a multiple of an alignment is (base + offset).
  Offset base = 0;
};

/// During `steps` the buffer occupies only `window` (relative to its own offset), or nothing.
struct Gap {
  StepRange steps{};
  std::optional<AddressRange> window{};
};

/// `count` times what stands before it, each `stride` bytes above the one before.
struct Repeat {
  std::int64_t count = 1;
  Size stride = 1;
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

/// Bytes of a buffer that live together: a run of `size` bytes at `offset` (relative to the
/// buffer's own), repeated as often as the product of the counts says. A tile of a tensor is one:
/// 4 rows of 128 bytes of a matrix that is 512 wide are {.size = 128, .repeat = {{4, 512}}}.
struct BufferPart {
  std::vector<StepRange> live{};  ///< sorted, not empty, no two touch or overlap
  Offset offset = 0;
  Size size = 0;
  std::vector<Repeat> repeat{};
};

enum class BufferKind : std::uint8_t { activation, weight };

struct Buffer {
  std::string id{};
  std::vector<StepRange> live{};  ///< sorted, not empty, no two touch or overlap
  Size size = 0;
  Size alignment = 1;
  std::vector<Gap> gaps{};  ///< sorted; each inside one live interval
  /// Not empty: only these bytes are ever used, each while its part lives; there are no gaps then.
  /// Parts may overlap each other. Windows, reserved ranges, banks and relations look at these
  /// bytes alone; the capacity, the height and the alignment at the buffer as a whole.
  std::vector<BufferPart> parts{};
  std::vector<MemoryIndex> memories{};  ///< allowed memories; empty: all
  std::vector<Step> read{};             ///< steps at which it is read, sorted
  std::vector<Step> write{};            ///< steps at which it is written, sorted
  BufferKind kind = BufferKind::activation;
  std::optional<Offset> offset{};        ///< fixed offset (in whichever memory it gets)
  std::optional<Offset> hint{};          ///< an offset worth trying first; never binding
  std::optional<AddressRange> window{};  ///< the buffer lies entirely inside
  /// May stay out; it then lives in a slower memory, which is no part of the problem. Without the
  /// objective maximize_benefit every buffer is placed.
  bool optional = false;
  Benefit benefit = 0;  ///< of being placed, in thousandths; only for optional ones
  std::string group{};  ///< optional ones of one group stay or go together; empty: in none
};

/// The exact meaning of each is in the checker (check.h), rule by rule. The first four are what a
/// machine may ask of the operands of an op (hardware.h).
enum class RelationKind : std::uint8_t {
  same_bank,           ///< each lies entirely in one bank, the same bank
  different_banks,     ///< no bank is touched by two of them
  same_memory,         ///< all in one memory
  different_memories,  ///< no two in one memory
  adjacent,            ///< each starts where the one before it ends, in one memory
  same_offset,         ///< equal memory and offset; the pairs may overlap
  may_overlap,         ///< the pairs are exempt from non-overlap
  disjoint,            ///< never share an address of one memory, whatever the lifetimes
  avoid_overlap,       ///< soft: every pair that shares an address of one memory costs `cost`
};

struct Relation {
  RelationKind kind = RelationKind::disjoint;
  std::vector<BufferIndex> buffers{};  ///< at least two, all different
  Cost cost = 0;                       ///< only for avoid_overlap
  friend auto operator<=>(const Relation&, const Relation&) = default;
};

/// What is asked for besides a placement that keeps every hard rule.
enum class Objective : std::uint8_t {
  fit,      ///< nothing: any placement within the capacities
  height,   ///< the least heights of the memories: the largest, then the next
  cost,     ///< the least sum of avoid_overlap costs within the capacities
  benefit,  ///< the largest summed benefit: which of the optional buffers are placed
  modes,    ///< the fewest distinct modes; asked of place(), no problem's own
};

struct PlacementProblem {
  std::string name{};
  std::vector<Memory> memories{};  ///< at least one
  std::vector<Buffer> buffers{};
  std::vector<Relation> relations{};
  Objective objective = Objective::fit;
  /// Asked for after `objective`, one after the other, each at the values that were reached for
  /// those before it. None is `fit` or `modes`, and none stands twice.
  std::vector<Objective> next_objectives{};
};

}  // namespace tessera
