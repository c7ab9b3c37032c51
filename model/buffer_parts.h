// Which bytes of a buffer are used, and which of them when.
//
//   AddressRange hull = extent(buffer);                  // relative to its offset, as all of these
//   for (const AddressRange& run : used_bytes(buffer)) touch(run);
//   for (const Load& load : loads(buffer)) add(load.steps, load.bytes);
//
// A buffer without parts is one part: all of its bytes, as long as it lives. With parts it may be
// many thin runs; validate() bounds how many (most_pieces), so all of them can be listed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/derived.h"
#include "tessera/problem.h"

namespace tessera {

/// How many runs the parts of a problem may come to, each counted once for every stretch of steps
/// in which the same parts of its buffer live.
inline constexpr std::int64_t most_pieces = 2'000'000;

/// Sorts the ranges and joins those that overlap or touch.  require: none is empty.
void join_touching(std::vector<AddressRange>& ranges);

/// The product of the counts; nothing where it is more than most_pieces.
[[nodiscard]] std::optional<std::int64_t> run_count(const BufferPart& part);

/// What the parts of a buffer count of most_pieces, or a little more than all of them.
/// require: run_count() of each part is something.
[[nodiscard]] std::int64_t piece_count(const Buffer& buffer);

/// The addresses from the first to behind the last run.
/// require: run_count(part) is something, no count below 1, no address beyond max_address.
[[nodiscard]] AddressRange extent(const BufferPart& part);

/// The runs as a set of addresses: sorted, and no two touch.  require: as for extent().
[[nodiscard]] std::vector<AddressRange> runs(const BufferPart& part);

/// All of these sets of addresses together, each as of runs(). Tiles of one shape fill the gaps of
/// their neighbours, so lists that stand side by side are joined first.
[[nodiscard]] std::vector<AddressRange> united(
    std::span<const std::vector<AddressRange>* const> lists);

/// Everything the buffer ever uses: [0, size), or the hull of its parts.
[[nodiscard]] AddressRange extent(const Buffer& buffer);

/// The bytes it ever uses: sorted, and no two ranges touch.
[[nodiscard]] std::vector<AddressRange> used_bytes(const Buffer& buffer);

/// How many bytes it ever uses.
[[nodiscard]] Size used_size(const Buffer& buffer);

/// How many bytes the buffer occupies at each of these steps, and between which addresses.
struct Load {
  StepRange steps;
  AddressRange range;
  Size bytes = 0;
  [[nodiscard]] bool in_one_piece() const { return bytes == range.size(); }
};
/// By time; nothing for steps at which it occupies none.
[[nodiscard]] std::vector<Load> loads(const Buffer& buffer);

/// Stretches of steps in which the same parts live, and which.  require: the buffer has parts.
struct PartsAlive {
  StepRange steps;
  std::vector<std::size_t> parts;
};
[[nodiscard]] std::vector<PartsAlive> parts_alive(const Buffer& buffer);

}  // namespace tessera
