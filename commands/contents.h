// The content of every byte of the memories while commands run, and who touched it last.
//
//   Contents contents(hardware.memories.size());
//   contents.write(0, {4096, 4128}, {.tensor = 3, .first = 64}, 17);
//   contents.read(0, {4100, 4104}, [](const Stored& stored) { ... });
//
// Bytes of a tensor are numbered in a canonical order, so that a run of bytes is described by its
// first number. Private to commands/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "commands/command.h"
#include "tessera/problem.h"

namespace tessera::commands {

/// The meaning of consecutive bytes: bytes `first`, `first` + 1, ... of a tensor.
struct Meaning {
  TensorIndex tensor = 0;
  std::int64_t first = 0;
  std::int64_t sums = 0;  ///< parts of a split reduction that are added; 0: complete
  bool defined = false;
};

struct Stored {
  AddressRange bytes;
  Meaning meaning;
  CommandId writer = -1;
  std::vector<CommandId> readers;  ///< since then
};

class Contents {
 public:
  explicit Contents(std::size_t memories) : memories_(memories) {}

  /// Calls see() with consecutive runs that cover the range, the undefined ones too. It may change
  /// the readers.
  void visit(std::size_t memory, AddressRange range, const std::function<void(Stored&)>& see);
  /// Replaces what the range holds.
  void write(std::size_t memory, AddressRange range, const Meaning& meaning, CommandId writer);

 private:
  using Runs = std::map<Offset, Stored>;  ///< by begin; disjoint
  static void split(Runs& runs, Offset at);

  std::vector<Runs> memories_;
};

}  // namespace tessera::commands
